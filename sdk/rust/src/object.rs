//! Words that every module shares: the name of an object, a revision, exact JSON.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use serde::de::DeserializeOwned;

use crate::failure::{Failure, FailureKind};

/// Names one object of the cluster. An empty `namespace` means a cluster-scoped kind; in what a plugin emits, it
/// means the namespace of the owner if the kind is namespaced.
pub use crate::bindings::imports::espejote::plugin::types::ObjectId;

fn parts(id: &ObjectId) -> (&str, &str, &str, &str) {
    (&id.api_version, &id.kind, &id.namespace, &id.name)
}

impl PartialEq for ObjectId {
    fn eq(&self, other: &Self) -> bool {
        parts(self) == parts(other)
    }
}

impl Eq for ObjectId {}

impl PartialOrd for ObjectId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By type, then namespace, then name.
impl Ord for ObjectId {
    fn cmp(&self, other: &Self) -> Ordering {
        parts(self).cmp(&parts(other))
    }
}

impl Hash for ObjectId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        parts(self).hash(state);
    }
}

/// Stands for a content: equal revisions mean equal bytes, for as long as this instance lives. They have no order.
pub type Revision = u64;

/// JSON kept as text: whatever it holds, numbers included, leaves as it came.
///
/// ```
/// # use espejote_sdk::Json;
/// #[derive(serde::Deserialize, serde::Serialize)]
/// struct Widget {
///     spec: Box<Json>,
/// }
/// let widget: Widget = serde_json::from_str(r#"{"spec":{"id":123456789012345678901,"ratio":1.0}}"#)?;
/// assert_eq!(widget.spec.get(), r#"{"id":123456789012345678901,"ratio":1.0}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub type Json = serde_json::value::RawValue;

/// Turns a document of the host into a type; `what` names the document in the failure.
pub(crate) fn parse<T: DeserializeOwned>(
    kind: FailureKind,
    json: &str,
    what: impl FnOnce() -> String,
) -> Result<T, Failure> {
    serde_json::from_str(json).map_err(|error| Failure::new(kind, format!("{}: {error}", what())))
}

pub(crate) fn written(id: &ObjectId) -> String {
    match id.namespace.as_str() {
        "" => format!("{} {}", id.kind, id.name),
        namespace => format!("{} {namespace}/{}", id.kind, id.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_that_does_not_fit_is_named() {
        let failure = parse::<u32>(FailureKind::InvalidInput, "\"x\"", || "Pod a/b".into()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::InvalidInput);
        assert!(
            failure.message.starts_with("Pod a/b: invalid type: string"),
            "{}",
            failure.message
        );
    }

    #[test]
    fn cluster_scoped_objects_are_written_without_namespace() {
        let mut id = ObjectId {
            api_version: "v1".into(),
            kind: "Namespace".into(),
            namespace: String::new(),
            name: "a".into(),
        };
        assert_eq!(written(&id), "Namespace a");
        id.namespace = "n".into();
        assert_eq!(written(&id), "Namespace n/a");
    }
}
