//! The Admissions and ClusterAdmissions of the cluster, as they were last seen.

use std::sync::Arc;

use espejote_api::{Admission, ClusterAdmission};
use espejote_core::{Collection, Object, Unavailable};
use tokio::sync::watch;

use super::definition::{self, Definition, Key, Kind};
use crate::cache::Reader;

/// Reads both kinds.
#[derive(Clone, Debug)]
pub struct Sources {
    namespaced: Reader,
    cluster: Reader,
}

impl Sources {
    /// `namespaced` holds all Admissions, `cluster` all ClusterAdmissions.
    pub fn new(namespaced: Reader, cluster: Reader) -> Self {
        Self { namespaced, cluster }
    }

    /// All of them: those with a namespace by namespace and name, then the others by name. What cannot be read is left
    /// out; an error if it is not known what there is.
    pub fn all(&self) -> Result<Vec<Definition>, Unavailable> {
        let mut all = read_all::<Admission>(&self.namespaced.read().available()?);
        all.extend(read_all::<ClusterAdmission>(&self.cluster.read().available()?));
        Ok(all)
    }

    /// One of them; none if it was not seen.
    pub fn find(&self, key: &Key) -> Result<Option<Definition>, Unavailable> {
        let collection = self.of(key).read().available()?;
        let object = collection.object(&key.0, &key.1);
        let read = if key.0.is_empty() {
            object.map(readable::<ClusterAdmission>)
        } else {
            object.map(readable::<Admission>)
        };
        Ok(read.flatten())
    }

    /// Whether it is known that there is no such object any more.
    pub fn is_gone(&self, key: &Key) -> bool {
        let seen = self.of(key).read().available();
        seen.is_ok_and(|collection| collection.object(&key.0, &key.1).is_none())
    }

    /// Change whenever one of either kind does.
    pub fn versions(&self) -> [watch::Receiver<u64>; 2] {
        [self.namespaced.versions(), self.cluster.versions()]
    }

    /// Both have been filled.
    pub async fn synced(&self) {
        for reader in [&self.namespaced, &self.cluster] {
            let mut states = reader.states();
            // A watch that is no more is told of by whoever reads it.
            let _ = states.wait_for(|state| state.is_synced()).await;
        }
    }

    fn of(&self, key: &Key) -> &Reader {
        if key.0.is_empty() {
            &self.cluster
        } else {
            &self.namespaced
        }
    }
}

fn read_all<K: Kind>(collection: &Arc<Collection>) -> Vec<Definition> {
    collection.objects().iter().filter_map(readable::<K>).collect()
}

fn readable<K: Kind>(object: &Arc<Object>) -> Option<Definition> {
    match definition::read::<K>(object) {
        Ok(definition) => Some(definition),
        Err(error) => {
            let (namespace, name) = object.key();
            tracing::error!(kind = %K::kind(&()), namespace, name, %error, "object cannot be read");
            None
        }
    }
}
