//! Keys that wait for their time.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use tokio::time::Instant;

use super::key::TriggerKey;

/// When, and for equal times in which order.
type Slot = (Instant, u64);

/// Each key at most once, with its earliest time.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    by_time: BTreeMap<Slot, Arc<TriggerKey>>,
    by_key: HashMap<Arc<TriggerKey>, Slot>,
    next_order: u64,
}

impl Schedule {
    /// Schedules `key`; of two times the earlier one stays. True if the key is now due at `at` and was not before.
    pub(super) fn insert(&mut self, key: &Arc<TriggerKey>, at: Instant) -> bool {
        if self.by_key.get(key).is_some_and(|(earlier, _)| *earlier <= at) {
            return false;
        }
        self.remove(key);
        let slot = (at, self.next_order);
        self.next_order += 1;
        self.by_time.insert(slot, Arc::clone(key));
        self.by_key.insert(Arc::clone(key), slot);
        true
    }

    /// Takes `key` out, if it is there.
    pub(super) fn remove(&mut self, key: &TriggerKey) {
        if let Some(slot) = self.by_key.remove(key) {
            self.by_time.remove(&slot);
        }
    }

    /// Takes out the earliest key that is due at `now`, with its time.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<(Arc<TriggerKey>, Instant)> {
        let entry = self.by_time.first_entry()?;
        if entry.key().0 > now {
            return None;
        }
        let ((at, _), key) = entry.remove_entry();
        self.by_key.remove(&key);
        Some((key, at))
    }

    /// The earliest time of all.
    pub(super) fn earliest(&self) -> Option<Instant> {
        self.by_time.first_key_value().map(|((at, _), _)| *at)
    }

    /// How many keys wait.
    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }
}
