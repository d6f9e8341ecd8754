//! The layout of a document: two columns a level, lists as far out as their key.

use serde_json::Value;

use super::{
    node::Node,
    number, order,
    text::{Page, Place, is_simple_key},
};

/// A document as `kubectl` would print it, keys sorted, with a line break at its end.
pub fn to_yaml(value: &Value) -> String {
    node_to_yaml(&value.into())
}

/// A document as `kubectl` would print it, keys sorted, with a line break at its end. Numbers that Go cannot hold are printed
/// as they are.
pub fn node_to_yaml(node: &Node) -> String {
    written(node, Style::Go)
}

/// A document that is read back as it is: keys in their order, numbers as they stand.
pub fn exact_yaml(node: &Node) -> String {
    written(node, Style::Exact)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Go,
    Exact,
}

fn written(node: &Node, style: Style) -> String {
    let mut writer = Writer {
        page: Page::default(),
        style,
    };
    match node {
        Node::List(items) if !items.is_empty() => writer.list(
            items,
            Start {
                indent: 0,
                inline: true,
            },
        ),
        Node::Fields(fields) if !fields.is_empty() => {
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

struct Writer {
    page: Page,
    style: Style,
}

/// Where a list or the fields of an object begin.
#[derive(Clone, Copy)]
struct Start {
    indent: usize,
    /// The first entry goes where the pen is.
    inline: bool,
}

impl Writer {
    fn fields(&mut self, fields: &[(String, Node)], start: Start) {
        let mut entries: Vec<_> = fields.iter().map(|(key, value)| (key.as_str(), value)).collect();
        if self.style == Style::Go {
            entries = order::sort(entries);
        }
        for (n, (key, value)) in entries.into_iter().enumerate() {
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

    fn list(&mut self, items: &[Node], start: Start) {
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
    fn field_value(&mut self, value: &Node, indent: usize) {
        match value {
            Node::List(items) if !items.is_empty() => self.list(
                items,
                Start {
                    indent,
                    inline: false,
                },
            ),
            Node::Fields(fields) if !fields.is_empty() => {
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
    fn nested(&mut self, value: &Node, indent: usize) {
        let start = Start {
            indent: indent + 2,
            inline: true,
        };
        match value {
            Node::List(items) if !items.is_empty() => {
                self.page.push(" ");
                self.list(items, start);
            }
            Node::Fields(fields) if !fields.is_empty() => {
                self.page.push(" ");
                self.fields(fields, start);
            }
            leaf => self.spaced_leaf(leaf, indent),
        }
    }

    fn spaced_leaf(&mut self, value: &Node, indent: usize) {
        self.page.push(" ");
        self.leaf(value, Place::Value { indent: indent + 2 });
    }

    fn leaf(&mut self, value: &Node, place: Place) {
        match value {
            Node::Null => self.page.push("null"),
            Node::Bool(value) => self.page.push(if *value { "true" } else { "false" }),
            Node::Number(text) => self.page.push(&match self.style {
                Style::Go => number::as_go(text),
                Style::Exact => number::exact(text),
            }),
            Node::Text(text) => self.page.scalar(text, place),
            Node::List(_) => self.page.push("[]"),
            Node::Fields(_) => self.page.push("{}"),
        }
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

    #[test]
    fn what_is_written_exactly_is_read_back_as_it_was() {
        let json = r#"{"z":{"b":1e+21,"a":-0},"a":["yes","1e400",1e400,0.000001,{}],"m":"x\n y\n"}"#;
        let text = exact_yaml(&Node::parse(json).unwrap());
        assert!(
            text.starts_with("z:\n  b: 1e+21\n  a: !!float -0\na:\n- \"yes\"\n"),
            "{text}"
        );
        assert_eq!(crate::read_exact(&text).unwrap().to_json(), json);
    }
}
