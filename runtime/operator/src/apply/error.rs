//! What can go wrong while writing.
//!
//! Owns the texts that name an object, and the reason of each error.

use std::fmt;

use espejote_core::{ObjectId, Reason};

use super::Written;
use crate::{client::ApiError, discovery::DiscoveryError};

/// What was to be done with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Server-side apply.
    Apply,
    /// Deletion.
    Delete,
}

/// Why one object could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ItemProblem {
    /// The object has no name.
    #[error("metadata.name is missing: give the object a name")]
    NameMissing,
    /// Its kind could not be found.
    #[error(transparent)]
    Discovery(DiscoveryError),
    /// The API server refused.
    #[error(transparent)]
    Api(ApiError),
}

/// One object that could not be written.
#[derive(Debug)]
pub struct ItemError {
    /// What was to be done.
    pub verb: Verb,
    /// With which object; its namespace is the one that was used.
    pub id: ObjectId,
    /// Why it was not.
    pub problem: ItemProblem,
}

impl fmt::Display for ItemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.verb {
            Verb::Apply => "applying",
            Verb::Delete => "deleting",
        };
        write!(f, "{verb} resource {}: ", self.id)?;
        match &self.problem {
            ItemProblem::Api(error) if self.may_quote_a_secret(error) => {
                let code = error.code().unwrap_or_default();
                write!(
                    f,
                    "HTTP {code}; the API server's words are left out, since they may quote the Secret"
                )
            }
            ItemProblem::Api(error) if error.is_unknown_path() => {
                let (version, kind) = (&self.id.api_version, &self.id.kind);
                write!(
                    f,
                    "the API server serves no {kind} in version {version:?} any more ({error})"
                )
            }
            problem => write!(f, "{problem}"),
        }
    }
}

impl std::error::Error for ItemError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.problem)
    }
}

impl ItemError {
    /// Refusals of invalid objects quote values; missing rights, conflicts and the like name fields only.
    fn may_quote_a_secret(&self, error: &ApiError) -> bool {
        self.id.kind == "Secret" && matches!(error.code(), Some(400 | 422 | 500))
    }

    /// Whether all further writes would fail for the same reason.
    pub(super) fn is_about_credentials(&self) -> bool {
        matches!(&self.problem, ItemProblem::Api(error) if error.is_about_credentials())
    }

    fn reason(&self) -> Reason {
        match &self.problem {
            ItemProblem::NameMissing => Reason::Rejected,
            ItemProblem::Discovery(DiscoveryError::UnknownKind { .. }) => Reason::KindNotFound,
            ItemProblem::Discovery(_) => Reason::ApplyFailed,
            ItemProblem::Api(error) => api_reason(error),
        }
    }
}

/// Server-side apply answers an unknown field with 500, though nothing but another manifest helps.
fn api_reason(error: &ApiError) -> Reason {
    if matches!(error, ApiError::Segment { .. }) {
        return Reason::Rejected;
    }
    match error.code() {
        Some(403) => Reason::Forbidden,
        Some(409) => Reason::Conflict,
        Some(400 | 422) => Reason::Rejected,
        Some(404) if error.is_unknown_path() => Reason::KindNotFound,
        Some(500) if error.to_string().contains("field not declared in schema") => Reason::Rejected,
        _ => Reason::ApplyFailed,
    }
}

/// The errors of a whole tree; the rest of it was written as far as the groups' policies allow.
#[derive(Debug)]
pub struct ApplyError {
    /// What was done all the same.
    pub written: Written,
    /// At least one, in the order in which they happened.
    pub errors: Vec<ItemError>,
}

impl ApplyError {
    /// The reason of the first error.
    pub fn reason(&self) -> Reason {
        self.errors.first().map_or(Reason::ApplyFailed, ItemError::reason)
    }
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 10;
        f.write_str("failed to apply objects: ")?;
        for (n, error) in self.errors.iter().take(SHOWN).enumerate() {
            let separator = if n == 0 { "" } else { "; " };
            write!(f, "{separator}{error}")?;
        }
        match self.errors.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl std::error::Error for ApplyError {}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::client::ApiStatus;

    fn refused(kind: &str, code: u16, message: &str) -> ItemError {
        let status = ApiStatus {
            code,
            message: message.into(),
            structured: true,
            ..ApiStatus::default()
        };
        let id = ObjectId {
            kind: kind.into(),
            namespace: "ns".into(),
            name: "x".into(),
            ..ObjectId::default()
        };
        ItemError {
            verb: Verb::Apply,
            id,
            problem: ItemProblem::Api(ApiError::Status(Arc::new(status))),
        }
    }

    /// A18, D7: the object is named, then the server speaks.
    #[test]
    fn a18_d7_errors_name_the_object_and_keep_the_servers_words() {
        let error = ApplyError {
            written: Written::default(),
            errors: vec![refused("ConfigMap", 409, "conflict")],
        };
        assert_eq!(
            error.to_string(),
            "failed to apply objects: applying resource ns/x ConfigMap: conflict"
        );
        let deletion = ItemError {
            verb: Verb::Delete,
            ..refused("ConfigMap", 409, "uid differs")
        };
        assert_eq!(
            deletion.to_string(),
            "deleting resource ns/x ConfigMap: uid differs"
        );
    }

    #[test]
    fn a_refused_secret_is_not_quoted_and_a_forbidden_one_is_explained() {
        let invalid = refused("Secret", 500, ".data.password: expected string, got hunter2").to_string();
        assert!(
            !invalid.contains("hunter2") && invalid.contains("HTTP 500"),
            "{invalid}"
        );
        assert!(
            refused("Secret", 403, "secrets is forbidden")
                .to_string()
                .contains("secrets is forbidden")
        );
    }

    #[test]
    fn a_kind_that_is_not_served_any_more_is_named() {
        let mut error = refused("Widget", 404, "HTTP 404 Not Found");
        error.id.api_version = "a.b/v1".into();
        error.problem = ItemProblem::Api(ApiError::Status(Arc::new(ApiStatus {
            code: 404,
            message: "HTTP 404 Not Found".into(),
            ..ApiStatus::default()
        })));
        assert_eq!(
            error.to_string(),
            "applying resource ns/x Widget: the API server serves no Widget in version \"a.b/v1\" any more (HTTP 404 Not Found)"
        );
    }

    #[test]
    fn an_unknown_field_is_a_refusal_though_the_server_calls_it_its_own_fault() {
        let error = refused("ConfigMap", 500, ".typo: field not declared in schema");
        assert_eq!(error.reason(), Reason::Rejected);
        assert_eq!(
            refused("ConfigMap", 500, "etcd is down").reason(),
            Reason::ApplyFailed
        );
    }

    #[test]
    fn long_lists_of_errors_are_cut_and_counted() {
        let errors = (0..12).map(|_| refused("ConfigMap", 409, "conflict")).collect();
        let text = ApplyError {
            written: Written::default(),
            errors,
        }
        .to_string();
        assert!(text.ends_with("; and 2 more"), "{text}");
    }
}
