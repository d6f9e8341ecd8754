//! The client against the real registry of `tests/controlplane`, and against one of ours that does everything wrong.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod faults;
mod faulty;
mod keyless;
mod layouts;
mod logged;
mod logins;
mod modules;
mod pushing;
mod real;
mod real_registry;
mod server;
mod signed;
mod sigstore;
mod timestamps;
mod tls;
mod trust;
