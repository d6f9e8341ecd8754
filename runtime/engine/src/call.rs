//! What comes of a call: the result, what it told, what it used, and the ways in which it can fail.
//!
//! The ways are kept apart because they mean different things: a failure that the guest returned, a result that breaks a
//! rule, a trap, a limit, a fault of the host.

use std::{fmt, time::Duration};

use espejote_core::{Desired, FailureKind, InvalidItems, Report};

use crate::limits::LimitKind;

/// What comes of one call.
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
    /// No instance could be made, for reasons that are not limits: all slots in use, no memory on the machine.
    #[error("no instance: {0}")]
    Instantiate(String),
}

/// Everything in a result that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidOutput {
    /// The items that are not well-formed.
    pub items: InvalidItems,
    /// What is wrong with the report, such as a condition that belongs to the host.
    pub report: Vec<String>,
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
