//! The queue of one ManagedResource.
//!
//! Owns which key runs next, which one runs now and which one waits, and how often each has failed. It keeps keys only,
//! never events or objects, and runs nothing itself. The rules are those of client-go's work queue:
//!
//! * a key that waits already is not added twice;
//! * a key that runs is not handed out a second time: added meanwhile, it runs once more when its lease is dropped;
//! * distinct keys come out in the order in which they became due.
//!
//! Delays need no task: whoever waits in [`Queue::next`] keeps the one timer.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use super::{
    backoff::{BackOff, Chance},
    key::TriggerKey,
    schedule::Schedule,
};

/// A deduplicating queue with delays and back-off. Clones are handles of the same queue.
///
/// Its size is bounded by the number of distinct keys: objects that match a trigger, and those that failed since they
/// went. Whoever handles the deletion of an object calls [`Queue::forget`] once that has succeeded.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Woken when a key became due, when an earlier deadline came in, and at shut-down.
    changed: Notify,
    back_off: BackOff,
}

#[derive(Debug, Default)]
struct State {
    /// Keys to hand out, oldest first; all of them are in `due`, none in `running`.
    ready: VecDeque<Arc<TriggerKey>>,
    /// Keys that have to run, and since when: `ready`, and those that run and were added meanwhile.
    due: HashMap<Arc<TriggerKey>, Instant>,
    running: HashSet<Arc<TriggerKey>>,
    delayed: Schedule,
    failures: HashMap<Arc<TriggerKey>, u32>,
    chance: Chance,
    closed: bool,
}

/// The right to work on one key. Dropping it says that the work is done, however it ended.
#[derive(Debug)]
pub struct Lease {
    shared: Arc<Shared>,
    key: Arc<TriggerKey>,
    waited: Duration,
}

/// What a caller of `next` finds.
enum Turn {
    Work(Lease),
    Wait(Option<Instant>),
    End,
}

impl Queue {
    /// An empty queue whose failing keys wait as `back_off` says.
    pub fn new(back_off: BackOff) -> Self {
        let shared = Shared {
            back_off,
            ..Shared::default()
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Makes `key` due now; a delay of it is cancelled. Its failures stay counted.
    pub fn add(&self, key: TriggerKey) {
        let mut state = self.shared.current();
        state.delayed.remove(&key);
        if state.accepts(&key) {
            state.make_due(Arc::new(key), Instant::now());
            drop(state);
            self.shared.changed.notify_one();
        }
    }

    /// Makes `key` due after `delay`. If it has a delay already, the earlier one stays; if it is due, nothing happens.
    pub fn add_after(&self, key: TriggerKey, delay: Duration) {
        if delay.is_zero() {
            return self.add(key);
        }
        let mut state = self.shared.current();
        if state.accepts(&key) && state.delayed.insert(&Arc::new(key), deadline(delay)) {
            drop(state);
            self.shared.changed.notify_one();
        }
    }

    /// Counts a failure of `key` and makes it due after its back-off, which is returned. A key that is due anyway, or
    /// sooner, stays so.
    pub fn add_rate_limited(&self, key: TriggerKey) -> Duration {
        let delay = self.shared.count_failure(&key);
        self.add_after(key, delay);
        delay
    }

    /// How often `key` has failed since it was last forgotten.
    pub fn failures(&self, key: &TriggerKey) -> u32 {
        self.shared.lock().failures.get(key).copied().unwrap_or(0)
    }

    /// Forgets the failures of `key`: it has succeeded. Whether it is due or delayed is left alone.
    pub fn forget(&self, key: &TriggerKey) {
        self.shared.lock().failures.remove(key);
    }

    /// Waits for the next key; `None` once the queue is shut down. Several leases may be out at once, of distinct keys.
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&self) -> Option<Lease> {
        loop {
            let deadline = match self.shared.turn() {
                Turn::Work(lease) => return Some(lease),
                Turn::End => return None,
                Turn::Wait(deadline) => deadline,
            };
            tokio::select! {
                () = self.shared.changed.notified() => {}
                () = until(deadline) => {}
            }
        }
    }

    /// Empties the queue for good: `next` gives `None`, what is added is ignored. Leases that are out stay valid.
    pub fn shut_down(&self) {
        *self.shared.lock() = State {
            closed: true,
            ..State::default()
        };
        self.shared.changed.notify_waiters();
        self.shared.changed.notify_one();
    }

    /// How many keys are due and not being worked on, or due once more.
    pub fn len(&self) -> usize {
        self.shared.current().due.len()
    }

    /// Whether no key is due. Some may be delayed or worked on: see [`Queue::is_idle`].
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many keys wait for their time.
    pub fn delayed(&self) -> usize {
        self.shared.current().delayed.len()
    }

    /// Whether no key is due, delayed or worked on.
    pub fn is_idle(&self) -> bool {
        let state = self.shared.lock();
        state.due.is_empty() && state.running.is_empty() && state.delayed.len() == 0
    }
}

impl Lease {
    /// The key to work on.
    pub fn key(&self) -> &TriggerKey {
        &self.key
    }

