//! The task that writes events.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use tokio::{
    sync::mpsc,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::{
    EventSink, Losses, Occurrence, Reference, SinkError,
    bucket::{Bucket, Rate},
    form,
    recent::Recent,
};

/// How often events are written and how long they are remembered.
#[derive(Clone, Debug)]
pub struct Settings {
    /// This process, in `reportingInstance`.
    pub instance: String,
    /// Writes of all events together.
    pub overall: Rate,
    /// New events about one object: some texts are different each time.
    pub per_object: Rate,
    /// Raises of one event's count. A repeat that is held back is counted in the next raise.
    pub per_event: Rate,
    /// How many events are remembered.
    pub remembered: usize,
    /// How long an event is remembered after it last happened. Afterwards a repeat is a new event.
    pub keep: Duration,
    /// How often a write is tried again if there is no answer, with `pause` between.
    pub retries: u32,
    /// The wait before the first retry; it doubles.
    pub pause: Duration,
}

impl Default for Settings {
    /// 100 at once, then 10 a second; 25 at once per object, then one in a minute; a count is raised 3 times at once,
    /// then once a minute. 4,096 events are remembered for an hour, which is how long the API server keeps them.
    fn default() -> Self {
        let rate = |burst, every| Rate { burst, every };
        Self {
            instance: "espejote".to_owned(),
            overall: rate(100, Duration::from_millis(100)),
            per_object: rate(25, Duration::from_secs(60)),
            per_event: rate(3, Duration::from_secs(60)),
            remembered: 4096,
            keep: Duration::from_secs(3600),
            retries: 3,
            pause: Duration::from_millis(500),
        }
    }
}

/// Writes what its [`super::Recorder`] takes.
#[derive(Debug)]
pub struct Worker<S> {
    sink: S,
    settings: Settings,
    losses: Losses,
    occurrences: mpsc::Receiver<Occurrence>,
    overall: Bucket,
    objects: Recent<u64, Bucket>,
    events: Recent<u64, Known>,
    /// Seeded by chance: no other process names an event alike.
    hashing: RandomState,
}

/// An event that is there.
#[derive(Debug)]
struct Known {
    name: String,
    count: u32,
    raises: Bucket,
}

impl<S: EventSink> Worker<S> {
    pub(super) fn new(
        sink: S,
        settings: Settings,
        losses: Losses,
        occurrences: mpsc::Receiver<Occurrence>,
    ) -> Self {
        Self {
            sink,
            losses,
            occurrences,
            overall: Bucket::new(settings.overall, Instant::now()),
            objects: Recent::new(settings.remembered, settings.keep),
            events: Recent::new(settings.remembered, settings.keep),
            hashing: RandomState::new(),
            settings,
        }
    }

    /// Writes until all recorders are gone or `cancel` is cancelled; what waits then is lost.
    pub async fn run(mut self, cancel: CancellationToken) {
        cancel.run_until_cancelled(self.write_all()).await;
    }

    async fn write_all(&mut self) {
        while let Some(occurrence) = self.occurrences.recv().await {
            self.write(occurrence).await;
        }
    }

    async fn write(&mut self, occurrence: Occurrence) {
        let id = self.hashing.hash_one(occurrence.identity());
        match self.events.get(&id, Instant::now()) {
            Some(known) => {
                known.count = known.count.saturating_add(1);
                if known.raises.take(Instant::now()) {
                    self.raise(id, &occurrence).await;
                }
            }
            None => self.announce(id, &occurrence).await,
        }
    }

    /// Writes the count of a known event; one that is gone is written anew.
    async fn raise(&mut self, id: u64, occurrence: &Occurrence) {
        if !self.overall.take(Instant::now()) {
            return;
        }
        match self.patch(id, occurrence).await {
            Ok(()) => {}
            Err(SinkError::NotFound) => {
                self.events.remove(&id);
                self.create(id, occurrence).await;
            }
            // The count stays and is written with the next raise.
            Err(error) => {
                warn!(%error, object = occurrence.regarding.name, "an event's count was not written")
            }
        }
    }

    async fn announce(&mut self, id: u64, occurrence: &Occurrence) {
        if self.admit(&occurrence.regarding) {
            self.create(id, occurrence).await;
        } else {
            self.losses.limited.inc();
        }
    }

    fn admit(&mut self, object: &Reference) -> bool {
        let now = Instant::now();
        let id = self.hashing.hash_one(object.identity());
        if self.objects.get(&id, now).is_none() {
            let bucket = Bucket::new(self.settings.per_object, now);
            self.objects.insert(id, bucket, now);
        }
        let of_object = self.objects.get(&id, now);
        of_object.is_some_and(|bucket| bucket.take(now)) && self.overall.take(now)
    }

    async fn create(&mut self, id: u64, occurrence: &Occurrence) {
        let name = form::name(&occurrence.regarding, id);
        match self.post(occurrence, &name).await {
            Ok(()) | Err(SinkError::AlreadyExists) => self.remember(id, name),
            Err(error) => {
                self.losses.failed.inc();
                let object = &occurrence.regarding.name;
                warn!(%error, object, reason = occurrence.reason, "an event was not written");
            }
        }
    }

    fn remember(&mut self, id: u64, name: String) {
        let now = Instant::now();
        let known = Known {
            name,
            count: 1,
            raises: Bucket::new(self.settings.per_event, now),
        };
        self.events.insert(id, known, now);
    }

    async fn post(&self, occurrence: &Occurrence, name: &str) -> Result<(), SinkError> {
        let namespace = form::namespace(&occurrence.regarding);
        let event = form::create(occurrence, name, &self.settings.instance).map_err(unwritable)?;
        self.insist(|| self.sink.create(namespace, event.clone())).await
    }

    async fn patch(&mut self, id: u64, occurrence: &Occurrence) -> Result<(), SinkError> {
        let known = self.events.get(&id, Instant::now()).ok_or(SinkError::NotFound)?;
        let name = known.name.clone();
        let patch = form::repeat(known.count).map_err(unwritable)?;
        let namespace = form::namespace(&occurrence.regarding);
        self.insist(|| self.sink.patch(namespace, &name, patch.clone()))
            .await
    }

    /// Tries `write` again while there is no answer.
    async fn insist<F>(&self, write: impl Fn() -> F) -> Result<(), SinkError>
    where
        F: Future<Output = Result<(), SinkError>>,
    {
        let mut pause = self.settings.pause;
        for _ in 0..self.settings.retries {
            match write().await {
                Err(SinkError::Unavailable(_)) => sleep(pause).await,
                answer => return answer,
            }
            pause *= 2;
        }
        write().await
    }
}

fn unwritable(error: serde_json::Error) -> SinkError {
    SinkError::Refused(error.to_string())
}
