//! Changes on their way to one consumer.
//!
//! Owns that no change is lost and that nobody waits: changes of one object are folded into one entry, so what can pile
//! up is one entry for each name.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use espejote_core::{Object, ObjectId};
use tokio::sync::Notify;

/// An object changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which object.
    pub id: ObjectId,
    /// It is gone. If it was replaced by another of the same name, a change that says so follows.
    pub deleted: bool,
}

/// What happened to one name since the consumer last looked, in this order.
#[derive(Default, Clone, Copy)]
struct Folded {
    deleted: bool,
    applied: bool,
}

/// By namespace and name.
type ByName = BTreeMap<(Box<str>, Box<str>), Folded>;

/// `api_version` and `kind` are those of the watch.
pub(super) struct Pending {
    api_version: String,
    kind: String,
    folded: Mutex<ByName>,
    notify: Notify,
}

impl Pending {
    pub(super) fn new(api_version: String, kind: String) -> Self {
        Self {
            api_version,
            kind,
            folded: Mutex::default(),
            notify: Notify::new(),
        }
    }

    pub(super) fn applied(&self, object: &Object) {
        self.fold(object, |folded| folded.applied = true);
    }

    pub(super) fn deleted(&self, object: &Object) {
        self.fold(object, |folded| {
            *folded = Folded {
                deleted: true,
                applied: false,
            }
        });
    }

    pub(super) fn wake(&self) {
        self.notify.notify_one();
    }

    fn fold(&self, object: &Object, change: impl FnOnce(&mut Folded)) {
        let key = (object.namespace().into(), object.name().into());
        change(self.lock().entry(key).or_default());
    }

    fn lock(&self) -> MutexGuard<'_, ByName> {
        self.folded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changes(&self, (namespace, name): &(Box<str>, Box<str>), folded: Folded) -> Vec<Change> {
        let change = |deleted| Change {
            id: ObjectId {
                api_version: self.api_version.clone(),
                kind: self.kind.clone(),
                namespace: namespace.to_string(),
                name: name.to_string(),
            },
            deleted,
        };
        let deleted = folded.deleted.then(|| change(true));
        let applied = folded.applied.then(|| change(false));
        deleted.into_iter().chain(applied).collect()
    }
}

/// The changes of one watch, for one consumer. Ends with the last handle of the watch.
pub struct Subscription {
    pub(super) pending: Arc<Pending>,
}

impl Subscription {
    /// Waits for changes and takes all there are, by namespace and name. Never gives an empty list.
    ///
    /// Cancel safe.
    pub async fn next(&mut self) -> Vec<Change> {
        loop {
            let changes = self.take();
            if !changes.is_empty() {
                return changes;
            }
            self.pending.notify.notified().await;
        }
    }

    /// Takes the changes there are. Once the watch is synced, the first take holds every object of the first list.
    pub fn take(&mut self) -> Vec<Change> {
        let folded = std::mem::take(&mut *self.pending.lock());
        folded
            .iter()
            .flat_map(|(key, folded)| self.pending.changes(key, *folded))
            .collect()
    }
}
