//! Whose turn it is: a bound on the calls at a time, of all and of each.
//!
//! Apart from those of reconciles, so that neither keeps the other waiting. One Admission whose calls take long leaves places to
//! the others.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};

use super::definition::Key;

/// Calls at a time.
pub const OF_ALL: usize = 16;
/// Calls of one Admission at a time.
pub const OF_EACH: usize = 4;

/// Gives turns.
#[derive(Debug)]
pub struct Turns {
    all: Arc<Semaphore>,
    of_each: usize,
    each: Mutex<HashMap<Key, Arc<Semaphore>>>,
}

/// A place, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    _each: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl Turns {
    /// So many places for all, and so many for each.
    pub fn new(all: usize, of_each: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(all)),
            of_each,
            each: Mutex::default(),
        }
    }

    /// Waits for a turn; none if there was no place in time.
    pub async fn take(&self, key: &Key, until: Instant) -> Option<Turn> {
        let places = async {
            let each = self.of(key).acquire_owned().await.ok()?;
            let all = self.all.clone().acquire_owned().await.ok()?;
            Some(Turn {
                _each: each,
                _all: all,
            })
        };
        timeout_at(until, places).await.ok().flatten()
    }

    fn of(&self, key: &Key) -> Arc<Semaphore> {
        let mut each = self.each.lock().unwrap_or_else(PoisonError::into_inner);
        // One that is held by nobody but this table has no calls.
        each.retain(|known, places| known == key || Arc::strong_count(places) > 1);
        let places = each
            .entry(key.clone())
            .or_insert_with(|| Arc::new(Semaphore::new(self.of_each)));
        places.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn key(name: &str) -> Key {
        ("ns".into(), name.into())
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(1)
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_takes_long_leaves_places_to_others() {
        let turns = Turns::new(3, 2);
        let (one, other) = (key("a"), key("b"));
        let held = [
            turns.take(&one, soon()).await.unwrap(),
            turns.take(&one, soon()).await.unwrap(),
        ];
        assert!(turns.take(&one, soon()).await.is_none());
        let last = turns.take(&other, soon()).await.unwrap();
        assert!(turns.take(&key("c"), soon()).await.is_none());
        drop(last);
        assert!(turns.take(&key("c"), soon()).await.is_some());
        drop(held);
        assert!(turns.take(&one, soon()).await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn those_without_calls_are_forgotten() {
        let turns = Turns::new(3, 2);
        for name in ["a", "b", "c"] {
            drop(turns.take(&key(name), soon()).await);
        }
        assert_eq!(turns.each.lock().unwrap().len(), 1);
    }
}
