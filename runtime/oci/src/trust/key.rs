//! Public keys, and whether a signature is one of them.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::signature::{self, UnparsedPublicKey, VerificationAlgorithm};
use rustls::pki_types::{SubjectPublicKeyInfoDer, pem::PemObject};
use sha2::{Digest as _, Sha256};
use x509_parser::{prelude::FromDer, x509::SubjectPublicKeyInfo};

/// A public key: ECDSA on P-256 or P-384, RSA of 2048 to 8192 bits, or Ed25519.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PublicKey {
    kind: Kind,
    /// As the algorithm wants it.
    raw: Vec<u8>,
    /// SubjectPublicKeyInfo.
    der: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    P256,
    P384,
    Rsa,
    Ed25519,
}

/// Why a key cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// It is no public key in PEM.
    #[error("this is no public key: expected PEM with BEGIN PUBLIC KEY, as `cosign public-key` prints it")]
    Malformed,
    /// It is of a kind that is not supported.
    #[error("keys of the algorithm {0} are not supported: expected ECDSA P-256 or P-384, RSA or Ed25519")]
    Unsupported(String),
}

impl PublicKey {
    /// From PEM, `BEGIN PUBLIC KEY`.
    pub fn from_pem(pem: &[u8]) -> Result<Self, KeyError> {
        let der = SubjectPublicKeyInfoDer::from_pem_slice(pem).map_err(|_| KeyError::Malformed)?;
        Self::from_der(&der)
    }

    /// From DER, `SubjectPublicKeyInfo`.
    pub fn from_der(der: &[u8]) -> Result<Self, KeyError> {
        let (rest, info) = SubjectPublicKeyInfo::from_der(der).map_err(|_| KeyError::Malformed)?;
        if !rest.is_empty() {
            return Err(KeyError::Malformed);
        }
        let raw = info.subject_public_key.data.to_vec();
        Ok(Self {
            kind: kind(&info)?,
            raw,
            der: der.to_vec(),
        })
    }

    /// `SHA256:` and the base64 of the key's digest: what cosign's bundles call a hint.
    pub fn fingerprint(&self) -> String {
        format!("SHA256:{}", STANDARD.encode(self.digest()))
    }

    /// `SubjectPublicKeyInfo`.
    pub(super) fn der(&self) -> &[u8] {
        &self.der
    }

    /// The digest of the key, by which logs are known.
    pub(super) fn digest(&self) -> [u8; 32] {
        Sha256::digest(&self.der).into()
    }

    /// Whether a signature over a message is one of this key. With ECDSA on P-384 the message may have been digested by
    /// SHA-256 too, as cosign does it.
    pub(super) fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let algorithms: &[&'static dyn VerificationAlgorithm] = match self.kind {
            Kind::P256 => &[&signature::ECDSA_P256_SHA256_ASN1],
            Kind::P384 => &[
                &signature::ECDSA_P384_SHA384_ASN1,
                &signature::ECDSA_P384_SHA256_ASN1,
            ],
            Kind::Rsa => &[
                &signature::RSA_PKCS1_2048_8192_SHA256,
                &signature::RSA_PSS_2048_8192_SHA256,
            ],
            Kind::Ed25519 => &[&signature::ED25519],
        };
        let verifies = |algorithm: &&'static dyn VerificationAlgorithm| {
            UnparsedPublicKey::new(*algorithm, &self.raw)
                .verify(message, signature)
                .is_ok()
        };
        algorithms.iter().any(verifies)
    }
}

impl std::fmt::Debug for PublicKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:?} key {}", self.kind, self.fingerprint())
    }
}

fn kind(info: &SubjectPublicKeyInfo<'_>) -> Result<Kind, KeyError> {
    let curve = || {
        info.algorithm
            .parameters
            .as_ref()
            .and_then(|curve| curve.as_oid().ok())
    };
    match info.algorithm.algorithm.to_id_string().as_str() {
        "1.2.840.10045.2.1" => match curve().map(|curve| curve.to_id_string()).as_deref() {
            Some("1.2.840.10045.3.1.7") => Ok(Kind::P256),
            Some("1.3.132.0.34") => Ok(Kind::P384),
            other => Err(KeyError::Unsupported(format!(
                "ECDSA on the curve {}",
                other.unwrap_or("without a name")
            ))),
        },
        "1.2.840.113549.1.1.1" => Ok(Kind::Rsa),
        "1.3.101.112" => Ok(Kind::Ed25519),
        other => Err(KeyError::Unsupported(other.to_owned())),
    }
}
