//! Entries of `context` that are computed when a call asks for them.
//!
//! Owns what the one who computes gets to see. How it is computed is the business of whoever implements [`Compute`].

use std::{fmt, pin::Pin, sync::Arc, time::Duration};

use crate::{invocation::Invocation, snapshot::Unavailable};

/// A value that is being computed: a JSON text.
pub type Computing = Pin<Box<dyn Future<Output = Result<Arc<str>, Unavailable>> + Send>>;

/// Computes one entry of `context`.
pub trait Compute: fmt::Debug + Send + Sync {
    /// Starts computing the value for one call, within the time on the wall that this call has left.
    ///
    /// Asked at most once for a call. What it returns may be dropped at any time, and then nothing of it goes on.
    fn compute(&self, caller: &Invocation, wall: Duration) -> Computing;
}

impl Invocation {
    /// What the one who computes the entry `name` of this call sees: its own config, no trigger, and the contexts that hold
    /// objects but not the computed ones, so that nobody waits for each other. The rest is as it was.
    pub fn for_provider(&self, name: &str, config: Arc<str>) -> Self {
        Self {
            owner: self.owner.clone(),
            config,
            trigger: crate::Trigger::default(),
            snapshot: self.snapshot.without_computed(),
            libraries: self.libraries.clone(),
            clock: self.clock,
            seed: name.bytes().fold(self.seed, mix),
        }
    }
}

/// One step of FNV-1a: each entry gets random numbers of its own, the same for the same call.
fn mix(seed: u64, byte: u8) -> u64 {
    (seed ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, ContextValue, Libraries, ObjectId, Owner, Revision, Snapshot};

    fn caller() -> Invocation {
        let context = |name: &str, value| Context {
            name: name.into(),
            value,
        };
        let objects = Arc::new(crate::Collection::new(Vec::new(), Revision(1)));
        Invocation {
            owner: Owner {
                id: ObjectId::default(),
                uid: "u".into(),
            },
            config: "1".into(),
            trigger: crate::Trigger {
                name: Some("t".into()),
                ..Default::default()
            },
            snapshot: Snapshot {
                contexts: vec![
                    context("computed", ContextValue::Provided(Ok("2".into()))),
                    context("objects", ContextValue::Objects(Ok(objects))),
                ],
            },
            libraries: Libraries::default(),
            clock: 7,
            seed: 42,
        }
    }

    #[test]
    fn a_provider_sees_objects_and_its_own_config_and_nothing_computed() {
        let seen = caller().for_provider("a", "3".into());
        assert_eq!((&*seen.config, seen.clock, seen.trigger.name), ("3", 7, None));
        assert_eq!(seen.snapshot.object_names(), ["objects"]);
        assert!(seen.snapshot.provided_names().is_empty());
    }

    #[test]
    fn each_entry_has_a_seed_of_its_own_and_always_the_same() {
        let seed = |name| caller().for_provider(name, "1".into()).seed;
        assert_eq!(seed("a"), seed("a"));
        assert!(seed("a") != seed("b") && seed("a") != caller().seed);
    }
}
