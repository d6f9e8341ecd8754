//! Plugins from OCI registries: from a reference to bytes whose digest is right, and back. The only crate that names a
//! registry client.
//!
//! [`Client::resolve`] turns a [`Reference`] into digests, [`Client::pull`] fetches the bytes ([`Client::download`] to disk), [`Store`] keeps them on disk so
//! that a registry which is down stops nothing, [`trust`] tells who signed them, and [`Client::push`] publishes. What is
//! in the bytes is not this crate's business: it neither reads nor runs WebAssembly, and it knows nothing of Kubernetes.
//!
//! Everything that a registry says is checked: bytes against digests and sizes, sizes against bounds, addresses against
//! where a password may go. Errors name the module, the registry, what was expected and what to do; they never hold a
//! secret.

mod artifact;
mod challenge;
mod client;
mod config;
mod credentials;
mod digest;
mod error;
mod fetch;
mod folder;
mod manifest;
mod partial;
mod pattern;
mod pull;
mod push;
mod reference;
mod referrers;
mod refusal;
mod retry;
mod session;
mod store;
mod tokens;
mod transport;
pub mod trust;
mod unpack;

pub use artifact::{Artifact, Kind, Resolved, Stored};
pub use client::Client;
pub use config::{Authority, ClientConfig, Proxies, Retry, SizeLimits, Timeouts};
pub use credentials::{Credentials, CredentialsError, Secret};
pub use digest::{Digest, DigestError};
pub use error::{AtLeast, Error, Expected, Result, Said, Subject};
pub use manifest::{
    DOCKER_INDEX, DOCKER_MANIFEST, Descriptor, OCI_INDEX, OCI_MANIFEST, Platform, WASM_CONFIG, WASM_LAYER,
};
pub use partial::Partial;
pub use push::{NewArtifact, Part, WasmConfig};
pub use reference::{ModuleReference, Reference, ReferenceError};
pub use store::{Store, StoreError};
