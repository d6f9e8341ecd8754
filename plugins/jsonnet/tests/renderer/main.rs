//! The whole renderer, run on the machine at hand against a host in memory.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod admission;
mod apply;
mod errors;
mod fake;
mod template;
