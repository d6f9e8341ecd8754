//! Whose fault an error of the evaluation is. Jsonnet knows one kind of error; the host decides by the kind of failure
//! when to call again. So what knows more leaves a note here.

use std::cell::Cell;

use espejote_sdk::FailureKind;

use crate::host::UnavailableReason;

/// A note for the failure of this call. Jsonnet cannot catch errors, so the first note belongs to the error that comes out.
#[derive(Debug, Default)]
pub(crate) struct Blame(Cell<Option<FailureKind>>);

impl Blame {
    /// Something cannot be read.
    pub(crate) fn unavailable(&self, reason: UnavailableReason) {
        self.note(match reason {
            UnavailableReason::NotSynced => FailureKind::NotReady,
            UnavailableReason::UnknownName | UnavailableReason::Forbidden | UnavailableReason::Failed => {
                FailureKind::InvalidInput
            }
        });
    }

    /// Something is not there yet.
    pub(crate) fn not_ready(&self) {
        self.note(FailureKind::NotReady);
    }

    fn note(&self, kind: FailureKind) {
        self.0.set(self.0.get().or(Some(kind)));
    }

    /// The kind noted, else that of a template that failed on what it read.
    pub(crate) fn kind(&self) -> FailureKind {
        self.0.get().unwrap_or(FailureKind::InvalidInput)
    }
}
