//! Keeps the two webhook configurations of the cluster as the Admissions and ClusterAdmissions want them.
//!
//! Owns when they are written: at every change of what is wanted, and whenever somebody else has changed or deleted one. While it
//! is not known which Admissions there are, nothing is written. Runs in the replica that leads.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bytes::Bytes;
use espejote_core::Reason;
use tokio::{sync::watch, time::sleep};
use tokio_util::sync::CancellationToken;

use super::{
    bounds,
    configuration::{self, Plan, Sort},
    culprits::Search,
    definition::Definition,
    draft::{Draft, Faults},
    installed::Installed,
    live::Live,
    lockout::Lockout,
    sources::Sources,
    store::{ConfigurationStore, WriteError},
};
use crate::{cache::Reader, failure::Failure, trigger::BackOff};

/// What comes within this time is written at once.
const TOGETHER: Duration = Duration::from_millis(20);
/// What others change is put back no more often: they may be as stubborn.
const PUT_BACK: Duration = Duration::from_secs(1);
/// Failures are tried again after this time at the latest.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How many failures the first wait counts as: the first one is about a second.
const FIRST_WAIT: u32 = 8;
/// How often a configuration is looked at anew because others have written to it meanwhile.
const ATTEMPTS: u32 = 5;
/// So many failures in a row are told of what was written before, too.
const TOLD: u32 = 3;

/// Whom the API server is to trust: a bundle in PEM, or nobody that we could name. An error: not known yet, and why.
pub type Trust = Result<Option<Arc<[u8]>>, Arc<str>>;

/// What the writer works with.
pub struct Parts {
    /// The configurations at the API server.
    pub store: ConfigurationStore,
    /// How the API server reaches this process.
    pub address: configuration::Address,
    /// What keeps the operator from locking itself out.
    pub lockout: Lockout,
    /// What is wanted.
    pub sources: Sources,
    /// The configurations of that name, mutating and validating.
    pub live: [Reader; 2],
    /// Whom the API server is to trust.
    pub trust: watch::Receiver<Trust>,
}

/// Writes the configurations.
pub struct ConfigurationWriter {
    parts: Parts,
    installed: watch::Sender<Installed>,
    written: BTreeMap<Sort, Written>,
}

/// What was last written.
struct Written {
    /// What was wanted, whether all of it was accepted or not.
    asked: Bytes,
    version: String,
    faults: Faults,
}

impl ConfigurationWriter {
    /// What becomes of each webhook goes to `installed`.
    pub fn new(parts: Parts, installed: watch::Sender<Installed>) -> Self {
        Self {
            parts,
            installed,
            written: BTreeMap::new(),
        }
    }

    /// Runs until cancelled.
    pub async fn run(mut self, cancel: CancellationToken) {
        cancel.run_until_cancelled(self.keep_up()).await;
    }

    async fn keep_up(&mut self) {
        let mut changes = Changes::new(&self.parts);
        let back_off = BackOff {
            max: LONGEST_WAIT,
            ..BackOff::default()
        };
        let mut failures = 0;
        self.parts.sources.synced().await;
        loop {
            failures = if self.sync(failures).await {
                0
            } else {
                failures + 1
            };
            let again = (failures > 0).then(|| back_off.delay(FIRST_WAIT + failures, 0.5));
            sleep(self.next_change(&mut changes, again).await).await;
        }
    }

    /// Waits for a change that asks for writing, or some time. Gives how long to wait for more.
    async fn next_change(&self, changes: &mut Changes, after: Option<Duration>) -> Duration {
        loop {
            match changes.next(after).await {
                Change::Wanted => return TOGETHER,
                Change::Live
                    if self
                        .written
                        .iter()
                        .any(|(sort, of)| !self.is_untouched(*sort, of)) =>
                {
                    return PUT_BACK;
                }
                // It is our own.
                Change::Live => {}
            }
        }
    }

    /// Writes what has changed, after so many failures in a row. False: not all could be.
    async fn sync(&mut self, failures: u32) -> bool {
        let definitions = match self.parts.sources.all() {
            Ok(definitions) => definitions,
            Err(unavailable) => {
                tracing::warn!(%unavailable, "Admissions cannot be read: webhook configurations stay as they are");
                return true;
            }
        };
        let trust = self.parts.trust.borrow().clone();
        let before = self.installed.borrow().clone();
        let mut installed = Installed::default();
        let mut all_written = true;
        for sort in Sort::ALL {
            let wanted: Vec<_> = definitions.iter().filter(|of| sort.holds(of)).collect();
            let results = match &trust {
                Ok(bundle) => self
                    .sync_one(sort, &wanted, bundle.as_deref())
                    .await
                    .map_err(told),
                Err(why) => Err(why.clone()),
            };
            all_written &= results.is_ok();
            let known = (failures < TOLD).then_some(&before);
            tell(&mut installed, &wanted, results, known);
        }
        self.installed.send_if_modified(|known| {
            let news = *known != installed;
            *known = installed;
            news
        });
        all_written
    }

