//! Entries of transparency logs (Rekor): that a log of the trust root has this signature, and since when. Without
//! asking it: by its promise or by its proof, which come with the signature.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

pub(super) use super::merkle::Hash;
use super::{
    merkle,
    record::is_about,
    root::{Log, TrustRoot},
};

/// An entry, as it comes with a signature.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    /// Which log: the digest of its key.
    pub(super) log: Vec<u8>,
    /// The entry's number in all of the log.
    pub(super) index: i64,
    /// When it was entered, in seconds; nothing but the promise vouches for it.
    pub(super) time: i64,
    /// The entry itself.
    pub(super) body: Vec<u8>,
    /// The log's signature over all of that.
    pub(super) promise: Option<Vec<u8>>,
    /// The way to a signed root.
    pub(super) proof: Option<Proof>,
}

/// A way through the log's tree.
#[derive(Clone, Debug)]
pub(super) struct Proof {
    pub(super) index: u64,
    pub(super) size: u64,
    pub(super) root: Vec<u8>,
    pub(super) path: Vec<Vec<u8>>,
    /// The log's signed statement of size and root.
    pub(super) checkpoint: String,
}

/// What an entry has to be about.
pub(super) struct About<'a> {
    /// The digest of what is signed, or of the payload in it.
    pub(super) payloads: &'a [Hash],
    pub(super) signature: &'a [u8],
    /// The certificate or key, in DER.
    pub(super) verifier: &'a [u8],
}

impl Entry {
    /// Whether a log of the trust root has this entry, and it is about that signature. Gives the time back if the log vouches
    /// for it.
    pub(super) fn check(&self, root: &TrustRoot, about: &About<'_>) -> Result<Option<i64>, String> {
        let logs: Vec<&Log> = root.logs.iter().filter(|log| log.id == self.log).collect();
        if logs.is_empty() && self.proof.is_none() {
            return Err("its log entry is of a log that is not in the trust root".to_owned());
        }
        let promised = logs.iter().any(|log| self.is_promised(log));
        let proved = root.logs.iter().any(|log| self.is_proved(log));
        if self.promise.is_some() && !promised {
            return Err("the promise of its log entry is not one of the log".to_owned());
        }
        if self.proof.is_some() && !proved {
            return Err("the proof of its log entry does not hold".to_owned());
        }
        if !promised && !proved {
            return Err("its log entry has neither promise nor proof".to_owned());
        }
        is_about(&self.body, about)?;
        Ok(promised.then_some(self.time))
    }

    /// Whether the log has signed entry, number and time.
    fn is_promised(&self, log: &Log) -> bool {
        // The order of fields is that of canonical JSON.
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Promised<'a> {
            body: String,
            integrated_time: i64,
            #[serde(rename = "logID")]
            log_id: &'a str,
            log_index: i64,
        }
        let id: String = log.id.iter().map(|byte| format!("{byte:02x}")).collect();
        let promised = Promised {
            body: STANDARD.encode(&self.body),
            integrated_time: self.time,
            log_id: &id,
            log_index: self.index,
        };
        let (Some(promise), Ok(signed)) = (&self.promise, serde_json::to_vec(&promised)) else {
            return false;
        };
        log.period.includes(self.time) && log.key.has_signed(&signed, promise)
    }

    /// Whether the way leads from the entry to a root that the log has signed.
    fn is_proved(&self, log: &Log) -> bool {
        let Some(proof) = &self.proof else { return false };
        let path: Option<Vec<Hash>> = proof
            .path
            .iter()
            .map(|hash| hash.as_slice().try_into().ok())
            .collect();
        let (Some(path), Ok(root)) = (path, proof.root.as_slice().try_into()) else {
            return false;
        };
        merkle::includes(merkle::leaf(&self.body), proof.index, proof.size, &path, &root)
            && states(&proof.checkpoint, proof.size, &proof.root)
            && is_signed(&proof.checkpoint, log)
    }
}

/// Whether a checkpoint says that the log has this size and root.
fn states(checkpoint: &str, size: u64, root: &[u8]) -> bool {
    let mut lines = checkpoint.lines().skip(1);
    let stated_size = lines.next().and_then(|line| line.parse().ok());
    let stated_root = lines.next().and_then(|line| STANDARD.decode(line).ok());
    stated_size == Some(size) && stated_root.as_deref() == Some(root)
}

/// Whether one of a checkpoint's signatures is the log's: a signed note, whose text ends before an empty line.
fn is_signed(checkpoint: &str, log: &Log) -> bool {
    let Some((text, signatures)) = checkpoint.rsplit_once("\n\n") else {
        return false;
    };
    let signed = format!("{text}\n");
    signatures.lines().any(|line| {
        let encoded = line
            .strip_prefix("\u{2014} ")
            .and_then(|line| line.split(' ').nth(1));
        let decoded = encoded.and_then(|encoded| STANDARD.decode(encoded).ok());
        // Four bytes hint at the key; which one it is decides the signature itself.
        let signature = decoded.as_ref().and_then(|decoded| decoded.get(4..));
        signature.is_some_and(|signature| log.key.has_signed(signed.as_bytes(), signature))
    })
}

/// The digest of some bytes.
pub(super) fn digest(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}
