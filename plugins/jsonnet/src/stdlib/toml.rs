//! `std.manifestToml` and `std.manifestTomlEx`, with go-jsonnet's blank lines.

use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::function::builtin;
use jrsonnet_evaluator::val::ArrValue;
use jrsonnet_evaluator::{Error, IStr, ObjValue, Result, Val, ensure_sufficient_stack, in_description_frame};

use crate::{number, write};

#[builtin]
pub(super) fn std_manifest_toml(value: ObjValue) -> Result<String> {
    document(&value, "  ")
}

#[builtin]
pub(super) fn std_manifest_toml_ex(value: ObjValue, indent: IStr) -> Result<String> {
    document(&value, &indent)
}

fn document(value: &ObjValue, step: &str) -> Result<String> {
    let mut writer = Writer {
        step,
        indent: String::new(),
        path: Vec::new(),
    };
    writer.table(value)
}

/// Where the writer is.
struct Writer<'a> {
    step: &'a str,
    indent: String,
    /// Names of the tables around.
    path: Vec<IStr>,
}

impl Writer<'_> {
    /// What is in a table: first its values, then the tables in it, each after a blank line.
    fn table(&mut self, table: &ObjValue) -> Result<String> {
        table.run_assertions()?;
        let (mut values, mut tables) = (Vec::new(), Vec::new());
        for name in table.fields() {
            let value = table.get(name.clone())?.unwrap_or_default();
            in_description_frame(
                || format!("Field \"{name}\""),
                || {
                    ensure_sufficient_stack(|| {
                        if is_table(&value)? {
                            tables.push(self.inner_table(&name, &value)?);
                        } else {
                            let text = format!("{} = {}", key(&name), self.value(&value)?);
                            values.push(self.indented(&text));
                        }
                        Ok(())
                    })
                },
            )?;
        }
        let mut out = values.join("\n");
        for table in tables {
            out.push_str("\n\n");
            out.push_str(&table);
        }
        Ok(out)
    }

    fn indented(&self, text: &str) -> String {
        let lines: Vec<String> = text
            .split('\n')
            .map(|line| format!("{}{line}", self.indent))
            .collect();
        lines.join("\n")
    }

    fn inner_table(&mut self, name: &IStr, value: &Val) -> Result<String> {
        self.path.push(name.clone());
        let names: Vec<String> = self.path.iter().map(|name| key(name)).collect();
        let heading = names.join(".");
        let written = match value {
            Val::Obj(table) => self.headed(&format!("[{heading}]"), table),
            Val::Arr(tables) => self.tables(&format!("[[{heading}]]"), tables),
            _ => Ok(String::new()),
        };
        self.path.pop();
        written
    }

    fn tables(&mut self, heading: &str, tables: &ArrValue) -> Result<String> {
        let mut written = Vec::new();
        for table in tables.iter() {
            if let Val::Obj(table) = table? {
                written.push(self.headed(heading, &table)?);
            }
        }
        Ok(written.join("\n\n"))
    }

    fn headed(&mut self, heading: &str, table: &ObjValue) -> Result<String> {
        let outer = self.indent.len();
        let end = if table.fields().is_empty() { "" } else { "\n" };
        let heading = format!("{}{heading}{end}", self.indent);
        self.indent.push_str(self.step);
        let content = self.table(table);
        self.indent.truncate(outer);
        Ok(heading + &content?)
    }

    /// A value of a table: a list has a line for each item.
    fn value(&self, value: &Val) -> Result<String> {
        match value {
            Val::Arr(items) if !items.is_empty() => {
                let items: Vec<String> = items
                    .iter()
                    .map(|item| Ok(format!("{}{}", self.step, inline(&item?)?)))
                    .collect::<Result<_>>()?;
                Ok(format!("[\n{}\n]", items.join(",\n")))
            }
            value => inline(value),
        }
    }
}

/// A value in one line.
fn inline(value: &Val) -> Result<String> {
    Ok(match value {
        Val::Null => return Err(no_value("null")),
        Val::Func(_) => return Err(no_value("function")),
        Val::Bool(bool) => bool.to_string(),
        Val::Num(number) => number::precise(number.get()),
        Val::BigInt(number) => number.to_string(),
        Val::Str(text) => quoted(&text.clone().into_flat()),
        Val::Arr(items) if items.is_empty() => "[]".to_owned(),
        Val::Arr(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| inner(&item?, "an element of a list"))
                .collect::<Result<_>>()?;
            format!("[ {} ]", items.join(", "))
        }
        Val::Obj(object) => {
            object.run_assertions()?;
            let fields: Vec<String> = object
                .iter()
                .map(|(name, value)| Ok(format!("{} = {}", key(&name), inner(&value?, &name)?)))
                .collect::<Result<_>>()?;
            format!("{{ {} }}", fields.join(", "))
        }
    })
}

fn inner(value: &Val, place: &str) -> Result<String> {
    in_description_frame(|| place.to_owned(), || ensure_sufficient_stack(|| inline(value)))
}

fn no_value(what: &str) -> Error {
    ErrorKind::RuntimeError(format!("Tried to manifest {what} as TOML").into()).into()
}

/// Objects, and lists of nothing but objects.
fn is_table(value: &Val) -> Result<bool> {
    match value {
        Val::Obj(_) => Ok(true),
        Val::Arr(items) => {
            for item in items.iter() {
                if !matches!(item?, Val::Obj(_)) {
                    return Ok(false);
                }
            }
            Ok(!items.is_empty())
        }
        _ => Ok(false),
    }
}

fn key(name: &str) -> String {
    if name.is_empty() {
        "''".to_owned()
    } else if name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    {
        name.to_owned()
    } else {
        quoted(name)
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    write::string(text, &mut out);
    out
}
