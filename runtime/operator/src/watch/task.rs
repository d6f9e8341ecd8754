//! The task of one watch.
//!
//! Owns the way from "nothing known" over the first list to following changes, and back again after every fault. The
//! reader never waits for whoever consumes: events go straight into the store.

use std::{
    collections::HashSet,
    future::Future,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use espejote_core::ObjectText;
use tokio::{
    sync::{Semaphore, watch},
    task::coop::consume_budget,
    time::{Instant, sleep, sleep_until, timeout},
};

use super::{
    WatchKey, WatchSettings,
    backoff::{Backoff, between},
    event::Event,
    failure::{Step, WatchError},
    lines::Lines,
    listing::StreamError,
};
use crate::{
    cache::{Interner, Staged, Store},
    client::{ApiError, Client, Resource},
    discovery::Discovery,
};

type Stage = fn(&Task, &ObjectText<'_>) -> Option<Staged>;

pub(super) struct Task {
    pub(super) key: WatchKey,
    pub(super) client: Client,
    /// The uid that the tenant's token was granted to, as it changes.
    pub(super) uid: Option<watch::Receiver<Option<Arc<str>>>>,
    pub(super) discovery: Arc<Discovery>,
    pub(super) store: Arc<Store>,
    pub(super) interner: Arc<Interner>,
    pub(super) initial_lists: Arc<Semaphore>,
    /// The API versions whose lists cannot be streamed.
    pub(super) paged: Arc<Mutex<HashSet<String>>>,
    pub(super) max_open: watch::Receiver<Duration>,
    pub(super) settings: Arc<WatchSettings>,
    /// Where the next watch goes on; none: list first.
    pub(super) version: Option<String>,
    /// Where the kind was found last.
    pub(super) resource: Option<Arc<Resource>>,
    pub(super) backoff: Backoff,
}

impl Task {
    /// Runs until the task is dropped, or its tenant is no more.
    pub(super) async fn run(mut self) {
        const LONG_ENOUGH_TO_FORGIVE: Duration = Duration::from_secs(10);
        loop {
            let started = Instant::now();
            let Err(error) = self.attempt().await else {
                continue;
            };
            if started.elapsed() > LONG_ENOUGH_TO_FORGIVE {
                self.backoff.reset();
            }
            error.tell(&self.store);
            tracing::debug!(watch = %self.key, %error, "watch is down");
            if self.prepare(&error) == Step::End {
                return;
            }
            self.pause(&error).await;
        }
    }

    /// One time through: look up, list if needed, follow until the watch ends in time.
    async fn attempt(&mut self) -> Result<(), WatchError> {
        let resource = self.resolve().await?;
        let lines = match self.version.clone() {
            Some(version) => {
                let lines = self
                    .within_grace(self.open_watch(&resource, Some(&version)))
                    .await;
                let lines = lines.map_err(WatchError::Watch)?;
                self.check_account()?;
                self.store.resumed();
                lines
            }
            None => match self.list(&resource).await? {
                Some(lines) => lines,
                None => return Ok(()),
            },
        };
        self.follow(lines).await
    }

    async fn resolve(&mut self) -> Result<Arc<Resource>, WatchError> {
        let found = self.discovery.resolve(&self.key.api_version, &self.key.kind);
        let resource = self.within_grace(found).await.map_err(WatchError::Resolve)?;
        if self.resource.as_ref().is_some_and(|known| *known != resource) {
            self.version = None;
        }
        self.resource = Some(resource.clone());
        Ok(resource)
    }

    /// Lists, one of few at a time. Gives the watch that follows the list if there is one already.
    async fn list(&mut self, resource: &Resource) -> Result<Option<Lines>, WatchError> {
        let turn = self.initial_lists.clone().acquire_owned().await;
        let _turn = turn.map_err(|error| WatchError::List(ApiError::network(error)))?;
        if self.settings.stream_lists && !self.paged().contains(&resource.api_version) {
            match self.stream_list(resource).await {
                Ok(lines) => return Ok(Some(lines)),
                Err(StreamError::Failed(error)) => return Err(error),
                Err(StreamError::Unsupported) => drop(self.paged().insert(resource.api_version.clone())),
            }
        }
        self.list_pages(resource).await.map(|()| None)
    }

    fn paged(&self) -> MutexGuard<'_, HashSet<String>> {
        self.paged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts events into the store until the watch ends, in its time or before.
    async fn follow(&mut self, mut lines: Lines) -> Result<(), WatchError> {
        let opened = Instant::now();
        let share = between(0.8, 1.0);
        loop {
            let max_open = *self.max_open.borrow_and_update();
            let end = opened + max_open.mul_f64(share);
            let line = tokio::select! {
                line = lines.next() => line.map_err(WatchError::Watch)?,
                () = sleep_until(end) => { self.backoff.reset(); return Ok(()) }
                Ok(()) = self.max_open.changed() => continue,
                Some(()) = changed(&mut self.uid) => { self.check_account()?; continue }
            };
            let Some(line) = line else {
                return self.ended(opened.elapsed() * 2 > max_open);
            };
            self.take(&line).map_err(WatchError::Watch)?;
            consume_budget().await;
        }
    }

    fn ended(&mut self, in_time: bool) -> Result<(), WatchError> {
        if !in_time {
            return Err(WatchError::ClosedEarly);
        }
        self.backoff.reset();
        Ok(())
    }

    fn take(&mut self, line: &[u8]) -> Result<(), ApiError> {
        match self.event(line) {
            None => {}
            Some(Event::Error(error)) => return Err(error),
            Some(Event::Bookmark(bookmark)) => self.version = Some(bookmark.version),
            Some(Event::Applied(object)) => self.take_object(object, Self::stage),
            Some(Event::Deleted(object)) => self.take_object(object, Self::stage_deletion),
        }
        Ok(())
    }

    /// Objects that are not wanted move the version on like the others.
    fn take_object(&mut self, object: &str, stage: Stage) {
        let Some(text) = self.read(object, None) else {
            return;
        };
        match stage(self, &text) {
            None => {}
            Some(Staged::Applied(object)) => self.store.apply(object),
            Some(Staged::Deleted { namespace, name }) => self.store.delete(&namespace, &name),
        }
        if !text.raw_resource_version().is_empty() {
            self.version = Some(text.raw_resource_version().to_owned());
        }
    }

    /// A watch belongs to the ServiceAccount that it was opened for, not to the next of the same name.
    pub(super) fn check_account(&self) -> Result<(), WatchError> {
        let super::Tenant::ServiceAccount { uid: expected, .. } = &self.key.tenant else {
            return Ok(());
        };
        let current = self.uid.as_ref().and_then(|uid| uid.borrow().clone());
        match current {
            Some(current) if current != *expected => Err(WatchError::OtherAccount),
            _ => Ok(()),
        }
    }

    /// How long the server is asked to keep a watch open. Our own end comes first; a first list is given its time.
    pub(super) fn server_timeout(&self, with_list: bool) -> Duration {
        let list = if with_list {
            Duration::from_secs(600)
        } else {
            Duration::ZERO
        };
        *self.max_open.borrow() + list + Duration::from_secs(5)
    }

    /// Calls the store stale if something takes long that usually does not.
    async fn within_grace<T>(&self, something: impl Future<Output = T>) -> T {
        let mut something = pin!(something);
        if let Ok(done) = timeout(self.settings.grace, &mut something).await {
            return done;
        }
        self.store.interrupted("the API server is slow to answer");
        something.await
    }

    fn prepare(&mut self, error: &WatchError) -> Step {
        const TRIES_FROM_THE_FUTURE: u32 = 3;
        let mut step = error.step();
        let from_the_future = matches!(error, WatchError::Watch(error) if error.is_version_too_large());
        if from_the_future && self.backoff.failures() >= TRIES_FROM_THE_FUTURE {
            step = Step::Relist;
        }
        match step {
            Step::Resume | Step::End => {}
            Step::Relist => self.version = None,
            Step::Rediscover => {
                self.version = None;
                self.discovery.hint();
            }
        }
        step
    }

    /// Waits before the next attempt; not longer than until the cluster's kinds change, if one is missing.
    async fn pause(&mut self, error: &WatchError) {
        let ceiling = error.ceiling(&self.settings);
        let wait = self.backoff.next(ceiling, error.retry_after());
        let mut kinds = self.discovery.changes();
        tokio::select! {
            () = sleep(wait) => {}
            Ok(()) = kinds.changed(), if error.step() == Step::Rediscover => {}
        }
    }
}

async fn changed(uid: &mut Option<watch::Receiver<Option<Arc<str>>>>) -> Option<()> {
    uid.as_mut()?.changed().await.ok()
}
