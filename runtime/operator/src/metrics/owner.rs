//! The metrics of one ManagedResource.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use prometheus_client::{encoding::DescriptorEncoder, metrics::histogram::Histogram};

use super::{
    OwnerName,
    family::{self, Family, Sample},
    latency,
    table::Table,
};

/// What became of an emitted object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AppliedAs {
    /// It was sent, and the API server took it.
    Applied,
    /// It was not sent: it changes nothing.
    Unchanged,
    /// It was deleted.
    Deleted,
    /// It was refused, or could not be sent.
    Failed,
}

impl AppliedAs {
    const fn word(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Unchanged => "unchanged",
            Self::Deleted => "deleted",
            Self::Failed => "failed",
        }
    }
}

/// The metrics of one ManagedResource. Clones are handles of the same metrics; none of the methods waits.
#[derive(Clone, Debug, Default)]
pub struct ManagedResourceMetrics {
    counts: Arc<Counts>,
}

#[derive(Debug)]
struct Counts {
    reconciles: Table<String>,
    /// By trigger and error kind.
    errors: Table<(String, &'static str)>,
    applied: Table<AppliedAs>,
    limit_hits: Table<&'static str>,
    durations: Histogram,
    status: Mutex<Option<String>>,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            reconciles: Table::default(),
            errors: Table::default(),
            applied: Table::default(),
            limit_hits: Table::default(),
            durations: latency(),
            status: Mutex::default(),
        }
    }
}

impl ManagedResourceMetrics {
    /// Counts a reconcile that has come to an end, well or not. `trigger` is empty for the general one.
    pub fn reconciled(&self, trigger: &str, took: Duration) {
        self.counts.reconciles.add(trigger.to_owned());
        self.counts.durations.observe(took.as_secs_f64());
    }

    /// Counts a failure. `error_kind` is the error type of the reason.
    pub fn failed(&self, trigger: &str, error_kind: &'static str) {
        self.counts.errors.add((trigger.to_owned(), error_kind));
    }

    /// Counts emitted objects. None of them gives no series.
    pub fn applied(&self, outcome: AppliedAs, objects: usize) {
        if objects > 0 {
            self.counts.applied.add_many(outcome, objects as u64);
        }
    }

    /// Counts a call that was ended by a limit, named as in the `limits` of a Plugin.
    pub fn limit_hit(&self, limit: &'static str) {
        self.counts.limit_hits.add(limit);
    }

    /// Says what `.status.status` is; empty if there is none.
    pub fn status(&self, status: &str) {
        *self.counts.status.lock().unwrap_or_else(PoisonError::into_inner) = Some(status.to_owned());
    }
}

/// What one ManagedResource has to say in a family.
type Read = fn(&OwnerName, &Counts) -> Vec<Sample>;

const READ: [(&Family, Read); 7] = [
    (&family::RECONCILES, reconciles),
    (&family::RECONCILE_ERRORS, errors),
    (&family::STATUS, status),
    (&family::STATUS_READY, ready),
    (&family::RECONCILE_DURATION, durations),
    (&family::APPLIED, applied),
    (&family::LIMIT_HITS, limit_hits),
];

/// Writes the families that have a ManagedResource's name among their labels.
pub(super) fn encode(
    owners: &BTreeMap<OwnerName, ManagedResourceMetrics>,
    encoder: &mut DescriptorEncoder<'_>,
) -> fmt::Result {
    for (family, read) in READ {
        let samples = owners.iter().flat_map(|(name, owner)| read(name, &owner.counts));
        family.encode(encoder, samples.collect())?;
    }
    Ok(())
}

fn reconciles(owner: &OwnerName, counts: &Counts) -> Vec<Sample> {
    let sample = |(trigger, count): (String, u64)| Sample::whole(labels(owner, [&*trigger]), count);
    counts.reconciles.read().into_iter().map(sample).collect()
}

fn errors(owner: &OwnerName, counts: &Counts) -> Vec<Sample> {
    let sample = |((trigger, kind), count): ((String, &str), u64)| {
        Sample::whole(labels(owner, [&*trigger, kind]), count)
    };
    counts.errors.read().into_iter().map(sample).collect()
}

fn status(owner: &OwnerName, counts: &Counts) -> Vec<Sample> {
    let status = counts.read_status();
    let sample = |status: String| Sample::whole(labels(owner, [&*status]), 1);
    status.map(sample).into_iter().collect()
}

fn ready(owner: &OwnerName, counts: &Counts) -> Vec<Sample> {
    let status = counts.read_status();
    let sample = |status| Sample::whole(labels(owner, []), u64::from(status == "Ready"));
    status.map(sample).into_iter().collect()
}

fn durations(owner: &OwnerName, counts: &Counts) -> Vec<Sample> {
    vec![Sample::buckets(labels(owner, []), counts.durations.clone())]
}

fn applied(owner: &OwnerName, counts: &Counts) -> Vec<Sample> {
    let sample = |(outcome, count): (AppliedAs, u64)| Sample::whole(labels(owner, [outcome.word()]), count);
    counts.applied.read().into_iter().map(sample).collect()
}

fn limit_hits(owner: &OwnerName, counts: &Counts) -> Vec<Sample> {
    let sample = |(limit, count): (&str, u64)| Sample::whole(labels(owner, [limit]), count);
    counts.limit_hits.read().into_iter().map(sample).collect()
}

fn labels<'a, const N: usize>((namespace, name): &'a OwnerName, more: [&'a str; N]) -> Vec<&'a str> {
    [&**name, &**namespace].into_iter().chain(more).collect()
}

impl Counts {
    fn read_status(&self) -> Option<String> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
