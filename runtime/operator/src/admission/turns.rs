//! Whose turn it is: a bound on the calls at a time, and on the large changes that are worked out.
//!
//! Owns that no tenant keeps the others waiting: turns are given by namespace, and ClusterAdmissions together count as one. They
//! are apart from the turns of reconciles.

use espejote_core::Reason;
use espejote_engine::{FairQueue, Turn};
use tokio::time::{Instant, timeout_at};

use super::definition::Definition;
use crate::failure::Failure;

/// Requests that are decided at a time.
const ALL: usize = 16;
/// Of those, the most of one tenant.
const OF_TENANT: usize = 4;
/// A change is large from so many bytes on, the object and what is to become of it together.
const LARGE: usize = 256 << 10;
/// Large changes that are worked out at a time, one of a tenant: each may take some dozen times its size of memory.
const LARGE_AT_A_TIME: usize = 2;

/// Gives turns.
#[derive(Debug)]
pub(super) struct Turns {
    calls: FairQueue,
    large: FairQueue,
}

impl Default for Turns {
    fn default() -> Self {
        Self {
            calls: FairQueue::new(OF_TENANT, ALL),
            large: FairQueue::new(1, LARGE_AT_A_TIME),
        }
    }
}

impl Turns {
    /// Waits for the turn of a call.
    pub(super) async fn call(&self, of: &Definition, until: Instant) -> Result<Turn, Failure> {
        let turn = timeout_at(until, self.calls.turn(tenant(of))).await;
        turn.map_err(|_| late("there was no turn for it: others take long"))
    }

    /// Waits for leave to work out a change of so many bytes; a small one needs none.
    pub(super) async fn change(
        &self,
        of: &Definition,
        bytes: usize,
        until: Instant,
    ) -> Result<Option<Turn>, Failure> {
        if bytes < LARGE {
            return Ok(None);
        }
        let turn = timeout_at(until, self.large.turn(tenant(of))).await;
        turn.map(Some).map_err(|_| late("others change large objects"))
    }
}

fn tenant(definition: &Definition) -> &str {
    &definition.id.namespace
}

/// There is no decision for want of time.
pub(super) fn late(what: &str) -> Failure {
    let message = format!("no decision within the time that the API server gives: {what}");
    Failure::new(Reason::LimitExceeded, message)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use espejote_api::{Admission, ClusterAdmission};
    use serde_json::json;

    use super::*;
    use crate::admission::definition::Kind;

    fn admission(namespace: &str, name: usize) -> Definition {
        let object = json!({"metadata": {"name": name.to_string(), "namespace": namespace}, "spec": {}});
        serde_json::from_value::<Admission>(object).unwrap().definition()
    }

    fn cluster_admission(name: usize) -> Definition {
        let object = json!({"metadata": {"name": name.to_string()}, "spec": {}});
        serde_json::from_value::<ClusterAdmission>(object)
            .unwrap()
            .definition()
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(1)
    }

    #[tokio::test(start_paused = true)]
    async fn a_tenant_with_many_admissions_leaves_turns_to_others() {
        let turns = Turns::default();
        let mut held = Vec::new();
        for name in 0..OF_TENANT {
            held.push(turns.call(&admission("greedy", name), soon()).await.unwrap());
            held.push(turns.call(&cluster_admission(name), soon()).await.unwrap());
        }
        let refused = [
            turns
                .call(&admission("greedy", OF_TENANT), soon())
                .await
                .unwrap_err(),
            turns
                .call(&cluster_admission(OF_TENANT), soon())
                .await
                .unwrap_err(),
        ];
        assert!(
            refused
                .iter()
                .all(|failure| failure.message.contains("there was no turn"))
        );
        assert!(turns.call(&admission("other", 0), soon()).await.is_ok());
        held.clear();
        assert!(turns.call(&admission("greedy", OF_TENANT), soon()).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn large_changes_are_worked_out_one_of_a_tenant() {
        let turns = Turns::default();
        let (one, other) = (admission("one", 0), admission("other", 0));
        let held = turns.change(&one, LARGE, soon()).await.unwrap();
        assert!(held.is_some());
        assert!(turns.change(&one, LARGE, soon()).await.is_err());
        assert!(turns.change(&one, LARGE - 1, soon()).await.unwrap().is_none());
        assert!(turns.change(&other, LARGE, soon()).await.unwrap().is_some());
    }
}
