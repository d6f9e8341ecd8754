//! `std.manifestYamlDoc` and `std.manifestYamlStream`: the layout that go-jsonnet has, line by line. A text of YAML ends up in
//! ConfigMaps, where another layout means a rollout.

use jrsonnet_evaluator::function::builtin;
use jrsonnet_evaluator::val::ArrValue;
use jrsonnet_evaluator::{ObjValue, Result, Val, ensure_sufficient_stack, in_description_frame};

use crate::{number, write};

const INDENT: &str = "  ";
/// Words that mean something else without quotes, in any case.
const RESERVED: [&str; 15] = [
    "true", "false", "yes", "no", "on", "off", "y", "n", ".nan", "-.inf", "+.inf", ".inf", "null", "-", "---",
];

#[builtin]
pub(super) fn std_manifest_yaml_doc(
    value: Val,
    #[default(false)] indent_array_in_object: bool,
    #[default(true)] quote_keys: bool,
) -> Result<String> {
    let style = Style {
        indent_lists: indent_array_in_object,
        quote_keys,
    };
    document(&value, &style)
}

#[builtin]
pub(super) fn std_manifest_yaml_stream(
    value: ArrValue,
    #[default(false)] indent_array_in_object: bool,
    #[default(true)] c_document_end: bool,
    #[default(true)] quote_keys: bool,
) -> Result<String> {
    let style = Style {
        indent_lists: indent_array_in_object,
        quote_keys,
    };
    let documents: Vec<String> = value
        .iter()
        .map(|value| document(&value?, &style))
        .collect::<Result<_>>()?;
    let end = if c_document_end { "\n...\n" } else { "\n" };
    Ok(format!("---\n{}{end}", documents.join("\n---\n")))
}

struct Style {
    /// Lists that are fields are indented.
    indent_lists: bool,
    quote_keys: bool,
}

fn document(value: &Val, style: &Style) -> Result<String> {
    let mut writer = Writer {
        style,
        indent: String::new(),
        out: String::new(),
    };
    writer.value(value)?;
    Ok(writer.out)
}

struct Writer<'a> {
    style: &'a Style,
    indent: String,
    out: String,
}

impl Writer<'_> {
    fn value(&mut self, value: &Val) -> Result<()> {
        match value {
            Val::Null => self.out.push_str("null"),
            Val::Bool(bool) => self.out.push_str(if *bool { "true" } else { "false" }),
            Val::Num(number) => self.out.push_str(&number::plain(number.get())),
            Val::BigInt(number) => self.out.push_str(&number.to_string()),
            Val::Str(text) => self.text(&text.clone().into_flat()),
            Val::Arr(items) => self.list(items)?,
            Val::Obj(object) => self.object(object)?,
            Val::Func(_) => return Err(write::no_function()),
        }
        Ok(())
    }

    /// A text that ends with a line break is a block, every other one is in quotes.
    fn text(&mut self, text: &str) {
        let Some(lines) = text.strip_suffix('\n') else {
            return write::string(text, &mut self.out);
        };
        self.out.push('|');
        for line in lines.split('\n') {
            self.line();
            self.out.push_str(INDENT);
            self.out.push_str(line);
        }
    }

    fn list(&mut self, items: &ArrValue) -> Result<()> {
        if items.is_empty() {
            self.out.push_str("[]");
        }
        for (index, item) in (0_u32..).zip(items.iter()) {
            let item = item?;
            if index > 0 {
                self.line();
            }
            self.out.push('-');
            if is_list(&item) {
                self.line();
                self.out.push_str(INDENT);
            } else {
                self.out.push(' ');
            }
            let indent = if matches!(item, Val::Arr(_) | Val::Obj(_)) {
                INDENT
            } else {
                ""
            };
            self.inner(indent, &item, || format!("Array element {index}"))?;
        }
        Ok(())
    }

    fn object(&mut self, object: &ObjValue) -> Result<()> {
        object.run_assertions()?;
        let names = object.fields();
        if names.is_empty() {
            self.out.push_str("{}");
        }
        for (index, name) in names.iter().enumerate() {
            let value = object.get(name.clone())?.unwrap_or_default();
            if index > 0 {
                self.line();
            }
            self.key(name);
            let indent = self.before_field(&value);
            self.inner(indent, &value, || format!("Field \"{name}\""))?;
        }
        Ok(())
    }

    fn key(&mut self, name: &str) {
        if self.style.quote_keys || !is_bare(name) {
            write::string(name, &mut self.out);
        } else {
            self.out.push_str(name);
        }
        self.out.push(':');
    }

    /// What stands between the colon and the value, and how much deeper the value is.
    fn before_field(&mut self, value: &Val) -> &'static str {
        let indent = match value {
            value if is_list(value) && self.style.indent_lists => INDENT,
            Val::Obj(object) if !object.fields().is_empty() => INDENT,
            value if is_list(value) => "",
            _ => {
                self.out.push(' ');
                return "";
            }
        };
        self.line();
        self.out.push_str(indent);
        indent
    }

    fn inner(&mut self, indent: &str, value: &Val, place: impl FnOnce() -> String) -> Result<()> {
        let outer = self.indent.len();
        self.indent.push_str(indent);
        let written = in_description_frame(place, || ensure_sufficient_stack(|| self.value(value)));
        self.indent.truncate(outer);
        written
    }

    fn line(&mut self) {
        self.out.push('\n');
        self.out.push_str(&self.indent);
    }
}

