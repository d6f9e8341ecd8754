//! How far a cache can be trusted.

use std::{sync::Arc, time::Duration};

use espejote_core::{Unavailable, UnavailableReason};
use tokio::time::Instant;

/// The word of a watch on its own store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Nothing in the store may be used.
    NotSynced(NotSynced),
    /// The store follows the cluster.
    Synced,
    /// The store was synced, and the watch is down since. Whoever uses it says so, and stops after a while.
    Stale {
        /// When the watch went down.
        since: Instant,
        /// Why, in the words of the API server where there are any.
        cause: Arc<str>,
    },
}

/// Why a store may not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSynced {
    /// The first list is not there yet; `cause` says what kept it from coming.
    Pending {
        /// The last failure that will pass by itself.
        cause: Option<Arc<str>>,
    },
    /// The ServiceAccount may not read it, as of now.
    Forbidden {
        /// The words of the API server: verb, resource, namespace, ServiceAccount.
        message: Arc<str>,
    },
    /// The cluster does not know the kind, as of now.
    UnknownKind {
        /// Which kind.
        message: Arc<str>,
    },
    /// The ServiceAccount has no token, or was deleted and created again.
    ServiceAccount {
        /// The words of the API server.
        message: Arc<str>,
    },
    /// Anything else that does not pass by itself, such as a kind that cannot be watched.
    Failed {
        /// What was wrong.
        message: Arc<str>,
    },
}

impl NotSynced {
    /// What a guest is told.
    pub fn unavailable(&self) -> Unavailable {
        let (reason, message) = match self {
            Self::Pending { cause: None } => (UnavailableReason::NotSynced, "not listed yet"),
            Self::Pending { cause: Some(cause) } => (UnavailableReason::NotSynced, &**cause),
            Self::Forbidden { message } => (UnavailableReason::Forbidden, &**message),
            Self::UnknownKind { message } | Self::ServiceAccount { message } | Self::Failed { message } => {
                (UnavailableReason::Failed, &**message)
            }
        };
        Unavailable::new(reason, message)
    }
}

impl State {
    /// Nothing was tried yet.
    pub(crate) fn pending() -> Self {
        Self::NotSynced(NotSynced::Pending { cause: None })
    }

    /// The same for someone who does not trust a watch that has been down for longer than `patience`.
    #[must_use]
    pub fn trusted_for(self, patience: Duration) -> Self {
        match self {
            Self::Stale { since, cause } if since.elapsed() > patience => {
                let cause = format!("down for longer than {patience:?}: {cause}");
                Self::NotSynced(NotSynced::Pending {
                    cause: Some(cause.into()),
                })
            }
            other => other,
        }
    }

    /// Whether the store follows the cluster right now.
    pub fn is_synced(&self) -> bool {
        *self == Self::Synced
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_watch_that_is_down_is_trusted_for_a_while() {
        let stale = State::Stale {
            since: Instant::now(),
            cause: "refused".into(),
        };
        let patience = Duration::from_secs(20);
        advance(patience).await;
        assert_eq!(stale.clone().trusted_for(patience), stale);
        advance(Duration::from_millis(1)).await;
        let State::NotSynced(NotSynced::Pending { cause: Some(cause) }) = stale.trusted_for(patience) else {
            panic!("still trusted");
        };
        assert_eq!(&*cause, "down for longer than 20s: refused");
        assert_eq!(State::Synced.trusted_for(Duration::ZERO), State::Synced);
    }
}
