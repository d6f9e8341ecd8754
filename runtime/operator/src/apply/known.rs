//! What the last writes of one ServiceAccount left behind: a write that would provably change nothing need not be sent.
//!
//! Owns the proof: the same bytes were sent with the same options, and the object is still at the version that this led
//! to. The version is that of a watch which holds the object, else it is asked for with the ServiceAccount's own rights;
//! where neither tells, the write is sent. Memory only: after a restart everything is sent once. Every write is sent again
//! after a while in any case, since rights, defaults and other webhooks may change without a trace on the object.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use espejote_core::{Apply, FieldValidation, ObjectId};
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::options::Resolved;
use crate::client::{Accept, Client, Resource, resource_version};

/// Nothing is taken for known for longer.
const GOOD_FOR: Duration = Duration::from_secs(300);

/// Versions of objects, as far as somebody watches them.
pub trait LiveVersions: Send + Sync {
    /// The `resourceVersion` of an object that a watch holds which is up to date; none if no watch holds it.
    fn live_version(&self, id: &ObjectId) -> Option<String>;
}

/// What is remembered of the writes of one ServiceAccount for one ManagedResource.
pub struct Known {
    versions: Arc<dyn LiveVersions>,
    writes: Mutex<Writes>,
}

#[derive(Default)]
struct Writes {
    by_object: HashMap<Fingerprint, Object>,
    /// Kinds that the ServiceAccount may not read.
    unreadable: HashMap<(String, String), Instant>,
}

type Fingerprint = [u8; 32];

/// What is known of one object.
struct Object {
    /// The version that our last write of it led to, whatever that was. A watch that is not as far does not count.
    last: Box<str>,
    /// By field manager and subresource.
    writes: HashMap<Fingerprint, Write>,
}

struct Write {
    content: Fingerprint,
    version: Box<str>,
    sent: Instant,
}

/// One write, as it is compared.
pub(super) struct Candidate {
    object: Fingerprint,
    writer: Fingerprint,
    content: Fingerprint,
}

impl Candidate {
    /// `id` has the namespace that the write goes to.
    pub(super) fn new(id: &ObjectId, apply: &Apply, resolved: &Resolved) -> Self {
        let subresource = apply.options.subresource.as_deref().unwrap_or_default();
        let strict = resolved.field_validation == FieldValidation::Strict;
        let options = [u8::from(resolved.force), u8::from(strict)];
        Self {
            object: object(id),
            writer: fingerprint([subresource.as_bytes(), resolved.field_manager.as_bytes()].into_iter()),
            content: fingerprint([&options, id.api_version.as_bytes(), apply.json.as_bytes()].into_iter()),
        }
    }
}

/// An object, whichever version of the API it is written in.
fn object(id: &ObjectId) -> Fingerprint {
    let parts = [id.group(), &id.kind, &id.namespace, &id.name];
    fingerprint(parts.into_iter().map(str::as_bytes))
}

/// Of parts that cannot run into each other: each begins with its length.
fn fingerprint<'a>(parts: impl Iterator<Item = &'a [u8]>) -> Fingerprint {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

impl Known {
    /// Nothing is known yet.
    pub fn new(versions: Arc<dyn LiveVersions>) -> Self {
        Self {
            versions,
            writes: Mutex::default(),
        }
    }

    /// Whether a write would change nothing.
    pub(super) async fn changes_nothing(
        &self,
        candidate: &Candidate,
        client: &Client,
        resource: &Resource,
        id: &ObjectId,
    ) -> bool {
        let Some(version) = self.version_after(candidate) else {
            return false;
        };
        match self.versions.live_version(id) {
            Some(live) => *live == *version,
            None => self.asked(client, resource, id).await.as_deref() == Some(&*version),
        }
    }

    /// The version that this very write led to, if nothing of ours has changed the object since.
    fn version_after(&self, candidate: &Candidate) -> Option<Box<str>> {
        let writes = self.writes();
        let object = writes.by_object.get(&candidate.object)?;
        let write = object.writes.get(&candidate.writer)?;
        let stands = write.content == candidate.content && write.version == object.last;
        (stands && write.sent.elapsed() < GOOD_FOR).then(|| write.version.clone())
    }

    /// Remembers a write that was sent, by the answer: the object's metadata at least.
    pub(super) fn sent(&self, candidate: &Candidate, answer: &[u8]) {
        let mut writes = self.writes();
        let Some(version) = resource_version(answer) else {
            writes.by_object.remove(&candidate.object);
            return;
        };
        let version: Box<str> = version.into();
        if writes.by_object.len() == writes.by_object.capacity() {
            let recent = |write: &Write| write.sent.elapsed() < GOOD_FOR;
            writes
                .by_object
                .retain(|_, object| object.writes.values().any(recent));
        }
        let object = writes
            .by_object
            .entry(candidate.object)
            .or_insert_with(|| Object {
                last: version.clone(),
                writes: HashMap::new(),
            });
        object.last.clone_from(&version);
        let write = Write {
            content: candidate.content,
            version,
            sent: Instant::now(),
        };
        object.writes.insert(candidate.writer, write);
    }

    /// Forgets an object before it is deleted, or after a write that failed: what that leaves is not known.
    pub(super) fn forget(&self, id: &ObjectId) {
        self.writes().by_object.remove(&object(id));
    }

    async fn asked(&self, client: &Client, resource: &Resource, id: &ObjectId) -> Option<String> {
        let kind = (resource.api_version.clone(), resource.plural.clone());
        let refused = self.writes().unreadable.get(&kind).copied();
        if refused.is_some_and(|since| since.elapsed() < GOOD_FOR) {
            return None;
        }
        let got = client.get(resource, Some(&id.namespace), &id.name, Accept::Metadata);
        match got.await {
            Ok(answer) => resource_version(&answer),
            Err(error) => {
                if error.is_forbidden() {
                    self.writes().unreadable.insert(kind, Instant::now());
                }
                None
            }
        }
    }

    fn writes(&self) -> MutexGuard<'_, Writes> {
        self.writes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
