//! Runs plugins: WebAssembly components of the `espejote:plugin` contract, in a sandbox with limits.
//!
//! The only crate that names the WebAssembly runtime. Three lifetimes are three types: [`Engine`] (the process),
//! [`Plugin`] (one component, compiled and linked), and a call, which gets a fresh store and leaves a [`Call`] behind. A
//! guest that asks for it gets the store of its owner's last call ([`Kept`]).
//!
//! ```text
//! bytes ─► Engine::load ─► Plugin ─► Plugin::reconcile(Invocation, Limits) ─► Call { Desired, Report, Usage }
//!          cache, compile            admit, provide                           Admitted, Provision
//!                                    reconcile, invoke: store, instance, host functions
//! ```
//!
//! It never talks to a cluster or a registry. Start reading in `reconcile.rs`.

mod address;
mod answer;
mod bindings;
mod cache;
mod call;
mod compile;
mod config;
mod contract;
mod convert;
mod ended;
mod engine;
mod entry;
mod epoch;
mod fair_queue;
mod grants;
mod host;
mod inspect;
mod invoke;
mod limits;
mod log;
mod measured;
mod meter;
mod outbound;
mod plugin;
mod pointer;
mod random;
mod reconcile;
mod run;
mod settings;
mod source;
mod warm;

pub use cache::CacheError;
pub use call::{
    Admitted, Call, CallError, Computed, Decision, HostError, InvalidOutput, Mutation, Problem, Provision,
    Usage,
};
pub use compile::{CompileError, compile_child};
pub use config::{Allocation, Compiler, EngineConfig, TlsRoots, WarmConfig};
pub use contract::MisfitError;
pub use engine::{Component, Engine, EngineError, LoadError};
pub use fair_queue::{FairQueue, Turn};
pub use grants::{GrantError, GrantedDirectory, Grants, HostPattern};
pub use inspect::{Imported, InspectError, Inspection, Kind, Metadata, inspect};
pub use limits::{LimitKind, Limits, LimitsBuilder, OverCeiling};
pub use plugin::{Plugin, Role};
pub use settings::SettingsError;
pub use source::Source;
pub use warm::Kept;
