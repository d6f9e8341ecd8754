//! `espejote plugin …`, as a process, in folders of its own and against the real registry.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod projects;
mod real_registry;
mod registries;
mod results;
mod workspace;
