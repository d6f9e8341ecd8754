//! What to write, given what is there.
//!
//! Owns the record of the Lease as it was last seen, and when that was. Sends nothing, waits for nothing.

use std::time::Duration;

use k8s_openapi::{
    api::coordination::v1::{Lease, LeaseSpec},
    apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta},
    jiff::Timestamp,
};
use tokio::time::Instant;

/// One process's part in the election.
#[derive(Debug)]
pub(super) struct Election {
    identity: String,
    /// Of our own Lease.
    duration: Duration,
    observed: Option<Observed>,
}

/// Another one's Lease, and since when it has not changed.
#[derive(Debug)]
struct Observed {
    spec: LeaseSpec,
    since: Instant,
}

/// What is to be done about the Lease.
#[derive(Debug, PartialEq)]
pub(super) enum Move {
    /// To write this, and lead.
    Claim(Box<Lease>),
    /// Another one holds it.
    Wait {
        /// Who.
        holder: String,
    },
}

impl Election {
    pub(super) fn new(identity: String, duration: Duration) -> Self {
        Self {
            identity,
            duration,
            observed: None,
        }
    }

    pub(super) fn identity(&self) -> &str {
        &self.identity
    }

    /// What to do about what was found at `now`. `clock` is what the time is said to be: for people.
    pub(super) fn next(&mut self, found: Option<Lease>, now: Instant, clock: Timestamp) -> Move {
        if let Some(lease) = &found {
            self.observe(lease.spec.clone().unwrap_or_default(), now);
        }
        match &self.observed {
            Some(observed) if self.is_held(observed, now) => Move::Wait {
                holder: observed.holder().to_owned(),
            },
            _ => Move::Claim(Box::new(self.held(found, clock))),
        }
    }

    /// Whether the Lease is another one's. One that was deleted is so until its time is over: its holder may not know yet.
    fn is_held(&self, observed: &Observed, now: Instant) -> bool {
        let holder = observed.holder();
        !holder.is_empty()
            && holder != self.identity
            && now < observed.since + observed.duration(self.duration)
    }

    fn observe(&mut self, spec: LeaseSpec, now: Instant) {
        if self
            .observed
            .as_ref()
            .is_none_or(|observed| observed.spec != spec)
        {
            self.observed = Some(Observed { spec, since: now });
        }
    }

    /// The Lease in our hands. What others have put into its metadata stays.
    pub(super) fn held(&self, found: Option<Lease>, clock: Timestamp) -> Lease {
        let Lease { metadata, spec } = found.unwrap_or_default();
        let now = Some(MicroTime(clock));
        let ours = spec
            .as_ref()
            .filter(|spec| spec.holder_identity.as_deref() == Some(&self.identity));
        let (acquired, transitions) = match (ours, &spec) {
            (Some(ours), _) => (ours.acquire_time.clone(), ours.lease_transitions),
            (None, Some(before)) => (
                now.clone(),
                Some(before.lease_transitions.unwrap_or(0).saturating_add(1)),
            ),
            (None, None) => (now.clone(), Some(0)),
        };
        let seconds = i32::try_from(self.duration.as_secs()).unwrap_or(i32::MAX);
        let spec = LeaseSpec {
            holder_identity: Some(self.identity.clone()),
            lease_duration_seconds: Some(seconds),
            acquire_time: acquired,
            renew_time: now,
            lease_transitions: transitions,
            ..spec.unwrap_or_default()
        };
        Lease {
            metadata,
            spec: Some(spec),
        }
    }

    /// The Lease as nobody's; none if it is not ours to give back.
    pub(super) fn released(&self, found: Option<Lease>, clock: Timestamp) -> Option<Lease> {
        let Lease { metadata, spec } = found?;
        let spec = spec.filter(|spec| spec.holder_identity.as_deref() == Some(&self.identity))?;
        let now = Some(MicroTime(clock));
        let spec = LeaseSpec {
            holder_identity: Some(String::new()),
            lease_duration_seconds: Some(1),
            acquire_time: now.clone(),
            renew_time: now,
            ..spec
        };
        Some(Lease {
            metadata,
            spec: Some(spec),
        })
    }
}

impl Observed {
    fn holder(&self) -> &str {
        self.spec.holder_identity.as_deref().unwrap_or_default()
    }

    /// What its holder has promised to keep to; ours if it has not said.
    fn duration(&self, ours: Duration) -> Duration {
        let seconds = self
            .spec
            .lease_duration_seconds
            .and_then(|seconds| u64::try_from(seconds).ok());
        seconds.map_or(ours, Duration::from_secs)
    }
}

