//! What the binary carries with it: the Jsonnet renderer, a plugin like any other.

use espejote_engine::{Component, Engine, LoadError, Plugin, Source};

/// The name that `template: …` stands for.
pub const JSONNET_NAME: &str = "jsonnet";

/// The component of the Jsonnet renderer, built by this crate's build script.
pub const JSONNET: &[u8] = include_bytes!(env!("JSONNET_COMPONENT"));

/// `sha256:…` of the component: computed by the build script, so that no start has to read all of it.
const JSONNET_DIGEST: &str = env!("JSONNET_DIGEST");

/// Loads the Jsonnet renderer.
pub async fn jsonnet(engine: &Engine) -> Result<Plugin, LoadError> {
    engine
        .load_known(Component {
            name: JSONNET_NAME,
            tenant: "",
            digest: JSONNET_DIGEST,
            source: Source::of(JSONNET),
        })
        .await
}

/// `espejote.libsonnet`, as templates import it.
pub const LIBSONNET: &str = include_str!("../../../plugins/jsonnet/espejote.libsonnet");
