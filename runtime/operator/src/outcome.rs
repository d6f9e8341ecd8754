//! What comes of the stages of a reconcile, on its way to status, events and metrics.

use std::time::{Duration, Instant};

use espejote_core::{Desired, Report};

use crate::{apply::Written, failure::Failure, trigger::TriggerKey};

/// How long each stage took. A wait for the writes of an earlier call to the same objects is in none of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// Taking the snapshot.
    pub snapshot: Duration,
    /// The guest's call.
    pub guest: Duration,
    /// The writes.
    pub apply: Duration,
}

/// A call that has ended, before its writes.
pub struct Called {
    /// The key.
    pub key: TriggerKey,
    /// What the cluster should look like, or what went wrong.
    pub result: Result<Desired, Failure>,
    /// What the guest told beside what it emitted.
    pub report: Report,
    /// How long it took so far.
    pub timings: Timings,
}

/// What came of one key.
pub struct Reconciled {
    /// The key.
    pub key: TriggerKey,
    /// Success, or what went wrong first.
    pub result: Result<Written, Failure>,
    /// What the guest told beside what it emitted.
    pub report: Report,
    /// How long it took.
    pub timings: Timings,
}

impl Reconciled {
    /// Tells it to the log.
    pub fn log(&self) {
        let written = self.result.as_ref().ok();
        tracing::debug!(
            applied = written.map(|written| written.applied),
            unchanged = written.map(|written| written.unchanged),
            deleted = written.map(|written| written.deleted),
            snapshot_us = self.timings.snapshot.as_micros(),
            guest_us = self.timings.guest.as_micros(),
            apply_us = self.timings.apply.as_micros(),
            ok = self.result.is_ok(),
            "reconciled"
        );
    }
}

/// Waits for a stage, and measures it.
pub async fn timed<T>(duration: &mut Duration, stage: impl Future<Output = T>) -> T {
    let started = Instant::now();
    let result = stage.await;
    *duration = started.elapsed();
    result
}
