//! How long a key waits after it failed.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

/// Exponential back-off: `base` after the first failure, twice as much after each further one, never above `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackOff {
    /// The wait after the first failure.
    pub base: Duration,
    /// The longest wait.
    pub max: Duration,
    /// The share of a wait, from 0 to 1, that chance may take off: failures that came together part.
    pub jitter: f64,
}

impl Default for BackOff {
    /// client-go's: 5 ms to 16 minutes 40 seconds; up to a tenth is taken off.
    fn default() -> Self {
        Self {
            base: Duration::from_millis(5),
            max: Duration::from_secs(1000),
            jitter: 0.1,
        }
    }
}

impl BackOff {
    /// The wait after `failures` failures in a row (0 counts as 1); `chance` is from 0 to 1.
    pub fn delay(&self, failures: u32, chance: f64) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        let full = self.base.saturating_mul(1 << doublings).min(self.max);
        full.mul_f64(1.0 - self.jitter.clamp(0.0, 1.0) * chance.clamp(0.0, 1.0))
    }
}

/// A stream of numbers from 0 to 1 that spreads retries; not fit for anything secret.
#[derive(Debug)]
pub(super) struct Chance(u64);

impl Default for Chance {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0_u8))
    }
}

impl Chance {
    /// The same numbers each time.
    #[cfg(test)]
    pub(super) fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number: SplitMix64, its upper 53 bits.
    pub(super) fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_from_the_base_to_the_maximum() {
        let waits: Vec<_> = [1, 2, 3, 4, 18, 19, u32::MAX]
            .map(|failures| BackOff::default().delay(failures, 0.0).as_millis())
            .into();
        assert_eq!(waits, [5, 10, 20, 40, 655_360, 1_000_000, 1_000_000]);
    }

    #[test]
    fn jitter_only_shortens_and_by_no_more_than_its_share() {
        let back_off = BackOff::default();
        let mut chance = Chance::default();
        let mut seen = Vec::new();
        for _ in 0..1000 {
            let wait = back_off.delay(30, chance.draw());
            assert!(wait <= Duration::from_secs(1000) && wait >= Duration::from_secs(900));
            seen.push(wait);
        }
        seen.dedup();
        assert!(seen.len() > 900);
    }
}
