//! What is told about one ManagedResource: status, events, error metrics.
//!
//! Owns that a state is told once, however often it is reached again.

use std::{sync::Arc, time::Duration};

use espejote_api::{ManagedResource, ManagedResourceStatus};
use espejote_core::{Logic, Object, ObjectId, Reason};
use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt;

use crate::{
    apply::Written,
    environment::Environment,
    events::{Occurrence, Reference},
    failure::Failure,
    logic,
    metrics::{AppliedAs, ManagedResourceMetrics, Phase},
    outcome::{Reconciled, Timings},
    status::{self, Outcomes, Pace, StatusTarget, StatusWriter},
    trigger::TriggerKey,
};

/// A status that could not be written is tried again after this time.
pub(crate) const STATUS_RETRY: Duration = Duration::from_secs(1);

/// The event of an object that has an error type, with a text.
type Told = fn(Reference, &str, &str) -> Occurrence;

/// Tells about one ManagedResource.
pub(crate) struct Story {
    environment: Arc<Environment>,
    writer: StatusWriter<ManagedResourceStatus>,
    outcomes: Outcomes,
    logic: Logic,
    blocked: Option<Failure>,
    metrics: ManagedResourceMetrics,
    regarding: Reference,
    generation: i64,
    /// The status is not written as it should be.
    behind: bool,
    pace: Pace,
    /// Keys that must have run before `Ready` may be said.
    holds_back: bool,
}

impl Story {
    pub(super) fn new(environment: &Arc<Environment>, of: &ManagedResource) -> Self {
        let target = StatusTarget::of(of);
        let logic = logic::kind(&of.spec);
        let client = environment.identities.own().clone();
        let writer = StatusWriter::new(
            client,
            environment.managed_resources.clone(),
            target,
            of.status.clone().unwrap_or_default(),
        );
        Self {
            environment: environment.clone(),
            writer,
            outcomes: Outcomes::new(logic),
            logic,
            blocked: None,
            metrics: environment
                .metrics
                .managed_resource(&of.namespace().unwrap_or_default(), &of.name_any()),
            regarding: Reference::of(of),
            generation: of.metadata.generation.unwrap_or_default(),
            behind: false,
            pace: Pace::default(),
            holds_back: true,
        }
    }

    /// From now on the story is about this version.
    pub(super) fn follow(&mut self, version: &ManagedResource) {
        self.logic = logic::kind(&version.spec);
        self.outcomes.set_logic(self.logic);
        self.regarding = Reference::of(version);
        self.generation = version.metadata.generation.unwrap_or_default();
    }

    /// Nothing can run, and why; or everything can run again. Told once.
    pub(super) async fn block(&mut self, failure: Option<Failure>) {
        self.set_blocked(failure, Occurrence::reconcile_error).await;
    }

    /// Nothing can be begun, and why. Told once. What is wrong with the logic is told as its calls would tell it.
    pub(super) async fn cannot_start(&mut self, failure: Failure) {
        let occurrence = match failure.reason {
            Reason::InvalidConfig | Reason::PluginNotReady => Occurrence::reconcile_error,
            _ => Occurrence::start_error,
        };
        self.set_blocked(Some(failure), occurrence).await;
    }

    async fn set_blocked(&mut self, failure: Option<Failure>, occurrence: Told) {
        if self.blocked != failure {
            if let Some(failure) = &failure {
                tracing::warn!(
                    namespace = %self.regarding.namespace,
                    name = %self.regarding.name,
                    reason = failure.reason.word(),
                    message = %failure.message,
                    "cannot run"
                );
                self.tell_failure(&TriggerKey::general(), failure, None, occurrence);
            }
            self.blocked.clone_from(&failure);
            self.outcomes.set_blocked(failure);
        }
        self.show().await;
    }

    /// What calls read may be old, and why; or it is not. Told once.
    pub(super) async fn stale(&mut self, stale: Option<String>) {
        if self.outcomes.set_stale(stale) {
            self.show().await;
        }
    }

    /// Whether something keeps everything from running.
    pub(super) fn is_blocked(&self) -> bool {
        self.blocked.is_some()
    }

    /// Which error types are used.
    pub(super) fn logic(&self) -> Logic {
        self.logic
    }

    /// The keys that fail, with their reasons.
    pub(super) fn failing(&self) -> Vec<(TriggerKey, Reason)> {
        self.outcomes
            .failing()
            .map(|(key, reason)| (key.clone(), reason))
            .collect()
    }

