//! Token buckets.

use std::time::Duration;

use tokio::time::Instant;

/// So many at once, then one more each `every`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How many may come at once.
    pub burst: u32,
    /// How long it takes until one more may.
    pub every: Duration,
}

/// A bucket that is full at first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    rate: Rate,
    /// When the bucket would be full if nothing more were taken.
    full_at: Instant,
}

impl Bucket {
    pub(super) fn new(rate: Rate, now: Instant) -> Self {
        Self { rate, full_at: now }
    }

    /// Takes a token, if there is one.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let full_at = self.full_at.max(now) + self.rate.every;
        let taken = full_at.duration_since(now) <= self.rate.every * self.rate.burst;
        if taken {
            self.full_at = full_at;
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    #[tokio::test(start_paused = true)]
    async fn a_bucket_gives_its_burst_and_then_one_each_period() {
        let rate = Rate {
            burst: 2,
            every: Duration::from_secs(10),
        };
        let mut bucket = Bucket::new(rate, Instant::now());
        let mut taken = |count: usize| (0..count).filter(|_| bucket.take(Instant::now())).count();
        assert_eq!(taken(5), 2);
        advance(Duration::from_secs(9)).await;
        assert_eq!(taken(5), 0);
        advance(Duration::from_secs(1)).await;
        assert_eq!(taken(5), 1);
        advance(Duration::from_secs(1000)).await;
        assert_eq!(taken(5), 2);
    }
}
