//! What the end-to-end tests and the bench share: a real control plane, the real operator, and words to tell them what
//! to do and what to expect.
//!
//! Start reading in [`namespace`]: a test has one [`Namespace`] of its own, gives it objects and says what has to come
//! of them. Everything here blocks, so that a test reads from top to bottom; only [`waiting`] sleeps.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected ends with a panic"
)]

pub mod admitting;
pub mod authority;
pub mod built;
pub mod cluster;
pub mod command;
pub mod components;
pub mod connection;
pub mod control_plane;
pub mod deployment;
pub mod expect;
pub mod http;
pub mod kubectl;
pub mod metrics;
pub mod namespace;
pub mod objects;
pub mod operator;
pub mod plugin;
pub mod process;
pub mod refusal;
pub mod registry;
pub mod run;
pub mod signing;
pub mod waiting;
pub mod watched;

pub use admitting::Admitting;
pub use cluster::Cluster;
pub use expect::{Managed, Warning};
pub use namespace::Namespace;
pub use operator::{Operator, OperatorOptions};
pub use plugin::Registered;
pub use refusal::Refusal;
pub use waiting::{eventually, eventually_within, stays};
