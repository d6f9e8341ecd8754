//! What went wrong with a watch, and what follows from it.
//!
//! Owns the table from an error to the state of the store and the next step.

use std::time::Duration;

use super::WatchSettings;
use crate::{
    cache::{NotSynced, Store},
    client::ApiError,
    discovery::DiscoveryError,
};

/// Why a watch is down.
#[derive(Debug, thiserror::Error)]
pub(super) enum WatchError {
    /// The kind could not be looked up.
    #[error("{0}")]
    Resolve(#[source] DiscoveryError),
    /// A list was refused or broke off.
    #[error("{0}")]
    List(#[source] ApiError),
    /// A watch was refused or broke off.
    #[error("{0}")]
    Watch(#[source] ApiError),
    /// The server closed the watch long before its time.
    #[error("the API server closed the watch early")]
    ClosedEarly,
    /// The tenant's uid is not the one that this watch was opened for.
    #[error("the ServiceAccount was deleted and created again")]
    OtherAccount,
}

/// What is to be done after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Go on where it broke off.
    Resume,
    /// Forget the resource version and list again.
    Relist,
    /// Look the kind up again, and list again.
    Rediscover,
    /// End for good.
    End,
}

impl WatchError {
    pub(super) fn step(&self) -> Step {
        match self {
            Self::OtherAccount => Step::End,
            Self::Resolve(_) => Step::Rediscover,
            Self::List(error) | Self::Watch(error) if error.is_not_found() => Step::Rediscover,
            Self::List(_) => Step::Relist,
            Self::Watch(error) if error.is_gone() || matches!(error, ApiError::TooLarge { .. }) => {
                Step::Relist
            }
            Self::Watch(_) | Self::ClosedEarly => Step::Resume,
        }
    }

    /// The longest time to wait.
    pub(super) fn ceiling(&self, settings: &WatchSettings) -> Duration {
        match self.reason() {
            Some(NotSynced::Failed { .. }) | None => settings.retry_ceiling,
            Some(_) => settings.recheck_ceiling,
        }
    }

    pub(super) fn retry_after(&self) -> Option<Duration> {
        self.api().and_then(ApiError::retry_after)
    }

    /// Tells the store.
    pub(super) fn tell(&self, store: &Store) {
        match self.reason() {
            Some(reason) => store.lost(reason),
            None => store.interrupted(&self.to_string()),
        }
    }

    /// None if it passes by itself, so that what was read may be used a while longer.
    fn reason(&self) -> Option<NotSynced> {
        let message = || self.to_string().into();
        match self {
            Self::OtherAccount => Some(NotSynced::ServiceAccount { message: message() }),
            Self::Resolve(DiscoveryError::UnknownKind { .. }) => {
                Some(NotSynced::UnknownKind { message: message() })
            }
            Self::ClosedEarly | Self::Resolve(DiscoveryError::Ask { .. }) => None,
            Self::List(error) | Self::Watch(error) => match error {
                error if error.is_transient() || error.is_gone() => None,
                error if error.is_forbidden() => Some(NotSynced::Forbidden { message: message() }),
                error if error.is_not_found() => Some(NotSynced::UnknownKind { message: message() }),
                error if error.is_unauthorized() => Some(NotSynced::ServiceAccount { message: message() }),
                ApiError::Credentials { .. } => Some(NotSynced::ServiceAccount { message: message() }),
                _ => Some(NotSynced::Failed { message: message() }),
            },
        }
    }

    fn api(&self) -> Option<&ApiError> {
        match self {
            Self::List(error) | Self::Watch(error) | Self::Resolve(DiscoveryError::Ask { source: error }) => {
                Some(error)
            }
            _ => None,
        }
    }
}
