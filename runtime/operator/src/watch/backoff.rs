//! How long to wait before the next try.
//!
//! Owns doubling, ceilings and jitter: thousands of watches lose one connection together and must not come back
//! together.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

const FIRST: Duration = Duration::from_millis(200);

#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// The time to wait after one more failure: up to `ceiling`, but not less than the server asks for.
    pub(super) fn next(&mut self, ceiling: Duration, asked: Option<Duration>) -> Duration {
        let doubled = FIRST.saturating_mul(2u32.saturating_pow(self.failures.min(16)));
        self.failures += 1;
        let own = doubled.min(ceiling).mul_f64(between(0.5, 1.0));
        asked.map_or(own, |asked| own.max(asked.mul_f64(between(1.0, 1.25))))
    }

    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }

    pub(super) fn failures(&self) -> u32 {
        self.failures
    }
}

/// A random number. Every `RandomState` has another key.
pub(super) fn between(low: f64, high: f64) -> f64 {
    let random = RandomState::new().hash_one(0u8) >> 11;
    #[expect(clippy::cast_precision_loss, reason = "both numbers have 53 bits at most")]
    let unit = random as f64 / (1u64 << 53) as f64;
    low + (high - low) * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_the_ceiling_and_start_again() {
        let mut backoff = Backoff::default();
        let ceiling = Duration::from_secs(30);
        assert!(backoff.next(ceiling, None) <= FIRST);
        for _ in 0..20 {
            assert!(backoff.next(ceiling, None) <= ceiling);
        }
        assert!(backoff.next(ceiling, None) >= ceiling / 2);
        backoff.reset();
        assert!(backoff.next(ceiling, None) <= FIRST);
    }

    #[test]
    fn the_server_is_given_the_time_it_asks_for() {
        let asked = Duration::from_secs(40);
        let wait = Backoff::default().next(Duration::from_secs(30), Some(asked));
        assert!(wait >= asked && wait <= asked.mul_f64(1.25));
    }

    #[test]
    fn jitter_differs_from_call_to_call() {
        let drawn: Vec<f64> = (0..100).map(|_| between(0.0, 1.0)).collect();
        assert!(drawn.iter().all(|x| (0.0..1.0).contains(x)));
        assert!(drawn.iter().any(|x| *x < 0.5) && drawn.iter().any(|x| *x >= 0.5));
    }
}
