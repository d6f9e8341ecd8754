//! What a call tells beside what it emits, and why a guest gives no result.

use std::sync::Arc;

/// Why a guest returned a failure; decides what the host does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The config cannot work.
    InvalidConfig,
    /// Something read from the cluster cannot be used.
    InvalidInput,
    /// The logic ran, and its result breaks a rule.
    InvalidOutput,
    /// Something needed is not there yet.
    NotReady,
    /// Anything else.
    Internal,
}

/// The status of a condition; worse ones come first in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConditionStatus {
    /// Not so.
    False,
    /// Cannot be told.
    Unknown,
    /// So.
    True,
}

/// A condition that a guest wants to see in the owner's status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// CamelCase; never `Ready`, `Reconciling` or `Stalled`.
    pub kind: String,
    /// Whether it holds.
    pub status: ConditionStatus,
    /// One CamelCase word.
    pub reason: String,
    /// For people.
    pub message: String,
}

/// What was emitted is right, but the whole is not there yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// One CamelCase word.
    pub reason: String,
    /// For people.
    pub message: String,
}

/// What a call told about itself. Where a guest sets something twice, the last one counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Call again after so many milliseconds.
    pub requeue_after: Option<u32>,
    /// One sentence for people.
    pub message: Option<String>,
    /// Conditions, one of a kind, in order of first mention.
    pub conditions: Vec<Condition>,
    /// Set while the whole is not there yet.
    pub waiting: Option<Waiting>,
    /// The result in the guest's own form: a JSON text.
    pub document: Option<Arc<str>>,
}

impl Report {
    /// Condition types that belong to the host.
    pub const RESERVED_CONDITIONS: [&'static str; 3] = ["Ready", "Reconciling", "Stalled"];

    /// Sets a condition, in place of an earlier one of the same kind.
    pub fn set_condition(&mut self, condition: Condition) {
        match self.conditions.iter_mut().find(|c| c.kind == condition.kind) {
            Some(earlier) => *earlier = condition,
            None => self.conditions.push(condition),
        }
    }
}
