//! Which of several processes leads: the one that holds a Lease of coordination.k8s.io/v1.
//!
//! Owns taking, renewing and giving back that Lease, by the rules of client-go, so that programs of both sorts can contend for one.
//! Knows nothing of what the leader does; it tells [`Leadership`](crate::leading::Leadership) until when it may.
//!
//! What keeps two processes from leading at the same time, whatever clocks say and whoever is stopped for how long:
//!
//! * A Lease is written with the resourceVersion that was read: of two that take it, one fails.
//! * Another one's Lease is taken when it has not changed for its duration *on the clock of who watches it*. The times in it are
//!   for people.
//! * The holder may write until the renew deadline, counted from *before* it sent the last renewal that succeeded. That is
//!   shorter than the duration, so it has stopped before anybody may take over.
//!
//! `election` decides what to write, `elector` does it in time, `store` is the Lease at the API server.

mod election;
mod elector;
mod identity;
mod store;

use std::time::Duration;

pub use self::{
    elector::{Elector, LeaseLost},
    identity::identity,
    store::{ApiLeaseStore, LeaseStore, StoreError},
};

/// The Lease's name: that of other operators for the same kinds, so that only one of all of them works.
pub const NAME: &str = "f7157d46.espejote.io";

/// How long things take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Others take the Lease when it has not been renewed for so long. Whole seconds.
    pub duration: Duration,
    /// The holder ceases to lead when it has not renewed the Lease for so long. Shorter than `duration`.
    pub deadline: Duration,
    /// The pause between two attempts. Who waits for the Lease makes it up to 2.2 times as long, by chance.
    pub retry: Duration,
    /// A request that is not answered within this time has failed.
    pub request: Duration,
}

impl Default for Timing {
    /// 15, 10 and 2 seconds as in client-go, and 5 seconds for a request.
    fn default() -> Self {
        Self {
            duration: Duration::from_secs(15),
            deadline: Duration::from_secs(10),
            retry: Duration::from_secs(2),
            request: Duration::from_secs(5),
        }
    }
}
