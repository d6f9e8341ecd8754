//! Who signed an artifact: cosign's signatures, by key or keyless, checked without asking anyone but the registry.
//!
//! [`Client::signatures`](crate::Client::signatures) fetches what there is, [`Requirements::check`] decides, with no
//! request and no clock: a signature that was good when it was made stays good. So a [`Store`](crate::Store) can keep
//! signatures beside artifacts, and a registry that is down stops nothing. `docs/design/041-trust.md` has what is checked,
//! and what is not.

mod bundle;
mod certificate;
mod check;
mod der;
mod fetch;
mod key;
mod log;
mod merkle;
mod pattern;
mod pem;
mod record;
mod root;
mod sct;
mod signature;
mod simple;
mod timestamp;

use std::{fmt, sync::Arc};

pub use fetch::Signatures;
pub use key::{KeyError, PublicKey};
pub use pattern::{Pattern, PatternError};
pub use root::{RootError, TrustRoot};

use crate::{digest::Digest, error::Error};

/// Who has to have signed: one of these.
#[derive(Clone, Debug)]
pub struct Requirements {
    /// Any one of them is enough. With none, nothing is ever good enough.
    pub any_of: Vec<Signer>,
}

/// Whose signature counts.
#[derive(Clone, Debug)]
pub enum Signer {
    /// Whoever has a key.
    Key {
        /// The key.
        key: PublicKey,
        /// If given, the signature has to be in a transparency log of this trust root too.
        log: Option<Arc<TrustRoot>>,
    },
    /// Whoever could log in as someone, as a certificate authority of a trust root vouches.
    Keyless {
        /// Where they logged in, such as `https://token.actions.githubusercontent.com`.
        issuer: Pattern,
        /// Who they are there: a mail address, or the address of a workflow.
        subject: Pattern,
        /// What vouches for it.
        root: Arc<TrustRoot>,
    },
}

/// A signer that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// By key.
    Key {
        /// `SHA256:` and the digest of the key.
        fingerprint: String,
    },
    /// By name.
    Keyless {
        /// Where they logged in.
        issuer: String,
        /// Who they are there.
        subject: String,
    },
}

/// A good signature, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Those of the required signers that have signed.
    pub signers: Vec<Identity>,
}

/// Why an artifact is not trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// Nobody signed it.
    #[error("{name}: {digest} is not signed: expected a signature by {expected}: sign it with `cosign sign`")]
    NoSignature {
        /// Host and repository.
        name: String,
        /// What had to be signed.
        digest: Digest,
        /// Who had to sign.
        expected: String,
    },
    /// Others signed it, or it cannot be told who.
    #[error("{name}: {digest} is not signed by {expected}: found {}", list(found))]
    NotTrusted {
        /// Host and repository.
        name: String,
        /// What had to be signed.
        digest: Digest,
        /// Who had to sign.
        expected: String,
        /// Who did, and why that does not count.
        found: Vec<String>,
    },
    /// A signature is not one of this artifact, or is not what it says.
    #[error("{name}: {digest}: {reason}: the signature or the artifact was tampered with; it is not used")]
    Tampered {
        /// Host and repository.
        name: String,
        /// What had to be signed.
        digest: Digest,
        /// Why.
        reason: String,
    },
    /// There are signatures, but none can be read.
    #[error("{name}: {digest}: no signature can be read: {reason}: sign it with a current cosign")]
    Unreadable {
        /// Host and repository.
        name: String,
        /// What had to be signed.
        digest: Digest,
        /// Why.
        reason: String,
    },
    /// The signatures cannot be fetched.
    #[error("signatures of {0}")]
    Registry(#[source] Error),
}

impl TrustError {
    /// Whether it may pass by itself.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Registry(error) if error.is_transient())
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key { fingerprint } => write!(out, "the key {fingerprint}"),
            Self::Keyless { issuer, subject } => write!(out, "{subject} (vouched for by {issuer})"),
        }
    }
}

impl fmt::Display for Signer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key { key, log: None } => write!(out, "the key {}", key.fingerprint()),
            Self::Key { key, log: Some(_) } => {
                write!(
                    out,
                    "the key {} with an entry in a transparency log",
                    key.fingerprint()
                )
            }
            Self::Keyless { issuer, subject, .. } => write!(out, "{subject} (vouched for by {issuer})"),
        }
    }
}

impl fmt::Display for Requirements {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signers: Vec<String> = self.any_of.iter().map(Signer::to_string).collect();
        match signers.as_slice() {
            [] => out.write_str("anyone (no signer is configured)"),
            [only] => out.write_str(only),
            many => write!(out, "one of: {}", many.join("; ")),
        }
    }
}

/// More findings than this help nobody.
const SHOWN: usize = 5;

fn list(found: &[String]) -> String {
    let shown = found
        .iter()
        .take(SHOWN)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("; ");
    match found.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => format!("{shown}; and {more} more"),
        _ => shown,
    }
}
