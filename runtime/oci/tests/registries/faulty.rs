//! A registry of ours that does what it should, but for the faults that a test adds.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use espejote_oci::{Digest, OCI_MANIFEST};
use serde_json::Value;

use crate::server::{Answer, Asked};

/// What is in it, by the end of the address: `manifests/1`, `blobs/sha256:…`.
#[derive(Clone, Default)]
pub struct Contents(HashMap<String, (String, Bytes)>);

impl Contents {
    /// With a document under a tag and under its digest.
    pub fn manifest(self, tag: &str, document: &Value) -> Self {
        let kind = document["mediaType"].as_str().unwrap_or(OCI_MANIFEST);
        self.document(tag, kind, document.to_string())
    }

    /// With any bytes as a document of some type.
    pub fn document(mut self, tag: &str, kind: &str, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        for version in [tag.to_owned(), Digest::of(&bytes).to_string()] {
            self.0
                .insert(format!("manifests/{version}"), (kind.to_owned(), bytes.clone()));
        }
        self
    }

    /// With a blob.
    pub fn blob(self, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        self.blob_as(Digest::of(&bytes), bytes)
    }

    /// With a blob under a digest that may be another one's.
    pub fn blob_as(mut self, digest: Digest, bytes: impl Into<Bytes>) -> Self {
        self.0.insert(
            format!("blobs/{digest}"),
            ("application/octet-stream".into(), bytes.into()),
        );
        self
    }

    /// The right answer.
    pub fn answer(&self, asked: &Asked) -> Answer {
        let path = asked
            .path
            .trim_start_matches("/v2/")
            .split('?')
            .next()
            .unwrap_or_default();
        let end = ["manifests/", "blobs/"]
            .iter()
            .find_map(|kind| path.find(kind))
            .map(|start| &path[start..]);
        match end.and_then(|end| self.0.get(end)) {
            Some((kind, bytes)) => Answer::new(200, bytes.clone()).with("content-type", kind.clone()),
            None => Answer::new(
                404,
                r#"{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown to test"}]}"#,
            ),
        }
    }
}

/// Counts, so that a fault can pass.
#[derive(Clone, Default)]
pub struct Times(Arc<AtomicUsize>);

impl Times {
    /// True for the first `most` calls.
    pub fn first(&self, most: usize) -> bool {
        self.0.fetch_add(1, Ordering::SeqCst) < most
    }
}
