//! Counters by key.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Counts how often each key was added.
#[derive(Debug)]
pub(super) struct Table<K>(Mutex<BTreeMap<K, u64>>);

impl<K> Default for Table<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Clone + Ord> Table<K> {
    pub(super) fn add(&self, key: K) {
        self.add_many(key, 1);
    }

    pub(super) fn add_many(&self, key: K, count: u64) {
        *self.lock().entry(key).or_default() += count;
    }

    /// All counts, in the order of their keys.
    pub(super) fn read(&self) -> BTreeMap<K, u64> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<K, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
