//! cosign's format of old: a manifest under the tag `sha256-….sig`, each layer of which is a payload that names the signed
//! manifest, with the signature and what belongs to it in annotations.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;

use crate::digest::Digest;

use super::{
    log::Entry,
    pem,
    signature::{Material, Signature},
};

/// The layers' media type.
pub(super) const PAYLOAD: &str = "application/vnd.dev.cosign.simplesigning.v1+json";

const SIGNATURE: &str = "dev.cosignproject.cosign/signature";
const CERTIFICATE: &str = "dev.sigstore.cosign/certificate";
const CHAIN: &str = "dev.sigstore.cosign/chain";
const LOG_ENTRY: &str = "dev.sigstore.cosign/bundle";
const TIMESTAMP: &str = "dev.sigstore.cosign/rfc3161timestamp";

/// What the payload must call itself, so that nothing else that the key signed passes for a signature of an image.
const TYPE: &str = "cosign container image signature";

#[derive(Deserialize)]
struct Payload {
    critical: Critical,
}

#[derive(Deserialize)]
struct Critical {
    image: Image,
    r#type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Image {
    docker_manifest_digest: Digest,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct LogEntry {
    signed_entry_timestamp: String,
    payload: LogPayload,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogPayload {
    body: String,
    integrated_time: i64,
    log_index: i64,
    #[serde(rename = "logID")]
    log_id: String,
}

#[derive(Deserialize)]
struct Timestamp {
    #[serde(rename = "SignedRFC3161Timestamp")]
    signed: String,
}

/// Reads a layer with its annotations.
pub(super) fn read(payload: &[u8], annotations: &BTreeMap<String, String>) -> Result<Signature, String> {
    let claims: Payload =
        serde_json::from_slice(payload).map_err(|error| format!("the payload cannot be read: {error}"))?;
    if claims.critical.r#type != TYPE {
        return Err(format!(
            "the payload is a `{}`, expected a `{TYPE}`",
            claims.critical.r#type
        ));
    }
    let signature = annotations
        .get(SIGNATURE)
        .ok_or("there is no signature beside the payload")?;
    let signature = decode(signature, "signature")?;
    let about = vec![claims.critical.image.docker_manifest_digest];
    let mut read = Signature::over(payload.to_vec(), signature, material(annotations)?, about);
    read.entries.extend(
        annotations
            .get(LOG_ENTRY)
            .map(|entry| log_entry(entry))
            .transpose()?,
    );
    read.timestamps.extend(
        annotations
            .get(TIMESTAMP)
            .map(|stamp| timestamp(stamp))
            .transpose()?,
    );
    Ok(read)
}

fn material(annotations: &BTreeMap<String, String>) -> Result<Material, String> {
    let Some(certificate) = annotations
        .get(CERTIFICATE)
        .filter(|certificate| !certificate.is_empty())
    else {
        return Ok(Material::Key { hint: String::new() });
    };
    let leaf = pem::certificates(certificate.as_bytes()).and_then(|list| list.into_iter().next());
    let leaf = leaf.ok_or("the certificate is not PEM")?;
    let chain = annotations.get(CHAIN).map(String::as_str).unwrap_or_default();
    let between = pem::certificates(chain.as_bytes()).ok_or("the certificate chain is not PEM")?;
    Ok(Material::Certificate { leaf, between })
}

fn log_entry(json: &str) -> Result<Entry, String> {
    let entry: LogEntry =
        serde_json::from_str(json).map_err(|error| format!("the log entry cannot be read: {error}"))?;
    let id: Digest = format!("sha256:{}", entry.payload.log_id)
        .parse()
        .map_err(|_| "the log entry's logID is no digest".to_owned())?;
    Ok(Entry {
        log: id.as_bytes().to_vec(),
        index: entry.payload.log_index,
        time: entry.payload.integrated_time,
        body: decode(&entry.payload.body, "body of the log entry")?,
        promise: Some(decode(&entry.signed_entry_timestamp, "promise of the log entry")?),
        proof: None,
    })
}

fn timestamp(json: &str) -> Result<Vec<u8>, String> {
    let stamp: Timestamp =
        serde_json::from_str(json).map_err(|error| format!("the timestamp cannot be read: {error}"))?;
    decode(&stamp.signed, "timestamp")
}

fn decode(text: &str, what: &str) -> Result<Vec<u8>, String> {
    STANDARD
        .decode(text.trim())
        .map_err(|error| format!("the {what} is not base64: {error}"))
}
