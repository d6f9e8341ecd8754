//! Write Espejote plugins in Rust.
//!
//! A plugin is a WebAssembly component that implements one or more *roles*. Each role is a trait; [`export!`] makes the
//! component export the roles that a type has:
//!
//! ```no_run
//! use espejote_sdk::{Failure, Reconciler, desired, export, state};
//! use serde_json::{Value, json};
//!
//! struct TeamLabels;
//!
//! impl Reconciler for TeamLabels {
//!     fn reconcile() -> Result<(), Failure> {
//!         for namespace in state::context("namespaces")?.iter::<Value>() {
//!             let name = &namespace?["metadata"]["name"];
//!             desired::apply(&json!({
//!                 "apiVersion": "v1",
//!                 "kind": "ConfigMap",
//!                 "metadata": {"name": "team", "namespace": name},
//!             }))?;
//!         }
//!         Ok(())
//!     }
//! }
//!
//! export!(TeamLabels: reconcile);
//! ```
//!
//! What a plugin may read: [`state`] (objects of the cluster), [`provided`] (values that other plugins computed),
//! [`trigger`], [`library`] and [`invocation`] (its owner and config). What it may say: [`desired`], [`report`],
//! [`logging`] and, in an admitter, [`admission`]. All of it is of one instant: nothing that is read changes during a
//! call. Nothing that is emitted is written unless the call succeeds.
//!
//! **Numbers.** JSON passes the host untouched. `serde_json::Value` keeps integers of 64 bits exactly; what is beyond,
//! and the spelling of a decimal fraction, is kept by [`Json`] (`serde_json::value::RawValue`) wherever it stands in a type.
//!
//! **Panics** end the call and drop the instance; the message is in the operator's log. Return a [`Failure`] instead
//! where the reader of a status can do something about it.
//!
//! **Tests** run on the machine at hand, by `cargo test`: `testing::Host` is a fake host that a plugin can be run on.
//! Without it, functions that ask the host panic there.

extern crate self as espejote_sdk;

pub mod admission;
#[doc(hidden)]
pub mod bindings;
pub mod desired;
mod export;
mod failure;
mod host;
pub mod invocation;
pub mod library;
pub mod logging;
mod object;
pub mod provided;
pub mod report;
pub mod state;
#[cfg(not(target_family = "wasm"))]
pub mod testing;
pub mod trigger;
#[cfg(feature = "k8s-openapi")]
pub mod typed;

pub use admission::Admitter;
#[doc(hidden)]
pub use export::ExportOf;
pub use export::{Configurable, Problem, Provider, Reconciler};
pub use failure::{Failure, FailureKind, OrFail, Unavailable, UnavailableReason};
pub use object::{Json, ObjectId, Revision};
