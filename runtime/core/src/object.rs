//! One object of a watched kind, held as bytes.

use std::sync::Arc;

use serde::Deserialize;

use crate::snapshot::Revision;

/// What is changed in an object before it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Projection {
    /// Drop `metadata.managedFields`.
    pub strip_managed_fields: bool,
}

/// Bytes that are no object.
#[derive(Debug, thiserror::Error)]
pub enum ParseObjectError {
    /// Not JSON, or its metadata are not those of an object.
    #[error("not a Kubernetes object: {0}")]
    Malformed(#[source] serde_json::Error),
}

/// An object as JSON text with the few fields that the host looks at.
#[derive(Debug)]
pub struct Object {
    json: Arc<str>,
    api_version: String,
    kind: String,
    namespace: String,
    name: String,
    uid: String,
    resource_version: String,
    labels: Vec<(String, String)>,
    revision: Revision,
}

#[derive(Deserialize)]
struct Head {
    #[serde(default, rename = "apiVersion")]
    api_version: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    namespace: Option<String>,
    name: Option<String>,
    uid: Option<String>,
    resource_version: Option<String>,
    labels: Option<std::collections::BTreeMap<String, String>>,
}

impl Object {
    /// Takes one object as it is, with its type in it.
    pub fn parse(json: Arc<str>, revision: Revision) -> Result<Self, ParseObjectError> {
        let head: Head = serde_json::from_str(&json).map_err(ParseObjectError::Malformed)?;
        let metadata = head.metadata;
        Ok(Self {
            json,
            api_version: head.api_version,
            kind: head.kind,
            namespace: metadata.namespace.unwrap_or_default(),
            name: metadata.name.unwrap_or_default(),
            uid: metadata.uid.unwrap_or_default(),
            resource_version: metadata.resource_version.unwrap_or_default(),
            labels: metadata.labels.unwrap_or_default().into_iter().collect(),
            revision,
        })
    }

    /// The whole object: one JSON document, shared.
    pub fn json(&self) -> &Arc<str> {
        &self.json
    }

    /// Namespace (empty for cluster-scoped kinds) and name: the order of collections.
    pub fn key(&self) -> (&str, &str) {
        (self.namespace(), self.name())
    }

    /// `apiVersion`.
    pub fn api_version(&self) -> &str {
        &self.api_version
    }

    /// `kind`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// `metadata.namespace`; empty for cluster-scoped kinds.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `metadata.uid`; empty if there is none.
    pub fn uid(&self) -> &str {
        &self.uid
    }

    /// `metadata.resourceVersion`; empty if there is none.
    pub fn resource_version(&self) -> &str {
        &self.resource_version
    }

    /// The value of a label.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.labels
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, v)| v.as_str())
    }

    /// Stands for these bytes.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The type and name.
    pub fn id(&self) -> crate::ObjectId {
        crate::ObjectId {
            api_version: self.api_version().to_owned(),
            kind: self.kind().to_owned(),
            namespace: self.namespace().to_owned(),
            name: self.name().to_owned(),
        }
    }
}
