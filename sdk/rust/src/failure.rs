//! How a call ends without a result, and what the host does next.

use std::fmt;

use crate::bindings::imports::espejote::plugin::types as wit;

/// Decides what the host does next:
///
/// | kind | the owner | tried again |
/// |---|---|---|
/// | `InvalidConfig` | not ready, stalled | when its config changes |
/// | `InvalidInput`, `InvalidOutput` | not ready, stalled | when something that the call could read changes, and at the longest back-off |
/// | `NotReady` | reconciling, no event | with back-off, or after [`requeue_after`](crate::report::requeue_after) |
/// | `Internal` | not ready | with back-off |
pub use wit::FailureKind;

/// Returned instead of a result: nothing that the call emitted is written.
///
/// The message is for people: which object or path, what was expected. No contents of Secrets.
pub use wit::Failure;

/// Why something cannot be had. Never to be taken for "there is none".
pub use wit::Unavailable;

/// See [`Unavailable`].
pub use wit::UnavailableReason;

impl Failure {
    /// A failure of any kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// The config cannot work.
    pub fn invalid_config(message: impl Into<String>) -> Self {
        Self::new(FailureKind::InvalidConfig, message)
    }

    /// Something read from the cluster cannot be used.
    pub fn invalid_input(message: impl Into<String>) -> Self {
        Self::new(FailureKind::InvalidInput, message)
    }

    /// The result breaks a rule.
    pub fn invalid_output(message: impl Into<String>) -> Self {
        Self::new(FailureKind::InvalidOutput, message)
    }

    /// Something needed is not there yet.
    pub fn not_ready(message: impl Into<String>) -> Self {
        Self::new(FailureKind::NotReady, message)
    }

    /// Anything else, bugs included.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Internal, message)
    }
}

/// A context that is not filled yet is waited for; any other reason is something that people have to mend.
impl From<Unavailable> for Failure {
    fn from(unavailable: Unavailable) -> Self {
        let kind = match unavailable.reason {
            UnavailableReason::NotSynced => FailureKind::NotReady,
            UnavailableReason::UnknownName | UnavailableReason::Forbidden | UnavailableReason::Failed => {
                FailureKind::InvalidInput
            }
        };
        Self::new(kind, unavailable.message)
    }
}

/// JSON that does not parse or a value that is no JSON, where nothing says whose fault it is.
impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(error.to_string())
    }
}

/// Turns errors of other crates into failures, with the kind that fits.
pub trait OrFail<T> {
    /// ```
    /// # use espejote_sdk::{Failure, FailureKind, OrFail};
    /// fn replicas(text: &str) -> Result<u32, Failure> {
    ///     text.parse::<u32>().or_fail(FailureKind::InvalidInput)
    /// }
    /// assert_eq!(replicas("x").unwrap_err().message, "invalid digit found in string");
    /// ```
    fn or_fail(self, kind: FailureKind) -> Result<T, Failure>;
}

impl<T, E: fmt::Display> OrFail<T> for Result<T, E> {
    fn or_fail(self, kind: FailureKind) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(kind, error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_synced_is_waited_for() {
        let failure = |reason| {
            Failure::from(Unavailable {
                reason,
                message: "words".into(),
            })
        };
        assert_eq!(failure(UnavailableReason::NotSynced).kind, FailureKind::NotReady);
        for reason in [
            UnavailableReason::UnknownName,
            UnavailableReason::Forbidden,
            UnavailableReason::Failed,
        ] {
            assert_eq!(failure(reason).kind, FailureKind::InvalidInput);
            assert_eq!(failure(reason).message, "words");
        }
    }
}
