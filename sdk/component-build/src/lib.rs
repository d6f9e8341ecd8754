//! Builds a crate of a workspace into a WebAssembly component, with the toolchain that is there.
//!
//! One pipeline for everybody: the operator's build script, tests, the Makefile and plugin authors. `cargo build` makes a
//! core module for `wasm32-wasip1`, [`wit_component`] wraps it into a component. Which toolchain serves is decided
//! by [`Toolchain::choose`], and the result says which one it was.
//!
//! In a build script:
//!
//! ```no_run
//! # fn main() -> Result<(), espejote_component_build::Error> {
//! let guest = espejote_component_build::in_build_script("espejote-jsonnet")?;
//! println!("cargo::rustc-env=JSONNET_COMPONENT={}", guest.component().display());
//! # Ok(())
//! # }
//! ```
//!
//! Anywhere else:
//!
//! ```no_run
//! # fn main() -> Result<(), espejote_component_build::Error> {
//! let built = espejote_component_build::Guest::new("/src/espejote", "team-labels", "/src/espejote/target/guest").build()?;
//! println!("{} ({})", built.component().display(), built.toolchain());
//! # Ok(())
//! # }
//! ```
//!
//! It never touches the caller's own target folder: a nested cargo that waited for the lock of the outer one would
//! wait for ever.

mod build_script;
mod cargo;
mod component;
mod error;
mod guest;
mod realpath;
mod sources;
mod toolchain;

pub use build_script::in_build_script;
pub use error::{Error, Result};
pub use guest::{Built, Guest};
pub use toolchain::Toolchain;
