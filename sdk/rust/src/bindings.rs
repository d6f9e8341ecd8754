//! What wit-bindgen makes of the contract, as `sdk/rust/generate` has written it to `generated/`: its macro would have every
//! plugin compile a parser of WIT first. The rest of this crate is the way to use it.
//!
//! `imports` holds every imported interface. Each role is a module of its own that shares those types, so a plugin's
//! component exports the roles it has and no more.

#![allow(
    unsafe_code,
    reason = "the canonical ABI is raw memory; wit-bindgen generates and checks these calls"
)]
#![allow(
    missing_docs,
    reason = "documented in wit/ and in the modules of this crate that wrap them"
)]
#![allow(clippy::all, clippy::pedantic, reason = "generated code")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "generated code"
)]
#![allow(clippy::allow_attributes_without_reason, reason = "generated code")]

/// For the generated code of other crates.
#[doc(hidden)]
pub use wit_bindgen::rt;

/// All imports of all roles.
pub mod imports {
    include!("generated/imports.rs");
}

/// The export of a reconciler.
pub mod reconcile {
    include!("generated/reconcile.rs");
}

/// The export of a plugin that describes its config.
pub mod configuration {
    include!("generated/configuration.rs");
}

/// The export of a provider.
pub mod provide {
    include!("generated/provide.rs");
}

/// The export of an admitter.
pub mod admit {
    include!("generated/admit.rs");
}
