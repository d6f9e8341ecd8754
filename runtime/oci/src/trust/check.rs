//! Decides: does one of the signatures satisfy one of the required signers?

use std::sync::Arc;

use crate::digest::Digest;

use super::{
    Identity, Requirements, Signatures, Signer, TrustError, Verified,
    certificate::{self, Certificate, Usage},
    fetch::Found,
    log::About,
    pattern::Pattern,
    root::{Authority, TrustRoot},
    sct,
    signature::{Material, Signature},
    timestamp,
};

/// Why a signature does not count for a signer.
enum Refusal {
    /// It is someone else's, or it cannot be told whose.
    NotTrusted(String),
    /// It is not what it says.
    Tampered(String),
}

use Refusal::{NotTrusted, Tampered};

/// What has been found on the way.
#[derive(Default)]
struct Findings {
    signers: Vec<Identity>,
    others: Vec<String>,
    tampered: Option<String>,
    unreadable: Option<String>,
}

impl Requirements {
    /// Whether one of the required signers has signed one of `digests`, which are those of the artifact: of its manifest,
    /// and of the index that led to it. `name` is host and repository, for errors.
    pub fn check(
        &self,
        name: &str,
        digests: &[Digest],
        signatures: &Signatures,
    ) -> Result<Verified, TrustError> {
        let mut findings = Findings::default();
        for found in &signatures.found {
            match found.read() {
                Ok(Some(signature)) => self.look(digests, &signature, &mut findings),
                Ok(None) => {}
                Err(reason) => findings.unreadable = Some(reason),
            }
        }
        self.conclude(name, digests, findings)
    }

    fn look(&self, digests: &[Digest], signature: &Signature, findings: &mut Findings) {
        if !signature.about.iter().any(|about| digests.contains(about)) {
            findings.tampered = Some(about_another(signature));
            return;
        }
        for signer in &self.any_of {
            match signer.has_made(signature) {
                Ok(identity) if findings.signers.contains(&identity) => {}
                Ok(identity) => findings.signers.push(identity),
                Err(NotTrusted(found)) if findings.others.contains(&found) => {}
                Err(NotTrusted(found)) => findings.others.push(found),
                Err(Tampered(reason)) => findings.tampered = Some(reason),
            }
        }
    }

    fn conclude(&self, name: &str, digests: &[Digest], findings: Findings) -> Result<Verified, TrustError> {
        let (name, expected) = (name.to_owned(), self.to_string());
        // The manifest is the last of them.
        let digest = digests.last().copied().unwrap_or_else(|| Digest::of(b""));
        let Findings {
            signers,
            others,
            tampered,
            unreadable,
        } = findings;
        if !signers.is_empty() {
            return Ok(Verified { signers });
        }
        Err(match (tampered, unreadable) {
            (Some(reason), _) => TrustError::Tampered { name, digest, reason },
            (None, _) if !others.is_empty() => TrustError::NotTrusted {
                name,
                digest,
                expected,
                found: others,
            },
            (None, Some(reason)) => TrustError::Unreadable { name, digest, reason },
            (None, None) => TrustError::NoSignature {
                name,
                digest,
                expected,
            },
        })
    }
}

fn about_another(signature: &Signature) -> String {
    let about: Vec<String> = signature.about.iter().map(Digest::to_string).collect();
    let about = if about.is_empty() {
        "nothing".to_owned()
    } else {
        about.join(", ")
    };
    format!("the signature kept for it is about {about}")
}

impl Signer {
    /// Whether this signer has made a signature that is about the right artifact.
    fn has_made(&self, signature: &Signature) -> Result<Identity, Refusal> {
        match self {
            Self::Key { key, log } => {
                if !key.has_signed(&signature.message, &signature.signature) {
                    return Err(NotTrusted(format!(
                        "{}, not by that key",
                        words(&signature.material)
                    )));
                }
                if let Some(root) = log {
                    entered(signature, root, key.der()).map_err(Tampered)?;
                }
                Ok(Identity::Key {
                    fingerprint: key.fingerprint(),
                })
            }
            Self::Keyless {
                issuer,
                subject,
                root,
            } => keyless(signature, issuer, subject, root),
        }
    }
}

