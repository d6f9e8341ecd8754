//! What the cluster is told about a ManagedResource, and how statuses are written.
//!
//! Owns the outcome of every trigger key, which of them shows, and the only writes to `status`. It decides nothing about
//! retries and never reads the spec.

mod conditions;
mod outcomes;
mod pace;
mod writer;

pub use self::{
    conditions::{condition, conditions, status as of},
    outcomes::{Outcomes, Summary},
    pace::Pace,
    writer::{StatusTarget, StatusWriter},
};
