//! How far the newest version of a Plugin has come, as its status tells it.
//!
//! Owns the conditions `Resolved`, `Verified`, `Compiled` and `Ready`.

use std::sync::Arc;

use espejote_api::plugin::{Artifact, PluginStatus};
use espejote_core::{Condition as Told, ConditionStatus, PluginReason};
use k8s_openapi::{apimachinery::pkg::apis::meta::v1::Condition, jiff::Timestamp};

use crate::status::condition;

/// What a version has to go through, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// The artifact is found and is of a known layout.
    Resolved,
    /// Its signatures are those that are asked for.
    Verified,
    /// It is compiled and fits the contract.
    Compiled,
}

impl Stage {
    const ALL: [Self; 3] = [Self::Resolved, Self::Verified, Self::Compiled];

    const fn word(self) -> &'static str {
        match self {
            Self::Resolved => "Resolved",
            Self::Verified => "Verified",
            Self::Compiled => "Compiled",
        }
    }

    /// What is done in it.
    const fn doing(self) -> &'static str {
        match self {
            Self::Resolved => "is looked for in its registry, and pulled",
            Self::Verified => "its signatures are checked",
            Self::Compiled => "is compiled, or waits for its turn",
        }
    }
}

/// Why a version came no further than a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stop {
    /// The stage that it did not pass.
    pub stage: Stage,
    /// Why, for programs.
    pub reason: PluginReason,
    /// Why, for people: what was expected and what to do.
    pub message: Arc<str>,
}

impl Stop {
    pub(super) fn new(stage: Stage, reason: PluginReason, message: impl Into<Arc<str>>) -> Self {
        Self {
            stage,
            reason,
            message: message.into(),
        }
    }
}

/// What there is to tell of a Plugin.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    /// Why the newest version does not run; none: it does, or is on its way.
    pub stop: Option<Stop>,
    /// The stage in which the newest version is, for longer than a moment.
    pub under_way: Option<Stage>,
    /// The version that runs.
    pub artifact: Option<Artifact>,
    /// Whether a signature was asked for.
    pub verified: bool,
}

impl Progress {
    /// The status that tells it. Times of conditions that do not change are kept from `previous`.
    pub(super) fn status(&self, generation: i64, previous: &[Condition], now: Timestamp) -> PluginStatus {
        let stages = Stage::ALL.map(|stage| self.stage(stage));
        let told = stages.into_iter().chain([self.ready()]);
        PluginStatus {
            status: self.word().to_owned(),
            observed_generation: Some(generation),
            conditions: told
                .map(|told| condition(told, generation, previous, now))
                .collect(),
            artifact: self.artifact.clone(),
        }
    }

