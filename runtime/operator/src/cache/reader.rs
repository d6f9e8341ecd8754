//! The reading side of a store.

use std::sync::Arc;

use espejote_core::{Collection, ObjectId, Unavailable};
use tokio::sync::watch;

use super::{pending::Subscription, state::State, store::Store};

/// Reads what one watch has seen. Cheap to clone.
#[derive(Clone)]
pub struct Reader {
    store: Arc<Store>,
}

/// Objects and state of one instant.
#[derive(Debug, Clone)]
pub struct Reading {
    /// How far the objects can be trusted.
    pub state: State,
    /// The objects; meaningless while not synced.
    pub collection: Arc<Collection>,
}

/// What a store holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Objects.
    pub objects: usize,
    /// Bytes of their texts. Objects that other watches hold too are counted by each.
    pub bytes: usize,
    /// Objects that could not be read and are missing, since the start of the watch.
    pub skipped: u64,
}

impl Reading {
    /// The objects, unless they may not be used. Stale objects are given.
    pub fn available(&self) -> Result<Arc<Collection>, Unavailable> {
        match &self.state {
            State::Synced | State::Stale { .. } => Ok(self.collection.clone()),
            State::NotSynced(reason) => Err(reason.unavailable()),
        }
    }
}

impl Reader {
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Self { store }
    }

    /// Objects and state as they are now. Costs nothing between two changes, 8 bytes an object after one.
    pub fn read(&self) -> Reading {
        self.store.read()
    }

    /// The state as it is now.
    pub fn state(&self) -> State {
        self.states().borrow().clone()
    }

    /// The state as it changes.
    pub fn states(&self) -> watch::Receiver<State> {
        self.store.states()
    }

    /// A number that changes whenever an object does, for those who do not ask which.
    pub fn versions(&self) -> watch::Receiver<u64> {
        self.store.versions()
    }

    /// Subscribes to changes of single objects. The objects that are there already come first.
    pub fn subscribe(&self) -> Subscription {
        self.store.subscribe()
    }

    /// The `resourceVersion` of an object, if the watch holds it and is up to date.
    pub fn version_of(&self, id: &ObjectId) -> Option<String> {
        self.store.version_of(id)
    }

    /// How much there is.
    pub fn size(&self) -> Size {
        self.store.size()
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader")
            .field("state", &self.state())
            .field("size", &self.size())
            .finish()
    }
}
