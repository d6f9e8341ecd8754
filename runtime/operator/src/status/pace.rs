//! How often a status is written.

use std::time::Duration;

use espejote_api::ManagedResourceStatus;
use tokio::time::Instant;

use super::conditions::differ_in_words_only;

/// A status that differs in words only is not written more often: the message of many failing keys changes with each.
const WORDS: Duration = Duration::from_secs(1);

/// Remembers when a status was written last.
#[derive(Debug, Default)]
pub struct Pace {
    written: Option<Instant>,
}

impl Pace {
    /// Whether `next` has to wait, since it says in other words what was `shown` just now. Whoever is told so asks again.
    pub fn holds_back(&self, shown: &ManagedResourceStatus, next: &ManagedResourceStatus) -> bool {
        let recent = self.written.is_some_and(|at| at.elapsed() < WORDS);
        recent && shown != next && differ_in_words_only(shown, next)
    }

    /// A status was written.
    pub fn written(&mut self) {
        self.written = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use espejote_core::Standing;
    use k8s_openapi::jiff::Timestamp;
    use tokio::time::advance;

    use super::*;
    use crate::status::{Summary, of};

    fn failing(keys: usize) -> ManagedResourceStatus {
        let summary = Summary {
            status: "TemplateError".into(),
            standing: Standing::Stalled,
            reason: "InvalidInput".into(),
            message: format!("failed (and {keys} more triggers)"),
            conditions: Vec::new(),
        };
        of(&summary, 1, &[], Timestamp::UNIX_EPOCH)
    }

    /// What an owner does: shows each status, and again what was held back.
    fn show(pace: &mut Pace, shown: &mut ManagedResourceStatus, next: ManagedResourceStatus) -> usize {
        if *shown == next || pace.holds_back(shown, &next) {
            return 0;
        }
        *shown = next;
        pace.written();
        1
    }

    #[tokio::test(start_paused = true)]
    async fn the_counts_of_many_failing_keys_are_written_once_a_second() {
        let (mut pace, mut shown) = (Pace::default(), ManagedResourceStatus::default());
        let mut writes = 0;
        for keys in 0..1_500 {
            writes += show(&mut pace, &mut shown, failing(keys));
            advance(Duration::from_millis(2)).await;
        }
        assert_eq!(writes, 3);
        advance(WORDS).await;
        assert_eq!(
            show(&mut pace, &mut shown, failing(1_499)),
            1,
            "the last one arrives"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_of_the_reason_is_written_at_once() {
        let (mut pace, mut shown) = (Pace::default(), failing(1));
        pace.written();
        let mut other = failing(1);
        other.conditions[0].reason = "GuestFailed".into();
        assert_eq!(show(&mut pace, &mut shown, other), 1);
    }
}
