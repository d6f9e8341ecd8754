//! Conditions, as kstatus, `kubectl wait` and Argo CD read them.
//!
//! `Ready` is always there. `Reconciling` and `Stalled` are there only while true, as kstatus wants it.

use espejote_api::ManagedResourceStatus;
use espejote_core::{Condition as Told, ConditionStatus, Standing, text::cut};
use k8s_openapi::{
    apimachinery::pkg::apis::meta::v1::{Condition, Time},
    jiff::Timestamp,
};

use super::outcomes::Summary;

/// What a message may hold, in bytes: enough for a stack trace, not for a dump. (The API conventions allow 32,768.)
const SHOWN_MESSAGE: usize = 4_096;

/// The status that shows a summary. Times of conditions that do not change are kept from `previous`.
pub fn status(
    summary: &Summary,
    generation: i64,
    previous: &[Condition],
    now: Timestamp,
) -> ManagedResourceStatus {
    ManagedResourceStatus {
        status: summary.status.clone(),
        observed_generation: Some(generation),
        conditions: conditions(summary, generation, previous, now),
    }
}

/// The conditions that show a summary: the standard ones, then those of the guest.
pub fn conditions(
    summary: &Summary,
    generation: i64,
    previous: &[Condition],
    now: Timestamp,
) -> Vec<Condition> {
    let told = standard(summary)
        .into_iter()
        .chain(summary.conditions.iter().cloned());
    told.map(|told| condition(told, generation, previous, now))
        .collect()
}

/// Whether nothing differs but messages.
pub fn differ_in_words_only(one: &ManagedResourceStatus, other: &ManagedResourceStatus) -> bool {
    let states = |of: &ManagedResourceStatus| {
        let mut states = of.clone();
        for condition in &mut states.conditions {
            condition.message.clear();
        }
        states
    };
    states(one) == states(other)
}

fn standard(summary: &Summary) -> Vec<Told> {
    let of = |kind: &str, status| Told {
        kind: kind.to_owned(),
        status,
        reason: summary.reason.clone(),
        message: summary.message.clone(),
    };
    match summary.standing {
        Standing::Ready => vec![of("Ready", ConditionStatus::True)],
        Standing::Reconciling => {
            vec![
                of("Ready", ConditionStatus::False),
                of("Reconciling", ConditionStatus::True),
            ]
        }
        Standing::Stalled => vec![
            of("Ready", ConditionStatus::False),
            of("Stalled", ConditionStatus::True),
        ],
    }
}

/// A condition as the API server takes it. Its time changes only with its status.
pub fn condition(told: Told, generation: i64, previous: &[Condition], now: Timestamp) -> Condition {
    let status = told.status.word();
    let unchanged = previous
        .iter()
        .find(|known| known.type_ == told.kind && known.status == status);
    Condition {
        last_transition_time: unchanged.map_or(Time(now), |known| known.last_transition_time.clone()),
        type_: told.kind,
        status: status.to_owned(),
        reason: if told.reason.is_empty() {
            "Unspecified".to_owned()
        } else {
            told.reason
        },
        message: shown(told.message),
        observed_generation: Some(generation),
    }
}

fn shown(message: String) -> String {
    const MARK: &str = " …";
    if message.len() <= SHOWN_MESSAGE {
        return message;
    }
    format!("{}{MARK}", cut(&message, SHOWN_MESSAGE - MARK.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(standing: Standing) -> Summary {
        Summary {
            status: "X".into(),
            standing,
            reason: "Why".into(),
            message: "so".into(),
            conditions: Vec::new(),
        }
    }

    fn kinds(status: &ManagedResourceStatus) -> Vec<(&str, &str)> {
        status
            .conditions
            .iter()
            .map(|c| (c.type_.as_str(), c.status.as_str()))
            .collect()
    }

    #[test]
    fn reconciling_and_stalled_are_there_only_while_true() {
        let of = |standing| status(&summary(standing), 1, &[], Timestamp::UNIX_EPOCH);
        assert_eq!(kinds(&of(Standing::Ready)), [("Ready", "True")]);
        assert_eq!(
            kinds(&of(Standing::Reconciling)),
            [("Ready", "False"), ("Reconciling", "True")]
        );
        assert_eq!(
            kinds(&of(Standing::Stalled)),
            [("Ready", "False"), ("Stalled", "True")]
        );
    }

    #[test]
    fn the_time_of_a_condition_changes_only_with_its_status() {
        let first = status(&summary(Standing::Ready), 1, &[], Timestamp::UNIX_EPOCH);
        let later = Timestamp::from_second(1_000).unwrap();
        let same = status(&summary(Standing::Ready), 2, &first.conditions, later);
        assert_eq!(same.conditions[0].last_transition_time.0, Timestamp::UNIX_EPOCH);
        let other = status(&summary(Standing::Stalled), 2, &first.conditions, later);
        assert_eq!(other.conditions[0].last_transition_time.0, later);
    }

    #[test]
    fn another_message_is_a_difference_in_words_only_and_another_reason_is_not() {
        let first = summary(Standing::Stalled);
        let of = |summary: &Summary| status(summary, 1, &[], Timestamp::UNIX_EPOCH);
        let message = Summary {
            message: "so (and 1 more trigger)".into(),
            ..first.clone()
        };
        assert!(differ_in_words_only(&of(&first), &of(&message)));
        let reason = Summary {
            reason: "Other".into(),
            ..first.clone()
        };
        let word = Summary {
            status: "Y".into(),
            ..first.clone()
        };
        for other in [reason, word, summary(Standing::Reconciling)] {
            assert!(!differ_in_words_only(&of(&first), &of(&other)), "{other:?}");
        }
    }

    #[test]
    fn long_messages_are_cut_on_a_character_boundary() {
        let long = shown("ä".repeat(SHOWN_MESSAGE));
        assert!(long.len() <= SHOWN_MESSAGE && long.ends_with('…'));
    }
}