    fn word(&self) -> &'static str {
        let reason = match (&self.stop, self.under_way) {
            (Some(stop), _) => stop.reason,
            (None, Some(_)) => PluginReason::Pending,
            (None, None) => PluginReason::Registered,
        };
        reason.word()
    }

    /// The stage that is not passed yet.
    fn at(&self) -> Option<Stage> {
        self.stop.as_ref().map(|stop| stop.stage).or(self.under_way)
    }

    fn stage(&self, stage: Stage) -> Told {
        let (status, reason, message) = match (&self.stop, self.at()) {
            (Some(stop), _) if stop.stage == stage => {
                (ConditionStatus::False, stop.reason, stop.message.to_string())
            }
            (_, Some(at)) if at == stage => {
                let message = stage.doing().to_owned();
                (ConditionStatus::Unknown, PluginReason::Pending, message)
            }
            (_, Some(at)) if at < stage => {
                let message = format!("waits for {}", at.word());
                (ConditionStatus::Unknown, PluginReason::Pending, message)
            }
            _ if stage == Stage::Verified && !self.verified => {
                let message = "no signature is asked for, by spec.verify or by the operator".to_owned();
                (ConditionStatus::True, PluginReason::NotRequired, message)
            }
            _ => (ConditionStatus::True, PluginReason::Registered, String::new()),
        };
        Told {
            kind: stage.word().to_owned(),
            status,
            reason: reason.word().to_owned(),
            message,
        }
    }

    fn ready(&self) -> Told {
        let (status, reason, message) = match (&self.stop, &self.artifact) {
            (None, Some(artifact)) => (
                ConditionStatus::True,
                PluginReason::Registered,
                format!("runs {}", artifact.layer_digest),
            ),
            (Some(stop), Some(artifact)) => (
                ConditionStatus::True,
                stop.reason,
                format!(
                    "{} goes on running, since the newest version cannot: {}",
                    artifact.layer_digest, stop.message
                ),
            ),
            (Some(stop), None) => (ConditionStatus::False, stop.reason, stop.message.to_string()),
            (None, None) => (
                ConditionStatus::Unknown,
                PluginReason::Pending,
                self.under_way.unwrap_or(Stage::Resolved).doing().to_owned(),
            ),
        };
        Told {
            kind: "Ready".to_owned(),
            status,
            reason: reason.word().to_owned(),
            message,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(progress: &Progress) -> Vec<(String, String, String)> {
        let status = progress.status(1, &[], Timestamp::UNIX_EPOCH);
        let of = |c: Condition| (c.type_, c.status, c.reason);
        status.conditions.into_iter().map(of).collect()
    }

    fn row(kind: &str, status: &str, reason: &str) -> (String, String, String) {
        (kind.into(), status.into(), reason.into())
    }

    fn artifact() -> Option<Artifact> {
        Some(Artifact {
            layer_digest: "sha256:old".into(),
            ..Artifact::default()
        })
    }

    #[test]
    fn stages_after_the_one_that_failed_are_unknown() {
        let progress = Progress {
            stop: Some(Stop::new(Stage::Verified, PluginReason::NoSignature, "unsigned")),
            ..Progress::default()
        };
        assert_eq!(
            told(&progress),
            [
                row("Resolved", "True", "Registered"),
                row("Verified", "False", "NoSignature"),
                row("Compiled", "Unknown", "Pending"),
                row("Ready", "False", "NoSignature"),
            ]
        );
    }

    #[test]
    fn a_bad_new_version_leaves_the_old_one_ready_and_says_so() {
        let progress = Progress {
            stop: Some(Stop::new(Stage::Compiled, PluginReason::Unfit, "too new")),
            artifact: artifact(),
            ..Progress::default()
        };
        let status = progress.status(1, &[], Timestamp::UNIX_EPOCH);
        assert_eq!(status.status, "Unfit");
        let ready = status.conditions.last().unwrap();
        assert_eq!((ready.status.as_str(), ready.reason.as_str()), ("True", "Unfit"));
        assert_eq!(
            ready.message,
            "sha256:old goes on running, since the newest version cannot: too new"
        );
    }

    #[test]
    fn what_takes_a_while_is_told_and_what_runs_stays_ready() {
        let progress = Progress {
            under_way: Some(Stage::Compiled),
            ..Progress::default()
        };
        assert_eq!(
            told(&progress),
            [
                row("Resolved", "True", "Registered"),
                row("Verified", "True", "NotRequired"),
                row("Compiled", "Unknown", "Pending"),
                row("Ready", "Unknown", "Pending"),
            ]
        );
        let newer = Progress {
            artifact: artifact(),
            ..progress
        };
        assert_eq!(newer.status(1, &[], Timestamp::UNIX_EPOCH).status, "Pending");
        assert_eq!(told(&newer).last().unwrap(), &row("Ready", "True", "Registered"));
    }

    /// P2: what a plugin that runs says.
    #[test]
    fn p2_a_plugin_that_runs_is_registered() {
        let progress = Progress {
            artifact: artifact(),
            ..Progress::default()
        };
        assert_eq!(
            progress.status(1, &[], Timestamp::UNIX_EPOCH).status,
            "Registered"
        );
        assert_eq!(
            told(&progress).last().unwrap(),
            &row("Ready", "True", "Registered")
        );
        assert_eq!(told(&progress)[1], row("Verified", "True", "NotRequired"));
    }
}
