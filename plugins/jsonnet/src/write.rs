//! Jsonnet value to JSON text: fields sorted, hidden ones left out, numbers exact.

use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::{Error, IStr, ObjValue, Result, Val, in_description_frame};

use crate::number;

/// All of a value.
pub(crate) fn json(value: &Val) -> Result<String> {
    let mut out = String::new();
    value_into(value, &mut out)?;
    Ok(out)
}

/// An object without some of its fields.
pub(crate) fn object_without(object: &ObjValue, left_out: &[&str]) -> Result<String> {
    let mut out = String::new();
    object_into(object, left_out, &mut out)?;
    Ok(out)
}

/// A function somewhere in what should be JSON.
pub(crate) fn no_function() -> Error {
    ErrorKind::RuntimeError("couldn't manifest function as JSON".into()).into()
}

/// A JSON string literal.
pub(crate) fn string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\') {
        let (plain, special) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = special.chars();
        chars.next().into_iter().for_each(|special| escape(special, out));
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

fn escape(special: char, out: &mut String) {
    match special {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        other => out.push_str(&format!("\\u{:04x}", u32::from(other))),
    }
}

/// Items between brackets.
pub(crate) fn list<T>(
    out: &mut String,
    open: char,
    close: char,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(T, &mut String),
) {
    out.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(close);
}

fn value_into(value: &Val, out: &mut String) -> Result<()> {
    match value {
        Val::Null => out.push_str("null"),
        Val::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
        Val::Num(number) => out.push_str(&number::text(number.get())),
        Val::BigInt(number) => out.push_str(&number.to_string()),
        Val::Str(text) => string(&text.clone().into_flat(), out),
        Val::Arr(items) => {
            out.push('[');
            for index in 0..items.len() {
                comma(index, out);
                in_description_frame(
                    || format!("Array element {index}"),
                    || value_into(&items.get(index)?.unwrap_or_default(), out),
                )?;
            }
            out.push(']');
        }
        Val::Obj(object) => object_into(object, &[], out)?,
        Val::Func(_) => return Err(no_function()),
    }
    Ok(())
}

fn object_into(object: &ObjValue, left_out: &[&str], out: &mut String) -> Result<()> {
    object.run_assertions()?;
    out.push('{');
    let shown = object
        .fields()
        .into_iter()
        .filter(|name| !left_out.contains(&name.as_str()));
    for (index, name) in (0..).zip(shown) {
        comma(index, out);
        string(&name, out);
        out.push(':');
        in_description_frame(|| format!("Field \"{name}\""), || field_into(object, &name, out))?;
    }
    out.push('}');
    Ok(())
}

fn field_into(object: &ObjValue, name: &IStr, out: &mut String) -> Result<()> {
    value_into(&object.get(name.clone())?.unwrap_or_default(), out)
}

fn comma(index: u32, out: &mut String) {
    if index > 0 {
        out.push(',');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lazy;

    #[test]
    fn strings_are_escaped() {
        let mut out = String::new();
        string("a\"b\\c\nd\u{1}é", &mut out);
        assert_eq!(out, "\"a\\\"b\\\\c\\nd\\u0001é\"");
    }

    #[test]
    fn fields_are_sorted_and_left_out_on_demand() {
        let value = lazy::parse(r#"{"b":1.0,"a":[true,null,9007199254740993],"c":{}}"#.to_owned()).unwrap();
        assert_eq!(
            json(&value).unwrap(),
            r#"{"a":[true,null,9007199254740993],"b":1,"c":{}}"#
        );
        let object = value.as_obj().unwrap();
        assert_eq!(object_without(&object, &["a", "c"]).unwrap(), r#"{"b":1}"#);
    }
}
