//! Which caches are in use by which ManagedResource, for those who read metrics.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use crate::{
    cache::State,
    metrics::{CacheSize, CacheUse, Observed},
    snapshot::{Input, Inputs},
};

/// Knows the inputs of all running instances. Keeps none of them alive.
#[derive(Debug, Default)]
pub struct InUse {
    inputs: Mutex<HashMap<(String, String), Weak<Inputs>>>,
}

impl InUse {
    /// From now on these are the inputs of a ManagedResource, until they are dropped.
    pub fn set(&self, namespace: &str, name: &str, inputs: &Arc<Inputs>) {
        let mut known = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, inputs| inputs.strong_count() > 0);
        known.insert((namespace.to_owned(), name.to_owned()), Arc::downgrade(inputs));
    }

    fn all(&self) -> Vec<((String, String), Arc<Inputs>)> {
        let known = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .iter()
            .filter_map(|(key, inputs)| Some((key.clone(), inputs.upgrade()?)))
            .collect()
    }
}

impl Observed for InUse {
    fn caches(&self) -> Vec<CacheSize> {
        let sizes = |((namespace, name), inputs): &((String, String), Arc<Inputs>)| {
            let of = |used_as, input| size(namespace, name, used_as, input);
            let contexts = inputs.contexts.iter().map(|input| of(CacheUse::Context, input));
            let triggers = inputs.triggers.iter().map(|input| of(CacheUse::Trigger, input));
            contexts.chain(triggers).collect::<Vec<_>>()
        };
        self.all().iter().flat_map(sizes).collect()
    }

    fn watches(&self) -> Vec<(&'static str, u64)> {
        let mut counts = [("synced", 0), ("stale", 0), ("not_synced", 0)];
        for (_, inputs) in self.all() {
            for (_, input) in inputs.all() {
                let [synced, stale, not_synced] = &mut counts;
                let count = match input.state() {
                    State::Synced => synced,
                    State::Stale { .. } => stale,
                    State::NotSynced(_) => not_synced,
                };
                count.1 += 1;
            }
        }
        counts.to_vec()
    }
}

fn size(namespace: &str, name: &str, used_as: CacheUse, input: &Input) -> CacheSize {
    let size = input.reader.size();
    CacheSize {
        namespace: namespace.to_owned(),
        managed_resource: name.to_owned(),
        used_as,
        name: input.name.to_string(),
        objects: size.objects as u64,
        bytes: size.bytes as u64,
    }
}
