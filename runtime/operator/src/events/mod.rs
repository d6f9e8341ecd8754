//! Events: what happened, told on the objects that it happened to.
//!
//! Owns the form of events.k8s.io/v1 Events, which occurrences are the same event, and how often anything is written.
//! Never blocks a reconcile: [`Recorder::record`] puts an occurrence into a bounded channel or drops and counts it; one
//! task ([`Worker::run`]) writes. Never decides what is worth an event, and knows no client: it writes through an
//! [`EventSink`].
//!
//! One event stands for one object and text. A repeat raises the `series.count` of the event that is there already.

mod bucket;
mod form;
mod recent;
mod worker;

use std::{future::Future, hash::Hash};

use kube::{Resource, ResourceExt};
use prometheus_client::metrics::counter::Counter;
use tokio::sync::mpsc;

use crate::leading::Leading;

pub use self::{
    bucket::Rate,
    worker::{Settings, Worker},
};

/// How many occurrences may wait to be written: a burst of failures of a thousand trigger objects, about 1.5 MiB.
const WAITING: usize = 1024;

/// Writes events. The operator's own identity does it.
pub trait EventSink: Send + Sync + 'static {
    /// Creates `event`, a JSON document, with `POST /apis/events.k8s.io/v1/namespaces/<namespace>/events`.
    fn create(&self, namespace: &str, event: Vec<u8>) -> impl Future<Output = Result<(), SinkError>> + Send;

    /// Patches the event `name` with `patch`, an RFC 7386 merge patch.
    fn patch(
        &self,
        namespace: &str,
        name: &str,
        patch: Vec<u8>,
    ) -> impl Future<Output = Result<(), SinkError>> + Send;
}

/// Why an event was not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SinkError {
    /// 404: the event, or its namespace, is not there.
    #[error("not found")]
    NotFound,
    /// 409 on create: an event of this name is there already.
    #[error("it exists already")]
    AlreadyExists,
    /// The API server does not want it; asking again gives the same answer.
    #[error("refused: {0}")]
    Refused(String),
    /// No answer, or one that may be different next time.
    #[error("unavailable: {0}")]
    Unavailable(String),
}

/// The object that an event is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// `group/version`, or `v1`.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// Empty for cluster-scoped kinds: their events go to the namespace `default`.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.uid`; empty if it is not known.
    pub uid: String,
    /// `metadata.resourceVersion` as it was read; empty if it is not known. It does not tell events apart.
    pub resource_version: String,
}

impl Reference {
    /// An object of a kind whose type is known here.
    pub fn of<R: Resource<DynamicType = ()>>(object: &R) -> Self {
        Self {
            api_version: R::api_version(&()).into_owned(),
            kind: R::kind(&()).into_owned(),
            namespace: object.namespace().unwrap_or_default(),
            name: object.name_any(),
            uid: object.uid().unwrap_or_default(),
            resource_version: object.resource_version().unwrap_or_default(),
        }
    }

    /// What tells objects apart, for hashing: not the version.
    fn identity(&self) -> impl Hash {
        (
            &self.api_version,
            &self.kind,
            &self.namespace,
            &self.name,
            &self.uid,
        )
    }
}

/// Whether something went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// It went well.
    Normal,
    /// It did not.
    Warning,
}

/// Something that happened to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The object it happened to.
    pub regarding: Reference,
    /// Another object that has to do with it.
    pub related: Option<Reference>,
    /// Whether it is a warning.
    pub severity: Severity,
    /// Why, in CamelCase.
    pub reason: String,
    /// What was being done, in CamelCase.
    pub action: String,
    /// The text. What is over 1,024 bytes is cut off.
    pub note: String,
}

impl Occurrence {
    /// A failed reconcile: the reason is the error type, the note `Reconcile error: <type>: <error>`.
    pub fn reconcile_error(regarding: Reference, error_type: &str, error: &str) -> Self {
        Self {
            regarding,
            related: None,
            severity: Severity::Warning,
            reason: error_type.to_owned(),
            action: "Reconcile".to_owned(),
            note: format!("Reconcile error: {error_type}: {error}"),
        }
    }

