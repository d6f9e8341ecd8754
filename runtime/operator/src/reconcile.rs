//! One reconcile: key → snapshot → engine → desired tree → apply → outcome.
//!
//! Owns the order of the stages and nothing else: each stage is a module of its own, and none knows the others.

use std::sync::Arc;

use espejote_api::ManagedResource;
use espejote_core::{Desired, Invocation, Owner, Report, clock_now};
use espejote_engine::Kept;
use tracing::Instrument;

use crate::{
    apply::{self, Writer},
    calls::Calls,
    existence::Existence,
    failure::Failure,
    libraries::LibraryReader,
    logic::Program,
    outcome::{Called, Reconciled, Timings, timed},
    recording::Recorder,
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
    /// The process's places for guest calls.
    pub calls: Arc<Calls>,
    /// What the guest's last call left for the next one.
    pub kept: Kept,
    /// Keeps what calls were given, where somebody wants that.
    pub recorder: Option<Arc<Recorder>>,
    /// Once it is over, a call that runs is given up, and no further write is begun.
    pub existence: Existence<ManagedResource>,
}

impl Reconciler {
    /// Calls the guest for one key. Calls come one after the other; each sees the state of its own instant.
    pub async fn call(&self, key: TriggerKey) -> Called {
        let span = self.span(&key);
        let work = async {
            let (mut report, mut timings) = (Report::default(), Timings::default());
            let result = self.desired(&key, &mut report, &mut timings).await;
            Called {
                key,
                result,
                report,
                timings,
            }
        };
        work.instrument(span).await
    }

    /// Writes what a call wants. Writes of several calls may overlap, where they are of different objects.
    pub async fn write(&self, called: Called) -> Reconciled {
        let span = self.span(&called.key);
        self.written(called).instrument(span).await
    }

    fn span(&self, key: &TriggerKey) -> tracing::Span {
        tracing::info_span!(
            "reconcile",
            namespace = %self.owner.id.namespace,
            object = %self.owner.id.name,
            generation = self.generation,
            trigger = %key,
        )
    }

    async fn desired(
        &self,
        key: &TriggerKey,
        report: &mut Report,
        timings: &mut Timings,
    ) -> Result<Desired, Failure> {
        let invocation = timed(&mut timings.snapshot, self.invocation(key)).await?;
        tokio::select! {
            biased;
            () = self.existence.over() => Ok(Desired::default()),
            desired = timed(&mut timings.guest, self.run(invocation, report)) => desired,
        }
    }

    async fn invocation(&self, key: &TriggerKey) -> Result<Invocation, Failure> {
        let clock = clock_now();
        let taken = self.inputs.take(key)?;
        self.libraries.catch_up(&taken.trigger).await;
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

    async fn run(&self, mut invocation: Invocation, report: &mut Report) -> Result<Desired, Failure> {
        let held = self.inputs.granted.now()?;
        let recording = self.recorder.as_ref().map(|of| of.begin(&mut invocation));
        if recording.is_some() {
            // What a kept instance has from earlier calls is in no recording.
            self.kept.clear();
        }
        let (plugin, limits) = (&self.program.ready.plugin, &self.program.ready.limits);
        let call = plugin.reconcile_kept(invocation, limits, &held.grants, &self.kept);
        let call = self.calls.make(call).await;
        if let Some(recording) = recording {
            recording.keep(&call).await;
        }
        *report = call.report;
        call.result.map_err(|error| Failure::of_call(&error))
    }

    async fn written(&self, called: Called) -> Reconciled {
        let Called {
            key,
            result,
            report,
            mut timings,
        } = called;
        let gone = || self.existence.is_over();
        let result = match result {
            Ok(desired) => timed(&mut timings.apply, apply::apply(&self.writer, &desired, &gone))
                .await
                .map_err(|error| Failure::of_apply(&error)),
            Err(failure) => Err(failure),
        };
        let reconciled = Reconciled {
            key,
            result,
            report,
            timings,
        };
        reconciled.log();
        reconciled
    }
}
