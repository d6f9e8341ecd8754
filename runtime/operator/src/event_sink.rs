//! Events on their way to the API server, with the operator's own rights.

use bytes::Bytes;

use crate::{
    client::{Accept, ApiError, Client, Patch, PatchKind, Resource, WriteOptions},
    events::{EventSink, SinkError},
};

/// Writes events with a client.
#[derive(Debug)]
pub struct ApiEventSink {
    client: Client,
    events: Resource,
}

impl ApiEventSink {
    /// Writes with `client`'s rights.
    pub fn new(client: Client) -> Self {
        let events = Resource::known("events.k8s.io/v1", "Event", "events", true);
        Self { client, events }
    }
}

impl EventSink for ApiEventSink {
    async fn create(&self, namespace: &str, event: Vec<u8>) -> Result<(), SinkError> {
        let options = WriteOptions {
            accept: Accept::Metadata,
            ..WriteOptions::default()
        };
        let created = self
            .client
            .create(&self.events, Some(namespace), &options, event.into())
            .await;
        created.map(drop).map_err(|error| sink_error(&error))
    }

    async fn patch(&self, namespace: &str, name: &str, patch: Vec<u8>) -> Result<(), SinkError> {
        let patch = Patch {
            kind: PatchKind::Merge,
            subresource: None,
            options: WriteOptions {
                accept: Accept::Metadata,
                ..WriteOptions::default()
            },
            body: Bytes::from(patch),
        };
        let patched = self
            .client
            .patch(&self.events, Some(namespace), name, &patch)
            .await;
        patched.map(drop).map_err(|error| sink_error(&error))
    }
}

fn sink_error(error: &ApiError) -> SinkError {
    match error.code() {
        Some(404) => SinkError::NotFound,
        Some(409) => SinkError::AlreadyExists,
        Some(code) if code < 500 && code != 429 => SinkError::Refused(error.to_string()),
        None if error.is_not_leading() => SinkError::Refused(error.to_string()),
        _ => SinkError::Unavailable(error.to_string()),
    }
}
