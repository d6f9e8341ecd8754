//! What starts a reconcile: keys, the queue that hands them out, and the clock of interval triggers.
//!
//! Owns the order and the timing of reconciles of one ManagedResource. Never looks at an object and never runs a
//! reconcile: `watch` puts keys in, the ManagedResource's worker takes them out.

pub mod backoff;
pub mod interval;
pub mod key;
pub mod queue;
mod schedule;

pub use backoff::BackOff;
pub use key::TriggerKey;
pub use queue::{Lease, Queue};
