//! One call of a plugin: on whose behalf, with which config, started by what, over which state.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{library::Libraries, object::Object, object_id::ObjectId, snapshot::Snapshot};

/// The resource that uses the plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Its type and name. The namespace is the default for what the call emits.
    pub id: ObjectId,
    /// Its uid.
    pub uid: String,
}

/// What started a reconcile.
///
/// General: all none. Interval: only `name`. Object: `name` and `event`, and `object` unless it is gone.
#[derive(Clone, Debug, Default)]
pub struct Trigger {
    /// The trigger's name in the manifest.
    pub name: Option<String>,
    /// The object whose change started the call.
    pub event: Option<ObjectId>,
    /// That object at the instant of the snapshot.
    pub object: Option<Arc<Object>>,
}

/// Everything that one call may see. The same invocation gives the same result.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// On whose behalf the call runs.
    pub owner: Owner,
    /// The config from the manifest, a JSON text; `null` if there is none.
    pub config: Arc<str>,
    /// What started the call.
    pub trigger: Trigger,
    /// The cluster state.
    pub snapshot: Snapshot,
    /// The library files.
    pub libraries: Libraries,
    /// The wall clock during the call, in nanoseconds since 1970-01-01T00:00:00Z.
    pub clock: u64,
    /// The seed of the guest's random numbers.
    pub seed: u64,
}

/// The time, as [`Invocation::clock`] has it.
pub fn clock_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}
