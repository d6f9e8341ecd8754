//! `std.manifestPython` and `std.manifestPythonVars`.

use jrsonnet_evaluator::function::builtin;
use jrsonnet_evaluator::{ObjValue, Result, Val, ensure_sufficient_stack, in_description_frame};

use crate::{number, write};

#[builtin]
pub(super) fn std_manifest_python(v: Val) -> Result<String> {
    let mut out = String::new();
    literal(&v, &mut out)?;
    Ok(out)
}

/// A line for each field.
#[builtin]
pub(super) fn std_manifest_python_vars(conf: ObjValue) -> Result<String> {
    conf.run_assertions()?;
    let mut out = String::new();
    for name in conf.fields() {
        out.push_str(&name);
        out.push_str(" = ");
        literal(&conf.get(name)?.unwrap_or_default(), &mut out)?;
        out.push('\n');
    }
    Ok(out)
}

fn literal(value: &Val, out: &mut String) -> Result<()> {
    match value {
        Val::Null => out.push_str("None"),
        Val::Bool(bool) => out.push_str(if *bool { "True" } else { "False" }),
        Val::Num(number) => out.push_str(&number::precise(number.get())),
        Val::BigInt(number) => out.push_str(&number.to_string()),
        Val::Str(text) => write::string(&text.clone().into_flat(), out),
        Val::Arr(items) => {
            out.push('[');
            for (index, item) in (0_u32..).zip(items.iter()) {
                separate(index, out);
                inner(&item?, out, || format!("Array element {index}"))?;
            }
            out.push(']');
        }
        Val::Obj(object) => {
            object.run_assertions()?;
            out.push('{');
            for (index, (name, value)) in (0_u32..).zip(object.iter()) {
                separate(index, out);
                write::string(&name, out);
                out.push_str(": ");
                inner(&value?, out, || format!("Field \"{name}\""))?;
            }
            out.push('}');
        }
        Val::Func(_) => return Err(write::no_function()),
    }
    Ok(())
}

fn inner(value: &Val, out: &mut String, place: impl FnOnce() -> String) -> Result<()> {
    in_description_frame(place, || ensure_sufficient_stack(|| literal(value, out)))
}

fn separate(index: u32, out: &mut String) {
    if index > 0 {
        out.push_str(", ");
    }
}
