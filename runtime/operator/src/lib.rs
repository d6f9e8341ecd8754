//! The Espejote operator and command line.

pub mod cache;
pub mod cli;
pub mod client;
pub mod discovery;
pub mod events;
pub mod http_server;
pub mod identity;
pub mod metrics;
pub mod run;
pub mod telemetry;
pub mod trigger;
pub mod watch;