fn words(material: &Material) -> String {
    match material {
        Material::Key { hint } if hint.is_empty() => "a signature by some key".to_owned(),
        Material::Key { hint } => format!("a signature by the key SHA256:{}", printable(hint)),
        Material::Certificate { leaf, .. } => match Certificate::parse(leaf) {
            Ok(certificate) => format!("a signature by {}", printable(&certificate.words())),
            Err(reason) => format!("a signature with a certificate that cannot be read ({reason})"),
        },
    }
}

/// Whoever may push may write anything into a certificate of their own.
fn printable(text: &str) -> String {
    const SHOWN: usize = 200;
    text.chars().filter(|c| !c.is_control()).take(SHOWN).collect()
}

fn keyless(
    signature: &Signature,
    issuer: &Pattern,
    subject: &Pattern,
    root: &Arc<TrustRoot>,
) -> Result<Identity, Refusal> {
    let because = |reason: String| NotTrusted(format!("{}, but {reason}", words(&signature.material)));
    let Material::Certificate { leaf, between } = &signature.material else {
        return Err(NotTrusted(words(&signature.material)));
    };
    let certificate = Certificate::parse(leaf).map_err(because)?;
    if !certificate
        .key
        .has_signed(&signature.message, &signature.signature)
    {
        return Err(Tampered(format!(
            "{} does not fit what is signed",
            words(&signature.material)
        )));
    }
    for time in times(signature, root, &certificate).map_err(because)? {
        certificate::issued(leaf, between, &root.authorities, Usage::CodeSigning, time).map_err(because)?;
    }
    sct::promised(leaf, &issuers(between, &root.authorities), &root.certificate_logs).map_err(because)?;
    identity(&certificate, issuer, subject).ok_or_else(|| NotTrusted(words(&signature.material)))
}

/// When the signature was there: by a log that has it, and by timestamp services. At least one has to tell; a timestamp that
/// does not count takes nothing away, since who sends it could as well leave it out.
fn times(signature: &Signature, root: &TrustRoot, certificate: &Certificate) -> Result<Vec<i64>, String> {
    let mut times: Vec<i64> = entered(signature, root, &certificate.der)?.into_iter().collect();
    let mut failure = "nothing that the trust root vouches for tells when it was made".to_owned();
    for stamp in &signature.timestamps {
        match timestamp::time(stamp, &signature.signature, &root.timestamp_authorities) {
            Ok(time) => times.push(time),
            Err(reason) => failure = reason,
        }
    }
    if times.is_empty() { Err(failure) } else { Ok(times) }
}

/// Whether a log has the signature; and since when, if the log vouches for that.
fn entered(signature: &Signature, root: &TrustRoot, verifier: &[u8]) -> Result<Option<i64>, String> {
    let about = About {
        payloads: &signature.recorded,
        signature: &signature.signature,
        verifier,
    };
    let mut failure = "no transparency log has it".to_owned();
    let mut entered = None;
    for entry in &signature.entries {
        match entry.check(root, &about) {
            Ok(Some(time)) => return Ok(Some(time)),
            Ok(None) => entered = Some(None),
            Err(reason) => failure = reason,
        }
    }
    entered.ok_or(failure)
}

/// All certificates that may have issued the signing one.
fn issuers(between: &[Vec<u8>], authorities: &[Authority]) -> Vec<Vec<u8>> {
    let known = authorities.iter().flat_map(|authority| &authority.chain);
    known.chain(between).cloned().collect()
}

fn identity(certificate: &Certificate, issuer: &Pattern, subject: &Pattern) -> Option<Identity> {
    let vouching = certificate.issuer.as_ref().filter(|name| issuer.matches(name))?;
    let named = certificate.subjects.iter().find(|name| subject.matches(name))?;
    Some(Identity::Keyless {
        issuer: vouching.clone(),
        subject: named.clone(),
    })
}

impl Found {
    /// The signature in it; none if it is none but states something else.
    fn read(&self) -> Result<Option<Signature>, String> {
        match self {
            Self::Simple { payload, annotations } => {
                super::simple::read(payload.as_bytes(), annotations).map(Some)
            }
            Self::Bundle { json } => super::bundle::read(json.as_bytes()),
            Self::Unreadable { reason } => Err(reason.clone()),
        }
    }
}
