//! The only writer of `status`.

use std::sync::Arc;

use bytes::Bytes;
use kube::ResourceExt;
use serde::Serialize;

use crate::{
    client::{Accept, ApiError, Client, Patch, PatchKind, Resource, WriteOptions, resource_version},
    leading::Leading,
};

/// Whose status is written.
#[derive(Clone, Debug)]
pub struct StatusTarget {
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.uid`: the status of one object is never written to its successor.
    pub uid: String,
}

impl StatusTarget {
    /// The status of this object.
    pub fn of(object: &impl ResourceExt) -> Self {
        Self {
            namespace: object.namespace().unwrap_or_default(),
            name: object.name_any(),
            uid: object.uid().unwrap_or_default(),
        }
    }
}

/// Writes the status of one object, and only when it changes.
#[derive(Debug)]
pub struct StatusWriter<S> {
    client: Client,
    resource: Arc<Resource>,
    target: StatusTarget,
    shown: S,
    /// Whether the cluster shows that for certain.
    sure: bool,
    /// The `resourceVersion` that the last write led to.
    written: Option<u64>,
}

impl<S: Serialize + PartialEq> StatusWriter<S> {
    /// Starts from the status that the cluster shows.
    pub fn new(client: Client, resource: Arc<Resource>, target: StatusTarget, shown: S) -> Self {
        Self {
            client,
            resource,
            target,
            shown,
            sure: true,
            written: None,
        }
    }

    /// Whether a status that was seen is another one's: it is not what was shown last, and not older than that either.
    pub fn is_foreign(&self, version: Option<&str>, status: &S) -> bool {
        let seen = version.and_then(number);
        let is_older = seen
            .zip(self.written)
            .is_some_and(|(seen, written)| seen < written);
        !is_older && !is_same(status, &self.shown)
    }

    /// The next status is written whatever the cluster seems to show. Another process may have written since it was read.
    pub fn doubt(&mut self, shown: S) {
        self.shown = shown;
        self.sure = false;
    }

    /// Whether a status can be shown: not unless this process leads.
    pub fn leading(&self) -> &Leading {
        self.client.leading()
    }

    /// The status that the cluster shows.
    pub fn shown(&self) -> &S {
        &self.shown
    }

    /// Shows a status. True: something was written.
    ///
    /// An error leaves the old status in place; the next call tries again.
    pub async fn show(&mut self, status: S) -> Result<bool, ApiError> {
        if self.sure && status == self.shown {
            return Ok(false);
        }
        match self.patch(&status).await {
            Ok(answer) => {
                self.shown = status;
                self.sure = true;
                self.written = resource_version(&answer).as_deref().and_then(number);
                Ok(true)
            }
            Err(error) if error.is_not_found() || error.is_conflict() => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn patch(&self, status: &S) -> Result<Bytes, ApiError> {
        let body = serde_json::json!({
            "metadata": {"uid": self.target.uid},
            "status": status,
        });
        let patch = Patch {
            kind: PatchKind::Merge,
            subresource: Some("status".to_owned()),
            options: WriteOptions {
                accept: Accept::Metadata,
                ..WriteOptions::default()
            },
            body: Bytes::from(body.to_string()),
        };
        let StatusTarget { namespace, name, .. } = &self.target;
        self.client
            .patch(&self.resource, Some(namespace), name, &patch)
            .await
    }
}

/// As the API server has it: its times have no fractions of seconds.
fn is_same(one: &impl Serialize, other: &impl Serialize) -> bool {
    match (serde_json::to_value(one), serde_json::to_value(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => true,
    }
}

/// Resource versions of one kind can be compared as numbers (KEP-5504). What is none is taken for new.
fn number(version: &str) -> Option<u64> {
    version.parse().ok()
}
