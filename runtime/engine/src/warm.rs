//! Instances that wait for their owner's next call.
//!
//! Owns how many wait, how much memory they hold together, and for how long: the one that has waited longest goes first.
//! It never runs one, and never gives one to another owner than the one that left it. What is kept is a matter of speed
//! only: a call in a kept instance gives what a call in a fresh one would.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{sync::Notify, time::Instant};
use wasmtime::Store;

use crate::{
    bindings::exports::espejote::plugin::reconcile, config::WarmConfig, grants::Grants, host::HostState,
    limits::Limits, plugin::Compiled,
};

/// An instance between two calls. It holds nothing of the call that is over.
pub(crate) struct Warm {
    pub store: Store<HostState>,
    pub guest: reconcile::Guest,
    /// Calls that it has served.
    pub calls: u32,
    pub fitting: Fitting,
}

/// What has to be the same for the next call.
#[derive(Clone)]
pub(crate) struct Fitting {
    pub compiled: Arc<Compiled>,
    pub limits: Limits,
    pub grants: Grants,
}

impl Fitting {
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.compiled, &other.compiled)
            && self.limits == other.limits
            && self.grants == other.grants
    }
}

impl Warm {
    /// Linear memory, in bytes.
    fn memory(&self) -> u64 {
        self.store.data().meter.memory()
    }
}

/// All instances of the engine that wait.
pub(crate) struct WarmPool {
    config: WarmConfig,
    waiting: Mutex<Waiting>,
    last: AtomicU64,
    /// The first one waits.
    begun: Notify,
}

#[derive(Default)]
struct Waiting {
    by_owner: HashMap<u64, Entry>,
    memory: u64,
}

struct Entry {
    warm: Warm,
    since: Instant,
    memory: u64,
}

impl Waiting {
    fn remove(&mut self, owner: u64) -> Option<Warm> {
        let entry = self.by_owner.remove(&owner)?;
        self.memory -= entry.memory;
        Some(entry.warm)
    }

    fn oldest(&self) -> Option<(u64, Instant)> {
        let since = self.by_owner.iter().map(|(owner, entry)| (*owner, entry.since));
        since.min_by_key(|(_, since)| *since)
    }
}

impl WarmPool {
    pub fn new(config: WarmConfig) -> Self {
        Self {
            config,
            waiting: Mutex::default(),
            last: AtomicU64::new(0),
            begun: Notify::new(),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an instance may wait at all.
    fn has_room_for(&self, warm: &Warm) -> bool {
        // One that is nearly full would fail where a fresh one does not.
        let roomy = warm.memory() <= warm.fitting.limits.memory / 4 * 3;
        roomy
            && warm.calls < self.config.calls
            && warm.memory() <= self.config.memory
            && self.config.instances > 0
    }

    /// Lets one wait, and lets go of those for which there is no room then.
    fn put(&self, owner: u64, warm: Warm) -> Vec<Warm> {
        if !self.has_room_for(&warm) {
            return vec![warm];
        }
        let memory = warm.memory();
        let mut waiting = self.waiting();
        let mut gone: Vec<Warm> = waiting.remove(owner).into_iter().collect();
        if waiting.by_owner.is_empty() {
            self.begun.notify_one();
        }
        waiting.memory += memory;
        let since = Instant::now();
        waiting.by_owner.insert(owner, Entry { warm, since, memory });
        while waiting.memory > self.config.memory || waiting.by_owner.len() > self.config.instances {
            let Some((oldest, _)) = waiting.oldest() else {
                break;
            };
            gone.extend(waiting.remove(oldest));
        }
        gone
    }

    /// Lets go of those that have waited too long; says when the next one will have.
    fn expire(&self) -> (Vec<Warm>, Option<Instant>) {
        let mut waiting = self.waiting();
        let mut gone = Vec::new();
        while let Some((owner, since)) = waiting.oldest() {
            if since.elapsed() < self.config.idle {
                return (gone, Some(since + self.config.idle));
            }
            gone.extend(waiting.remove(owner));
        }
        (gone, None)
    }

    /// Lets go of what waits too long, for ever.
    pub async fn keep_tidy(&self) {
        loop {
            let (gone, next) = self.expire();
            let_go(gone);
            match next {
                Some(next) => tokio::time::sleep_until(next).await,
                None => self.begun.notified().await,
            }
        }
    }

    /// How many wait, and the bytes of memory that they hold.
    pub fn held(&self) -> (usize, u64) {
        let waiting = self.waiting();
        (waiting.by_owner.len(), waiting.memory)
    }
}

/// Gives memory back, which takes its time, off the executor's threads.
fn let_go(gone: Vec<Warm>) {
    if gone.is_empty() {
        return;
    }
    match tokio::runtime::Handle::try_current() {
        // Nobody waits for it: it has no result.
        Ok(runtime) => drop(runtime.spawn_blocking(move || drop(gone))),
        Err(_) => drop(gone),
    }
}

/// The place of one owner's instance between calls: at most one waits there. What waits is dropped with it.
///
/// An owner is whatever must not share state with others: one version of one ManagedResource.
pub struct Kept {
    pool: Arc<WarmPool>,
    owner: u64,
    /// Raised by [`clear`](Self::clear): what was taken before does not come back.
    generation: AtomicU64,
}

/// Permission to leave an instance, given when the call began.
pub(crate) struct Ticket<'a> {
    kept: &'a Kept,
    generation: u64,
}

impl Kept {
    pub(crate) fn new(pool: &Arc<WarmPool>) -> Self {
        Self {
            pool: pool.clone(),
            owner: pool.last.fetch_add(1, Ordering::Relaxed),
            generation: AtomicU64::new(0),
        }
    }

    /// Drops what waits; what a call that runs would leave as well.
    pub fn clear(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
        let gone = self.pool.waiting().remove(self.owner);
        let_go(gone.into_iter().collect());
    }

    /// What waits, if it fits; and the right to leave it again.
    pub(crate) fn take(&self, fitting: &Fitting) -> (Option<Warm>, Ticket<'_>) {
        let ticket = Ticket {
            kept: self,
            generation: self.generation.load(Ordering::Acquire),
        };
        let waiting = self.pool.waiting().remove(self.owner);
        let (fits, gone): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|warm| warm.fitting.is(fitting));
        let_go(gone);
        (fits.into_iter().next(), ticket)
    }
}

impl Ticket<'_> {
    /// Leaves an instance for the next call.
    pub fn leave(&self, warm: Warm) {
        let kept = self.kept;
        let_go(kept.pool.put(kept.owner, warm));
        // Whoever cleared while it was being put away did not find it.
        if kept.generation.load(Ordering::Acquire) != self.generation {
            let gone = kept.pool.waiting().remove(kept.owner);
            let_go(gone.into_iter().collect());
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.clear();
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept")
            .field("owner", &self.owner)
            .finish_non_exhaustive()
    }
}
