//! What is known of the webhooks of the cluster: which are as they should be, and which are not, and why.

use std::collections::BTreeMap;

use super::definition::{Definition, Key};
use crate::failure::Failure;

/// What became of all webhooks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Installed {
    entries: BTreeMap<Key, Entry>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    uid: String,
    generation: i64,
    result: Result<(), Failure>,
}

impl Installed {
    /// What became of the webhook of a definition.
    pub fn record(&mut self, definition: &Definition, result: Result<(), Failure>) {
        let entry = Entry {
            uid: definition.uid.clone(),
            generation: definition.generation,
            result,
        };
        self.entries.insert(definition.key(), entry);
    }

    /// What became of the webhook of this version; none if that is not known yet.
    pub fn of(&self, definition: &Definition) -> Option<Result<(), Failure>> {
        let entry = self.entries.get(&definition.key())?;
        let known = entry.uid == definition.uid && entry.generation >= definition.generation;
        known.then(|| entry.result.clone())
    }
}