    /// A failed reconcile of `of`, told on the object that started it: the note names the ManagedResource as well, since
    /// `kubectl describe` shows nothing else of it.
    pub fn reconcile_error_on(regarding: Reference, of: &Reference, error_type: &str, error: &str) -> Self {
        let error = format!("{} {}/{}: {error}", of.kind, of.namespace, of.name);
        Self::reconcile_error(regarding, error_type, &error).related_to(of.clone())
    }

    /// A ManagedResource that cannot be begun to work for, since what it watches or who it is does not work out.
    pub fn start_error(regarding: Reference, error_type: &str, error: &str) -> Self {
        Self {
            note: format!("{error_type}: failed to ensure/start instance controller: {error}"),
            ..Self::reconcile_error(regarding, error_type, error)
        }
    }

    /// Something that keeps an Admission or ClusterAdmission from being ready: the reason is the error type.
    pub fn of_admission(regarding: Reference, error_type: &str, error: &str) -> Self {
        Self {
            action: "Admit".to_owned(),
            note: format!("{error_type}: {error}"),
            ..Self::reconcile_error(regarding, error_type, error)
        }
    }

    /// A process has become the leader.
    pub fn of_election(lease: Reference, identity: &str) -> Self {
        Self {
            regarding: lease,
            related: None,
            severity: Severity::Normal,
            reason: "LeaderElection".to_owned(),
            action: "Lead".to_owned(),
            note: format!("{identity} became leader"),
        }
    }

    /// Something that became of a Plugin.
    pub fn of_plugin(regarding: Reference, severity: Severity, reason: &str, note: String) -> Self {
        Self {
            regarding,
            related: None,
            severity,
            reason: reason.to_owned(),
            action: "Register".to_owned(),
            note,
        }
    }

    /// What tells events apart, for hashing: not the versions of the objects.
    fn identity(&self) -> impl Hash {
        let related = self.related.as_ref().map(Reference::identity);
        let what = (self.severity, &self.reason, &self.action, &self.note);
        (self.regarding.identity(), related, what)
    }

    /// The same, with another object that has to do with it.
    #[must_use]
    pub fn related_to(self, object: Reference) -> Self {
        Self {
            related: Some(object),
            ..self
        }
    }
}

/// Counts occurrences that no event tells of, by cause.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    /// Too many were waiting.
    pub full: Counter,
    /// Too many different ones in too short a time.
    pub limited: Counter,
    /// The API server did not take them.
    pub failed: Counter,
}

/// Takes occurrences. Clones are handles of the same recorder.
#[derive(Clone, Debug)]
pub struct Recorder {
    waiting: mpsc::Sender<Occurrence>,
    losses: Losses,
    leading: Leading,
}

impl Recorder {
    /// A recorder and the worker that writes for it.
    pub fn new<S: EventSink>(sink: S, settings: Settings, losses: Losses) -> (Self, Worker<S>) {
        let (waiting, occurrences) = mpsc::channel(WAITING);
        let recorder = Self {
            waiting,
            losses: losses.clone(),
            leading: Leading::always(),
        };
        (recorder, Worker::new(sink, settings, losses, occurrences))
    }

    /// From now on, what happens while this process does not lead is not written: who leads sees it, too.
    #[must_use]
    pub fn while_leading(self, leading: Leading) -> Self {
        Self { leading, ..self }
    }

    /// Has `occurrence` written soon. Never waits; if too many wait already, it is dropped and counted.
    pub fn record(&self, mut occurrence: Occurrence) {
        if !self.leading.may_write() {
            return;
        }
        occurrence.note = form::note(occurrence.note);
        if self.waiting.try_send(occurrence).is_err() {
            self.losses.full.inc();
        }
    }
}

#[cfg(test)]
mod tests;
