//! Watches on the cluster, shared by all who ask for the same.
//!
//! Owns which watches there are: one task and one store for each `WatchKey`, for as long as somebody holds a handle.
//! Never decides what a change means; that is for those who read.

mod backoff;
mod event;
mod failure;
mod key;
mod lines;
mod listing;
mod task;

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use tokio::sync::{Semaphore, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use self::key::{Tenant, WatchKey};
use self::{backoff::Backoff, task::Task};
use crate::{
    cache::{Interner, Reader, Store},
    client::Client,
    discovery::Discovery,
    identity::Identities,
};

/// Times and sizes of all watches.
#[derive(Debug, Clone)]
pub struct WatchSettings {
    /// No watch stays open longer, so that revoked rights show: an open watch does not notice them.
    pub max_open: Duration,
    /// Let watches begin with the list where the server can; it takes less memory than pages on both sides.
    pub stream_lists: bool,
    /// So many first lists are read at the same time, to bound the memory for answers in flight.
    pub initial_lists: usize,
    /// Objects on a page of a list.
    pub page_size: u32,
    /// A longer line ends the watch.
    pub max_line_bytes: usize,
    /// A first list that is streamed may pause so long before it is read in pages instead.
    pub initial_pause: Duration,
    /// A watch that is not open again after so long is called stale.
    pub grace: Duration,
    /// The longest wait after faults of network or server.
    pub retry_ceiling: Duration,
    /// The longest wait for rights, kinds and tokens that are missing.
    pub recheck_ceiling: Duration,
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self {
            max_open: Duration::from_secs(290),
            stream_lists: true,
            initial_lists: 4,
            page_size: 250,
            max_line_bytes: 64 << 20,
            initial_pause: Duration::from_secs(10),
            grace: Duration::from_secs(2),
            retry_ceiling: Duration::from_secs(30),
            recheck_ceiling: Duration::from_secs(10),
        }
    }
}

/// All watches of the process. Cheap to clone.
#[derive(Clone)]
pub struct Watches {
    shared: Arc<Shared>,
}

struct Shared {
    identities: Arc<Identities>,
    discovery: Arc<Discovery>,
    settings: Arc<WatchSettings>,
    interner: Arc<Interner>,
    initial_lists: Arc<Semaphore>,
    paged: Arc<Mutex<HashSet<String>>>,
    open: Mutex<HashMap<WatchKey, Weak<Open>>>,
    tasks: TaskTracker,
    cancel: CancellationToken,
}

/// One watch that somebody holds.
struct Open {
    key: WatchKey,
    store: Arc<Store>,
    /// The time-outs of all handles; the shortest counts.
    sync_timeouts: Mutex<Vec<Duration>>,
    max_open: watch::Sender<Duration>,
    cancel: CancellationToken,
    watches: Weak<Shared>,
}

/// Keeps a watch open. The last one that is dropped closes it.
pub struct WatchHandle {
    open: Arc<Open>,
    sync_timeout: Duration,
}

