//! The outcome of every trigger key, and the one that shows.
//!
//! A key is remembered while it fails, waits, or has something to tell. False shows before unknown before true; of several
//! failing keys the one that fails longest. So the order in which keys are reconciled makes no difference in the end.

use std::collections::BTreeMap;

use espejote_core::{Condition, Logic, Reason, Report, Standing};

use crate::{failure::Failure, trigger::TriggerKey};

/// What one key came to.
#[derive(Clone, Debug, Default)]
struct KeyOutcome {
    /// None: it succeeded. The number grows with time: the smallest one has failed longest.
    failure: Option<(u64, Failure)>,
    report: Report,
}

/// What is to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// `status.status`.
    pub status: String,
    /// What the standard conditions say.
    pub standing: Standing,
    /// The reason of `Ready`.
    pub reason: String,
    /// The message of `Ready`.
    pub message: String,
    /// Conditions of the guest, by type.
    pub conditions: Vec<Condition>,
}

/// The outcomes of all keys of one ManagedResource.
#[derive(Debug)]
pub struct Outcomes {
    logic: Logic,
    keys: BTreeMap<TriggerKey, KeyOutcome>,
    /// Keeps everything from running: more than any key can say.
    blocked: Option<Failure>,
    /// What calls read may be old, and why.
    stale: Option<String>,
    clock: u64,
}

impl Outcomes {
    /// Nothing has run yet.
    pub fn new(logic: Logic) -> Self {
        Self {
            logic,
            keys: BTreeMap::new(),
            blocked: None,
            stale: None,
            clock: 0,
        }
    }

    /// From now on these error types are used.
    pub fn set_logic(&mut self, logic: Logic) {
        self.logic = logic;
    }

    /// Nothing can run, and why; or everything can run again.
    pub fn set_blocked(&mut self, failure: Option<Failure>) {
        self.blocked = failure;
    }

    /// What calls read may be old, and why; or it is not. True: that is news.
    pub fn set_stale(&mut self, stale: Option<String>) -> bool {
        let news = self.stale != stale;
        self.stale = stale;
        news
    }

    /// A key has run.
    pub fn record(&mut self, key: TriggerKey, result: Result<(), Failure>, report: Report) {
        self.clock += 1;
        let since = self
            .keys
            .get(&key)
            .and_then(|known| known.failure.as_ref())
            .map(|(since, _)| *since);
        let failure = result.err().map(|failure| (since.unwrap_or(self.clock), failure));
        let outcome = KeyOutcome { failure, report };
        if outcome.has_something_to_tell() {
            self.keys.insert(key, outcome);
        } else {
            self.keys.remove(&key);
        }
    }

    /// The keys that fail, with their reasons.
    pub fn failing(&self) -> impl Iterator<Item = (&TriggerKey, Reason)> {
        self.keys
            .iter()
            .filter_map(|(key, outcome)| Some((key, outcome.failure.as_ref()?.1.reason)))
    }

    /// Forgets what keys said, as after a change of what triggers there are.
    pub fn retain(&mut self, keep: impl Fn(&TriggerKey) -> bool) {
        self.keys.retain(|key, _| keep(key));
    }

    /// What is to be shown now.
    pub fn summary(&self) -> Summary {
        let conditions = self.guest_conditions();
        if let Some(failure) = &self.blocked {
            return self.summary_of_failure(failure, String::new(), conditions);
        }
        if let Some((failure, more)) = self.oldest_failure() {
            return self.summary_of_failure(failure, and_more(more), conditions);
        }
        match self.waiting() {
            Some(summary) => Summary {
                conditions,
                ..summary
            },
            None => self.ready(conditions),
        }
    }

    fn summary_of_failure(&self, failure: &Failure, more: String, conditions: Vec<Condition>) -> Summary {
        let row = failure.row(self.logic);
        Summary {
            status: row.error_type.to_owned(),
            standing: row.standing,
            reason: failure.reason.word().to_owned(),
            message: format!("{}{more}", failure.message),
            conditions,
        }
    }

    fn oldest_failure(&self) -> Option<(&Failure, usize)> {
        let failures = || self.keys.values().filter_map(|outcome| outcome.failure.as_ref());
        let (_, failure) = failures().min_by_key(|(since, _)| *since)?;
        Some((failure, failures().count() - 1))
    }

    fn waiting(&self) -> Option<Summary> {
        let mut waiting = self
            .keys
            .values()
            .filter_map(|outcome| outcome.report.waiting.as_ref());
        let first = waiting.next()?;
        let row = Reason::Waiting.row(self.logic);
        Some(Summary {
            status: row.error_type.to_owned(),
            standing: row.standing,
            reason: first.reason.clone(),
            message: format!("{}{}", first.message, and_more(waiting.count())),
            conditions: Vec::new(),
        })
    }

    fn ready(&self, conditions: Vec<Condition>) -> Summary {
        let row = Reason::Succeeded.row(self.logic);
        let said = self
            .keys
            .values()
            .find_map(|outcome| outcome.report.message.clone());
        Summary {
            status: row.error_type.to_owned(),
            standing: row.standing,
            reason: Reason::Succeeded.word().to_owned(),
            message: [said.as_deref(), self.stale.as_deref()]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join("; "),
            conditions,
        }
    }

