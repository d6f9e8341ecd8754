//! Jsonnet value to JSON text: fields sorted, hidden ones left out, big integers exact.

use espejote_yaml::json_string;
use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::val::ArrValue;
use jrsonnet_evaluator::{Error, IStr, ObjValue, Result, Val, ensure_sufficient_stack, in_description_frame};

use crate::number;

/// All of a value, as short as can be.
pub(crate) fn json(value: &Val) -> Result<String> {
    Format::RESULT.text(value)
}

/// An object without some of its fields.
pub(crate) fn object_without(object: &ObjValue, left_out: &[&str]) -> Result<String> {
    let mut writer = Writer::new(&Format::RESULT);
    writer.object(object, left_out)?;
    Ok(writer.out)
}

/// How JSON looks: what stands between its parts, and the text of numbers.
pub(crate) struct Format<'a> {
    pub(crate) number: fn(f64) -> String,
    /// Which characters of a string have an escape, beside quotes and backslashes.
    pub(crate) escaped: fn(char) -> bool,
    /// Between name and value.
    pub(crate) colon: &'a str,
    /// Between items, after the comma.
    pub(crate) space: &'a str,
    /// Inside of brackets with nothing else in them.
    pub(crate) empty: &'a str,
    /// What starts a line, and what indents it once. None: all in one line.
    pub(crate) lines: Option<(&'a str, &'a str)>,
}

impl Format<'_> {
    /// What is emitted.
    pub(crate) const RESULT: Format<'static> = Format {
        number: number::text,
        escaped: is_control,
        colon: ":",
        space: "",
        empty: "",
        lines: None,
    };
    /// `std.manifestJsonMinified`.
    pub(crate) const MINIFIED: Format<'static> = Format {
        number: number::plain,
        escaped: is_special_in_go,
        ..Format::RESULT
    };
    /// `std.toString`.
    pub(crate) const TO_STRING: Format<'static> = Format {
        number: number::precise,
        escaped: is_control,
        colon: ": ",
        space: " ",
        empty: " ",
        lines: None,
    };

    pub(crate) fn text(&self, value: &Val) -> Result<String> {
        let mut writer = Writer::new(self);
        writer.value(value)?;
        Ok(writer.out)
    }
}

/// A function somewhere in what should be JSON.
pub(crate) fn no_function() -> Error {
    ErrorKind::RuntimeError("couldn't manifest function as JSON".into()).into()
}

/// All control characters.
fn is_control(c: char) -> bool {
    matches!(c, '\0'..='\x1f' | '\x7f'..='\u{9f}')
}

/// What Go's JSON escapes: `std.manifestJson` and its like.
fn is_special_in_go(c: char) -> bool {
    matches!(c, '\0'..='\x1f' | '\u{2028}' | '\u{2029}')
}

/// A JSON string literal without control characters.
pub(crate) fn string(text: &str, out: &mut String) {
    json_string(text, is_control, out);
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

struct Writer<'a> {
    format: &'a Format<'a>,
    depth: usize,
    out: String,
}

impl<'a> Writer<'a> {
    fn new(format: &'a Format<'a>) -> Self {
        Self {
            format,
            depth: 0,
            out: String::new(),
        }
    }

    fn value(&mut self, value: &Val) -> Result<()> {
        match value {
            Val::Null => self.out.push_str("null"),
            Val::Bool(bool) => self.out.push_str(if *bool { "true" } else { "false" }),
            Val::Num(number) => self.out.push_str(&(self.format.number)(number.get())),
            Val::BigInt(number) => self.out.push_str(&number.to_string()),
            Val::Str(text) => json_string(&text.clone().into_flat(), self.format.escaped, &mut self.out),
            Val::Arr(items) => self.array(items)?,
            Val::Obj(object) => self.object(object, &[])?,
            Val::Func(_) => return Err(no_function()),
        }
        Ok(())
    }

    fn array(&mut self, items: &ArrValue) -> Result<()> {
        self.open('[');
        for index in 0..items.len() {
            self.item(index);
            in_description_frame(
                || format!("Array element {index}"),
                || ensure_sufficient_stack(|| self.value(&items.get(index)?.unwrap_or_default())),
            )?;
        }
        self.close(']', items.is_empty());
        Ok(())
    }

    fn object(&mut self, object: &ObjValue, left_out: &[&str]) -> Result<()> {
        object.run_assertions()?;
        let mut names = object.fields();
        names.retain(|name| !left_out.contains(&name.as_str()));
        self.open('{');
        for (index, name) in (0..).zip(&names) {
            self.item(index);
            json_string(name, self.format.escaped, &mut self.out);
            self.out.push_str(self.format.colon);
            in_description_frame(
                || format!("Field \"{name}\""),
                || ensure_sufficient_stack(|| self.field(object, name)),
            )?;
        }
        self.close('}', names.is_empty());
        Ok(())
    }

    fn field(&mut self, object: &ObjValue, name: &IStr) -> Result<()> {
        self.value(&object.get(name.clone())?.unwrap_or_default())
    }

    fn open(&mut self, bracket: char) {
        self.out.push(bracket);
        self.depth += 1;
    }

    /// What stands before an item.
    fn item(&mut self, index: u32) {
        if index > 0 {
            self.out.push(',');
            self.out.push_str(self.format.space);
        }
        self.line();
    }

    fn close(&mut self, bracket: char, empty: bool) {
        self.depth -= 1;
        if empty {
            self.out.push_str(self.format.empty);
            self.out
                .push_str(self.format.lines.map_or("", |(start, _)| start));
        }
        self.line();
        self.out.push(bracket);
    }

    fn line(&mut self) {
        if let Some((start, indent)) = self.format.lines {
            self.out.push_str(start);
            (0..self.depth).for_each(|_| self.out.push_str(indent));
        }
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

    #[test]
    fn lines_and_spaces_are_where_jsonnet_has_them() {
        let value = lazy::parse(r#"{"a":[],"b":{},"c":[1,{"x":0.97}]}"#.to_owned()).unwrap();
        let lines = Format {
            lines: Some(("\n", "  ")),
            colon: ": ",
            ..Format::MINIFIED
        };
        assert_eq!(
            lines.text(&value).unwrap(),
            "{\n  \"a\": [\n\n  ],\n  \"b\": {\n\n  },\n  \"c\": [\n    1,\n    {\n      \"x\": 0.97\n    }\n  ]\n}"
        );
        assert_eq!(
            Format::TO_STRING.text(&value).unwrap(),
            r#"{"a": [ ], "b": { }, "c": [1, {"x": 0.96999999999999997}]}"#
        );
    }
}
