//! What comes of a call: the result, what it told, what it used, and the ways in which it can fail.
//!
//! The ways are kept apart because they mean different things: a failure that the guest returned, a result that breaks a
//! rule, a trap, a limit, a fault of the host.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use espejote_core::{Desired, FailureKind, InvalidItems, Report, Unavailable};

use crate::{grants::GrantError, limits::LimitKind};

/// The entries of `context` that were computed because a call asked for them, with what it got.
pub type Computed = BTreeMap<String, Result<Arc<str>, Unavailable>>;

/// What comes of one reconcile.
#[derive(Debug)]
pub struct Call {
    /// What the cluster should look like. An error: nothing of what was emitted counts.
    pub result: Result<Desired, CallError>,
    /// What the call told. Empty unless the guest returned, with a failure or without.
    pub report: Report,
    /// What the call used.
    pub usage: Usage,
    /// The guest wishes that its instance be kept for a later call.
    pub keep: bool,
    /// Given back in place of the computed entries, these make the call come out the same. However it ended.
    pub computed: Computed,
}

/// What comes of asking a provider for its value.
#[derive(Debug)]
pub struct Provision {
    /// Exactly one JSON document.
    pub result: Result<Arc<str>, CallError>,
    /// What the call used.
    pub usage: Usage,
    /// The guest wishes that its instance be kept for a later call.
    pub keep: bool,
}

/// What comes of one request for admission.
#[derive(Debug)]
pub struct Admitted {
    /// The decision. An error: the request has to be refused with code 500.
    pub result: Result<Decision, CallError>,
    /// For the user, in order. Empty unless the guest returned, with a failure or without.
    pub warnings: Vec<String>,
    /// For the audit event; the last value of a key counts. Empty as the warnings are.
    pub audit_annotations: BTreeMap<String, String>,
    /// What the call used.
    pub usage: Usage,
    /// The guest wishes that its instance be kept for a later call.
    pub keep: bool,
    /// Given back in place of the computed entries, these make the call come out the same. However it ended.
    pub computed: Computed,
}

/// A decision that keeps the rules: nothing is changed that is not allowed, a patch has the form of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whether the request may go on.
    pub allowed: bool,
    /// The HTTP status of the answer, from 100 to 599. None: 200 if allowed, 403 if not.
    pub code: Option<u16>,
    /// For the user. Empty: none.
    pub message: String,
    /// What becomes of the object under review.
    pub mutation: Option<Mutation>,
}

/// A change to the object under review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// A JSON patch (RFC 6902): a JSON array of operations, each with the members that it needs.
    Patch(Arc<str>),
    /// The whole object as it should be: a JSON object.
    Object(Arc<str>),
}

/// What a call used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Time on the wall, instantiation included.
    pub wall: Duration,
    /// CPU time, the host's on the guest's behalf included.
    pub cpu: Duration,
    /// Linear memory at its peak, in bytes.
    pub memory_peak: u64,
    /// Bytes emitted and reported.
    pub emitted_bytes: u64,
    /// Lines that were kept from the log because there were too many.
    pub log_lines_dropped: u64,
    /// It ran in the instance of an earlier call.
    pub warm: bool,
}

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The guest returned a failure. The text is its own, cut at 1 KiB.
    #[error("{message}")]
    Guest {
        /// Decides what happens next.
        kind: FailureKind,
        /// For people.
        message: String,
    },
    /// The guest succeeded, and what it emitted breaks a rule.
    #[error("{0}")]
    InvalidOutput(InvalidOutput),
    /// The guest trapped.
    #[error("plugin {plugin} trapped: {message}")]
    Trap {
        /// Its name.
        plugin: String,
        /// The cause, where it happened, and the last lines that the guest printed to standard error.
        message: String,
    },
    /// The guest went over a limit.
    #[error("plugin {plugin} went over its limit on {limit} ({allowed}){note}")]
    Limit {
        /// Its name.
        plugin: String,
        /// Which one.
        limit: LimitKind,
        /// How much is allowed.
        allowed: String,
        /// The last lines that the guest printed to standard error, if any.
        note: String,
    },
    /// Not the guest's fault.
    #[error("plugin {plugin} cannot be run")]
    Host {
        /// Its name.
        plugin: String,
        /// What failed.
        #[source]
        source: HostError,
    },
}

/// What can fail on the host's side of a call.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The plugin has nothing to call.
    #[error("it does not export {0}")]
    MissingExport(String),
    /// A granted folder cannot be opened.
    #[error("the directory granted at {path:?} cannot be opened: {problem}")]
    Directory {
        /// Where the guest would find it.
        path: String,
        /// Why.
        problem: String,
    },
    /// A grant has a form that none can have.
    #[error(transparent)]
    Grant(GrantError),
    /// No instance could be made, for reasons that are not limits: all slots in use, no memory on the machine.
    #[error("no instance: {0}")]
    Instantiate(String),
}

/// Everything in a result that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidOutput {
    /// The items that are not well-formed.
    pub items: InvalidItems,
    /// What is wrong with the rest, such as a condition that belongs to the host, or a patch that is none.
    pub report: Vec<String>,
}

impl InvalidOutput {
    /// Something wrong that is no item.
    pub(crate) fn problem(problem: String) -> Self {
        Self {
            items: InvalidItems(Vec::new()),
            report: vec![problem],
        }
    }
}

impl fmt::Display for InvalidOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items = (!self.items.0.is_empty()).then(|| self.items.to_string());
        let problems: Vec<&str> = items.iter().chain(&self.report).map(String::as_str).collect();
        f.write_str(&problems.join("; "))
    }
}

/// Something wrong with a config, found by the plugin itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// A JSON pointer into the config; empty for the whole.
    pub path: String,
    /// For people.
    pub message: String,
}
