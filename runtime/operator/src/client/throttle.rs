//! How many requests are sent in a second.
//!
//! Owns the token buckets: one for each identity, one for the process. They keep an API server from being flooded by
//! logic that runs wild; its own priority and fairness does the rest. Watches are not counted: they are opened seldom.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep_until};

/// How many requests may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// In each second, on average.
    pub per_second: u32,
    /// At once, after a time without any.
    pub burst: u32,
}

impl Rate {
    /// For one identity, if nothing else is said.
    pub const OF_AN_IDENTITY: Self = Self {
        per_second: 1_000,
        burst: 2_000,
    };

    /// For the whole process: room for two identities at their limit.
    #[must_use]
    pub const fn of_the_process(self) -> Self {
        Self {
            per_second: self.per_second.saturating_mul(2),
            burst: self.burst.saturating_mul(2),
        }
    }
}

/// A token bucket. Whoever finds it empty waits for a turn, in order.
#[derive(Debug)]
pub struct Bucket {
    /// The time that one request takes up.
    each: Duration,
    /// How far ahead requests may be.
    ahead: Duration,
    /// When all that was asked for so far is paid off.
    paid: Mutex<Option<Instant>>,
}

impl Bucket {
    /// A full bucket.
    pub fn new(rate: Rate) -> Self {
        let each = Duration::from_secs(1) / rate.per_second.max(1);
        Self {
            each,
            ahead: each * rate.burst.max(1),
            paid: Mutex::default(),
        }
    }

    /// Takes one turn. It comes at the given time, which may be over.
    fn take(&self, now: Instant) -> Instant {
        let mut paid = self.paid.lock().unwrap_or_else(PoisonError::into_inner);
        let next = paid.map_or(now, |paid| paid.max(now)) + self.each;
        *paid = Some(next);
        next.checked_sub(self.ahead).unwrap_or(now)
    }
}

/// The buckets that one client's requests come out of.
#[derive(Debug, Clone, Default)]
pub struct Throttle {
    buckets: Vec<Arc<Bucket>>,
    waited: Waited,
}

/// The time that requests have waited for their turn, all together. Clones count into the same.
#[derive(Debug, Clone, Default)]
pub struct Waited(Arc<AtomicU64>);

impl Waited {
    /// The time so far.
    pub fn total(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }

    fn add(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.0.fetch_add(micros, Ordering::Relaxed);
    }
}

impl Throttle {
    /// Every request takes a turn of each bucket.
    pub fn new(buckets: Vec<Arc<Bucket>>, waited: Waited) -> Self {
        Self { buckets, waited }
    }

    /// Waits for the turn of one request.
    ///
    /// Dropping the future gives no turn back: who gives up pays all the same.
    pub(super) async fn turn(&self) {
        let now = Instant::now();
        let turn = self.buckets.iter().map(|bucket| bucket.take(now)).max();
        let Some(turn) = turn.filter(|turn| *turn > now) else {
            return;
        };
        self.waited.add(turn - now);
        sleep_until(turn).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throttle(rates: &[Rate]) -> Throttle {
        let buckets = rates.iter().map(|rate| Arc::new(Bucket::new(*rate)));
        Throttle::new(buckets.collect(), Waited::default())
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_goes_at_once_and_what_follows_at_the_rate() {
        let throttle = throttle(&[Rate {
            per_second: 10,
            burst: 5,
        }]);
        let began = Instant::now();
        for _ in 0..5 {
            throttle.turn().await;
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
        for _ in 0..10 {
            throttle.turn().await;
        }
        assert_eq!(began.elapsed(), Duration::from_secs(1));
        assert_eq!(throttle.waited.total(), Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn an_identity_at_its_limit_leaves_room_for_others() {
        let one = Rate {
            per_second: 10,
            burst: 1,
        };
        let process = Arc::new(Bucket::new(one.of_the_process()));
        let of = || {
            let own = Arc::new(Bucket::new(one));
            Throttle::new(vec![own, process.clone()], Waited::default())
        };
        let (flooding, calm) = (of(), of());
        for _ in 0..20 {
            flooding.turn().await;
        }
        let began = Instant::now();
        calm.turn().await;
        assert_eq!(began.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_bucket_nothing_waits() {
        let throttle = Throttle::default();
        let began = Instant::now();
        for _ in 0..10_000 {
            throttle.turn().await;
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
