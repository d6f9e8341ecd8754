//! A map that forgets what was not used for long.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    time::Duration,
};

use tokio::time::Instant;

/// At most `capacity` entries, none of them unused for longer than `keep`.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    entries: HashMap<K, Entry<V>>,
    /// Keys by last use, the one unused for longest first.
    by_use: BTreeMap<u64, K>,
    next_use: u64,
    capacity: usize,
    keep: Duration,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    used: u64,
    at: Instant,
}

impl<K: Clone + Eq + Hash, V> Recent<K, V> {
    pub(super) fn new(capacity: usize, keep: Duration) -> Self {
        Self {
            entries: HashMap::new(),
            by_use: BTreeMap::new(),
            next_use: 0,
            capacity,
            keep,
        }
    }

    /// The value of `key`, which counts as a use.
    pub(super) fn get(&mut self, key: &K, now: Instant) -> Option<&mut V> {
        self.expire(now);
        let order = self.next_use;
        let entry = self.entries.get_mut(key)?;
        self.by_use.remove(&entry.used);
        self.by_use.insert(order, key.clone());
        self.next_use += 1;
        entry.used = order;
        entry.at = now;
        Some(&mut entry.value)
    }

    /// Puts `value` in. What was unused for longest makes room for it.
    pub(super) fn insert(&mut self, key: K, value: V, now: Instant) {
        self.remove(&key);
        while self.entries.len() >= self.capacity && self.remove_oldest() {}
        let used = self.next_use;
        self.next_use += 1;
        self.by_use.insert(used, key.clone());
        self.entries.insert(key, Entry { value, used, at: now });
    }

    /// Takes `key` out.
    pub(super) fn remove(&mut self, key: &K) {
        if let Some(entry) = self.entries.remove(key) {
            self.by_use.remove(&entry.used);
        }
    }

    fn expire(&mut self, now: Instant) {
        while let Some(oldest) = self
            .by_use
            .first_key_value()
            .and_then(|(_, key)| self.entries.get(key))
        {
            if now.duration_since(oldest.at) <= self.keep {
                return;
            }
            self.remove_oldest();
        }
    }

    fn remove_oldest(&mut self) -> bool {
        let oldest = self.by_use.pop_first();
        oldest.is_some_and(|(_, key)| self.entries.remove(&key).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    const KEEP: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn what_was_unused_for_longest_makes_room() {
        let mut map = Recent::new(2, KEEP);
        map.insert("a", 1, Instant::now());
        map.insert("b", 2, Instant::now());
        map.get(&"a", Instant::now());
        map.insert("c", 3, Instant::now());
        assert_eq!(map.get(&"b", Instant::now()), None);
        assert_eq!(map.get(&"a", Instant::now()), Some(&mut 1));
        assert_eq!((map.entries.len(), map.by_use.len()), (2, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_unused_for_long_is_forgotten() {
        let mut map = Recent::new(2, KEEP);
        map.insert("a", 1, Instant::now());
        advance(KEEP).await;
        map.insert("b", 2, Instant::now());
        assert!(map.get(&"a", Instant::now()).is_some());
        advance(KEEP + Duration::from_millis(1)).await;
        assert!(map.get(&"b", Instant::now()).is_none());
        assert_eq!((map.entries.len(), map.by_use.len()), (0, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn replacing_a_value_keeps_one_entry() {
        let mut map = Recent::new(2, KEEP);
        map.insert("a", 1, Instant::now());
        map.insert("a", 2, Instant::now());
        assert_eq!(map.get(&"a", Instant::now()), Some(&mut 2));
        assert_eq!((map.entries.len(), map.by_use.len()), (1, 1));
    }
}