impl Watches {
    /// No watch yet. Those that are opened end with `cancel`.
    pub fn new(
        identities: Arc<Identities>,
        discovery: Arc<Discovery>,
        settings: WatchSettings,
        cancel: CancellationToken,
    ) -> Self {
        let shared = Shared {
            identities,
            discovery,
            initial_lists: Arc::new(Semaphore::new(settings.initial_lists.max(1))),
            settings: Arc::new(settings),
            interner: Arc::default(),
            paged: Arc::default(),
            open: Mutex::default(),
            tasks: TaskTracker::new(),
            cancel,
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Opens a watch, or joins the one that is open for the same key. Returns at once; the state says how far it is.
    ///
    /// No watch stays open longer than the shortest `sync_timeout` of its handles, so that rights that are revoked
    /// show within twice that.
    pub fn acquire(&self, key: &WatchKey, sync_timeout: Duration) -> WatchHandle {
        let sync_timeout = sync_timeout.max(Duration::from_secs(1));
        let mut watches = self.shared.lock();
        let joined = watches.get(key).and_then(Weak::upgrade);
        let open = joined.unwrap_or_else(|| {
            let open = Arc::new(self.shared.open(key, sync_timeout));
            watches.insert(key.clone(), Arc::downgrade(&open));
            open
        });
        drop(watches);
        open.add_timeout(sync_timeout);
        WatchHandle { open, sync_timeout }
    }

    /// How many watches are open.
    pub fn len(&self) -> usize {
        self.shared
            .lock()
            .values()
            .filter(|open| open.strong_count() > 0)
            .count()
    }

    /// Whether no watch is open.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many tasks are running. The task of a watch ends shortly after its last handle is dropped.
    pub fn tasks(&self) -> usize {
        self.shared.tasks.len()
    }

    /// Ends all watches and waits until they have.
    pub async fn close(&self) {
        self.shared.cancel.cancel();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }
}

impl Shared {
    fn open(self: &Arc<Self>, key: &WatchKey, sync_timeout: Duration) -> Open {
        let open = Open {
            key: key.clone(),
            store: Arc::new(Store::new(&key.api_version, &key.kind)),
            sync_timeouts: Mutex::default(),
            max_open: watch::Sender::new(self.settings.max_open.min(sync_timeout)),
            cancel: self.cancel.child_token(),
            watches: Arc::downgrade(self),
        };
        let task = self.task(&open);
        self.tasks
            .spawn(open.cancel.clone().run_until_cancelled_owned(task.run()));
        open
    }

    fn task(&self, open: &Open) -> Task {
        let (client, uid) = self.client(&open.key.tenant);
        Task {
            key: open.key.clone(),
            client,
            uid,
            discovery: self.discovery.clone(),
            store: open.store.clone(),
            interner: self.interner.clone(),
            initial_lists: self.initial_lists.clone(),
            paged: self.paged.clone(),
            max_open: open.max_open.subscribe(),
            settings: self.settings.clone(),
            version: None,
            resource: None,
            backoff: Backoff::default(),
        }
    }

    fn client(&self, tenant: &Tenant) -> (Client, Option<watch::Receiver<Option<Arc<str>>>>) {
        match tenant {
            Tenant::Operator => (self.identities.own().clone(), None),
            Tenant::ServiceAccount { namespace, name, .. } => {
                let account = self.identities.service_account(namespace, name);
                (self.identities.client_as(&account), Some(account.uid()))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<WatchKey, Weak<Open>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn add_timeout(&self, timeout: Duration) {
        self.change_timeouts(|timeouts| timeouts.push(timeout));
    }

    fn remove_timeout(&self, timeout: Duration) {
        self.change_timeouts(|timeouts| {
            if let Some(index) = timeouts.iter().position(|other| *other == timeout) {
                timeouts.swap_remove(index);
            }
        });
    }

    fn change_timeouts(&self, change: impl FnOnce(&mut Vec<Duration>)) {
        let mut timeouts = self.sync_timeouts.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut timeouts);
        let shortest = timeouts.iter().min().copied();
        if let (Some(shortest), Some(watches)) = (shortest, self.watches.upgrade()) {
            let max_open = shortest.min(watches.settings.max_open);
            self.max_open
                .send_if_modified(|current| std::mem::replace(current, max_open) != max_open);
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.cancel.cancel();
        if let Some(watches) = self.watches.upgrade() {
            let mut open = watches.lock();
            // Somebody may have opened it anew in between.
            if open.get(&self.key).is_some_and(|open| open.strong_count() == 0) {
                open.remove(&self.key);
            }
        }
    }
}

impl WatchHandle {
    /// What the watch has seen.
    pub fn reader(&self) -> Reader {
        Reader::new(self.open.store.clone())
    }

    /// How long its user trusts it while it is down: the longest time that its first list may take.
    pub fn patience(&self) -> Duration {
        self.sync_timeout
    }

    /// What it watches.
    pub fn key(&self) -> &WatchKey {
        &self.open.key
    }
}

impl Drop for WatchHandle {
    fn drop(&mut self) {
        self.open.remove_timeout(self.sync_timeout);
    }
}

impl std::fmt::Debug for WatchHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WatchHandle({})", self.open.key)
    }
}

impl std::fmt::Debug for Watches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watches")
            .field("open", &self.len())
            .finish_non_exhaustive()
    }
}
