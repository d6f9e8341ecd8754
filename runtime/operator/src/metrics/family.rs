//! The families: names, helps, labels, and how their series are written.
//!
//! Names, labels and helps of the families of the first block are relied on by alerts and dashboards.

use std::fmt;

use prometheus_client::{
    encoding::{DescriptorEncoder, EncodeMetric, MetricEncoder},
    metrics::{MetricType, counter::ConstCounter, gauge::ConstGauge, histogram::Histogram},
};

/// What the numbers of a family mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// They only grow while the process lives.
    Counter,
    /// They go up and down.
    Gauge,
    /// They count durations by bucket.
    Histogram,
}

/// A metric with all its series.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// The name as scraped.
    pub name: &'static str,
    /// What it tells.
    pub help: &'static str,
    /// What sort of numbers.
    pub kind: Kind,
    /// The names of the labels, in order.
    pub labels: &'static [&'static str],
}

const fn family(
    kind: Kind,
    name: &'static str,
    labels: &'static [&'static str],
    help: &'static str,
) -> Family {
    Family {
        name,
        help,
        kind,
        labels,
    }
}

/// Every family, in the order of the exposition.
pub(super) const ALL: &[&Family] = &[
    &RECONCILES,
    &RECONCILE_ERRORS,
    &STATUS,
    &STATUS_READY,
    &RECONCILE_DURATION,
    &APPLIED,
    &LIMIT_HITS,
    &ADMISSION_REQUESTS,
    &ADMISSION_DURATION,
    &CACHED_OBJECTS,
    &CACHE_SIZE,
    &WATCHES,
    &PHASE,
    &TOKEN_REQUESTS,
    &THROTTLED,
    &EVENTS_DROPPED,
    &LEADER,
    &BUILD,
    &PROCESS_CPU,
    &PROCESS_MEMORY,
    &PROCESS_VIRTUAL_MEMORY,
    &PROCESS_START,
    &PROCESS_FDS,
    &PROCESS_MAX_FDS,
];

pub(super) const RECONCILES: Family = family(
    Kind::Counter,
    "espejote_reconciles_total",
    &["managedresource", "namespace", "trigger"],
    "Total number of reconciles by trigger.",
);

pub(super) const RECONCILE_ERRORS: Family = family(
    Kind::Counter,
    "espejote_reconcile_errors_total",
    &["managedresource", "namespace", "trigger", "error_kind"],
    "Total number of errors by trigger and error kind.",
);

pub(super) const STATUS: Family = family(
    Kind::Gauge,
    "espejote_managedresource_status",
    &["managedresource", "namespace", "status"],
    "Status of the managed resource. Read from the resources .status.status field.",
);

pub(super) const STATUS_READY: Family = family(
    Kind::Gauge,
    "espejote_managedresource_status_ready",
    &["managedresource", "namespace"],
    "Ready status of the managed resource. 1 if ready, 0 if any other status. Read from the resources .status.status \
     field.",
);

pub(super) const ADMISSION_REQUESTS: Family = family(
    Kind::Counter,
    "espejote_admission_requests_total",
    &["admission", "namespace", "code"],
    "Total number of admission requests by admission and status code.",
);

pub(super) const ADMISSION_DURATION: Family = family(
    Kind::Histogram,
    "espejote_admission_duration_seconds",
    &["admission", "namespace"],
    "Time from reading an admission request to its answer.",
);

pub(super) const CACHED_OBJECTS: Family = family(
    Kind::Gauge,
    "espejote_cached_objects",
    &["managedresource", "name", "namespace", "type"],
    "Number of objects in the cache.",
);

pub(super) const CACHE_SIZE: Family = family(
    Kind::Gauge,
    "espejote_cache_size_bytes",
    &["managedresource", "name", "namespace", "type"],
    "Size of the cache in bytes. Note that this is an approximation. The metric should not be compared across \
     different espejote versions.",
);

pub(super) const RECONCILE_DURATION: Family = family(
    Kind::Histogram,
    "espejote_reconcile_duration_seconds",
    &["managedresource", "namespace"],
    "Time from taking a key from the queue to its outcome.",
);

pub(super) const PHASE: Family = family(
    Kind::Histogram,
    "espejote_reconcile_phase_seconds",
    &["phase"],
    "Time that reconciles spend in each phase: queue, snapshot, guest, apply.",
);

pub(super) const APPLIED: Family = family(
    Kind::Counter,
    "espejote_applied_objects_total",
    &["managedresource", "namespace", "outcome"],
    "Total number of emitted objects by outcome: applied, unchanged (not sent), deleted, failed.",
);

pub(super) const LIMIT_HITS: Family = family(
    Kind::Counter,
    "espejote_guest_limit_hits_total",
    &["managedresource", "namespace", "limit"],
    "Total number of calls that were ended because the guest went over a limit.",
);

pub(super) const WATCHES: Family = family(
    Kind::Gauge,
    "espejote_watches",
    &["state"],
    "Number of watches by state.",
);

