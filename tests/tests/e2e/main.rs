//! End to end: the shipped program with its own rights on a real control plane. Tests are named by the rows of
//! `docs/reference/compatibility.md`; one operator serves all of them, each in a namespace of its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod admission;
mod admission_webhooks;
mod applying;
mod bad_inputs;
mod caches;
mod commands;
mod contexts;
mod deleting;
mod field_cases;
mod grants;
mod groups;
mod intervals;
mod late_definitions;
mod libraries;
mod metrics;
mod plugins;
mod plugins_from_registries;
mod projects;
mod providers;
mod recording;
mod rights;
mod scopes;
mod service_accounts;
mod signed_plugins;
mod status;
mod triggers;