    /// One condition of a type: false before unknown before true.
    fn guest_conditions(&self) -> Vec<Condition> {
        let mut worst: BTreeMap<&str, &Condition> = BTreeMap::new();
        for condition in self.keys.values().flat_map(|outcome| &outcome.report.conditions) {
            let shown = worst.entry(&condition.kind).or_insert(condition);
            if condition.status < shown.status {
                *shown = condition;
            }
        }
        worst.into_values().cloned().collect()
    }
}

impl KeyOutcome {
    fn has_something_to_tell(&self) -> bool {
        let report = &self.report;
        let silent = report.waiting.is_none() && report.message.is_none() && report.conditions.is_empty();
        self.failure.is_some() || !silent
    }
}

/// Each object of a trigger has a run of its own.
fn and_more(more: usize) -> String {
    match more {
        0 => String::new(),
        1 => " (and 1 more run)".to_owned(),
        more => format!(" (and {more} more runs)"),
    }
}

#[cfg(test)]
mod tests {
    use espejote_core::{ConditionStatus, ObjectId, Waiting};

    use super::*;

    fn key(name: &str) -> TriggerKey {
        let id = ObjectId {
            name: name.into(),
            ..ObjectId::default()
        };
        TriggerKey {
            trigger: Some("t".into()),
            object: Some(id),
        }
    }

    fn failed(text: &str) -> Result<(), Failure> {
        Err(Failure::new(Reason::GuestFailed, text))
    }

    /// S1: one word in `status.status`.
    #[test]
    fn s1_without_outcomes_all_is_ready() {
        let summary = Outcomes::new(Logic::Template).summary();
        assert_eq!(
            (summary.status.as_str(), summary.standing),
            ("Ready", Standing::Ready)
        );
    }

    #[test]
    fn one_good_key_never_hides_a_bad_one() {
        let mut outcomes = Outcomes::new(Logic::Template);
        outcomes.record(key("bad"), failed("no"), Report::default());
        outcomes.record(key("good"), Ok(()), Report::default());
        assert_eq!(outcomes.summary().status, "TemplateError");
        outcomes.record(key("bad"), Ok(()), Report::default());
        assert_eq!(outcomes.summary().status, "Ready");
    }

    #[test]
    fn the_key_that_fails_longest_shows_with_the_number_of_others() {
        let mut outcomes = Outcomes::new(Logic::Template);
        outcomes.record(key("z"), failed("first"), Report::default());
        outcomes.record(key("a"), failed("second"), Report::default());
        outcomes.record(key("z"), failed("still"), Report::default());
        assert_eq!(outcomes.summary().message, "still (and 1 more run)");
    }

    #[test]
    fn the_order_of_the_keys_does_not_matter_in_the_end() {
        let ends = [("a", Ok(())), ("b", Ok(())), ("c", failed("no"))];
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let summaries = orders.map(|order| {
            let mut outcomes = Outcomes::new(Logic::Template);
            for (name, _) in &ends {
                outcomes.record(key(name), failed("earlier"), Report::default());
            }
            for (name, end) in order.map(|index| &ends[index]) {
                outcomes.record(key(name), end.clone(), Report::default());
            }
            outcomes.summary()
        });
        assert!(summaries.iter().all(|summary| *summary == summaries[0]));
    }

    #[test]
    fn failure_beats_waiting_and_waiting_beats_ready() {
        let waiting = Report {
            waiting: Some(Waiting {
                reason: "Starting".into(),
                message: "2 of 3".into(),
            }),
            ..Report::default()
        };
        let mut outcomes = Outcomes::new(Logic::Template);
        outcomes.record(key("w"), Ok(()), waiting);
        assert_eq!(outcomes.summary().status, "Waiting");
        outcomes.record(key("f"), failed("no"), Report::default());
        assert_eq!(outcomes.summary().status, "TemplateError");
    }

    #[test]
    fn of_two_conditions_of_a_type_the_worse_shows() {
        let report = |status| Report {
            conditions: vec![Condition {
                kind: "Synced".into(),
                status,
                reason: "R".into(),
                message: String::new(),
            }],
            ..Report::default()
        };
        let mut outcomes = Outcomes::new(Logic::Template);
        outcomes.record(key("a"), Ok(()), report(ConditionStatus::False));
        outcomes.record(key("b"), Ok(()), report(ConditionStatus::True));
        assert_eq!(outcomes.summary().conditions[0].status, ConditionStatus::False);
    }

    #[test]
    fn what_may_be_old_is_said_beside_what_the_guest_says() {
        let mut outcomes = Outcomes::new(Logic::Template);
        let report = Report {
            message: Some("12 namespaces".into()),
            ..Report::default()
        };
        outcomes.record(key("a"), Ok(()), report);
        assert!(outcomes.set_stale(Some("context \"x\" may be out of date".into())));
        assert!(!outcomes.set_stale(Some("context \"x\" may be out of date".into())));
        let summary = outcomes.summary();
        assert_eq!(summary.standing, Standing::Ready);
        assert_eq!(summary.message, "12 namespaces; context \"x\" may be out of date");
        assert!(outcomes.set_stale(None));
        assert_eq!(outcomes.summary().message, "12 namespaces");
    }

    #[test]
    fn what_blocks_everything_shows_before_any_key() {
        let mut outcomes = Outcomes::new(Logic::Template);
        outcomes.record(key("a"), failed("no"), Report::default());
        outcomes.set_blocked(Some(Failure::new(Reason::CacheNotSynced, "configmaps")));
        assert_eq!(outcomes.summary().status, "WaitingForCacheSync");
    }
}
