//! What to tell about this reconcile, beside what it emits. Taken whether the call succeeds or fails; lost if it traps.
//!
//! Reports are kept for each trigger and object, and the status shows one of them: for a condition of the same type, false
//! before unknown before true. So give conditions a positive sense: `Synced`, not `OutOfSync`.

use std::time::Duration;

use serde::Serialize;

use crate::failure::Failure;
use crate::host::report as wit;

/// Whether a condition holds.
pub use wit::ConditionStatus;

/// Reconciles the same trigger and object again after this time, also if nothing changes. After a failure it takes the place of
/// the back-off. The host may make it longer; a change that comes earlier is not held up. Rounded up to a millisecond, cut at 49 days.
pub fn requeue_after(time: Duration) {
    wit::requeue_after(milliseconds(time));
}

fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(u32::MAX)
}

/// One sentence for people, shown with `Ready`.
pub fn message(text: &str) {
    wit::set_message(text);
}

/// Sets one condition in the owner's status; conditions that are not set again are removed. `kind` and `reason` are CamelCase
/// words; `Ready`, `Reconciling` and `Stalled` are the host's.
///
/// ```no_run
/// # use espejote_sdk::report::{self, ConditionStatus};
/// report::condition("Synced", ConditionStatus::False, "SourceMissing", "Secret shop/pull is missing");
/// ```
pub fn condition(kind: &str, status: ConditionStatus, reason: &str, message: &str) {
    wit::set_condition(&wit::Condition {
        type_: kind.to_owned(),
        status,
        reason: reason.to_owned(),
        message: message.to_owned(),
    });
}

/// What was emitted is right, but the whole is not there yet: the owner is `Reconciling` and not `Ready`.
pub fn waiting(reason: &str, message: &str) {
    wit::set_waiting(reason, message);
}

/// The result in the plugin's own form: `espejote render` prints it instead of the items emitted. Never applied.
///
/// # Errors
/// `internal` if it is not serialisable.
pub fn document(document: &impl Serialize) -> Result<(), Failure> {
    document_json(&serde_json::to_string(document)?);
    Ok(())
}

/// As [`document`], for JSON that is text already.
pub fn document_json(document: &str) {
    wit::set_document(document);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_up_and_cut() {
        assert_eq!(milliseconds(Duration::from_millis(1500)), 1500);
        assert_eq!(milliseconds(Duration::from_nanos(1)), 1);
        assert_eq!(milliseconds(Duration::MAX), u32::MAX);
    }
}