    /// Keys of triggers that are gone have nothing to say any more.
    pub(super) fn retain(&mut self, keep: impl Fn(&TriggerKey) -> bool) {
        self.outcomes.retain(keep);
    }

    /// Until this is called again with `false`, `Ready` is not said.
    pub(super) fn hold_back(&mut self, hold: bool) {
        self.holds_back = hold;
    }

    /// A key has run. `object` is what triggered it, if it is still there.
    pub(super) async fn record(&mut self, reconciled: Reconciled, object: Option<&Object>) {
        let Reconciled {
            key,
            result,
            report,
            timings,
        } = reconciled;
        self.measure(&key, &result, timings);
        if let Err(failure) = &result {
            tracing::warn!(
                namespace = %self.regarding.namespace,
                name = %self.regarding.name,
                trigger = %key,
                reason = failure.reason.word(),
                message = %failure.message,
                "reconcile failed"
            );
            self.tell_failure(&key, failure, object, Occurrence::reconcile_error);
        }
        self.outcomes.record(key, result.map(drop), report);
        self.show().await;
    }

    /// A version of the object was seen, with this status. Where that is not ours, it is written over.
    pub(super) fn found(&mut self, version: &ManagedResource) {
        let status = version.status.clone().unwrap_or_default();
        if self
            .writer
            .is_foreign(version.metadata.resource_version.as_deref(), &status)
        {
            tracing::info!(
                namespace = %self.regarding.namespace,
                name = %self.regarding.name,
                "somebody else has written the status: it is put back"
            );
            self.writer.doubt(status);
            self.behind = true;
        }
    }

    /// Writes the status, where it is not as it should be.
    pub(super) async fn catch_up(&mut self) {
        if self.behind {
            self.show().await;
        }
    }

    /// Whether the status has to be written again.
    pub(super) fn is_behind(&self) -> bool {
        self.behind
    }

    /// Writes the status if it has changed. Words alone may wait a while; then the story is behind.
    pub(super) async fn show(&mut self) {
        let summary = self.outcomes.summary();
        if self.holds_back && summary.standing == espejote_core::Standing::Ready {
            return;
        }
        let shown = self.writer.shown();
        let status = status::of(&summary, self.generation, &shown.conditions, Timestamp::now());
        if self.pace.holds_back(shown, &status) {
            self.behind = true;
            return;
        }
        self.behind = match self.writer.show(status).await {
            Ok(written) => {
                if written {
                    self.pace.written();
                }
                false
            }
            Err(error) => {
                tracing::warn!(name = %self.regarding.name, %error, "status cannot be written");
                true
            }
        };
    }

    fn measure(&self, key: &TriggerKey, result: &Result<Written, Failure>, timings: Timings) {
        let Timings {
            snapshot,
            guest,
            apply,
        } = timings;
        self.metrics.reconciled(key.label(), snapshot + guest + apply);
        for (phase, took) in [
            (Phase::Snapshot, snapshot),
            (Phase::Guest, guest),
            (Phase::Apply, apply),
        ] {
            self.environment.metrics.phase(phase, took);
        }
        let written = result.as_ref().ok().copied().unwrap_or_default();
        self.metrics.applied(AppliedAs::Applied, written.applied);
        self.metrics.applied(AppliedAs::Unchanged, written.unchanged);
        self.metrics.applied(AppliedAs::Deleted, written.deleted);
    }

    fn tell_failure(&self, key: &TriggerKey, failure: &Failure, object: Option<&Object>, occurrence: Told) {
        let row = failure.row(self.logic);
        if !row.event {
            return;
        }
        self.metrics.failed(key.label(), row.error_type);
        let (own, words) = (&self.regarding, &failure.message);
        let events = &self.environment.events;
        events.record(occurrence(own.clone(), row.error_type, words));
        if let Some(object) = object {
            let object = reference(object.id(), object.uid(), object.resource_version());
            events.record(Occurrence::reconcile_error_on(object, own, row.error_type, words));
        }
    }
}

fn reference(id: ObjectId, uid: &str, resource_version: &str) -> Reference {
    Reference {
        api_version: id.api_version,
        kind: id.kind,
        namespace: id.namespace,
        name: id.name,
        uid: uid.to_owned(),
        resource_version: resource_version.to_owned(),
    }
}
