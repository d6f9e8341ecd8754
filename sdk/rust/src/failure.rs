//! How a call ends without a result, and what the host does next.

use std::any::Any;
use std::error::Error;
use std::fmt;

use crate::bindings::imports::espejote::plugin::types as wit;
use crate::library::{ReadError, ReadErrorReason};

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
///
/// Any error of the standard kind becomes one by `?`: what is [`Unavailable`] or a library file that cannot be read with the
/// kind that fits, all others as `Internal`. [`OrFail`] says another kind.
///
/// ```
/// # use espejote_sdk::{Failure, FailureKind};
/// fn replicas(text: &str) -> Result<u32, Failure> {
///     if text.is_empty() {
///         return Err(Failure::not_ready("nobody has said how many"));
///     }
///     Ok(text.parse()?)
/// }
/// assert_eq!(replicas("").unwrap_err().kind, FailureKind::NotReady);
/// assert_eq!(replicas("x").unwrap_err().kind, FailureKind::Internal);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Decides what the host does next.
    pub kind: FailureKind,
    /// For people.
    pub message: String,
}

/// Only the message.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

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

/// A context that is not filled yet is waited for, and so are libraries that cannot be read now; any other reason is
/// something that people have to mend. All other errors are internal.
impl<E: Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let any: &dyn Any = &error;
        if let Some(Unavailable { reason, message }) = any.downcast_ref() {
            return Self::new(kind_of_unavailable(*reason), message);
        }
        if let Some(ReadError { reason, message }) = any.downcast_ref() {
            return Self::new(kind_of_read_error(*reason), message);
        }
        Self::internal(with_sources(&error))
    }
}

fn kind_of_unavailable(reason: UnavailableReason) -> FailureKind {
    match reason {
        UnavailableReason::NotSynced => FailureKind::NotReady,
        UnavailableReason::UnknownName | UnavailableReason::Forbidden | UnavailableReason::Failed => {
            FailureKind::InvalidInput
        }
    }
}

fn kind_of_read_error(reason: ReadErrorReason) -> FailureKind {
    match reason {
        ReadErrorReason::Unavailable => FailureKind::NotReady,
        ReadErrorReason::InvalidPath
        | ReadErrorReason::NoNamespace
        | ReadErrorReason::NoLibrary
        | ReadErrorReason::NoKey
        | ReadErrorReason::Failed => FailureKind::InvalidInput,
    }
}

fn with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

impl From<Failure> for wit::Failure {
    fn from(failure: Failure) -> Self {
        Self {
            kind: failure.kind,
            message: failure.message,
        }
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
    fn any_error_is_internal_and_keeps_its_sources() {
        #[derive(Debug)]
        struct Outer(std::num::ParseIntError);
        impl fmt::Display for Outer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("replicas")
            }
        }
        impl Error for Outer {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.0)
            }
        }
        let failure = Failure::from(Outer("x".parse::<u32>().unwrap_err()));
        assert_eq!(
            failure,
            Failure::internal("replicas: invalid digit found in string")
        );
    }

    #[test]
    fn libraries_that_cannot_be_read_now_are_waited_for() {
        let failure = |reason| {
            Failure::from(ReadError {
                reason,
                message: "words".into(),
            })
        };
        assert_eq!(failure(ReadErrorReason::Unavailable), Failure::not_ready("words"));
        assert_eq!(failure(ReadErrorReason::NoKey), Failure::invalid_input("words"));
    }

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