/// The metadata of a Lease that is not there yet.
pub(super) fn unborn(namespace: &str, name: &str) -> ObjectMeta {
    ObjectMeta {
        namespace: Some(namespace.to_owned()),
        name: Some(name.to_owned()),
        ..ObjectMeta::default()
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const DURATION: Duration = Duration::from_secs(15);
    const SECOND: Duration = Duration::from_secs(1);

    fn election(identity: &str) -> Election {
        Election::new(identity.into(), DURATION)
    }

    /// A Lease as `holder` wrote it when the time was said to be so many seconds.
    fn lease(holder: &str, clock: i64) -> Lease {
        let mut lease = election(holder).held(None, Timestamp::from_second(clock).unwrap());
        lease.metadata.resource_version = Some(clock.to_string());
        lease
    }

    fn next(election: &mut Election, found: Option<Lease>) -> Move {
        election.next(found, Instant::now(), Timestamp::from_second(1_000).unwrap())
    }

    fn waits(election: &mut Election, found: Option<Lease>) -> bool {
        matches!(next(election, found), Move::Wait { .. })
    }

    #[tokio::test(start_paused = true)]
    async fn another_ones_lease_is_taken_once_it_has_not_changed_for_its_duration() {
        let mut other = election("b");
        assert!(waits(&mut other, Some(lease("a", 1))));
        advance(DURATION - SECOND).await;
        assert!(waits(&mut other, Some(lease("a", 2))), "renewed");
        advance(DURATION - SECOND).await;
        assert!(waits(&mut other, Some(lease("a", 2))));
        advance(SECOND).await;
        let Move::Claim(claimed) = next(&mut other, Some(lease("a", 2))) else {
            panic!("it is over")
        };
        let spec = claimed.spec.unwrap();
        assert_eq!(spec.holder_identity.as_deref(), Some("b"));
        assert_eq!(spec.lease_transitions, Some(1));
        assert_eq!(
            claimed.metadata.resource_version.as_deref(),
            Some("2"),
            "the version that was read"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_holders_clock_does_not_matter() {
        for clock in [0, 1_000, 100_000_000] {
            let mut other = election("b");
            assert!(waits(&mut other, Some(lease("a", clock))), "{clock}");
            advance(DURATION).await;
            assert!(!waits(&mut other, Some(lease("a", clock))), "{clock}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_holders_own_duration_counts() {
        let mut other = election("b");
        let mut longer = lease("a", 1);
        longer.spec.as_mut().unwrap().lease_duration_seconds = Some(60);
        assert!(waits(&mut other, Some(longer.clone())));
        advance(4 * DURATION - SECOND).await;
        assert!(waits(&mut other, Some(longer.clone())));
        advance(SECOND).await;
        assert!(!waits(&mut other, Some(longer)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_that_was_given_back_is_taken_at_once() {
        let clock = Timestamp::from_second(2_000).unwrap();
        let given = election("a").released(Some(lease("a", 1)), clock).unwrap();
        let spec = given.spec.clone().unwrap();
        assert_eq!(spec.holder_identity.as_deref(), Some(""));
        assert_eq!(
            (spec.lease_duration_seconds, spec.lease_transitions),
            (Some(1), Some(0))
        );
        assert!(!waits(&mut election("b"), Some(given)));
        assert_eq!(election("b").released(Some(lease("a", 1)), clock), None);
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_one_makes_the_lease_and_a_renewal_is_no_transition() {
        let mut one = election("a");
        let Move::Claim(first) = next(&mut one, None) else {
            panic!("there is none")
        };
        let later = Timestamp::from_second(3_000).unwrap();
        let renewed = one.held(Some(*first.clone()), later).spec.unwrap();
        let first = first.spec.unwrap();
        assert_eq!(
            (first.lease_transitions, renewed.lease_transitions),
            (Some(0), Some(0))
        );
        assert_eq!(first.acquire_time, renewed.acquire_time);
        assert_ne!(first.renew_time, renewed.renew_time);
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_that_was_deleted_is_its_holders_until_its_time_is_over() {
        let mut other = election("b");
        assert!(waits(&mut other, Some(lease("a", 1))));
        advance(DURATION - SECOND).await;
        assert!(waits(&mut other, None));
        advance(SECOND).await;
        assert!(!waits(&mut other, None));
    }

    #[test]
    fn what_others_have_put_into_the_lease_stays() {
        let mut found = lease("a", 1);
        found.metadata.labels = Some([("team".to_owned(), "x".to_owned())].into());
        found.spec.as_mut().unwrap().strategy = Some("OldestEmulationVersion".into());
        let held = election("b").held(Some(found.clone()), Timestamp::UNIX_EPOCH);
        assert_eq!(held.metadata, found.metadata);
        assert_eq!(held.spec.unwrap().strategy, found.spec.unwrap().strategy);
    }
}
