//! Values into types, where every key has to be known.

use serde::{Deserializer, de::DeserializeOwned};
use serde_ignored::Path;
use serde_json::Value;

use super::yaml::Node;

/// A value that does not fit its type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Keys that the type does not have.
    #[error("unknown {}: {}", if .0.len() == 1 { "field" } else { "fields" }, .0.join(", "))]
    Unknown(Vec<String>),
    /// A value of the wrong type.
    #[error("{path}{}{problem}", if .path.is_empty() { "" } else { ": " })]
    Type {
        /// Where; empty for the whole value.
        path: String,
        /// What is wrong.
        problem: String,
    },
}

/// Decodes a value; keys that the type does not have are an error that tells all of them.
pub fn decode<T: DeserializeOwned>(value: Value) -> Result<T, DecodeError> {
    decode_at("", value)
}

/// Decodes a value that stands at a path of its file; errors tell the whole path.
pub fn decode_at<T: DeserializeOwned>(at: &str, value: Value) -> Result<T, DecodeError> {
    decode_from(at, value)
}

/// Decodes a value whose parts may be kept as they stand.
pub fn decode_exact<T: DeserializeOwned>(node: &Node) -> Result<T, DecodeError> {
    decode_from("", &mut serde_json::Deserializer::from_str(&node.to_json()))
}

fn decode_from<'de, T: DeserializeOwned>(
    at: &str,
    from: impl Deserializer<'de, Error = serde_json::Error>,
) -> Result<T, DecodeError> {
    let mut unknown = Vec::new();
    let mut track = serde_path_to_error::Track::new();
    let deserializer = serde_path_to_error::Deserializer::new(from, &mut track);
    let decoded = serde_ignored::deserialize(deserializer, |path| {
        unknown.push(format!("{:?}", joined(at, &text(&path))));
    });
    match decoded {
        Err(error) => Err(DecodeError::Type {
            path: joined(at, &track.path().to_string()),
            problem: without_position(&error),
        }),
        Ok(_) if !unknown.is_empty() => Err(DecodeError::Unknown(unknown)),
        Ok(decoded) => Ok(decoded),
    }
}

/// A place in the JSON that a file was turned into is none in the file.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&position).map(str::to_owned).unwrap_or(text)
}

/// Takes away what says nothing: fields that are null.
pub fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let given = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(given.map(|(key, value)| (key, without_nulls(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        leaf => leaf,
    }
}

/// Two parts of a path. The whole of a value is told as `.` by one of the crates, and as nothing by the other.
fn joined(at: &str, path: &str) -> String {
    match (at, path) {
        (at, "" | ".") => at.to_owned(),
        ("", path) => path.to_owned(),
        (at, path) if path.starts_with('[') => format!("{at}{path}"),
        (at, path) => format!("{at}.{path}"),
    }
}

/// `spec.triggers[0].name`
fn text(path: &Path<'_>) -> String {
    match path {
        Path::Root => String::new(),
        Path::Seq { parent, index } => format!("{}[{index}]", text(parent)),
        Path::Map { parent, key } => match text(parent) {
            parent if parent.is_empty() => key.clone(),
            parent => format!("{parent}.{key}"),
        },
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => {
            text(parent)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(default)]
    struct Outer {
        list: Option<Vec<Inner>>,
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(default)]
    struct Inner {
        name: String,
    }

    #[derive(Debug, Deserialize)]
    struct Strict {
        #[serde(rename = "name")]
        _name: String,
    }

    fn error(value: Value) -> String {
        decode::<Outer>(value).unwrap_err().to_string()
    }

    #[test]
    fn all_unknown_keys_are_named_with_their_paths() {
        let value = json!({"list": [{"name": "a"}, {"nam": "b"}], "lst": 1});
        assert_eq!(error(value), r#"unknown fields: "list[1].nam", "lst""#);
    }

    #[test]
    fn a_wrong_type_is_told_with_its_path() {
        let value = json!({"list": [{"name": 1}]});
        assert_eq!(
            error(value),
            "list[0].name: invalid type: integer `1`, expected a string"
        );
    }

    #[test]
    fn a_path_begins_where_the_value_stands() {
        let error = |value| decode_at::<Strict>("spec.plugin", value).unwrap_err().to_string();
        assert_eq!(error(json!({})), "spec.plugin: missing field `name`");
        assert_eq!(
            error(json!({"name": "a", "cfg": 1})),
            r#"unknown field: "spec.plugin.cfg""#
        );
        let at_the_root = decode::<Strict>(json!({})).unwrap_err().to_string();
        assert_eq!(at_the_root, "missing field `name`");
    }

    #[test]
    fn null_fields_say_nothing() {
        let value = without_nulls(json!({"list": [{"name": null}], "other": null}));
        assert_eq!(decode::<Outer>(value).unwrap().list, Some(vec![Inner::default()]));
    }
}