pub(super) const TOKEN_REQUESTS: Family = family(
    Kind::Counter,
    "espejote_token_requests_total",
    &["outcome"],
    "Total number of requests for a token of a ServiceAccount.",
);

pub(super) const EVENTS_DROPPED: Family = family(
    Kind::Counter,
    "espejote_events_dropped_total",
    &["cause"],
    "Total number of occurrences that no event tells of: too many waiting (full), too many different ones (limited), \
     not taken by the API server (failed).",
);

pub(super) const THROTTLED: Family = family(
    Kind::Counter,
    "espejote_client_throttled_seconds_total",
    &[],
    "Total time that requests to the API server waited because of --client-qps, in seconds.",
);

pub(super) const LEADER: Family = family(
    Kind::Gauge,
    "leader_election_master_status",
    &["name"],
    "1 if this process leads, 0 if it waits for the lease of that name.",
);

pub(super) const BUILD: Family = family(
    Kind::Gauge,
    "espejote_build_info",
    &["version"],
    "Always 1. The label tells the version that runs.",
);

pub(super) const PROCESS_CPU: Family = family(
    Kind::Counter,
    "process_cpu_seconds_total",
    &[],
    "Total user and system CPU time spent in seconds.",
);

pub(super) const PROCESS_MEMORY: Family = family(
    Kind::Gauge,
    "process_resident_memory_bytes",
    &[],
    "Resident memory size in bytes.",
);

pub(super) const PROCESS_VIRTUAL_MEMORY: Family = family(
    Kind::Gauge,
    "process_virtual_memory_bytes",
    &[],
    "Virtual memory size in bytes.",
);

pub(super) const PROCESS_START: Family = family(
    Kind::Gauge,
    "process_start_time_seconds",
    &[],
    "Start time of the process since unix epoch in seconds.",
);

pub(super) const PROCESS_FDS: Family = family(
    Kind::Gauge,
    "process_open_fds",
    &[],
    "Number of open file descriptors.",
);

pub(super) const PROCESS_MAX_FDS: Family = family(
    Kind::Gauge,
    "process_max_fds",
    &[],
    "Maximum number of open file descriptors.",
);

/// One series of a family at one instant.
#[derive(Debug)]
pub(super) struct Sample {
    /// The values of the family's labels, in their order.
    labels: Vec<String>,
    value: Value,
}

#[derive(Debug)]
enum Value {
    Whole(u64),
    Real(f64),
    Buckets(Histogram),
}

impl Sample {
    /// A count or another whole number.
    pub(super) fn whole<L: Into<String>>(labels: impl IntoIterator<Item = L>, value: u64) -> Self {
        Self::new(labels, Value::Whole(value))
    }

    /// A number without labels.
    pub(super) fn real(value: f64) -> Self {
        Self::new([""; 0], Value::Real(value))
    }

    /// A histogram.
    pub(super) fn buckets<L: Into<String>>(labels: impl IntoIterator<Item = L>, value: Histogram) -> Self {
        Self::new(labels, Value::Buckets(value))
    }

    fn new<L: Into<String>>(labels: impl IntoIterator<Item = L>, value: Value) -> Self {
        Self {
            labels: labels.into_iter().map(Into::into).collect(),
            value,
        }
    }
}

impl Value {
    fn encode(&self, kind: Kind, encoder: MetricEncoder<'_>) -> fmt::Result {
        match (kind, self) {
            (_, Self::Buckets(histogram)) => histogram.encode(encoder),
            (Kind::Counter, Self::Whole(value)) => ConstCounter::new(*value).encode(encoder),
            (Kind::Counter, Self::Real(value)) => ConstCounter::new(*value).encode(encoder),
            (_, Self::Whole(value)) => ConstGauge::new(*value).encode(encoder),
            (_, Self::Real(value)) => ConstGauge::new(*value).encode(encoder),
        }
    }
}

impl Family {
    /// Writes help, type and `samples`; nothing at all if there is no sample.
    pub(super) fn encode(&self, encoder: &mut DescriptorEncoder<'_>, samples: Vec<Sample>) -> fmt::Result {
        if samples.is_empty() {
            return Ok(());
        }
        let mut metric = encoder.encode_descriptor(self.stem(), self.help, None, self.metric_type())?;
        for sample in &samples {
            let labels = self.labels.iter().copied().zip(&sample.labels);
            let labels: Vec<(&str, &String)> = labels.collect();
            sample.value.encode(self.kind, metric.encode_family(&labels)?)?;
        }
        Ok(())
    }

    /// The name without what the encoder appends to it.
    fn stem(&self) -> &'static str {
        match self.kind {
            Kind::Counter => self.name.strip_suffix("_total").unwrap_or(self.name),
            Kind::Gauge | Kind::Histogram => self.name,
        }
    }

    const fn metric_type(&self) -> MetricType {
        match self.kind {
            Kind::Counter => MetricType::Counter,
            Kind::Gauge => MetricType::Gauge,
            Kind::Histogram => MetricType::Histogram,
        }
    }
}
