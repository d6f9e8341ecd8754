//! What the binary carries with it: the Jsonnet renderer, a plugin like any other.

/// The name that `template: …` stands for.
pub const JSONNET_NAME: &str = "jsonnet";

/// The component of the Jsonnet renderer, built by this crate's build script.
pub const JSONNET: &[u8] = include_bytes!(env!("JSONNET_COMPONENT"));

/// `sha256:…` of the component.
pub const JSONNET_DIGEST: &str = env!("JSONNET_DIGEST");

/// `espejote.libsonnet`, as templates import it.
pub const LIBSONNET: &str = include_str!("../../../plugins/jsonnet/espejote.libsonnet");
