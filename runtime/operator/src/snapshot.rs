//! The watched state that the calls of one ManagedResource read.
//!
//! Owns that all contexts and the trigger's object are taken together, and that nothing is taken while a watch is not
//! up to date: "not there yet" is never taken for "empty".

use std::{sync::Arc, time::Duration};

use espejote_core::{Collection, Context, ContextValue, ObjectId, Reason, Snapshot, Trigger};
use tokio::time::Instant;

use crate::{
    apply::LiveVersions,
    cache::{NotSynced, Reader, Reading, State},
    computed::ComputedInput,
    failure::Failure,
    granted::Granted,
    trigger::TriggerKey,
    watch::WatchHandle,
};

/// One watch under the name that the manifest gives it.
#[derive(Debug)]
pub struct Input {
    /// The context's or trigger's name.
    pub name: Arc<str>,
    /// What its watch holds.
    pub reader: Reader,
    /// How long that may be used while the watch is down.
    patience: Duration,
}

impl Input {
    /// What a watch holds, under a name.
    pub fn new(name: &str, watch: &WatchHandle) -> Self {
        Self {
            name: name.into(),
            reader: watch.reader(),
            patience: watch.patience(),
        }
    }

    /// How far it can be trusted now.
    pub fn state(&self) -> State {
        self.reader.state().trusted_for(self.patience)
    }
}

/// All watches of one ManagedResource.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The contexts, in the order of the manifest.
    pub contexts: Vec<Input>,
    /// The triggers that watch objects.
    pub triggers: Vec<Input>,
    /// The contexts that plugins compute, in the order of the manifest.
    pub computed: Vec<ComputedInput>,
    /// What the logic's plugin may reach.
    pub granted: Granted,
}

/// A watch that is down.
#[derive(Clone, Debug)]
pub struct Stale {
    /// For how long it has been.
    pub since: Instant,
    /// Which one, and why.
    pub words: String,
}

impl Stale {
    fn new(sort: &str, name: &str, since: Instant, cause: &str) -> Self {
        Self {
            since,
            words: format!("{sort} {name:?} may be out of date, since its watch is down: {cause}"),
        }
    }
}

/// What one call sees of the cluster.
pub struct Taken {
    /// What started the call.
    pub trigger: Trigger,
    /// The contexts.
    pub snapshot: Snapshot,
}

impl Inputs {
    /// Takes everything at one instant.
    pub fn take(&self, key: &TriggerKey) -> Result<Taken, Failure> {
        let mut contexts = self.contexts.iter().map(context).collect::<Result<Vec<_>, _>>()?;
        contexts.extend(self.computed.iter().map(ComputedInput::context));
        Ok(Taken {
            trigger: self.trigger(key)?,
            snapshot: Snapshot { contexts },
        })
    }

    /// The first watch that is down, though what it has brought may still be used. An error: the first one that may not be
    /// used, in words.
    pub fn standing(&self) -> Result<Option<Stale>, Failure> {
        let mut stale = None;
        for (sort, input) in self.all() {
            match input.state() {
                State::Synced => {}
                State::Stale { since, cause } => {
                    stale.get_or_insert_with(|| Stale::new(sort, &input.name, since, &cause));
                }
                State::NotSynced(why) => return Err(not_synced(sort, &input.name, &why)),
            }
        }
        Ok(stale)
    }

    /// Contexts, then triggers, then grants.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &Input)> {
        let contexts = self.contexts.iter().map(|input| ("context", input));
        let triggers = self.triggers.iter().map(|input| ("trigger", input));
        let computed = self.computed.iter().flat_map(|entry| entry.granted.inputs());
        let granted = self
            .granted
            .inputs()
            .chain(computed)
            .map(|input| ("grant", input));
        contexts.chain(triggers).chain(granted)
    }

    /// The trigger that a key is about, if it watches objects.
    pub fn of(&self, key: &TriggerKey) -> Option<&Input> {
        self.triggers
            .iter()
            .find(|input| Some(&input.name) == key.trigger.as_ref())
    }

    fn trigger(&self, key: &TriggerKey) -> Result<Trigger, Failure> {
        let name = key.trigger.as_deref().map(str::to_owned);
        let Some(event) = key.object.clone() else {
            return Ok(Trigger {
                name,
                ..Trigger::default()
            });
        };
        let objects = self
            .of(key)
            .map(|input| collection("trigger", input))
            .transpose()?;
        let object = objects.and_then(|objects| objects.object(&event.namespace, &event.name).cloned());
        Ok(Trigger {
            name,
            event: Some(event),
            object,
        })
    }
}

impl LiveVersions for Inputs {
    fn live_version(&self, id: &ObjectId) -> Option<String> {
        let watches = self.contexts.iter().chain(&self.triggers);
        watches.filter_map(|input| input.reader.version_of(id)).next()
    }
}

fn context(input: &Input) -> Result<Context, Failure> {
    let value = ContextValue::Objects(Ok(collection("context", input)?));
    Ok(Context {
        name: input.name.to_string(),
        value,
    })
}

/// The objects of a watch that is up to date.
pub(crate) fn collection(sort: &str, input: &Input) -> Result<Arc<Collection>, Failure> {
    let Reading { state, collection } = input.reader.read();
    match state.trusted_for(input.patience) {
        State::Synced | State::Stale { .. } => Ok(collection),
        State::NotSynced(why) => Err(not_synced(sort, &input.name, &why)),
    }
}

fn not_synced(sort: &str, name: &str, why: &NotSynced) -> Failure {
    let reason = match why {
        NotSynced::Pending { .. } => Reason::CacheNotSynced,
        NotSynced::Forbidden { .. } => Reason::WatchForbidden,
        NotSynced::UnknownKind { .. } => Reason::UnknownKind,
        NotSynced::ServiceAccount { .. } => Reason::ServiceAccountUnavailable,
        NotSynced::Failed { .. } => Reason::WatchFailed,
    };
    Failure::new(reason, format!("{sort} {name:?}: {}", why.unavailable().message))
}
