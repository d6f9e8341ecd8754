//! `std.manifestIni`.

use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::function::builtin;
use jrsonnet_evaluator::{IStr, ObjValue, Result, Val};

use super::text;

#[builtin]
pub(super) fn std_manifest_ini(ini: ObjValue) -> Result<String> {
    let mut lines = Vec::new();
    if ini.has_field("main".into()) {
        let main = object(ini.get("main".into())?)?;
        body(&main, &mut lines)?;
    }
    let sections = ini
        .get("sections".into())?
        .ok_or_else(|| ErrorKind::NoSuchField("sections".into(), Vec::new()))?;
    let sections = object(Some(sections))?;
    for name in sections.fields() {
        lines.push(format!("[{name}]"));
        body(&object(sections.get(name)?)?, &mut lines)?;
    }
    Ok(lines.into_iter().map(|line| line + "\n").collect())
}

/// The lines of a section: a list is one line for each item.
fn body(section: &ObjValue, lines: &mut Vec<String>) -> Result<()> {
    section.run_assertions()?;
    for name in section.fields() {
        match section.get(name.clone())?.unwrap_or_default() {
            Val::Arr(items) => {
                for item in items.iter() {
                    lines.push(line(&name, &item?)?);
                }
            }
            value => lines.push(line(&name, &value)?),
        }
    }
    Ok(())
}

fn line(name: &IStr, value: &Val) -> Result<String> {
    Ok(format!("{name} = {}", text(value)?))
}

fn object(value: Option<Val>) -> Result<ObjValue> {
    let value = value.unwrap_or_default();
    value.as_obj().ok_or_else(|| {
        let kind = value.value_type().name();
        ErrorKind::RuntimeError(format!("Unexpected type {kind}, expected object").into()).into()
    })
}
