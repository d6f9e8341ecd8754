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
        write!(f, "{verb} resource {}: {}", self.id, self.problem)
    }
}

impl std::error::Error for ItemError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.problem)
    }
}

impl ItemError {
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
