//! `std.mergePatch`.

use jrsonnet_evaluator::function::builtin;
use jrsonnet_evaluator::{
    IStr, ObjValue, ObjValueBuilder, Result, Val, ensure_sufficient_stack, in_description_frame,
};

/// Hidden fields are neither patched nor patches.
#[builtin]
pub(super) fn std_merge_patch(target: Val, patch: Val) -> Result<Val> {
    merged(&target, patch)
}

fn merged(target: &Val, patch: Val) -> Result<Val> {
    let Some(patch) = patch.as_obj() else {
        return Ok(patch);
    };
    let target = target.as_obj().unwrap_or_else(ObjValue::empty);
    let mut names = target.fields();
    names.extend(patch.fields());
    names.sort_unstable();
    names.dedup();
    let mut out = ObjValueBuilder::with_capacity(names.len());
    for name in names {
        if patch.has_field(name.clone()) {
            let value = patch.get(name.clone())?.unwrap_or_default();
            if !matches!(value, Val::Null) {
                let value = field(&target, &name, value)?;
                out.field(name).value(value);
            }
        } else if let Some(untouched) = target.get_lazy(name.clone()) {
            out.field(name).thunk(untouched);
        }
    }
    Ok(Val::Obj(out.build()))
}

fn field(target: &ObjValue, name: &IStr, patch: Val) -> Result<Val> {
    let target = if target.has_field(name.clone()) {
        target.get(name.clone())?.unwrap_or_default()
    } else {
        Val::Null
    };
    in_description_frame(
        || format!("Field \"{name}\""),
        || ensure_sufficient_stack(|| merged(&target, patch)),
    )
}
