//! Which object a JSON text is about.
//!
//! Owns the reading of the fields that name an object, and the rules for them. The rest of the text is not looked at.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{object_id::ObjectId, path_segment};

/// A text that does not say which object it is about.
#[derive(Debug)]
pub(crate) struct Unreadable {
    /// Its name as far as it can be told.
    pub name: String,
    /// What is wrong.
    pub problem: String,
}

/// The fields that say which object it is, not read yet: so that what is of another type can be named.
#[derive(Deserialize)]
struct RawHead<'a> {
    #[serde(default, borrow, rename = "apiVersion")]
    api_version: Option<&'a RawValue>,
    #[serde(default, borrow)]
    kind: Option<&'a RawValue>,
    #[serde(default, borrow)]
    metadata: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct RawMetadata<'a> {
    #[serde(default, borrow)]
    name: Option<&'a RawValue>,
    #[serde(default, borrow)]
    namespace: Option<&'a RawValue>,
}

impl RawHead<'_> {
    fn read(&self) -> Result<ObjectId, String> {
        let metadata = self.metadata()?;
        Ok(ObjectId {
            api_version: text("apiVersion", self.api_version)?,
            kind: text("kind", self.kind)?,
            namespace: text("metadata.namespace", metadata.namespace)?,
            name: text("metadata.name", metadata.name)?,
        })
    }

    fn metadata(&self) -> Result<RawMetadata<'_>, String> {
        match self.metadata.filter(|raw| raw.get() != "null") {
            None => Ok(RawMetadata::default()),
            Some(raw) if raw.get().starts_with('{') => {
                serde_json::from_str(raw.get()).map_err(|error| format!("metadata: {error}"))
            }
            Some(raw) => Err(format!("metadata must be an object, not {}", type_of(raw))),
        }
    }
}

/// The text of a field; empty if it is not there.
fn text(field: &str, raw: Option<&RawValue>) -> Result<String, String> {
    let Some(raw) = raw.filter(|raw| raw.get() != "null") else {
        return Ok(String::new());
    };
    serde_json::from_str(raw.get()).map_err(|_| format!("{field} must be a string, not {}", type_of(raw)))
}

fn type_of(raw: &RawValue) -> &'static str {
    match raw.get().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// The type and name of an object, which may be wrong otherwise.
pub(crate) fn read(json: &str) -> Result<ObjectId, Unreadable> {
    let unnamed = |problem| Unreadable {
        name: String::new(),
        problem,
    };
    if !json.trim_start().starts_with('{') {
        return Err(unnamed("expected a JSON object".to_owned()));
    }
    let head: RawHead<'_> = serde_json::from_str(json).map_err(|error| unnamed(error.to_string()))?;
    let id = head.read().map_err(unnamed)?;
    match kind_missing(&id) {
        Some(problem) => Err(Unreadable {
            name: id.name,
            problem,
        }),
        None => Ok(id),
    }
}

/// What to say of an object without a kind.
pub(crate) fn kind_missing(id: &ObjectId) -> Option<String> {
    id.kind.is_empty().then(|| "Object 'Kind' is missing".to_owned())
}

/// What to say of an object without a name.
pub(crate) fn name_missing(id: &ObjectId) -> Option<String> {
    id.name
        .is_empty()
        .then(|| "'metadata.name' is missing".to_owned())
}

/// What of an object's address does not fit into a path. The server decodes a path before it looks at it, so escaping
/// does not help. What is empty is left to whoever needs it.
pub(crate) fn misnamed(id: &ObjectId, subresource: Option<&str>) -> Option<String> {
    let given = |text| Some(text).filter(|text: &&str| !text.is_empty());
    let parts = [
        ("metadata.name", given(id.name.as_str())),
        ("metadata.namespace", given(id.namespace.as_str())),
        ("subresource", subresource),
    ];
    let refused = |(field, text): (&str, Option<&str>)| {
        let text = text?;
        let rule = path_segment::problem(text)?;
        Some(format!("{field} {text:?} {rule}"))
    };
    parts.into_iter().find_map(refused)
}
