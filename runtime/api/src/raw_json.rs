//! JSON that passes through as it is written.
//!
//! Owns that no number of it goes through a float.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// One JSON value as text. Equal texts are equal; it is not looked into.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(transparent)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// The JSON text.
    pub fn text(&self) -> &str {
        self.0.get()
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl JsonSchema for RawJson {
    fn schema_name() -> Cow<'static, str> {
        "RawJson".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_pass_through_as_they_are_written() {
        let text = r#"{"big":9007199254740993,"float":3.0}"#;
        let parsed: RawJson = serde_json::from_str(text).unwrap();
        assert_eq!(parsed.text(), text);
        assert_eq!(serde_json::to_string(&parsed).unwrap(), text);
    }
}
