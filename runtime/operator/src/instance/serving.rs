//! Reconciles while the watches are up to date.
//!
//! Owns one queue and its one worker: calls are made one after the other, in the order in which their keys became due, and
//! run ahead of the writes. No call is made while any watch is not synced.

use std::{
    collections::{BTreeSet, HashSet},
    future::Future,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use espejote_api::ManagedResource;
use espejote_core::{Logic, Object, Reason, Retry};
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::time::timeout;

use super::{
    Change, Ended, Instance, changed,
    feeding::Feeders,
    planned, service_account,
    starting::Watching,
    story::{STATUS_RETRY, Story},
};
use crate::{
    apply::Order,
    existence::Existence,
    failure::Failure,
    outcome::{Called, Reconciled},
    reconcile::Reconciler,
    snapshot::Stale,
    trigger::{BackOff, TriggerKey, interval, queue::Lease, queue::Queue},
};

/// A watch that is refused at the very start may still be allowed: the Role may be on its way.
const REFUSAL_GRACE: Duration = Duration::from_secs(2);
/// Waiting that is shorter than this is not shown: most watches are filled by then.
pub(super) const QUIET: Duration = Duration::from_secs(1);
/// What is under way may take this long once the instance is over.
const DRAIN: Duration = Duration::from_secs(15);

/// Calls whose writes are under way, at most. Each has a place among the requests of its ServiceAccount.
const WRITING: usize = 16;

type Calling = Pin<Box<dyn Future<Output = (Lease, Called)> + Send>>;
type Writing = Pin<Box<dyn Future<Output = (Lease, Reconciled)> + Send>>;

/// One version's triggers at work.
pub(super) struct Serving {
    watching: Watching,
    version: Arc<ManagedResource>,
    reconciler: Arc<Reconciler>,
    queue: Queue,
    feeders: Feeders,
    calling: Option<Calling>,
    writing: FuturesUnordered<Writing>,
    order: Order,
    started: Instant,
    /// The first lists have arrived.
    begun: bool,
    /// Some watch is not up to date.
    paused: bool,
    /// Some watch is down, though what it has brought may still be used.
    stale: bool,
    /// Keys of the first lists that have not run yet.
    first: BTreeSet<TriggerKey>,
}

impl Serving {
    pub(super) fn new(
        watching: Watching,
        version: Arc<ManagedResource>,
        reconciler: Arc<Reconciler>,
    ) -> Self {
        Self {
            watching,
            version,
            reconciler,
            queue: Queue::new(BackOff::default()),
            feeders: Feeders::default(),
            calling: None,
            writing: FuturesUnordered::new(),
            order: Order::default(),
            started: Instant::now(),
            begun: false,
            paused: true,
            stale: false,
            first: BTreeSet::new(),
        }
    }

    /// Runs until the version's triggers, contexts or ServiceAccount are not the right ones any more.
    pub(super) async fn run(mut self, instance: &mut Instance) -> Ended {
        self.forget_gone_triggers(&mut instance.story);
        self.queue.add(TriggerKey::general());
        self.feeders
            .start(instance, &self.watching, &self.version, &self.queue);
        let ended = self.serve(instance).await;
        self.finish(instance, ended).await
    }

    async fn serve(&mut self, instance: &mut Instance) -> Ended {
        let mut uid = self.watching.account.uid();
        loop {
            self.observe(&mut instance.story).await;
            let idle = self.calling.is_none() && self.writing.len() < WRITING && !self.paused;
            let unsettled = self.paused || self.stale || instance.story.is_behind();
            tokio::select! {
                biased;
                () = instance.cancel.cancelled() => return Ended::Cancelled,
                change = changed(&mut instance.versions, &instance.acted, &mut instance.story) => match change {
                    None => return Ended::Cancelled,
                    Some(Change::Status) => {}
                    Some(Change::Work) => {
                        let current = instance.current();
                        if !self.fits(&current) || !self.renew(instance, &current).await {
                            return Ended::Restart;
                        }
                    }
                },
                () = self.feeders.signals.plugin.notified() => {
                    let current = instance.versions.borrow().clone();
                    if !self.renew(instance, &current).await {
                        return Ended::Restart;
                    }
                }
                changed = uid.changed() => {
                    let current = uid.borrow_and_update().clone();
                    if changed.is_err() || current.as_ref() != Some(&self.watching.account_uid) {
                        return Ended::Restart;
                    }
                }
                () = self.feeders.signals.state.notified() => {}
                () = self.feeders.signals.input.notified() => self.retry(&instance.story, |retry| retry == Retry::OnChange),
                () = self.feeders.signals.library.notified() => {
                    self.retry(&instance.story, |retry| matches!(retry, Retry::OnConfigChange | Retry::OnChange));
                }
                (lease, called) = finished(&mut self.calling) => {
                    self.calling = None;
                    self.begin_writing(lease, called);
                }
                Some((lease, reconciled)) = self.writing.next() => self.settle(lease, reconciled, instance).await,
                lease = self.queue.next(), if idle => match lease {
                    Some(lease) => self.calling = Some(self.begin_calling(lease)),
                    None => return Ended::Cancelled,
                },
                () = tokio::time::sleep(if self.paused { QUIET / 4 } else { STATUS_RETRY }), if unsettled => {}
            }
        }
    }

    /// Whether this version has the same triggers, contexts, ServiceAccount and plugin.
    fn fits(&self, version: &ManagedResource) -> bool {
        let same_account = service_account(version) == self.watching.account.name();
        let plugin = |of: &ManagedResource| of.spec.plugin.as_ref().map(|plugin| plugin.name.clone());
        same_account
            && plugin(version) == plugin(&self.version)
            && planned(version).is_ok_and(|plan| plan == self.watching.plan)
    }

    /// Goes on with another version of the resource or of its plugin. False: it cannot run.
    async fn renew(&mut self, instance: &Instance, version: &Arc<ManagedResource>) -> bool {
        let Ok(program) = instance.program(version).await else {
            return false;
        };
        let namespace = version.metadata.namespace.as_deref().unwrap_or_default();
        let asked = instance.asked_grants(namespace, &program.ready.grants, &self.watching.plan);
        if asked != self.watching.asked {
            return false;
        }
        self.version = version.clone();
        self.reconciler = Arc::new(instance.reconciler(version, &self.watching, program));
        self.queue.add(TriggerKey::general());
        self.retry(&instance.story, |_| true);
        true
    }

    /// Keys of triggers that are gone are forgotten before anything can have them tried again.
    fn forget_gone_triggers(&self, story: &mut Story) {
        let names: HashSet<&str> = self
            .watching
            .plan
            .triggers
            .iter()
            .map(|t| t.name.as_str())
            .collect();
        story.retain(|key| {
            key.trigger
                .as_deref()
                .is_none_or(|trigger| names.contains(trigger))
        });
    }

    /// Looks at the watches: begins, pauses or goes on, and says so.
    async fn observe(&mut self, story: &mut Story) {
        match self.watching.inputs.standing() {
            Ok(stale) => self.go_on(stale, story).await,
            Err(failure) => {
                self.paused = true;
                // What the guest remembers, it may not be allowed to read any more.
                self.reconciler.kept.clear();
                if let Some(shown) = self.judged(failure) {
                    story.block(Some(shown)).await;
                } else {
                    story.catch_up().await;
                }
            }
        }
    }

    async fn go_on(&mut self, stale: Option<Stale>, story: &mut Story) {
        if !self.begun {
            self.begin(story);
        }
        if self.paused {
            self.paused = false;
            self.queue.add(TriggerKey::general());
            self.retry(story, |_| true);
            if story.is_blocked() {
                story.block(None).await;
            }
        }
        self.stale = stale.is_some();
        let told = stale.filter(|stale| stale.since.elapsed() >= QUIET);
        story.stale(told.map(|stale| stale.words)).await;
        story.catch_up().await;
    }

    /// Every object of the first lists is a key of its own, after the general one. The feeders put them into the queue, each
    /// once: whoever did that here as well would have some run twice.
    fn begin(&mut self, story: &mut Story) {
        self.begun = true;
        story.hold_back(true);
        self.first.insert(TriggerKey::general());
        for input in &self.watching.inputs.triggers {
            let objects = input.reader.read().collection;
            let key = |object: &Arc<Object>| TriggerKey::object(input.name.clone(), object.id());
            self.first.extend(objects.objects().iter().map(key));
        }
    }

    /// What is shown of a watch that is not up to date; none as long as it is nothing to speak of.
    fn judged(&self, failure: Failure) -> Option<Failure> {
        let waited = self.started.elapsed();
        let patience = self.watching.plan.cache_sync_timeout;
        match failure.reason {
            Reason::WatchForbidden if !self.begun && waited < patience.min(REFUSAL_GRACE) => (waited > QUIET)
                .then_some(Failure {
                    reason: Reason::CacheNotSynced,
                    ..failure
                }),
            Reason::CacheNotSynced if !self.begun && waited > patience => Some(Failure {
                reason: Reason::WatchFailed,
                ..failure
            }),
            Reason::CacheNotSynced if !self.begun && waited < QUIET => None,
            _ => Some(failure),
        }
    }

    fn begin_calling(&self, lease: Lease) -> Calling {
        let reconciler = self.reconciler.clone();
        Box::pin(async move {
            let called = reconciler.call(lease.key().clone()).await;
            (lease, called)
        })
    }

    /// The writes begin when those of earlier calls to the same objects are over.
    fn begin_writing(&mut self, lease: Lease, called: Called) {
        let reconciler = self.reconciler.clone();
        let namespace = &reconciler.owner.id.namespace;
        let desired = called.result.as_ref().ok();
        let turn = desired.map(|desired| self.order.line_up(desired, namespace));
        self.writing.push(Box::pin(async move {
            if let Some(turn) = &turn {
                turn.come().await;
            }
            (lease, reconciler.write(called).await)
        }));
    }

    /// Records what came of a key and decides when it runs again.
    async fn settle(&mut self, lease: Lease, reconciled: Reconciled, instance: &mut Instance) {
        let object = self.triggering_object(lease.key());
        self.schedule(lease.key(), &reconciled, instance.story.logic());
        self.first.remove(lease.key());
        instance.story.hold_back(!self.first.is_empty());
        instance.story.record(reconciled, object.as_deref()).await;
    }

    fn schedule(&self, key: &TriggerKey, reconciled: &Reconciled, logic: Logic) {
        let asked = reconciled
            .report
            .requeue_after
            .map(|ms| Duration::from_millis(ms.into()).max(interval::FLOOR));
        let retry = reconciled
            .result
            .as_ref()
            .err()
            .map(|failure| failure.row(logic).retry);
        match (retry, asked) {
            (None, asked) => {
                self.queue.forget(key);
                if let Some(asked) = asked {
                    self.queue.add_after(key.clone(), asked);
                }
            }
            (Some(Retry::OnConfigChange), _) => {}
            (Some(_), Some(asked)) => self.queue.add_after(key.clone(), asked),
            (Some(Retry::OnChange), None) => self.queue.add_after(key.clone(), BackOff::default().max),
            (Some(Retry::BackOff | Retry::AsAsked), None) => {
                self.queue.add_rate_limited(key.clone());
            }
        }
    }

    /// Runs failing keys whose retry is of a sort again.
    fn retry(&self, story: &Story, sort: impl Fn(Retry) -> bool) {
        for (key, reason) in story.failing() {
            if sort(reason.row(story.logic()).retry) {
                self.queue.add(key);
            }
        }
    }

    fn triggering_object(&self, key: &TriggerKey) -> Option<Arc<Object>> {
        let event = key.object.as_ref()?;
        let objects = self.watching.inputs.of(key)?.reader.read().collection;
        objects.object(&event.namespace, &event.name).cloned()
    }

    /// Ends: a call under way is given up, unless the process ends; the writes under way may finish, so that none of them
    /// meets those of a successor. Of an object that is gone, that is no more than one write each, and there is nothing left
    /// to tell.
    async fn finish(mut self, instance: &mut Instance, ended: Ended) -> Ended {
        if matches!(ended, Ended::Restart) {
            self.calling = None;
        }
        let _ = timeout(DRAIN, self.drain(instance)).await;
        ended
    }

    async fn drain(&mut self, instance: &mut Instance) {
        if self.calling.is_some() {
            let (lease, called) = finished(&mut self.calling).await;
            self.calling = None;
            self.begin_writing(lease, called);
        }
        while let Some((_, reconciled)) = self.writing.next().await {
            if !Existence::of(&instance.versions).is_over() {
                instance.story.record(reconciled, None).await;
            }
        }
    }
}

async fn finished(calling: &mut Option<Calling>) -> (Lease, Called) {
    match calling {
        Some(work) => work.await,
        None => std::future::pending().await,
    }
}
