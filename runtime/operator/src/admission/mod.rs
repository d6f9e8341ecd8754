//! Admissions and ClusterAdmissions: the API server asks, a template or plugin decides.
//!
//! ```text
//! Admissions ──► writer ──► webhook configurations ──► API server
//!      │                                                   │ asks
//!      ├──► task: status, events                           ▼
//!      └──────────────────────► site ──► reading ──► decider ──► engine
//! ```
//!
//! Owns the two webhook configurations, the server that the API server calls, and its certificate. Knows nothing of
//! ManagedResources: an admission reads no context and writes nothing. Every replica serves. Start reading in `serve.rs`, then
//! `decider.rs`.

mod bounds;
pub mod certificates;
pub mod change;
pub mod configuration;
mod culprits;
pub mod decider;
pub mod definition;
mod draft;
mod fitting;
pub mod host;
pub mod installed;
pub mod keeper;
mod live;
pub mod lockout;
pub mod reading;
mod rejected;
pub mod review;
pub mod serve;
pub mod site;
pub mod sources;
pub mod store;
mod task;
mod turns;
mod weight;
pub mod writer;
