//! Sigstore's bundle, cosign's format of today: an artifact that refers to the signed manifest, whose one layer has the
//! signed statement, the signature and what belongs to it.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::digest::Digest;

use super::{
    log::{Entry, Proof, digest},
    signature::{Material, Signature},
};

/// The media type of artifact and layer.
pub(super) const BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

/// What a statement must be about to be a signature. Others state something about the artifact: that it has been built
/// somewhere, or that it has holes. Who signs such does not vouch for it.
const SIGNED: &str = "https://sigstore.dev/cosign/sign/v1";

const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// Bytes in base64.
struct Base64(Vec<u8>);

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Self).map_err(D::Error::custom)
    }
}

/// 64 bits, which the JSON of protocol buffers writes as text.
#[derive(Default)]
struct Number(i64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(String),
            Number(i64),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(number) => Ok(Self(number)),
            Written::Text(text) => text.parse().map(Self).map_err(D::Error::custom),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bundle {
    media_type: String,
    verification_material: Verification,
    dsse_envelope: Option<Envelope>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Verification {
    public_key: Option<Hint>,
    certificate: Option<Raw>,
    x509_certificate_chain: Option<Chain>,
    #[serde(default)]
    tlog_entries: Vec<LogEntry>,
    #[serde(default)]
    timestamp_verification_data: Timestamps,
}

#[derive(Deserialize)]
struct Hint {
    #[serde(default)]
    hint: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    raw_bytes: Base64,
}

#[derive(Deserialize)]
struct Chain {
    certificates: Vec<Raw>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Timestamps {
    #[serde(default)]
    rfc3161_timestamps: Vec<Timestamp>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Timestamp {
    signed_timestamp: Base64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogEntry {
    #[serde(default)]
    log_index: Number,
    log_id: LogId,
    #[serde(default)]
    integrated_time: Number,
    inclusion_promise: Option<Promise>,
    inclusion_proof: Option<ProofJson>,
    canonicalized_body: Base64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogId {
    key_id: Base64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Promise {
    signed_entry_timestamp: Base64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProofJson {
    #[serde(default)]
    log_index: Number,
    root_hash: Base64,
    tree_size: Number,
    #[serde(default)]
    hashes: Vec<Base64>,
    checkpoint: Checkpoint,
}

#[derive(Deserialize)]
struct Checkpoint {
    envelope: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    payload: Base64,
    payload_type: String,
    signatures: Vec<EnvelopeSignature>,
}

#[derive(Deserialize)]
struct EnvelopeSignature {
    sig: Base64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Statement {
    #[serde(rename = "_type")]
    kind: String,
    subject: Vec<Subject>,
    predicate_type: String,
}

#[derive(Deserialize)]
struct Subject {
    digest: Digests,
}

#[derive(Deserialize)]
struct Digests {
    sha256: Option<String>,
}

/// Reads a bundle; none if it is no signature but states something else.
pub(super) fn read(json: &[u8]) -> Result<Option<Signature>, String> {
    let bundle: Bundle =
        serde_json::from_slice(json).map_err(|error| format!("the bundle cannot be read: {error}"))?;
    if !bundle
        .media_type
        .starts_with("application/vnd.dev.sigstore.bundle")
    {
        return Err(format!(
            "the bundle calls itself {}, expected {BUNDLE}",
            bundle.media_type
        ));
    }
    let envelope = bundle
        .dsse_envelope
        .ok_or("the bundle has no envelope, which a signature of an image has")?;
    if envelope.payload_type != PAYLOAD_TYPE {
        return Err(format!(
            "the envelope holds {}, expected {PAYLOAD_TYPE}",
            envelope.payload_type
        ));
    }
    let Some(about) = subjects(&envelope.payload.0)? else {
        return Ok(None);
    };
    let [signature] = envelope.signatures.as_slice() else {
        return Err(format!(
            "the envelope has {} signatures, expected one",
            envelope.signatures.len()
        ));
    };
    let message = authenticated(&envelope.payload_type, &envelope.payload.0);
    let material = material(&bundle.verification_material)?;
    let mut read = Signature::over(message, signature.sig.0.clone(), material, about);
    read.recorded.push(digest(&envelope.payload.0));
    let entries = bundle.verification_material.tlog_entries.into_iter();
    read.entries = entries.map(entry).collect::<Result<_, _>>()?;
    let timestamps = bundle
        .verification_material
        .timestamp_verification_data
        .rfc3161_timestamps
        .into_iter();
    read.timestamps = timestamps.map(|stamp| stamp.signed_timestamp.0).collect();
    Ok(Some(read))
}

/// What a statement is about; none if it is no signature.
fn subjects(payload: &[u8]) -> Result<Option<Vec<Digest>>, String> {
    let statement: Statement =
        serde_json::from_slice(payload).map_err(|error| format!("the statement cannot be read: {error}"))?;
    if !statement.kind.starts_with("https://in-toto.io/Statement/") {
        return Err(format!(
            "the statement is a {}, expected https://in-toto.io/Statement/v1",
            statement.kind
        ));
    }
    if statement.predicate_type != SIGNED {
        return Ok(None);
    }
    let digests = statement
        .subject
        .into_iter()
        .filter_map(|subject| subject.digest.sha256);
    Ok(Some(
        digests
            .filter_map(|hex| format!("sha256:{hex}").parse().ok())
            .collect(),
    ))
}

/// What is signed of an envelope: type and payload with their lengths, so that neither can be taken for the other.
fn authenticated(kind: &str, payload: &[u8]) -> Vec<u8> {
    let mut message = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len()).into_bytes();
    message.extend_from_slice(payload);
    message
}

fn material(verification: &Verification) -> Result<Material, String> {
    let chain = verification
        .x509_certificate_chain
        .as_ref()
        .map(|chain| chain.certificates.as_slice());
    let all: Vec<_> = verification
        .certificate
        .iter()
        .chain(chain.unwrap_or_default())
        .collect();
    match (all.split_first(), &verification.public_key) {
        (Some((leaf, between)), None) => Ok(Material::Certificate {
            leaf: leaf.raw_bytes.0.clone(),
            between: between
                .iter()
                .map(|certificate| certificate.raw_bytes.0.clone())
                .collect(),
        }),
        (None, Some(key)) => Ok(Material::Key {
            hint: key.hint.clone(),
        }),
        _ => Err("the bundle has not either a key or a certificate".to_owned()),
    }
}

fn entry(entry: LogEntry) -> Result<Entry, String> {
    Ok(Entry {
        log: entry.log_id.key_id.0,
        index: entry.log_index.0,
        time: entry.integrated_time.0,
        body: entry.canonicalized_body.0,
        promise: entry
            .inclusion_promise
            .map(|promise| promise.signed_entry_timestamp.0),
        proof: entry.inclusion_proof.map(proof).transpose()?,
    })
}

fn proof(proof: ProofJson) -> Result<Proof, String> {
    let unsigned =
        |number: &Number| u64::try_from(number.0).map_err(|_| "a proof counts below zero".to_owned());
    Ok(Proof {
        index: unsigned(&proof.log_index)?,
        size: unsigned(&proof.tree_size)?,
        root: proof.root_hash.0,
        path: proof.hashes.into_iter().map(|hash| hash.0).collect(),
        checkpoint: proof.checkpoint.envelope,
    })
}
