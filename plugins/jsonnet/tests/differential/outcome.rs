//! What comes of an expression, in a form that can be compared.

use std::collections::BTreeMap;
use std::fmt;

/// What an expression can import.
pub type Files = BTreeMap<String, Vec<u8>>;

/// What came of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// JSON, in one form for equal values.
    Value(String),
    /// The message, without its places.
    Error(String),
    /// What must never be.
    Panic(String),
}

impl Outcome {
    pub fn value(json: &str) -> Self {
        Self::Value(canonical(json))
    }

    /// From an error with the places that follow it, or the lines of code.
    pub fn error(text: &str) -> Self {
        let message = text.split("\n\t").next().unwrap_or_default();
        let message = message.split("\n\n").next().unwrap_or_default();
        Self::Error(message.trim_end().to_owned())
    }

    /// Whether both are values and equal, or both are errors: with equal words, if these count.
    pub fn agrees(&self, other: &Self, words: bool) -> bool {
        match (self, other) {
            (Self::Value(ours), Self::Value(theirs)) => ours == theirs,
            (Self::Error(ours), Self::Error(theirs)) => !words || ours == theirs,
            _ => false,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, text) = match self {
            Self::Value(text) => ("value", text),
            Self::Error(text) => ("error", text),
            Self::Panic(text) => ("PANIC", text),
        };
        let shown: String = text.chars().take(300).collect();
        write!(f, "{kind} {}", shown.replace('\n', "\\n"))
    }
}

/// Equal values have equal texts: numbers are doubles, zero has no sign, nothing stands between tokens.
fn canonical(json: &str) -> String {
    let mut out = String::new();
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string(rest),
            '-' | '0'..='9' => rest
                .find(|c: char| !matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9'))
                .unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        match first {
            '"' => {
                let text: String = serde_json::from_str(token).unwrap();
                out.push_str(&serde_json::to_string(&text).unwrap());
            }
            '-' | '0'..='9' => out.push_str(&format!("{:e}", token.parse::<f64>().unwrap() + 0.0)),
            first if first.is_ascii_whitespace() => {}
            _ => out.push_str(token),
        }
        rest = after;
    }
    out
}

/// The length of the string literal that a text starts with.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let closing = text.char_indices().skip(1).find(|&(_, c)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    closing.unwrap().0 + 1
}

#[test]
fn equal_values_have_equal_texts() {
    let ours = r#"{"a":[1,-0,1e+21],"b\u0007":"é \" 1.0"}"#;
    let theirs = "{\n   \"a\": [\n      1.0,\n      0,\n      1000000000000000000000\n   ],\n \"b\\u0007\": \"\\u00e9 \\\" 1.0\"}\n";
    assert_eq!(Outcome::value(ours), Outcome::value(theirs));
    assert_ne!(Outcome::value("[1]"), Outcome::value("[1.0000000000000002]"));
}