    /// What is wrong with single webhooks; an error: nothing could be written.
    async fn sync_one(
        &mut self,
        sort: Sort,
        wanted: &[&Definition],
        bundle: Option<&[u8]>,
    ) -> Result<Faults, WriteError> {
        let plan = Plan {
            address: self.parts.address.clone(),
            ca_bundle: bundle.map(<[u8]>::to_vec),
            lockout: self.parts.lockout.clone(),
        };
        let draft = Draft::new(&plan, wanted);
        let asked = self.parts.store.document(sort, &draft)?;
        if let Some(faults) = self.unchanged(sort, &asked) {
            return Ok(faults);
        }
        let (version, draft) = self.converge(sort, &draft, &plan, wanted).await?;
        let webhooks = draft.webhooks().len();
        tracing::info!(
            kind = sort.kind(),
            webhooks,
            version,
            "webhook configuration written"
        );
        let faults = draft.faults();
        let written = Written {
            asked,
            version,
            faults: faults.clone(),
        };
        self.written.insert(sort, written);
        Ok(faults)
    }

    /// Makes the configuration what is asked for, without what is refused of it. Gives the resourceVersion and what was
    /// written.
    async fn converge(
        &self,
        sort: Sort,
        asked: &Draft,
        plan: &Plan,
        wanted: &[&Definition],
    ) -> Result<(String, Draft), WriteError> {
        for _ in 0..ATTEMPTS {
            let live = self.parts.store.live(sort).await?;
            let mut draft = asked.clone();
            let beyond = bounds::faults(&draft.webhooks(), wanted, &live);
            draft.refuse(beyond, &live, plan, wanted);
            while self.parts.store.remove_others(sort, &live, &draft).await? {
                let error = match self.parts.store.apply(sort, &draft).await {
                    Ok(version) => return Ok((version, draft)),
                    Err(error) => error,
                };
                let faults = self.at_fault(sort, &error, &draft, (&live, plan, wanted)).await?;
                if !draft.refuse(faults, &live, plan, wanted) {
                    return Err(error);
                }
            }
        }
        Err(self.parts.store.contended(sort))
    }

    /// Who is at fault: those that the API server names, else those without whom it would take the draft.
    async fn at_fault(
        &self,
        sort: Sort,
        error: &WriteError,
        draft: &Draft,
        (live, plan, wanted): (&Live, &Plan, &[&Definition]),
    ) -> Result<Faults, WriteError> {
        let named = error.faults();
        if !named.is_empty() || error.refusal().is_none() {
            return Ok(named);
        }
        let mut search = Search::among(draft.new_ones());
        while let Some(chosen) = search.trial() {
            let trial = draft.only(&chosen, live, plan, wanted);
            search.answer(self.parts.store.refusal(sort, &trial).await?);
        }
        Ok(search.faults())
    }

    /// What came of writing the same before, if nobody has changed anything since.
    fn unchanged(&self, sort: Sort, asked: &Bytes) -> Option<Faults> {
        let written = self
            .written
            .get(&sort)
            .filter(|written| written.asked == *asked)?;
        self.is_untouched(sort, written).then(|| written.faults.clone())
    }

    /// Whether a configuration is as it was written. Yes, while it cannot be seen.
    fn is_untouched(&self, sort: Sort, written: &Written) -> bool {
        let Ok(collection) = self.reader(sort).read().available() else {
            return true;
        };
        let object = collection.object("", self.parts.store.name());
        object.is_some_and(|object| object.resource_version() == written.version)
    }

    fn reader(&self, sort: Sort) -> &Reader {
        let [mutating, validating] = &self.parts.live;
        match sort {
            Sort::Mutating => mutating,
            Sort::Validating => validating,
        }
    }
}

fn told(error: WriteError) -> Arc<str> {
    tracing::warn!(%error, "webhook configuration not written");
    error.to_string().into()
}

/// What became of each definition's webhook. What is known of this very version stays as it is if nothing could be written.
fn tell(
    installed: &mut Installed,
    wanted: &[&Definition],
    results: Result<Faults, Arc<str>>,
    known: Option<&Installed>,
) {
    for (position, definition) in wanted.iter().enumerate() {
        let result = match &results {
            Err(why) => known
                .and_then(|known| known.of(definition))
                .unwrap_or_else(|| Err(Failure::new(Reason::WebhookNotWritten, why.clone()))),
            Ok(faults) => match faults.get(&position) {
                Some(fault) => Err(refused(fault)),
                None => Ok(()),
            },
        };
        installed.record(definition, result);
    }
}

fn refused(fault: &str) -> Failure {
    let message = format!("{fault}; what it had accepted before stays in force");
    Failure::new(Reason::WebhookInvalid, message)
}

/// What has changed.
enum Change {
    /// What is to be written.
    Wanted,
    /// What is there.
    Live,
}

/// What makes a look at the configurations worth while.
struct Changes {
    wanted: [watch::Receiver<u64>; 2],
    live: [watch::Receiver<u64>; 2],
    trust: watch::Receiver<Trust>,
}

impl Changes {
    fn new(parts: &Parts) -> Self {
        let [mutating, validating] = &parts.live;
        Self {
            wanted: parts.sources.versions(),
            live: [mutating.versions(), validating.versions()],
            trust: parts.trust.clone(),
        }
    }

    /// The next one, or after some time.
    async fn next(&mut self, after: Option<Duration>) -> Change {
        let [namespaced, cluster] = &mut self.wanted;
        let [mutating, validating] = &mut self.live;
        tokio::select! {
            biased;
            Ok(()) = namespaced.changed() => Change::Wanted,
            Ok(()) = cluster.changed() => Change::Wanted,
            Ok(()) = self.trust.changed() => Change::Wanted,
            Ok(()) = mutating.changed() => Change::Live,
            Ok(()) = validating.changed() => Change::Live,
            () = wait(after) => Change::Wanted,
        }
    }
}

async fn wait(time: Option<Duration>) {
    match time {
        Some(time) => sleep(time).await,
        None => std::future::pending().await,
    }
}
