//! What is read off others at scrape time.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use prometheus_client::encoding::DescriptorEncoder;

use super::family::{self, Sample};

/// What a cache is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CacheUse {
    /// A context.
    Context,
    /// A trigger.
    Trigger,
}

/// The size of one cache as one ManagedResource uses it. A shared cache is told of once for each use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CacheSize {
    /// The ManagedResource's namespace.
    pub namespace: String,
    /// The ManagedResource's name.
    pub managed_resource: String,
    /// What for.
    pub used_as: CacheUse,
    /// The name of the context or trigger.
    pub name: String,
    /// How many objects it holds.
    pub objects: u64,
    /// How many bytes they take, about.
    pub bytes: u64,
}

/// Tells at a scrape how large and how well the caches are. Called on the server's thread: it must not wait.
pub trait Observed: Send + Sync {
    /// The caches of all ManagedResources, in any order. One that cannot tell is left out.
    fn caches(&self) -> Vec<CacheSize>;

    /// How many watches are in each state, in any order; states in lower case.
    fn watches(&self) -> Vec<(&'static str, u64)>;
}

/// Where the observed is put once it is there.
#[derive(Default)]
pub(super) struct Slot(RwLock<Option<Arc<dyn Observed>>>);

impl Slot {
    pub(super) fn set(&self, observed: Arc<dyn Observed>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(observed);
    }

    pub(super) fn read(&self) -> Option<Arc<dyn Observed>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slot")
    }
}

/// Writes the families that are observed; nothing before there is somebody to ask.
pub(super) fn encode(
    observed: &Option<Arc<dyn Observed>>,
    encoder: &mut DescriptorEncoder<'_>,
) -> fmt::Result {
    let Some(observed) = observed else {
        return Ok(());
    };
    let mut caches = observed.caches();
    caches.sort_unstable();
    let samples = |number: fn(&CacheSize) -> u64| {
        let sample = |cache| Sample::whole(labels(cache), number(cache));
        caches.iter().map(sample).collect()
    };
    family::CACHED_OBJECTS.encode(encoder, samples(|cache| cache.objects))?;
    family::CACHE_SIZE.encode(encoder, samples(|cache| cache.bytes))?;
    encode_watches(observed.watches(), encoder)
}

fn encode_watches(mut watches: Vec<(&'static str, u64)>, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
    watches.sort_unstable();
    let samples = watches
        .iter()
        .map(|(state, count)| Sample::whole([*state], *count));
    family::WATCHES.encode(encoder, samples.collect())
}

fn labels(cache: &CacheSize) -> [&str; 4] {
    let used_as = match cache.used_as {
        CacheUse::Context => "context",
        CacheUse::Trigger => "trigger",
    };
    [&cache.managed_resource, &cache.name, &cache.namespace, used_as]
}
