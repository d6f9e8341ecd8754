//! The Espejote operator and command line.

pub mod cache;
pub mod client;
pub mod discovery;
pub mod events;
pub mod identity;
pub mod trigger;
pub mod watch;