    /// How long the key was due before it was handed out.
    pub fn waited(&self) -> Duration {
        self.waited
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = self.shared.current();
        state.running.remove(&self.key);
        if state.due.contains_key(&self.key) {
            state.ready.push_back(Arc::clone(&self.key));
            drop(state);
            self.shared.changed.notify_one();
        }
    }
}

impl Shared {
    /// The state is never left half changed, so a panic elsewhere does not spoil it.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state with all keys due whose time has come, so that order does not depend on who looks when.
    fn current(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        state.wake_delayed(Instant::now());
        state
    }

    fn count_failure(&self, key: &TriggerKey) -> Duration {
        let mut state = self.lock();
        let chance = state.chance.draw();
        let failures = state.failure(key);
        self.back_off.delay(failures, chance)
    }

    fn turn(self: &Arc<Self>) -> Turn {
        let mut state = self.current();
        if state.closed {
            return Turn::End;
        }
        let Some((key, since)) = state.take() else {
            return Turn::Wait(state.delayed.earliest());
        };
        if !state.ready.is_empty() {
            self.changed.notify_one();
        }
        drop(state);
        Turn::Work(Lease {
            shared: Arc::clone(self),
            key,
            waited: since.elapsed(),
        })
    }
}

impl State {
    /// Whether adding `key` would change anything.
    fn accepts(&self, key: &TriggerKey) -> bool {
        !self.closed && !self.due.contains_key(key)
    }

    fn make_due(&mut self, key: Arc<TriggerKey>, since: Instant) {
        if !self.running.contains(&key) {
            self.ready.push_back(Arc::clone(&key));
        }
        self.due.insert(key, since);
    }

    fn wake_delayed(&mut self, now: Instant) {
        while let Some((key, since)) = self.delayed.pop_due(now) {
            self.make_due(key, since);
        }
    }

    fn take(&mut self) -> Option<(Arc<TriggerKey>, Instant)> {
        let key = self.ready.pop_front()?;
        let (key, since) = self.due.remove_entry(&key)?;
        self.running.insert(Arc::clone(&key));
        Some((key, since))
    }

    /// Counts a failure, unless the queue is closed: then nothing is kept.
    fn failure(&mut self, key: &TriggerKey) -> u32 {
        if self.closed {
            return 1;
        }
        if let Some(failures) = self.failures.get_mut(key) {
            *failures = failures.saturating_add(1);
            return *failures;
        }
        self.failures.insert(Arc::new(key.clone()), 1);
        1
    }
}

/// A delay too long for the clock ends in thirty years.
fn deadline(delay: Duration) -> Instant {
    const THIRTY_YEARS: Duration = Duration::from_secs(30 * 365 * 24 * 3600);
    Instant::now() + delay.min(THIRTY_YEARS)
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
