//! Tests of the engine with real components: one hostile guest for each limit, and polite ones for each import.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

mod admit;
mod cache;
mod configuration;
mod contract;
mod grants;
mod hostile;
mod imports;
mod load;
mod output;
mod provide;
mod sdk;
mod server;
mod support;
mod warm;
mod wasi;
