//! From the objects of a kind to running tasks.
//!
//! Owns which tasks run: one for each object that exists and is not being deleted, and never two for one name: a
//! successor waits for the end of its predecessor's task. A version that means nothing to its task is not passed on. Knows no kind: what a task does is up to its [`Keeper`].

use std::{
    collections::{HashMap, HashSet},
    future::Future,
    sync::Arc,
};

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
    /// under way finish; if `versions` is closed by then, the object is gone, and nothing further is begun for it.
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
    /// Names whose object is gone, or another one, while its task has not ended yet.
    ending: HashSet<Key>,
}

struct Running<R> {
    uid: String,
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
            ending: HashSet::new(),
        }
    }

    /// Runs until cancelled, then lets every task finish what it is at.
    pub async fn run(mut self, mut changes: Subscription, cancel: CancellationToken) {
        loop {
            tokio::select! {
                () = cancel.cancelled() => break,
                batch = changes.next() => batch.iter().for_each(|change| self.sync(key(&change.id))),
                Some(ended) = self.tasks.join_next_with_id() => self.ended(ended),
            }
        }
        self.running.values().for_each(|running| running.cancel.cancel());
        while self.tasks.join_next().await.is_some() {}
    }

    fn sync(&mut self, key: Key) {
        match self.find(&key) {
            Some(resource) => {
                self.keeper.seen(&resource);
                self.update(key, resource);
            }
            None => self.stop(key),
        }
    }

    /// The version that is to run now.
    fn find(&self, (namespace, name): &Key) -> Option<K::Resource> {
        let objects = self.watched.read().collection;
        parse(objects.object(namespace, name)?)
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
            Some(_) => self.end(key),
            // Its predecessor's end brings it up.
            None if self.ending.contains(&key) => {}
            None => self.start(key, uid, resource),
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
                versions,
                cancel,
            },
        );
    }

    fn stop(&mut self, key: Key) {
        if self.running.contains_key(&key) {
            self.end(key);
        } else if !self.ending.contains(&key) {
            self.keeper.gone(&key.0, &key.1);
        }
    }

    /// Ends a task whose object is gone. Its `versions` are closed by the time that it hears of it.
    fn end(&mut self, key: Key) {
        if let Some(Running { versions, cancel, .. }) = self.running.remove(&key) {
            drop(versions);
            cancel.cancel();
            self.ending.insert(key);
        }
    }

    /// A task that ended by itself has met a bug: it starts anew, and its neighbours go on.
    fn ended(&mut self, ended: Result<(Id, ()), JoinError>) {
        let task = ended.as_ref().map_or_else(JoinError::id, |(task, ())| *task);
        let Some(key) = self.names.remove(&task) else {
            return;
        };
        if let Err(error) = &ended {
            let kind = K::Resource::kind(&());
            tracing::error!(%kind, namespace = key.0, name = key.1, %error, "task ended");
        }
        if self.ending.remove(&key) {
            self.sync(key);
        } else {
            self.restart(key);
        }
    }

    fn restart(&mut self, key: Key) {
        if let Some(running) = self.running.remove(&key) {
            let resource = running.versions.borrow().as_ref().clone();
            self.start(key, running.uid, resource);
        }
    }
}

fn key(id: &ObjectId) -> Key {
    (id.namespace.clone(), id.name.clone())
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
