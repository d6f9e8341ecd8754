//! The registry of the control plane: real, plain HTTP, no login.

use std::collections::BTreeMap;

use espejote_oci::{
    Client, ClientConfig, Credentials, Digest, OCI_INDEX, OCI_MANIFEST, Reference, WasmConfig,
};
use serde_json::json;

use crate::{http, run};

#[path = "../../runtime/oci/tests/registries/real_registry.rs"]
mod real_registry;

pub use real_registry::RealRegistry;

/// A reference into the registry.
pub fn reference(repository: &str, tag: &str) -> String {
    format!("{}/{repository}:{tag}", run::control_plane().endpoints.registry)
}

/// Pushes a component. Gives the digest of its manifest.
pub fn push(reference: &str, component: &[u8]) -> Digest {
    let reference: Reference = reference.parse().expect("a reference");
    let config = ClientConfig {
        plain_http: [reference.registry().to_owned()].into(),
        ..ClientConfig::default()
    };
    let client = Client::new(config).expect("a registry client");
    let pushing = async {
        let config = WasmConfig::default();
        let component = component.to_vec().into();
        client
            .push(
                &reference,
                &Credentials::anonymous(),
                component,
                &config,
                BTreeMap::new(),
            )
            .await
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let pushed = runtime.expect("a runtime").block_on(pushing);
    pushed.expect("push a component")
}

/// Pushes an index that leads to a manifest. Gives its digest. No registry compares the sizes in it.
pub fn push_index(host: &str, repository: &str, manifest: Digest) -> Digest {
    let index = json!({"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": [
        {"mediaType": OCI_MANIFEST, "digest": manifest, "size": 1}]});
    let index = index.to_string();
    let digest = Digest::of(index.as_bytes());
    let port = host.rsplit(':').next().and_then(|port| port.parse().ok());
    let path = format!("/v2/{repository}/manifests/{digest}");
    let (code, body) =
        http::put(port.expect("a port"), &path, OCI_INDEX, index.as_bytes()).expect("an answer");
    assert_eq!(code, 201, "{body}");
    digest
}
