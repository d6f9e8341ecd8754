//! A JSON value as it was written: keys in their order, numbers as their texts.
//!
//! What passes through here never passes through a float: a number that 64 bits cannot hold stays what it is.

use std::{collections::HashMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::{Map, Value, value::RawValue};

use crate::json_string;

/// Values nested deeper than this are refused, as serde_json does.
const MOST_LEVELS: usize = 128;

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number in JSON's grammar.
    Number(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// An object; each key once.
    Fields(Vec<(String, Node)>),
}

impl Node {
    /// Reads a JSON document.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        Self::of_raw(serde_json::from_str(json)?, MOST_LEVELS)
    }

    /// An object of some fields.
    pub fn object<K: Into<String>>(fields: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Fields(
            fields
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )
    }

    /// The field of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Fields(fields) => fields
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it is nothing.
    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }

    /// The JSON document without white space, written as Go writes it: signs that mean something in HTML are escaped.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// The value as serde_json holds it; a number that it cannot hold becomes null.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(text) => serde_json::from_str(text).unwrap_or_default(),
            Self::Text(text) => Value::String(text.clone()),
            Self::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Self::Fields(fields) => {
                let fields = fields.iter().map(|(key, value)| (key.clone(), value.to_value()));
                Value::Object(fields.collect::<Map<_, _>>())
            }
        }
    }

    /// How many values it is made of.
    pub fn size(&self) -> usize {
        match self {
            Self::List(items) => items.iter().map(Self::size).sum::<usize>() + 1,
            Self::Fields(fields) => fields.iter().map(|(_, value)| value.size()).sum::<usize>() + 1,
            _ => 1,
        }
    }

    fn of_raw(raw: &RawValue, levels: usize) -> Result<Self, serde_json::Error> {
        let text = raw.get();
        let levels = levels
            .checked_sub(1)
            .ok_or_else(|| serde_json::Error::custom("recursion limit exceeded"))?;
        Ok(match text.bytes().next() {
            Some(b'{') => {
                let Entries(entries) = serde_json::from_str(text)?;
                let fields = entries
                    .into_iter()
                    .map(|(key, raw)| Ok((key, Self::of_raw(raw, levels)?)));
                Self::Fields(fields.collect::<Result<_, serde_json::Error>>()?)
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text)?;
                let items = items.into_iter().map(|raw| Self::of_raw(raw, levels));
                Self::List(items.collect::<Result<_, _>>()?)
            }
            Some(b'"') => Self::Text(serde_json::from_str(text)?),
            Some(b't' | b'f') => Self::Bool(serde_json::from_str(text)?),
            Some(b'n') => Self::Null,
            _ => Self::Number(text.to_owned()),
        })
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(text) => out.push_str(text),
            Self::Text(text) => json_string(text, is_special_in_go, out),
            Self::List(items) => {
                let separated = items.iter().zip(separators('['));
                separated.for_each(|(item, separator)| {
                    out.push(separator);
                    item.write(out);
                });
                out.push_str(if items.is_empty() { "[]" } else { "]" });
            }
            Self::Fields(fields) => {
                let separated = fields.iter().zip(separators('{'));
                separated.for_each(|((key, value), separator)| {
                    out.push(separator);
                    json_string(key, is_special_in_go, out);
                    out.push(':');
                    value.write(out);
                });
                out.push_str(if fields.is_empty() { "{}" } else { "}" });
            }
        }
    }
}

fn separators(first: char) -> impl Iterator<Item = char> {
    std::iter::once(first).chain(std::iter::repeat(','))
}

/// What Go's JSON escapes.
fn is_special_in_go(c: char) -> bool {
    matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}')
}

impl From<&Value> for Node {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number.to_string()),
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(fields) => Self::object(fields.iter().map(|(key, value)| (key, value.into()))),
        }
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::of_raw(&raw, MOST_LEVELS).map_err(D::Error::custom)
    }
}

/// The fields of an object in their order; of a key that comes twice, the last value counts.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries: Vec<(String, &RawValue)> = Vec::new();
        let mut places = HashMap::new();
        while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
            let place = *places.entry(key.clone()).or_insert(entries.len());
            match entries.get_mut(place) {
                Some(entry) => entry.1 = value,
                None => entries.push((key, value)),
            }
        }
        Ok(Entries(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written_as_it_was() {
        for json in [
            r#"{"b":1e+21,"a":{"x":-0,"y":[1.50,null,true,false,"t"]},"c":{},"d":[]}"#,
            r#"{"huge":1e400,"id":123456789012345678901234567890,"text":"1e400"}"#,
            r#""\u003ca\u003e\u0026\u2028\b\f\n\u001f\"\\ä""#,
        ] {
            assert_eq!(Node::parse(json).unwrap().to_json(), json);
        }
    }

    #[test]
    fn of_a_key_that_comes_twice_the_last_value_counts() {
        assert_eq!(
            Node::parse(r#"{"a":1,"b":2,"a":3}"#).unwrap().to_json(),
            r#"{"a":3,"b":2}"#
        );
    }

    #[test]
    fn what_is_nested_too_deep_is_refused() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(Node::parse(&nested(127)).is_ok());
        assert!(Node::parse(&nested(100_000)).is_err());
        assert!(Node::parse("{").is_err());
    }
}
