//! The layout of a document: keys sorted, two columns a level, lists as far out as their key.

use serde_json::{Map, Number, Value};

use super::{
    float, order,
    text::{Page, Place, is_simple_key},
};

/// A document as `kubectl` would print it, with a line break at its end.
pub fn to_yaml(value: &Value) -> String {
    let mut writer = Writer::default();
    match value {
        Value::Array(items) if !items.is_empty() => writer.list(
            items,
            Start {
                indent: 0,
                inline: true,
            },
        ),
        Value::Object(fields) if !fields.is_empty() => {
            writer.fields(
                fields,
                Start {
                    indent: 0,
                    inline: true,
                },
            );
        }
        leaf => writer.leaf(leaf, Place::Value { indent: 2 }),
    }
    writer.page.line(0);
    writer.page.into_text()
}

#[derive(Default)]
struct Writer {
    page: Page,
}

/// Where a list or the fields of an object begin.
#[derive(Clone, Copy)]
struct Start {
    indent: usize,
    /// The first entry goes where the pen is.
    inline: bool,
}

impl Writer {
    fn fields(&mut self, fields: &Map<String, Value>, start: Start) {
        let entries = fields.iter().map(|(key, value)| (key.as_str(), value)).collect();
        for (n, (key, value)) in order::sort(entries).into_iter().enumerate() {
            self.entry(n, start);
            if is_simple_key(key) {
                self.page.scalar(key, Place::Key);
                self.page.push(":");
                self.field_value(value, start.indent);
            } else {
                self.long_key(key, start.indent);
                self.nested(value, start.indent);
            }
        }
    }

    fn long_key(&mut self, key: &str, indent: usize) {
        self.page.push("? ");
        self.page.scalar(key, Place::Value { indent: indent + 2 });
        self.page.line(indent);
        self.page.push(":");
    }

    fn list(&mut self, items: &[Value], start: Start) {
        for (n, item) in items.iter().enumerate() {
            self.entry(n, start);
            self.page.push("-");
            self.nested(item, start.indent);
        }
    }

    fn entry(&mut self, n: usize, start: Start) {
        if n > 0 || !start.inline {
            self.page.line(start.indent);
        }
    }

    /// After a key: on lines of its own, unless it is a leaf.
    fn field_value(&mut self, value: &Value, indent: usize) {
        match value {
            Value::Array(items) if !items.is_empty() => self.list(
                items,
                Start {
                    indent,
                    inline: false,
                },
            ),
            Value::Object(fields) if !fields.is_empty() => {
                let start = Start {
                    indent: indent + 2,
                    inline: false,
                };
                self.fields(fields, start);
            }
            leaf => self.spaced_leaf(leaf, indent),
        }
    }

    /// After a dash or a colon of its own: begins on the same line.
    fn nested(&mut self, value: &Value, indent: usize) {
        let start = Start {
            indent: indent + 2,
            inline: true,
        };
        match value {
            Value::Array(items) if !items.is_empty() => {
                self.page.push(" ");
                self.list(items, start);
            }
            Value::Object(fields) if !fields.is_empty() => {
                self.page.push(" ");
                self.fields(fields, start);
            }
            leaf => self.spaced_leaf(leaf, indent),
        }
    }

    fn spaced_leaf(&mut self, value: &Value, indent: usize) {
        self.page.push(" ");
        self.leaf(value, Place::Value { indent: indent + 2 });
    }

    fn leaf(&mut self, value: &Value, place: Place) {
        match value {
            Value::Null => self.page.push("null"),
            Value::Bool(value) => self.page.push(if *value { "true" } else { "false" }),
            Value::Number(number) => self.page.push(&number_text(number)),
            Value::String(text) => self.page.scalar(text, place),
            Value::Array(_) => self.page.push("[]"),
            Value::Object(_) => self.page.push("{}"),
        }
    }
}

fn number_text(number: &Number) -> String {
    match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(integer), _, _) => integer.to_string(),
        (None, Some(integer), _) => integer.to_string(),
        (None, None, Some(value)) => float::text(value),
        (None, None, None) => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// R4: keys sorted, list indent 0.
    #[test]
    fn r4_lists_stand_below_their_key() {
        let value =
            json!([{"kind": "A", "apiVersion": "v1", "metadata": {"name": "a", "finalizers": ["x", "y"]}}]);
        let expected = "\
- apiVersion: v1
  kind: A
  metadata:
    finalizers:
    - x
    - \"y\"
    name: a
";
        assert_eq!(to_yaml(&value), expected);
    }

    #[test]
    fn what_other_readers_take_for_other_types_is_quoted() {
        let value = json!({"a": "yes", "b": "0755", "c": "1e3", "d": "~", "e": "12:30:00", "f": "=", "g": " x",
            "h": "a: b", "i": "", "y": "y"});
        let expected = "a: \"yes\"\nb: \"0755\"\nc: \"1e3\"\nd: \"~\"\ne: \"12:30:00\"\nf: =\ng: ' x'\nh: 'a: b'\n\
                        i: \"\"\n\"y\": \"y\"\n";
        assert_eq!(to_yaml(&value), expected);
    }

    #[test]
    fn texts_of_several_lines_are_blocks() {
        let value = json!({"a": "x\ny\n", "b": "x\n y", "c": "\n", "d": "x\n\n", "e": "x \ny"});
        let expected = "a: |\n  x\n  y\nb: |-\n  x\n   y\nc: |2+\n\nd: |+\n  x\n\ne: \"x \\ny\"\n";
        assert_eq!(to_yaml(&value), expected);
    }
}
