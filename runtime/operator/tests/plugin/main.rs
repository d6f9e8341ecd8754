//! `espejote plugin …`, as a process, in folders of its own and against the real registry.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod projects;
#[path = "../espejote/ran.rs"]
mod ran;
#[allow(
    dead_code,
    reason = "written for the registry crate's own tests, which need more of it"
)]
#[path = "../../../oci/tests/registries/real_registry.rs"]
mod real_registry;
mod registries;
mod results;
mod workspace;
