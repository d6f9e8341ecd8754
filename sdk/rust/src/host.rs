//! Where the functions of the contract come from: the host in WebAssembly, the fake of [`testing`](crate::testing) elsewhere.
//!
//! Both have the same names and signatures, so the rest of this crate does not know which one it talks to.

#[cfg(target_family = "wasm")]
pub(crate) use crate::bindings::imports::espejote::plugin::{
    admission, desired, invocation, library, logging, provided, report, state, trigger,
};

#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(not(target_family = "wasm"))]
pub(crate) use native::{admission, desired, invocation, library, logging, provided, report, state, trigger};
