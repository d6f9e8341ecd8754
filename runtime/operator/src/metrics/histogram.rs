//! Durations in buckets.

use std::time::Duration;

use prometheus_client::metrics::histogram::Histogram;

use super::{Phase, family::Sample};

/// From a warm call that changes nothing to the time limit of a long one, in seconds.
pub(super) const LATENCY_BUCKETS: [f64; 11] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// Finer at the lower end: a call of a small guest takes some ten microseconds.
pub(super) const PHASE_BUCKETS: [f64; 10] =
    [0.000_05, 0.000_25, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 10.0];

/// A histogram of whole reconciles.
pub(super) fn latency() -> Histogram {
    Histogram::new(LATENCY_BUCKETS)
}

/// One histogram for each phase.
#[derive(Debug)]
pub(super) struct Phases([(Phase, Histogram); 4]);

impl Default for Phases {
    fn default() -> Self {
        Self(Phase::ALL.map(|phase| (phase, Histogram::new(PHASE_BUCKETS))))
    }
}

impl Phases {
    pub(super) fn observe(&self, phase: Phase, took: Duration) {
        for (_, histogram) in self.0.iter().filter(|(of, _)| *of == phase) {
            histogram.observe(took.as_secs_f64());
        }
    }

    pub(super) fn samples(&self) -> Vec<Sample> {
        let sample =
            |(phase, histogram): &(Phase, Histogram)| Sample::buckets([phase.word()], histogram.clone());
        self.0.iter().map(sample).collect()
    }
}
