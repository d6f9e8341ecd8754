//! The format of input files.

use std::{collections::BTreeMap, io, path::Path};

use espejote_core::{ObjectId, UnavailableReason};
use serde::{Deserialize, Deserializer};

use crate::cli::{
    strict::{self, DecodeError},
    yaml::{self, Node},
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
    Decode(#[source] InputFormatError),
}

/// What is wrong, and what is allowed there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}{}", hint(.problem))]
pub struct InputFormatError {
    /// What is wrong.
    problem: DecodeError,
}

/// The file name that means standard input.
pub const STANDARD_INPUT: &str = "-";

/// The text of a file, or standard input for `-`.
pub fn text_of(path: &Path) -> io::Result<String> {
    if path.as_os_str() == STANDARD_INPUT {
        io::read_to_string(io::stdin())
    } else {
        std::fs::read_to_string(path)
    }
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
    pub provided: BTreeMap<String, Node>,
    /// The computed contexts that could not be had, and why.
    #[serde(deserialize_with = "given")]
    pub unavailable: BTreeMap<String, Reason>,
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
    pub watch_resource: Option<Node>,
    /// The name of an object that is gone and starts the call.
    pub event: Option<Event>,
}

/// Names an object.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Event {
    /// Its type.
    pub api_version: String,
    /// Its type.
    pub kind: String,
    /// Empty for kinds that have none.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// The objects of one context.
#[derive(Clone, Debug, Deserialize)]
pub struct Context {
    /// The context's name in the manifest.
    pub name: String,
    /// The objects.
    #[serde(default, deserialize_with = "given")]
    pub resources: Vec<Node>,
}

/// Why a computed context cannot be had.
#[derive(Clone, Debug, Deserialize)]
pub struct Reason {
    /// The sort of trouble.
    #[serde(with = "ReasonWord")]
    pub reason: UnavailableReason,
    /// For people.
    #[serde(default, deserialize_with = "given")]
    pub message: String,
}

/// The sorts of trouble, as the contract names them.
#[derive(Deserialize)]
#[serde(remote = "UnavailableReason", rename_all = "kebab-case")]
enum ReasonWord {
    UnknownName,
    NotSynced,
    Forbidden,
    Failed,
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

impl Trigger {
    /// The object that starts the call. An interval has none; some write that as an empty one.
    pub fn object(&self) -> Option<&Node> {
        let empty = Node::Fields(Vec::new());
        self.watch_resource
            .as_ref()
            .filter(|value| !value.is_null() && **value != empty)
    }
}

impl InputFile {
    /// Reads the file at a path, or standard input for `-`.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::parse(&text_of(path).map_err(FileError::Read)?)
    }

    /// Reads a text. An empty one is an empty input.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        match yaml::read_exact(text).map_err(FileError::Yaml)? {
            Node::Null => Ok(Self::default()),
            node => {
                strict::decode_exact(&node).map_err(|problem| FileError::Decode(InputFormatError { problem }))
            }
        }
    }
}

/// What is allowed beside the first field that is not.
fn hint(problem: &DecodeError) -> String {
    let DecodeError::Unknown(paths) = problem else {
        return String::new();
    };
    let first = paths.first().map_or("", |path| path.trim_matches('"'));
    let (at, _) = first.rsplit_once('.').unwrap_or_default();
    let (place, fields) = allowed(at);
    format!("; allowed {place} are {}", fields.join(", "))
}

/// The fields of the part of the file that stands at a path.
fn allowed(at: &str) -> (&'static str, &'static [&'static str]) {
    match at
        .split_once(['[', '.'])
        .map_or((at, ""), |(part, rest)| (part, rest))
    {
        ("triggers", rest) if rest.ends_with("event") => {
            ("in an event", &["apiVersion", "kind", "namespace", "name"])
        }
        ("triggers", _) => ("in a trigger", &["name", "watchResource", "event"]),
        ("context", _) => ("in a context", &["name", "resources"]),
        ("unavailable", _) => ("in what is unavailable", &["reason", "message"]),
        ("owner", _) => (
            "in the owner",
            &["apiVersion", "kind", "namespace", "name", "uid"],
        ),
        _ => (
            "in an input file",
            &[
                "triggers",
                "context",
                "libraries",
                "provided",
                "unavailable",
                "owner",
                "clock",
                "seed",
            ],
        ),
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
        assert!(error("trigers: []").starts_with(r#"unknown field: "trigers""#));
        assert!(
            error("triggers: [{}, {nam: x}]\ncontext: [{name: c, resource: []}]")
                .starts_with(r#"unknown fields: "triggers[1].nam", "context[0].resource""#)
        );
        assert_eq!(
            error("context: [{resources: []}]"),
            "context[0]: missing field `name`"
        );
        assert_eq!(error("seed: x"), "seed: invalid type: string \"x\", expected u64");
    }

    #[test]
    fn an_unknown_field_is_told_with_those_that_are_allowed_beside_it() {
        let file = "; allowed in an input file are triggers, context, libraries, provided, unavailable, owner, clock, seed";
        let trigger = "; allowed in a trigger are name, watchResource, event";
        let event = "; allowed in an event are apiVersion, kind, namespace, name";
        for (text, ends) in [
            ("trigers: []", file),
            ("triggers: [{nam: x}]", trigger),
            ("triggers: [{event: {nme: x}}]", event),
            (
                "context: [{name: c, resource: []}]",
                "; allowed in a context are name, resources",
            ),
            (
                "owner: {id: x}",
                "; allowed in the owner are apiVersion, kind, namespace, name, uid",
            ),
        ] {
            assert!(error(text).ends_with(ends), "{}", error(text));
        }
    }

    /// The texts above tell the truth.
    #[test]
    fn whatever_is_called_allowed_is_taken() {
        let event = "{apiVersion: v1, kind: Pod, namespace: ns, name: p}";
        let text = format!(
            "triggers: [{{name: t, watchResource: {{}}, event: {event}}}]\ncontext: [{{name: c, resources: []}}]\n\
             libraries: {{}}\nprovided: {{}}\nunavailable: {{c: {{reason: not-synced, message: m}}}}\nowner: {{apiVersion: a, kind: k, namespace: ns, name: m, uid: u}}\n\
             clock: x\nseed: 1\n"
        );
        assert!(InputFile::parse(&text).is_ok(), "{:?}", InputFile::parse(&text));
    }

    #[test]
    fn objects_keep_whatever_they_hold() {
        let file = InputFile::parse("triggers: [{name: t, watchResource: {any: {thing: null}}}]\ncontext:\n")
            .unwrap();
        let object = file.triggers.unwrap().remove(0).watch_resource.unwrap();
        assert_eq!(object.to_json(), r#"{"any":{"thing":null}}"#);
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
