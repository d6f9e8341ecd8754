//! What the tests push and pull, and clients that give up soon.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use espejote_oci::{
    Client, ClientConfig, Credentials, Digest, OCI_MANIFEST, Reference, Resolved, Result, Retry, Timeouts,
    WASM_CONFIG, WASM_LAYER, WasmConfig,
};
use serde_json::{Value, json};

/// The first bytes of a component, and some that tell it from others.
pub fn component(name: &str) -> Bytes {
    let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
    bytes.extend_from_slice(name.as_bytes());
    bytes.into()
}

/// Settings that allow plain HTTP for `hosts`, and do not wait for long.
pub fn config(hosts: &[&str]) -> ClientConfig {
    ClientConfig {
        plain_http: hosts.iter().map(|host| (*host).to_owned()).collect(),
        timeouts: Timeouts {
            connect: Duration::from_secs(5),
            idle: Duration::from_secs(5),
            total: Duration::from_secs(30),
        },
        retry: Retry {
            attempts: 3,
            pause: Duration::from_millis(5),
            longest_pause: Duration::from_secs(2),
        },
        ..ClientConfig::default()
    }
}

/// A client for `hosts` over plain HTTP.
pub fn client(hosts: &[&str]) -> Client {
    Client::new(config(hosts)).unwrap()
}

pub fn reference(text: &str) -> Reference {
    text.parse().unwrap()
}

/// Resolves and pulls without credentials; the module's bytes.
pub async fn fetch(client: &Client, reference: &Reference) -> Result<Bytes> {
    fetch_as(client, reference, &Credentials::anonymous()).await
}

/// Resolves and pulls; the module's bytes.
pub async fn fetch_as(client: &Client, reference: &Reference, credentials: &Credentials) -> Result<Bytes> {
    let resolved = client.resolve(reference, credentials).await?;
    pull(client, reference, &resolved, credentials).await
}

pub async fn pull(
    client: &Client,
    reference: &Reference,
    resolved: &Resolved,
    credentials: &Credentials,
) -> Result<Bytes> {
    let artifact = client.pull(reference, resolved, credentials, |_, _| {}).await?;
    Ok(artifact.bytes)
}

/// Pushes a component; the digest of its manifest.
pub async fn push(
    client: &Client,
    reference: &Reference,
    credentials: &Credentials,
    name: &str,
) -> Result<Digest> {
    let config = WasmConfig::default();
    client
        .push(reference, credentials, component(name), &config, BTreeMap::new())
        .await
}

/// A manifest with layers of the types and bytes given.
pub fn manifest(layers: &[(&str, &[u8])]) -> Value {
    let layers: Vec<_> = layers
        .iter()
        .map(|(kind, bytes)| json!({"mediaType": kind, "digest": Digest::of(bytes), "size": bytes.len()}))
        .collect();
    json!({
        "schemaVersion": 2, "mediaType": OCI_MANIFEST, "layers": layers,
        "config": {"mediaType": WASM_CONFIG, "digest": Digest::of(b"{}"), "size": 2},
    })
}

/// A manifest in the CNCF layout.
pub fn wasm_manifest(module: &[u8]) -> Value {
    manifest(&[(WASM_LAYER, module)])
}
