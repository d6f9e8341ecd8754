//! What JSON weighs: how deep, how long and of how many values it is.
//!
//! Owns that weighing takes no stack, however deep a value is, and ends as soon as there is too much.

use std::slice;

use serde_json::{Value, map};

/// What a value weighs, or may weigh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weight {
    /// Arrays and objects within each other; 0 for what is neither.
    pub depth: usize,
    /// Bytes as JSON, without escapes.
    pub bytes: usize,
    /// Values, it and all that are in it.
    pub values: usize,
    /// Bytes of the longest path to one of them, without escapes.
    pub path: usize,
}

/// What there is too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Excess {
    /// Too many levels.
    #[error("it would be deeper than {0} levels")]
    Depth(usize),
    /// Too many bytes.
    #[error("it would be longer than {0} bytes")]
    Bytes(usize),
    /// Too many values.
    #[error("it would be of more than {0} values")]
    Values(usize),
}

impl Weight {
    /// What may be of any weight.
    pub const ANY: Self = Self {
        depth: usize::MAX,
        bytes: usize::MAX,
        values: usize::MAX,
        path: usize::MAX,
    };

    /// Weighs a value that may weigh so much; the path is not looked at.
    pub fn of(value: &Value, most: Self) -> Result<Self, Excess> {
        let mut weight = Self::default();
        let mut open: Vec<Open<'_>> = Vec::new();
        let mut next = Some((value, 0));
        loop {
            if let Some((value, path)) = next {
                weight.bytes += bytes(value);
                weight.values += 1;
                weight.path = weight.path.max(path);
                open.extend(Open::new(value, path));
                weight.depth = weight.depth.max(open.len());
                weight.within(most)?;
            }
            let Some(innermost) = open.last_mut() else {
                return Ok(weight);
            };
            next = innermost.member(&mut weight);
            if next.is_none() {
                open.pop();
            }
        }
    }

    fn within(&self, most: Self) -> Result<(), Excess> {
        match self {
            _ if self.depth > most.depth => Err(Excess::Depth(most.depth)),
            _ if self.bytes > most.bytes => Err(Excess::Bytes(most.bytes)),
            _ if self.values > most.values => Err(Excess::Values(most.values)),
            _ => Ok(()),
        }
    }
}

/// At most so many values are in a text of JSON, whatever else it is.
pub(super) fn values(json: &str) -> usize {
    let (mut values, mut within_text, mut escaped) = (1, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = within_text,
            b'"' => within_text = !within_text,
            b',' | b'[' | b'{' if !within_text => values += 1,
            _ => {}
        }
    }
    values
}

/// An array or object, as far as it was weighed.
struct Open<'a> {
    members: Members<'a>,
    path: usize,
}

enum Members<'a> {
    Array(slice::Iter<'a, Value>),
    Object(map::Iter<'a>),
}

/// A slash and an index, as a path has them.
const INDEX: usize = 8;

impl<'a> Open<'a> {
    fn new(value: &'a Value, path: usize) -> Option<Self> {
        let members = match value {
            Value::Array(array) => Members::Array(array.iter()),
            Value::Object(object) => Members::Object(object.iter()),
            _ => return None,
        };
        Some(Self { members, path })
    }

    fn member(&mut self, weight: &mut Weight) -> Option<(&'a Value, usize)> {
        match &mut self.members {
            Members::Array(array) => {
                let value = array.next()?;
                weight.bytes += 1;
                Some((value, self.path + INDEX))
            }
            Members::Object(object) => {
                let (key, value) = object.next()?;
                weight.bytes += key.len() + 4;
                Some((value, self.path + key.len() + 1))
            }
        }
    }
}

fn bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => text.len() + 2,
        Value::Array(_) | Value::Object(_) => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(json: &str) -> Weight {
        Weight::of(&serde_json::from_str(json).unwrap(), Weight::ANY).unwrap()
    }

    #[test]
    fn a_value_is_weighed_as_a_whole() {
        let of = weight(r#"{"a":{"long":[1,true,null]},"b":"text"}"#);
        assert_eq!((of.depth, of.values), (3, 7));
        assert_eq!(of.path, "/a/long".len() + INDEX);
        // A comma more for each array or object than there is.
        assert_eq!(of.bytes, r#"{"a":{"long":[1,true,null]},"b":"text"}"#.len() + 3);
        assert_eq!(
            weight("1"),
            Weight {
                bytes: 1,
                values: 1,
                ..Weight::default()
            }
        );
    }

    #[test]
    fn what_is_too_much_is_named() {
        let value = serde_json::from_str(r#"[[["text"]]]"#).unwrap();
        let most = |depth, bytes, values| {
            Weight::of(
                &value,
                Weight {
                    depth,
                    bytes,
                    values,
                    path: 0,
                },
            )
        };
        assert!(most(3, 100, 4).is_ok());
        assert_eq!(most(2, 100, 4), Err(Excess::Depth(2)));
        assert_eq!(most(3, 10, 4), Err(Excess::Bytes(10)));
        assert_eq!(most(3, 100, 3), Err(Excess::Values(3)));
    }

    #[test]
    fn values_of_a_text_are_no_fewer_than_it_has() {
        for (json, expected) in [
            ("1", 1),
            ("[1,2,3]", 4),
            (r#"{"a,[":"\",{","b":[]}"#, 4),
            (r#"["\\",1]"#, 3),
        ] {
            assert_eq!(values(json), expected, "{json}");
            assert!(values(json) >= weight(json).values, "{json}");
        }
    }
}
