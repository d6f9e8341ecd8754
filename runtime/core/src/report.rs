//! What a call tells beside what it emits, and why a guest gives no result.

use std::sync::Arc;

use crate::text::cut;

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

impl ConditionStatus {
    /// As the API server writes it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
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

impl Condition {
    /// What the API server, or those who read conditions, would not take: by the rules of `metav1.Condition`.
    pub fn problem(&self) -> Option<String> {
        if !is_type(&self.kind) {
            return Some(format!(
                "the condition {:?} has no proper type: expected one CamelCase word, of 316 bytes at most",
                cut(&self.kind, SHOWN)
            ));
        }
        (!is_reason(&self.reason)).then(|| {
            format!(
                "the condition {:?} has reason {:?}: expected one CamelCase word, of 1024 bytes at most",
                self.kind,
                cut(&self.reason, SHOWN)
            )
        })
    }
}

/// What an error shows of a bad name.
const SHOWN: usize = 64;

/// A qualified name: a DNS subdomain and a slash may stand in front.
fn is_type(text: &str) -> bool {
    let (prefix, name) = text.split_once('/').unwrap_or(("a", text));
    let inner = |c: u8| c.is_ascii_alphanumeric() || b"-_.".contains(&c);
    let label = |label: &str| {
        let inner = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
        !label.is_empty() && label.bytes().all(inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    let ends = [name.bytes().next(), name.bytes().last()];
    text.len() <= 316
        && prefix.split('.').all(label)
        && name.bytes().all(inner)
        && ends
            .into_iter()
            .all(|end| end.is_some_and(|c| c.is_ascii_alphanumeric()))
}

fn is_reason(text: &str) -> bool {
    let inner = |c: u8| c.is_ascii_alphanumeric() || b"_,:".contains(&c);
    text.len() <= 1024
        && text.bytes().all(inner)
        && text.bytes().next().is_some_and(|c| c.is_ascii_alphabetic())
        && text
            .bytes()
            .last()
            .is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_')
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

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(kind: &str, reason: &str) -> Option<String> {
        Condition {
            kind: kind.to_owned(),
            status: ConditionStatus::True,
            reason: reason.to_owned(),
            message: String::new(),
        }
        .problem()
    }

    #[test]
    fn conditions_have_the_names_that_the_api_server_takes() {
        for kind in ["Synced", "acme.example/Synced", "A", "Two_Words.and-more"] {
            assert_eq!(problem(kind, "AllFound"), None, "{kind}");
        }
        for kind in ["", "a b", "-A", "A-", "Acme.example/Synced", "a/b/c", "é", "a\nb"] {
            let problem = problem(kind, "AllFound").unwrap();
            assert!(problem.contains("no proper type"), "{problem}");
        }
        for reason in ["", "1st", "two words", "Ends:", "a\nb"] {
            let problem = problem("Synced", reason).unwrap();
            assert!(problem.contains("has reason"), "{problem}");
        }
        assert!(problem(&"A".repeat(317), "B").is_some() && problem("A", &"B".repeat(1025)).is_some());
    }
}
