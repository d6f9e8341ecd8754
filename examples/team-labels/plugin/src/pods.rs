//! Counts running pods, and remembers the count as long as no pod changes.

use std::cell::Cell;

use espejote_sdk::state::Collection;
use espejote_sdk::{Failure, Revision};
use serde::Deserialize;

thread_local! {
    /// Lives as long as this instance. A cache only: equal revision, equal pods.
    static LAST: Cell<Option<(Revision, usize)>> = const { Cell::new(None) };
}

/// The only field of a pod that is of interest.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Pod {
    status: Status,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    phase: String,
}

/// How many pods run.
pub fn running(pods: &Collection) -> Result<usize, Failure> {
    let revision = pods.revision();
    if let Some((_, count)) = LAST.get().filter(|(last, _)| *last == revision) {
        return Ok(count);
    }
    let mut count = 0;
    for pod in pods.iter::<Pod>() {
        count += usize::from(pod?.status.phase == "Running");
    }
    LAST.set(Some((revision, count)));
    Ok(count)
}
