//! From the cluster's ManagedResources to running instances.
//!
//! Owns which instances run: one for each ManagedResource that exists and is not being deleted, each with a task of its
//! own. A version that differs in nothing but status, managedFields or resourceVersion is not passed on.

use std::{collections::HashMap, sync::Arc};

use espejote_api::ManagedResource;
use espejote_core::{Object, ObjectId};
use tokio::{
    sync::watch,
    task::{Id, JoinError, JoinSet},
};
use tokio_util::sync::CancellationToken;

use crate::{
    cache::{Reader, Subscription},
    environment::Environment,
    instance::Instance,
};

/// Namespace and name.
type Key = (String, String);

/// Starts, updates and ends instances.
pub struct ManagedResources {
    environment: Arc<Environment>,
    watched: Reader,
    running: HashMap<Key, Running>,
    tasks: JoinSet<()>,
    names: HashMap<Id, Key>,
}

struct Running {
    uid: String,
    task: Id,
    versions: watch::Sender<Arc<ManagedResource>>,
    cancel: CancellationToken,
}

impl ManagedResources {
    /// `watched` holds the ManagedResources of all namespaces.
    pub fn new(environment: Arc<Environment>, watched: Reader) -> Self {
        Self {
            environment,
            watched,
            running: HashMap::new(),
            tasks: JoinSet::new(),
            names: HashMap::new(),
        }
    }

    /// Runs until cancelled, then lets every instance finish what it is at.
    pub async fn run(mut self, mut changes: Subscription, cancel: CancellationToken) {
        loop {
            tokio::select! {
                () = cancel.cancelled() => break,
                batch = changes.next() => batch.iter().for_each(|change| self.sync(&change.id)),
                Some(ended) = self.tasks.join_next_with_id() => self.ended(ended),
            }
        }
        self.running.values().for_each(|running| running.cancel.cancel());
        while self.tasks.join_next().await.is_some() {}
    }

    fn sync(&mut self, id: &ObjectId) {
        let key = (id.namespace.clone(), id.name.clone());
        match self.find(id) {
            Some(resource) => {
                let status = resource
                    .status
                    .as_ref()
                    .map_or("", |status| status.status.as_str());
                self.environment
                    .metrics
                    .managed_resource(&id.namespace, &id.name)
                    .status(status);
                self.update(key, resource);
            }
            None => self.stop(&key),
        }
    }

    /// The version that is to run now.
    fn find(&self, id: &ObjectId) -> Option<ManagedResource> {
        let objects = self.watched.read().collection;
        parse(objects.object(&id.namespace, &id.name)?)
            .filter(|resource| resource.metadata.deletion_timestamp.is_none())
    }

    fn update(&mut self, key: Key, resource: ManagedResource) {
        let uid = resource.metadata.uid.clone().unwrap_or_default();
        match self.running.get(&key) {
            Some(running) if running.uid == uid => {
                running.versions.send_if_modified(|current| {
                    let changed = differs(current, &resource);
                    if changed {
                        *current = Arc::new(resource);
                    }
                    changed
                });
            }
            other => {
                if let Some(predecessor) = other {
                    predecessor.cancel.cancel();
                }
                self.start(key, uid, resource);
            }
        }
    }

    fn start(&mut self, key: Key, uid: String, resource: ManagedResource) {
        let (versions, current) = watch::channel(Arc::new(resource));
        let cancel = CancellationToken::new();
        let instance = Instance::new(self.environment.clone(), current, cancel.clone());
        let task = self.tasks.spawn(instance.run()).id();
        self.names.insert(task, key.clone());
        self.running.insert(
            key,
            Running {
                uid,
                task,
                versions,
                cancel,
            },
        );
    }

    fn stop(&mut self, key: &Key) {
        if let Some(running) = self.running.remove(key) {
            running.cancel.cancel();
        } else {
            self.environment.metrics.forget(&key.0, &key.1);
        }
    }

    /// An instance that ended by itself has met a bug: it starts anew, and its neighbours go on.
    fn ended(&mut self, ended: Result<(Id, ()), JoinError>) {
        let task = ended.as_ref().map_or_else(JoinError::id, |(task, ())| *task);
        let Some(key) = self.names.remove(&task) else {
            return;
        };
        let current = self.running.get(&key).is_some_and(|running| running.task == task);
        if let Err(error) = &ended {
            tracing::error!(namespace = key.0, name = key.1, %error, "instance ended");
        }
        if current {
            self.restart(key);
        } else if !self.running.contains_key(&key) {
            self.environment.metrics.forget(&key.0, &key.1);
        }
    }

    fn restart(&mut self, key: Key) {
        if let Some(running) = self.running.remove(&key) {
            let resource = running.versions.borrow().as_ref().clone();
            self.start(key, running.uid, resource);
        }
    }
}

/// Whether a new version means anything to the instance.
fn differs(old: &ManagedResource, new: &ManagedResource) -> bool {
    let (before, after) = (&old.metadata, &new.metadata);
    old.spec != new.spec
        || before.generation != after.generation
        || before.labels != after.labels
        || before.annotations != after.annotations
}

fn parse(object: &Object) -> Option<ManagedResource> {
    match serde_json::from_str(object.json()) {
        Ok(resource) => Some(resource),
        Err(error) => {
            let (namespace, name) = object.key();
            tracing::error!(namespace, name, %error, "ManagedResource cannot be read");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(json: &str) -> ManagedResource {
        serde_json::from_str(json).unwrap()
    }

    /// T16: writing a status starts nothing; labels and annotations do.
    #[test]
    fn t16_a_change_of_status_is_no_change_and_one_of_labels_is() {
        let old = resource(r#"{"metadata":{"name":"a","resourceVersion":"1"},"spec":{"template":"1"}}"#);
        let status = resource(
            r#"{"metadata":{"name":"a","resourceVersion":"2"},"spec":{"template":"1"},"status":{"status":"Ready"}}"#,
        );
        assert!(!differs(&old, &status));
        let labels = resource(r#"{"metadata":{"name":"a","labels":{"x":"y"}},"spec":{"template":"1"}}"#);
        assert!(differs(&old, &labels));
        let spec = resource(r#"{"metadata":{"name":"a"},"spec":{"template":"2"}}"#);
        assert!(differs(&old, &spec));
    }
}
