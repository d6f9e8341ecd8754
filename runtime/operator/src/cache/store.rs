//! The objects of one watch.
//!
//! Owns that readers, subscribers and the state agree: each change is made under one lock. The lock is held for
//! comparing and inserting only, never across an await.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use espejote_core::{Collection, Object, ObjectId, Revision};
use tokio::{sync::watch, time::Instant};

use super::{
    pending::{Pending, Subscription},
    reader::{Reading, Size},
    sorted::{Sorted, Staged},
    state::{NotSynced, State},
};

pub(crate) struct Store {
    inner: Mutex<Inner>,
    api_version: String,
    kind: String,
    states: watch::Sender<State>,
    versions: watch::Sender<u64>,
}

struct Inner {
    state: State,
    objects: Sorted,
    bytes: usize,
    skipped: u64,
    /// Of the objects as they are now; made when somebody asks.
    collection: Option<Arc<Collection>>,
    subscribers: Vec<Weak<Pending>>,
}

impl Store {
    pub(crate) fn new(api_version: &str, kind: &str) -> Self {
        Self {
            inner: Mutex::new(Inner::new()),
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            states: watch::Sender::new(State::pending()),
            versions: watch::Sender::new(0),
        }
    }

    /// Puts an object in, or replaces the one of its name.
    pub(crate) fn apply(&self, object: Arc<Object>) {
        let mut inner = self.lock();
        let added = object.json().len();
        let before = inner.objects.insert(object.clone());
        let removed = before.as_ref().map_or(0, |before| before.json().len());
        inner.bytes = (inner.bytes + added).saturating_sub(removed);
        if inner.tell(before.as_ref(), Some(&object)) {
            self.changed(inner);
        }
    }

    /// Takes an object out.
    pub(crate) fn delete(&self, namespace: &str, name: &str) {
        let mut inner = self.lock();
        if let Some(before) = inner.objects.remove(namespace, name) {
            inner.bytes = inner.bytes.saturating_sub(before.json().len());
            inner.tell(Some(&before), None);
            self.changed(inner);
        }
    }

    /// Takes a whole list instead of what was there, tells what vanished, came and changed, and is synced.
    pub(crate) fn replace(&self, staged: Vec<Staged>) {
        let after = Sorted::from_staged(staged);
        let mut inner = self.lock();
        let before = std::mem::replace(&mut inner.objects, after);
        inner.bytes = inner
            .objects
            .objects()
            .iter()
            .map(|object| object.json().len())
            .sum();
        inner.state = State::Synced;
        if inner.tell_all(&before) {
            self.changed(inner);
        } else {
            drop(inner);
        }
        self.publish_state();
    }

    /// The watch stands again, with nothing missed.
    pub(crate) fn resumed(&self) {
        self.set_state(State::Synced);
    }

    /// The watch is down, and will be up again without anybody's doing.
    pub(crate) fn interrupted(&self, cause: &str) {
        let cause = cause.into();
        let state = match &self.lock().state {
            State::Synced => State::Stale {
                since: Instant::now(),
                cause,
            },
            State::Stale { since, .. } => State::Stale { since: *since, cause },
            State::NotSynced(NotSynced::Pending { .. }) => {
                State::NotSynced(NotSynced::Pending { cause: Some(cause) })
            }
            // The last definite word stays.
            State::NotSynced(definite) => State::NotSynced(definite.clone()),
        };
        self.set_state(state);
    }

    /// The watch is down, and what was read may not be used any more.
    pub(crate) fn lost(&self, reason: NotSynced) {
        self.set_state(State::NotSynced(reason));
    }

    /// An object could not be read, and is missing.
    pub(crate) fn skipped(&self) {
        self.lock().skipped += 1;
    }

    pub(crate) fn read(&self) -> Reading {
        let mut inner = self.lock();
        Reading {
            collection: inner.collection(),
            state: inner.state.clone(),
        }
    }

    pub(crate) fn version_of(&self, id: &ObjectId) -> Option<String> {
        if (&self.api_version, &self.kind) != (&id.api_version, &id.kind) {
            return None;
        }
        let inner = self.lock();
        let object = inner.objects.get(&id.namespace, &id.name)?;
        (inner.state == State::Synced).then(|| object.resource_version().to_owned())
    }

    pub(crate) fn size(&self) -> Size {
        let inner = self.lock();
        Size {
            objects: inner.objects.objects().len(),
            bytes: inner.bytes,
            skipped: inner.skipped,
        }
    }

    /// Subscribes to changes; those that are there already count as changes.
    pub(crate) fn subscribe(&self) -> Subscription {
        let pending = Arc::new(Pending::new(self.api_version.clone(), self.kind.clone()));
        let mut inner = self.lock();
        for object in inner.objects.objects() {
            pending.applied(object);
        }
        inner
            .subscribers
            .retain(|subscriber| subscriber.strong_count() > 0);
        inner.subscribers.push(Arc::downgrade(&pending));
        Subscription { pending }
    }

    pub(crate) fn states(&self) -> watch::Receiver<State> {
        self.states.subscribe()
    }

    pub(crate) fn versions(&self) -> watch::Receiver<u64> {
        self.versions.subscribe()
    }

    fn set_state(&self, state: State) {
        self.lock().state = state;
        self.publish_state();
    }

    /// Outside the lock: whoever looks at a state may be reading the objects at the same time.
    fn publish_state(&self) {
        let state = self.lock().state.clone();
        self.states.send_if_modified(|current| {
            let changed = *current != state;
            *current = state;
            changed
        });
    }

    fn changed(&self, mut inner: MutexGuard<'_, Inner>) {
        inner.collection = None;
        for subscriber in inner.subscribers.iter().filter_map(Weak::upgrade) {
            subscriber.wake();
        }
        drop(inner);
        self.versions.send_modify(|version| *version += 1);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn new() -> Self {
        Self {
            state: State::pending(),
            objects: Sorted::default(),
            bytes: 0,
            skipped: 0,
            collection: None,
            subscribers: Vec::new(),
        }
    }

    fn collection(&mut self) -> Arc<Collection> {
        let objects = &self.objects;
        let make = || {
            Arc::new(Collection::from_sorted(
                objects.objects().to_vec(),
                Revision::fresh(),
            ))
        };
        self.collection.get_or_insert_with(make).clone()
    }

    fn tell_all(&self, before: &Sorted) -> bool {
        let mut changed = false;
        Sorted::compare(before, &self.objects, |old, new| changed |= self.tell(old, new));
        changed
    }

    /// Tells the subscribers, and says whether anything changed. Equal bytes are no change; another object of the same
    /// name is a deletion first.
    fn tell(&self, old: Option<&Arc<Object>>, new: Option<&Arc<Object>>) -> bool {
        if old.map(|object| object.revision()) == new.map(|object| object.revision()) {
            return false;
        }
        let replaced = new.is_none_or(|new| old.is_some_and(|old| old.uid() != new.uid()));
        for subscriber in self.subscribers.iter().filter_map(Weak::upgrade) {
            if let Some(old) = old.filter(|_| replaced) {
                subscriber.deleted(old);
            }
            if let Some(new) = new {
                subscriber.applied(new);
            }
        }
        true
    }
}
