//! The life of one Admission or ClusterAdmission: what its status and its events say.
//!
//! Owns the order of what can be wrong: its logic first, then its webhook. Requests are answered whatever the status says.

use std::{sync::Arc, time::Duration};

use espejote_api::AdmissionStatus;
use espejote_core::{Logic, Reason};
use espejote_engine::Role;
use k8s_openapi::jiff::Timestamp;
use tokio::{sync::watch, time::sleep};
use tokio_util::sync::CancellationToken;

use super::{
    decider,
    definition::{Definition, Kind},
    host::AdmissionHost,
    installed::Installed,
};
use crate::{
    events::{Occurrence, Reference},
    failure::Failure,
    logic::{self, Selected},
    plugins::{self, Slot},
    status::{self, StatusTarget, StatusWriter, Summary},
};

/// A plugin may take so long to come up before it is said that it has not.
const QUIET: Duration = Duration::from_millis(500);
/// A status that could not be written is tried again after this time.
const STATUS_RETRY: Duration = Duration::from_secs(2);
/// What may pass by itself is looked at again after this time.
const LOOK_AGAIN: Duration = Duration::from_secs(30);
/// What is told of one that is ready and yet never asked.
const SILENCED: &str = "never asked: it is in the operator's own namespace and fails closed, which could lock the operator out; \
                        set spec.webhookConfiguration.failurePolicy to Ignore";

/// Tells about one Admission or ClusterAdmission.
pub(super) struct AdmissionTask<K> {
    host: Arc<AdmissionHost>,
    versions: watch::Receiver<Arc<K>>,
    cancel: CancellationToken,
    writer: StatusWriter<AdmissionStatus>,
    installed: watch::Receiver<Installed>,
    /// What was last told as an event.
    told: Option<Failure>,
    behind: bool,
}

/// What was found out about a version's logic, and what it is about to be told by.
struct Checked {
    result: Result<(), Failure>,
    slot: Option<watch::Receiver<Slot>>,
}

impl<K: Kind> AdmissionTask<K> {
    pub(super) fn new(
        host: Arc<AdmissionHost>,
        versions: watch::Receiver<Arc<K>>,
        cancel: CancellationToken,
    ) -> Self {
        let of = versions.borrow().clone();
        let shown = of.status().cloned().unwrap_or_default();
        let client = host.client.clone();
        let target = StatusTarget::of(&*of);
        let mut writer = StatusWriter::new(client, host.resource::<K>(), target, shown.clone());
        // Another process may have led until now.
        writer.doubt(shown);
        Self {
            installed: host.installed.subscribe(),
            host,
            versions,
            cancel,
            writer,
            told: None,
            behind: false,
        }
    }

    /// Runs until cancelled.
    pub(super) async fn run(mut self) {
        let cancel = self.cancel.clone();
        cancel.run_until_cancelled(self.keep_up()).await;
    }

    async fn keep_up(&mut self) {
        loop {
            let version = self.versions.borrow_and_update().clone();
            let definition = version.definition();
            let mut checked = check(&self.host, &definition).await;
            loop {
                if let Some(outcome) = self.outcome(&definition, &checked.result) {
                    self.tell(&version, &definition, outcome).await;
                }
                if self.wait(&mut checked).await == Wake::Anew {
                    break;
                }
            }
        }
    }

    /// What is wrong, if anything; none while it is not known what became of the webhook.
    fn outcome(
        &mut self,
        definition: &Definition,
        checked: &Result<(), Failure>,
    ) -> Option<Result<(), Failure>> {
        let installed = self.installed.borrow_and_update().of(definition);
        match checked {
            Err(failure) => Some(Err(failure.clone())),
            Ok(()) => installed,
        }
    }

    async fn tell(&mut self, version: &K, definition: &Definition, outcome: Result<(), Failure>) {
        let logic = logic::kind_of(definition.plugin.as_ref());
        self.tell_event(version, logic, outcome.as_ref().err());
        let summary = self.summary(definition, logic, outcome);
        let status = AdmissionStatus {
            status: summary.status.clone(),
            observed_generation: Some(definition.generation),
            conditions: status::conditions(
                &summary,
                definition.generation,
                &self.writer.shown().conditions,
                Timestamp::now(),
            ),
        };
        self.behind = match self.writer.show(status).await {
            Ok(_) => false,
            Err(error) => {
                let id = &definition.id;
                tracing::warn!(kind = id.kind, namespace = id.namespace, name = id.name, %error, "status cannot be written");
                true
            }
        };
    }

    fn tell_event(&mut self, version: &K, logic: Logic, failure: Option<&Failure>) {
        if self.told.as_ref() == failure {
            return;
        }
        self.told = failure.cloned();
        let Some(failure) = failure else { return };
        let row = failure.row(logic);
        if row.event {
            let regarding = Reference::of(version);
            self.host.events.record(Occurrence::of_admission(
                regarding,
                row.error_type,
                &failure.message,
            ));
        }
    }

    fn summary(&self, definition: &Definition, logic: Logic, outcome: Result<(), Failure>) -> Summary {
        let (reason, message) = match outcome {
            Err(failure) => (failure.reason, failure.message.to_string()),
            Ok(()) if self.host.lockout.silences(definition) => (Reason::Succeeded, SILENCED.to_owned()),
            Ok(()) => (Reason::Succeeded, String::new()),
        };
        let row = reason.row(logic);
        Summary {
            status: row.error_type.to_owned(),
            standing: row.standing,
            reason: reason.word().to_owned(),
            message,
            conditions: Vec::new(),
        }
    }

    /// Until there is something new.
    async fn wait(&mut self, checked: &mut Checked) -> Wake {
        let may_pass = checked.result.as_ref().is_err_and(may_pass);
        let (behind, slot) = (self.behind, checked.slot.as_mut());
        tokio::select! {
            Ok(()) = self.versions.changed() => Wake::Anew,
            () = plugins::changed(slot) => Wake::Anew,
            () = sleep(LOOK_AGAIN), if may_pass => Wake::Anew,
            Ok(()) = self.installed.changed() => Wake::Webhook,
            () = sleep(STATUS_RETRY), if behind => Wake::Webhook,
            else => std::future::pending().await,
        }
    }
}

/// What there is to look at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wake {
    /// Everything.
    Anew,
    /// The webhook, and what could not be told.
    Webhook,
}

/// Whether the logic can be run.
async fn check(host: &AdmissionHost, definition: &Definition) -> Checked {
    match definition.logic(&host.programs) {
        Ok(selected) => Checked {
            result: check_logic(definition, &selected).await,
            slot: Some(selected.changes()),
        },
        Err(failure) => Checked {
            result: Err(failure),
            slot: None,
        },
    }
}

async fn check_logic(definition: &Definition, selected: &Selected) -> Result<(), Failure> {
    let program = selected.program_within(QUIET).await?;
    decider::grants(&program)?;
    let article = if definition.is_of_cluster() { "a" } else { "an" };
    let what = format!("{article} {}", definition.id.kind);
    program.check_as(Role::Admit, &what).await
}

/// Whether looking again, with nothing changed, can end otherwise.
fn may_pass(failure: &Failure) -> bool {
    !matches!(
        failure.reason,
        Reason::InvalidSpec | Reason::InvalidConfig | Reason::PluginNotReady
    )
}
