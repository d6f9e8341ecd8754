//! One reconcile: key → snapshot → engine → desired tree → apply → outcome.
//!
//! Owns the order of the stages and nothing else: each stage is a module of its own, and none knows the others.

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use espejote_api::ManagedResource;
use espejote_core::{Desired, Invocation, Owner, Report};
use tokio::sync::Semaphore;
use tracing::Instrument;

use crate::{
    apply::{self, Writer, Written},
    existence::Existence,
    failure::Failure,
    libraries::LibraryReader,
    logic::Program,
    snapshot::Inputs,
    trigger::TriggerKey,
};

/// What all reconciles of one version of a ManagedResource have in common.
pub struct Reconciler {
    /// The ManagedResource.
    pub owner: Owner,
    /// Its `metadata.generation`, for the log.
    pub generation: i64,
    /// Its logic.
    pub program: Program,
    /// Its contexts and triggers.
    pub inputs: Arc<Inputs>,
    /// The files that its logic may import.
    pub libraries: Arc<LibraryReader>,
    /// Writes as its ServiceAccount.
    pub writer: Writer,
    /// A permit for each guest call at a time, in the whole process.
    pub calls: Arc<Semaphore>,
    /// Once it is over, a call that runs is given up, and no further write is begun.
    pub existence: Existence<ManagedResource>,
}

/// How long each stage took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// Taking the snapshot.
    pub snapshot: Duration,
    /// The guest's call.
    pub guest: Duration,
    /// The writes.
    pub apply: Duration,
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

impl Reconciler {
    /// Reconciles one key, in a span of its own.
    pub async fn reconcile(&self, key: TriggerKey) -> Reconciled {
        let span = tracing::info_span!(
            "reconcile",
            namespace = %self.owner.id.namespace,
            name = %self.owner.id.name,
            generation = self.generation,
            trigger = %key,
        );
        self.stages(key).instrument(span).await
    }

    async fn stages(&self, key: TriggerKey) -> Reconciled {
        let mut timings = Timings::default();
        let mut report = Report::default();
        let result = self.run(&key, &mut report, &mut timings).await;
        let written = result.as_ref().ok();
        tracing::debug!(
            applied = written.map(|written| written.applied),
            deleted = written.map(|written| written.deleted),
            snapshot_us = timings.snapshot.as_micros(),
            guest_us = timings.guest.as_micros(),
            apply_us = timings.apply.as_micros(),
            ok = result.is_ok(),
            "reconciled"
        );
        Reconciled {
            key,
            result,
            report,
            timings,
        }
    }

    async fn run(
        &self,
        key: &TriggerKey,
        report: &mut Report,
        timings: &mut Timings,
    ) -> Result<Written, Failure> {
        let invocation = timed(&mut timings.snapshot, async { self.invocation(key) }).await?;
        let desired = tokio::select! {
            biased;
            () = self.existence.over() => return Ok(Written::default()),
            desired = timed(&mut timings.guest, self.call(invocation, report)) => desired?,
        };
        let gone = || self.existence.is_over();
        let written = timed(&mut timings.apply, apply::apply(&self.writer, &desired, &gone)).await;
        written.map_err(|error| Failure::of_apply(&error))
    }

    fn invocation(&self, key: &TriggerKey) -> Result<Invocation, Failure> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let clock = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        let taken = self.inputs.take(key)?;
        Ok(Invocation {
            owner: self.owner.clone(),
            config: self.program.config.clone(),
            trigger: taken.trigger,
            snapshot: taken.snapshot,
            libraries: self.libraries.of(&self.owner.id.namespace),
            clock,
            seed: clock,
        })
    }

    async fn call(&self, invocation: Invocation, report: &mut Report) -> Result<Desired, Failure> {
        let held = self.inputs.granted.now()?;
        let _turn = self.calls.acquire().await;
        let ready = &self.program.ready;
        let call = ready
            .plugin
            .reconcile_with(invocation, &ready.limits, &held.grants)
            .await;
        *report = call.report;
        call.result.map_err(|error| Failure::of_call(&error))
    }
}

async fn timed<T>(duration: &mut Duration, stage: impl Future<Output = T>) -> T {
    let started = Instant::now();
    let result = stage.await;
    *duration = started.elapsed();
    result
}
