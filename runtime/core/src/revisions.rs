//! Where revisions come from.
//!
//! Owns that no two contents of this process get the same revision, and that a guest cannot read from a revision how
//! busy the cluster is: they are a count, permuted by a key that is drawn at the first use. They have 53 bits, so that they
//! survive in languages whose numbers are doubles.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::snapshot::Revision;

static COUNT: AtomicU64 = AtomicU64::new(0);
static KEY: OnceLock<[u64; 2]> = OnceLock::new();

impl Revision {
    /// A revision that nothing in this process has had before.
    pub fn fresh() -> Self {
        let key = *KEY.get_or_init(|| {
            let random = RandomState::new();
            [random.hash_one(0), random.hash_one(1)]
        });
        Self(permute(COUNT.fetch_add(1, Ordering::Relaxed), key))
    }
}

/// What is used of a number.
const BITS: u64 = (1 << 53) - 1;

/// Every step can be undone within so many bits, so different counts give different revisions: the factors are odd.
fn permute(count: u64, [first, second]: [u64; 2]) -> u64 {
    let mut mixed = (count ^ first) & BITS;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9) & BITS;
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) & BITS;
    (mixed ^ (mixed >> 31) ^ second) & BITS
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_revision_comes_twice() {
        let drawn: HashSet<u64> = (0..100_000).map(|_| Revision::fresh().0).collect();
        assert_eq!(drawn.len(), 100_000);
    }

    #[test]
    fn revisions_are_exact_in_a_double() {
        for _ in 0..1_000 {
            let revision = Revision::fresh().0;
            assert_eq!(revision as f64 as u64, revision);
        }
    }

    #[test]
    fn revisions_depend_on_the_key() {
        assert_ne!(permute(1, [1, 2]), permute(1, [3, 2]));
        assert_ne!(permute(1, [1, 2]).wrapping_add(1), permute(2, [1, 2]));
    }
}
