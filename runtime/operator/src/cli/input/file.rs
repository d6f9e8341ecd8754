//! The format of input files.

use std::{collections::BTreeMap, io, path::Path};

use espejote_core::ObjectId;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::cli::{
    strict::{self, DecodeError},
    yaml,
};

/// A file that is no input.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("cannot read it")]
    Read(#[source] io::Error),
    /// It is no YAML.
    #[error("it is no YAML")]
    Yaml(#[source] yaml::ReadError),
    /// It holds other things than an input file may.
    #[error("it is no input file")]
    Decode(#[source] DecodeError),
}

/// What an input file holds.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct InputFile {
    /// One call for each. Not given: the general reconcile.
    pub triggers: Option<Vec<Trigger>>,
    /// The objects of the contexts.
    #[serde(deserialize_with = "given")]
    pub context: Vec<Context>,
    /// Path, as in an import, to text.
    #[serde(deserialize_with = "given")]
    pub libraries: BTreeMap<String, String>,
    /// The values of computed contexts.
    #[serde(deserialize_with = "given")]
    pub provided: Map<String, Value>,
    /// On whose behalf the logic runs; the manifest's own resource if not given.
    pub owner: Option<Owner>,
    /// The wall clock that the logic sees, as in `2006-01-02T15:04:05Z`; now if not given.
    pub clock: Option<String>,
    /// The seed of the logic's random numbers.
    #[serde(deserialize_with = "given")]
    pub seed: u64,
}

/// What starts a call. Empty: the general reconcile.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Trigger {
    /// The trigger's name in the manifest.
    #[serde(deserialize_with = "given")]
    pub name: String,
    /// The object that starts the call.
    pub watch_resource: Option<Value>,
    /// The name of an object that is gone and starts the call.
    pub event: Option<Event>,
}

/// Names an object.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Event {
    api_version: String,
    kind: String,
    namespace: String,
    name: String,
}

/// The objects of one context.
#[derive(Clone, Debug, Deserialize)]
pub struct Context {
    /// The context's name in the manifest.
    pub name: String,
    /// The objects.
    #[serde(default, deserialize_with = "given")]
    pub resources: Vec<Value>,
}

/// On whose behalf the logic runs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Owner {
    /// In place of the manifest's, where given.
    pub api_version: Option<String>,
    /// In place of the manifest's, where given.
    pub kind: Option<String>,
    /// In place of the manifest's, where given.
    pub namespace: Option<String>,
    /// In place of the manifest's, where given.
    pub name: Option<String>,
    /// In place of a placeholder.
    pub uid: Option<String>,
}

impl InputFile {
    /// Reads the file at a path.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::parse(&std::fs::read_to_string(path).map_err(FileError::Read)?)
    }

    /// Reads a text. An empty one is an empty input.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        match yaml::read(text).map_err(FileError::Yaml)? {
            Value::Null => Ok(Self::default()),
            value => strict::decode(value).map_err(FileError::Decode),
        }
    }
}

impl From<Event> for ObjectId {
    fn from(event: Event) -> Self {
        Self {
            api_version: event.api_version,
            kind: event.kind,
            namespace: event.namespace,
            name: event.name,
        }
    }
}

/// Null is the same as nothing.
fn given<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    fn error(text: &str) -> String {
        let error = InputFile::parse(text).unwrap_err();
        error.source().map_or(error.to_string(), ToString::to_string)
    }

    /// R3: strict decoding of input files.
    #[test]
    fn r3_unknown_keys_are_named_with_their_paths() {
        assert_eq!(error("trigers: []"), r#"unknown field: "trigers""#);
        assert_eq!(
            error("triggers: [{}, {nam: x}]\ncontext: [{name: c, resource: []}]"),
            r#"unknown fields: "triggers[1].nam", "context[0].resource""#
        );
        assert_eq!(
            error("context: [{resources: []}]"),
            "context[0]: missing field `name`"
        );
        assert_eq!(error("seed: x"), "seed: invalid type: string \"x\", expected u64");
    }

    #[test]
    fn objects_keep_whatever_they_hold() {
        let file = InputFile::parse("triggers: [{name: t, watchResource: {any: {thing: null}}}]\ncontext:\n")
            .unwrap();
        let object = file.triggers.unwrap().remove(0).watch_resource.unwrap();
        assert_eq!(object.to_string(), r#"{"any":{"thing":null}}"#);
    }

    #[test]
    fn an_empty_file_is_an_empty_input() {
        assert!(InputFile::parse("").unwrap().triggers.is_none());
        assert_eq!(
            InputFile::parse("triggers: []").unwrap().triggers.unwrap().len(),
            0
        );
    }
}