/// Whether a value takes lines of its own as a list.
fn is_list(value: &Val) -> bool {
    matches!(value, Val::Arr(items) if !items.is_empty())
}

/// Whether a key means itself without quotes.
fn is_bare(key: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '.');
    let reserved = RESERVED.iter().any(|word| word.eq_ignore_ascii_case(key));
    !key.is_empty() && key.chars().all(plain) && !reserved && !is_date(key) && !is_number(key)
}

/// Digits in three groups.
fn is_date(key: &str) -> bool {
    key.matches('-').count() == 2 && key.chars().all(|c| c == '-' || c.is_ascii_digit())
}

fn is_number(key: &str) -> bool {
    let unsigned = key.strip_prefix(['-', '+']).unwrap_or(key);
    let binary = unsigned
        .strip_prefix("0b")
        .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| matches!(c, '0' | '1' | '_')));
    let hexadecimal = key.match_indices("0x").any(|(at, _)| {
        let next = key.get(at + 2..).and_then(|rest| rest.chars().next());
        next.is_some_and(|c| c.is_ascii_hexdigit() || c == '_')
    });
    let named = ["inf", "infinity", "nan"]
        .iter()
        .any(|word| word.eq_ignore_ascii_case(unsigned));
    // What is out of range is no number for go-jsonnet.
    let decimal = digits(key).is_some_and(|key| key.parse::<f64>().is_ok_and(f64::is_finite));
    binary || hexadecimal || named || decimal
}

/// A key without what may stand between two digits; none if it stands elsewhere.
fn digits(key: &str) -> Option<String> {
    let mut groups = key.split('_');
    let ends_well = |group: &str| group.ends_with(|c: char| c.is_ascii_digit());
    let mut joined = groups.next()?.to_owned();
    for group in groups {
        if !ends_well(&joined) || !group.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        joined.push_str(group);
    }
    Some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_quotes_where_they_would_mean_something_else() {
        for key in [
            "a",
            "a.b/c-d_e",
            "app.kubernetes.io/name",
            "1-2",
            "_1",
            "1__0",
            "e",
            "_",
            "1e999",
        ] {
            assert!(is_bare(key), "{key}");
        }
        for key in [
            "",
            "a b",
            "é",
            "Yes",
            "n",
            "2020-01-01",
            "--",
            "1",
            "-1.5",
            "1e3",
            "0x1f",
            "0b1",
            ".inf",
            "NaN",
        ] {
            assert!(!is_bare(key), "{key}");
        }
    }
}
