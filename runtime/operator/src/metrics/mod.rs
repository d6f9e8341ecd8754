//! Metrics in the Prometheus text format.
//!
//! Owns every family's name, help and labels (`family::ALL`) and the numbers that are counted as things happen. What
//! can be read off the state of something else (caches, watches, the process) is not counted but asked for at scrape
//! time. Never talks to a cluster and never blocks: a scrape answers whatever state the ManagedResources are in.

mod admissions;
mod family;
mod histogram;
mod observed;
mod owner;
mod process;
mod table;

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use prometheus_client::{collector::Collector, encoding::prometheus_text, registry::Registry};

use self::{family::Sample, histogram::latency, table::Table};
pub use self::{
    family::{Family, Kind},
    observed::{CacheSize, CacheUse, Observed},
    owner::{AppliedAs, ManagedResourceMetrics},
};
use crate::{client::Waited, events::Losses, leading::Leading};

/// The `Content-Type` of what [`Metrics::encode`] gives.
pub const CONTENT_TYPE: &str = prometheus_text::CONTENT_TYPE;

/// Every family that is exposed, in order.
pub const FAMILIES: &[&Family] = family::ALL;

/// A part of a reconcile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Waiting in the queue, from the moment the key was due.
    Queue,
    /// Taking the snapshot.
    Snapshot,
    /// The call of the guest, instantiation included.
    Guest,
    /// Writing what the call emitted.
    Apply,
}

impl Phase {
    const ALL: [Self; 4] = [Self::Queue, Self::Snapshot, Self::Guest, Self::Apply];

    const fn word(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Snapshot => "snapshot",
            Self::Guest => "guest",
            Self::Apply => "apply",
        }
    }
}

/// All metrics of the process. Clones are handles of the same metrics.
#[derive(Clone)]
pub struct Metrics {
    all: Arc<All>,
    registry: Arc<Registry>,
}

#[derive(Debug, Default)]
struct All {
    owners: Mutex<BTreeMap<OwnerName, ManagedResourceMetrics>>,
    admissions: admissions::Admissions,
    tokens: Table<bool>,
    phases: histogram::Phases,
    losses: Losses,
    observed: observed::Slot,
    waited: OnceLock<Waited>,
    /// The lease, and whether it is ours.
    leading: OnceLock<(&'static str, Leading)>,
}

/// Namespace and name.
type OwnerName = (Arc<str>, Arc<str>);

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// Metrics that have counted nothing yet.
    pub fn new() -> Self {
        let all = Arc::new(All::default());
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Arc::clone(&all)));
        Self {
            all,
            registry: Arc::new(registry),
        }
    }

    /// The metrics of one ManagedResource, the same for the same name until it is forgotten.
    pub fn managed_resource(&self, namespace: &str, name: &str) -> ManagedResourceMetrics {
        let mut owners = self.all.owners();
        let key = (Arc::from(namespace), Arc::from(name));
        owners.entry(key).or_default().clone()
    }

    /// Takes out all series of a deleted ManagedResource, whatever their other labels. What still holds its metrics
    /// counts into nothing.
    pub fn forget(&self, namespace: &str, name: &str) {
        self.all.owners().remove(&(Arc::from(namespace), Arc::from(name)));
    }

    /// Counts an answer to an admission request. `namespace` is empty for a ClusterAdmission.
    pub fn admission(&self, namespace: &str, name: &str, code: u16, took: Duration) {
        self.all.admissions.answered(namespace, name, code, took);
    }

    /// Takes out all series of a deleted Admission or ClusterAdmission.
    pub fn forget_admission(&self, namespace: &str, name: &str) {
        self.all.admissions.forget(namespace, name);
    }

    /// Counts a request for a ServiceAccount's token.
    pub fn token_request(&self, succeeded: bool) {
        self.all.tokens.add(succeeded);
    }

    /// Adds the time that one reconcile spent in `phase`.
    pub fn phase(&self, phase: Phase, took: Duration) {
        self.all.phases.observe(phase, took);
    }

    /// The counters of events that were dropped, for the recorder to raise.
    pub fn event_losses(&self) -> Losses {
        self.all.losses.clone()
    }

    /// From now on, scrapes tell how long requests have waited for their turn.
    pub fn observe_waiting(&self, waited: Waited) {
        // A second one is of no use: there is one client's throttle in the process.
        let _ = self.all.waited.set(waited);
    }

    /// From now on, scrapes tell whether this process holds a lease.
    pub fn observe_leading(&self, lease: &'static str, leading: Leading) {
        // A second one is of no use: there is one election in the process.
        let _ = self.all.leading.set((lease, leading));
    }

    /// From now on, scrapes ask `observed` for the sizes of caches and the states of watches.
    pub fn observe(&self, observed: Arc<dyn Observed>) {
        self.all.observed.set(observed);
    }

    /// The exposition in the text format 0.0.4. All series of a family stand together and in order.
    pub fn encode(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        prometheus_text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl All {
    fn owners(&self) -> MutexGuard<'_, BTreeMap<OwnerName, ManagedResourceMetrics>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn token_samples(&self) -> Vec<Sample> {
        let outcome = |succeeded| if succeeded { "succeeded" } else { "failed" };
        let counts = self.tokens.read().into_iter();
        counts
            .map(|(succeeded, count)| Sample::whole([outcome(succeeded)], count))
            .collect()
    }

    fn waited_sample(&self) -> Sample {
        let waited = self.waited.get().map(Waited::total).unwrap_or_default();
        Sample::real(waited.as_secs_f64())
    }

    fn leader_samples(&self) -> Vec<Sample> {
        let sample =
            |(lease, leading): &(&'static str, Leading)| Sample::whole([*lease], leading.may_write().into());
        self.leading.get().map(sample).into_iter().collect()
    }

    fn loss_samples(&self) -> Vec<Sample> {
        let Losses {
            failed,
            full,
            limited,
        } = &self.losses;
        [("failed", failed), ("full", full), ("limited", limited)]
            .map(|(cause, counter)| Sample::whole([cause], counter.get()))
            .into()
    }
}

/// Runs at each scrape.
impl Collector for All {
    fn encode(&self, mut encoder: prometheus_client::encoding::DescriptorEncoder) -> fmt::Result {
        let encoder = &mut encoder;
        let owners = self.owners().clone();
        owner::encode(&owners, encoder)?;
        self.admissions.encode(encoder)?;
        observed::encode(&self.observed.read(), encoder)?;
        family::PHASE.encode(encoder, self.phases.samples())?;
        family::TOKEN_REQUESTS.encode(encoder, self.token_samples())?;
        family::THROTTLED.encode(encoder, vec![self.waited_sample()])?;
        family::EVENTS_DROPPED.encode(encoder, self.loss_samples())?;
        family::LEADER.encode(encoder, self.leader_samples())?;
        family::BUILD.encode(encoder, vec![Sample::whole([env!("CARGO_PKG_VERSION")], 1)])?;
        process::encode(encoder)
    }
}

#[cfg(test)]
mod tests;
