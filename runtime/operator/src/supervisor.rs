//! From the objects of a kind to running tasks.
//!
//! Owns which tasks run: one for each object that exists and is not being deleted. A version that means nothing to its
//! task is not passed on. Knows no kind: what a task does is up to its [`Keeper`].

use std::{collections::HashMap, future::Future, sync::Arc};

use espejote_core::{Object, ObjectId};
use kube::{Resource, ResourceExt};
use serde::de::DeserializeOwned;
use tokio::{
    sync::watch,
    task::{Id, JoinError, JoinSet},
};
use tokio_util::sync::CancellationToken;

use crate::cache::{Reader, Subscription};

/// Namespace and name.
type Key = (String, String);

/// What is done for each object of a kind.
pub trait Keeper: Send + 'static {
    /// The kind.
    type Resource: Resource<DynamicType = ()> + DeserializeOwned + Clone + Send + Sync + 'static;

    /// The task of one object. `versions` holds it and gives each new version. Runs until cancelled, and lets what is
    /// under way finish.
    fn task(
        &self,
        versions: watch::Receiver<Arc<Self::Resource>>,
        cancel: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static;

    /// Whether a new version means anything to the task.
    fn differs(old: &Self::Resource, new: &Self::Resource) -> bool;

    /// A version was seen, whether it means anything or not.
    fn seen(&self, _version: &Self::Resource) {}

    /// The object is gone, and its task has ended.
    fn gone(&self, _namespace: &str, _name: &str) {}
}

/// Starts, updates and ends tasks.
pub struct Supervisor<K: Keeper> {
    keeper: K,
    watched: Reader,
    running: HashMap<Key, Running<K::Resource>>,
    tasks: JoinSet<()>,
    names: HashMap<Id, Key>,
}

struct Running<R> {
    uid: String,
    task: Id,
    versions: watch::Sender<Arc<R>>,
    cancel: CancellationToken,
}

impl<K: Keeper> Supervisor<K> {
    /// `watched` holds the objects of all namespaces.
    pub fn new(keeper: K, watched: Reader) -> Self {
        Self {
            keeper,
            watched,
            running: HashMap::new(),
            tasks: JoinSet::new(),
            names: HashMap::new(),
        }
    }

    /// Runs until cancelled, then lets every task finish what it is at.
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
                self.keeper.seen(&resource);
                self.update(key, resource);
            }
            None => self.stop(&key),
        }
    }

    /// The version that is to run now.
    fn find(&self, id: &ObjectId) -> Option<K::Resource> {
        let objects = self.watched.read().collection;
        parse(objects.object(&id.namespace, &id.name)?)
            .filter(|resource: &K::Resource| resource.meta().deletion_timestamp.is_none())
    }

    fn update(&mut self, key: Key, resource: K::Resource) {
        let uid = resource.uid().unwrap_or_default();
        match self.running.get(&key) {
            Some(running) if running.uid == uid => {
                running.versions.send_if_modified(|current| {
                    let changed = K::differs(current, &resource);
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

    fn start(&mut self, key: Key, uid: String, resource: K::Resource) {
        let (versions, current) = watch::channel(Arc::new(resource));
        let cancel = CancellationToken::new();
        let task = self.keeper.task(current, cancel.clone());
        let task = self.tasks.spawn(task).id();
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
            self.keeper.gone(&key.0, &key.1);
        }
    }

    /// A task that ended by itself has met a bug: it starts anew, and its neighbours go on.
    fn ended(&mut self, ended: Result<(Id, ()), JoinError>) {
        let task = ended.as_ref().map_or_else(JoinError::id, |(task, ())| *task);
        let Some(key) = self.names.remove(&task) else {
            return;
        };
        let current = self.running.get(&key).is_some_and(|running| running.task == task);
        if let Err(error) = &ended {
            let kind = K::Resource::kind(&());
            tracing::error!(%kind, namespace = key.0, name = key.1, %error, "task ended");
        }
        if current {
            self.restart(key);
        } else if !self.running.contains_key(&key) {
            self.keeper.gone(&key.0, &key.1);
        }
    }

    fn restart(&mut self, key: Key) {
        if let Some(running) = self.running.remove(&key) {
            let resource = running.versions.borrow().as_ref().clone();
            self.start(key, running.uid, resource);
        }
    }
}

fn parse<R: Resource<DynamicType = ()> + DeserializeOwned>(object: &Object) -> Option<R> {
    match serde_json::from_str(object.json()) {
        Ok(resource) => Some(resource),
        Err(error) => {
            let (namespace, name) = object.key();
            tracing::error!(kind = %R::kind(&()), namespace, name, %error, "object cannot be read");
            None
        }
    }
}
