//! A signature as it was read, whatever the format it came in.

use crate::digest::Digest;

use super::log::{Entry, Hash, digest};

/// A signature and all that came with it. Nothing of it is checked.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    /// The manifests that it says it is about.
    pub(super) about: Vec<Digest>,
    /// What was signed, byte for byte.
    pub(super) message: Vec<u8>,
    /// What a log may have recorded as that: the message, or the payload in it.
    pub(super) recorded: Vec<Hash>,
    pub(super) signature: Vec<u8>,
    pub(super) material: Material,
    pub(super) entries: Vec<Entry>,
    /// Signed statements of when there was this signature (RFC 3161).
    pub(super) timestamps: Vec<Vec<u8>>,
}

/// What says who signed.
#[derive(Clone, Debug)]
pub(super) enum Material {
    /// A key, which is not part of it.
    Key {
        /// What is said about the key; nothing if empty.
        hint: String,
    },
    /// A certificate, and what is between it and the authority.
    Certificate { leaf: Vec<u8>, between: Vec<Vec<u8>> },
}

impl Signature {
    /// With the message as what a log records.
    pub(super) fn over(message: Vec<u8>, signature: Vec<u8>, material: Material, about: Vec<Digest>) -> Self {
        Self {
            about,
            recorded: vec![digest(&message)],
            message,
            signature,
            material,
            entries: Vec::new(),
            timestamps: Vec::new(),
        }
    }
}
