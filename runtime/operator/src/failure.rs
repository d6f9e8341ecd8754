//! Why a ManagedResource is not where it should be.
//!
//! Owns which reason each stage's error has, and the sentence that people read. The table behind the reasons is
//! [`espejote_core::reason`].

use std::sync::Arc;

use espejote_api::PlanError;
use espejote_core::{Logic, Reason, Row};
use espejote_engine::{CallError, LimitKind};

use crate::{apply::ApplyError, identity::IdentityError};

/// A reason with its sentence, cheap to clone and to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Decides on conditions, events, metrics and the retry.
    pub reason: Reason,
    /// Which object, path or field, what was expected, in the words of whoever refused. No Secret contents.
    pub message: Arc<str>,
}

impl Failure {
    /// A failure that no other constructor fits.
    pub fn new(reason: Reason, message: impl Into<Arc<str>>) -> Self {
        Self {
            reason,
            message: message.into(),
        }
    }

    /// The spec contradicts itself.
    pub fn of_plan(error: &PlanError) -> Self {
        Self::new(Reason::InvalidSpec, error.to_string())
    }

    /// There is no token for the ServiceAccount.
    pub fn of_identity(error: &IdentityError) -> Self {
        Self::new(Reason::ServiceAccountUnavailable, error.to_string())
    }

    /// The call gave no desired tree.
    pub fn of_call(error: &CallError) -> Self {
        let reason = match error {
            CallError::Guest { kind, .. } => Reason::of_failure(*kind),
            CallError::InvalidOutput { .. } => Reason::InvalidOutput,
            CallError::Trap { .. } => Reason::GuestTrapped,
            CallError::Limit { .. } => Reason::LimitExceeded,
            CallError::Host { .. } => Reason::HostFault,
        };
        let advice = match error {
            CallError::Limit {
                limit: LimitKind::MemoryOfAll,
                ..
            } => "; it is tried again, and the operator's --guest-memory-budget allows more",
            _ => "",
        };
        Self::new(reason, format!("{error}{advice}"))
    }

    /// Not everything could be written.
    pub fn of_apply(error: &ApplyError) -> Self {
        Self::new(error.reason(), error.to_string())
    }

    /// The line of the table.
    pub fn row(&self, logic: Logic) -> Row {
        self.reason.row(logic)
    }
}

/// An error with all that it was caused by.
pub(crate) fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}
