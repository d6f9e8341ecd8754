//! Whether a component carries the signatures that are asked for.
//!
//! Owns the reading of signers in manifests and in the operator's policy. What a signature has to be is the business of
//! [`espejote_oci::trust`].

use std::sync::Arc;

use espejote_api::plugin::{Keyless, Signer};
use espejote_core::PluginReason;
use espejote_oci::{
    Credentials, Reference, Resolved,
    trust::{self, Pattern, PublicKey, Requirements, TrustError, TrustRoot},
};

use super::{
    find::refused,
    host::PluginHost,
    progress::{Stage, Stop},
};
use crate::failure::with_sources;

/// Those whose signatures were accepted; each entry of `required` asks for one of its signers.
pub(super) async fn check(
    host: &PluginHost,
    reference: &Reference,
    resolved: &Resolved,
    credentials: &Credentials,
    required: &[Vec<Signer>],
) -> Result<Vec<String>, Stop> {
    let mut accepted = Vec::new();
    for any_of in required {
        let requirements = requirements(any_of, host.trust_root.as_ref())?;
        let verified = host
            .registry()?
            .verify(reference, resolved, credentials, &requirements)
            .await
            .map_err(|error| refusal(&error))?;
        accepted.extend(verified.signers.iter().map(ToString::to_string));
    }
    accepted.sort();
    accepted.dedup();
    Ok(accepted)
}

/// Signers as a manifest or the policy names them.
pub(super) fn requirements(any_of: &[Signer], root: Option<&Arc<TrustRoot>>) -> Result<Requirements, Stop> {
    let any_of = any_of
        .iter()
        .map(|signer| self::signer(signer, root))
        .collect::<Result<_, _>>();
    any_of.map(|any_of| Requirements { any_of })
}

fn signer(given: &Signer, root: Option<&Arc<TrustRoot>>) -> Result<trust::Signer, Stop> {
    match (&given.key, &given.keyless) {
        (Some(key), None) => {
            let key = PublicKey::from_pem(key.as_bytes())
                .map_err(|error| invalid(format!("a signer's key: {}", with_sources(&error))))?;
            Ok(trust::Signer::Key { key, log: None })
        }
        (None, Some(keyless)) => self::keyless(keyless, root),
        _ => Err(invalid(
            "a signer needs exactly one of key and keyless".to_owned(),
        )),
    }
}

fn keyless(given: &Keyless, root: Option<&Arc<TrustRoot>>) -> Result<trust::Signer, Stop> {
    let Some(root) = root else {
        let message =
            "keyless signatures need a trust root: the operator has none, see --sigstore-trust-root";
        return Err(Stop::new(Stage::Verified, PluginReason::NotAllowed, message));
    };
    let subject = match (&given.subject, &given.subject_reg_exp) {
        (Some(subject), None) => Pattern::exactly(subject),
        (None, Some(expression)) => Pattern::matching(expression)
            .map_err(|error| invalid(format!("keyless.subjectRegExp: {error}")))?,
        _ => {
            let message = "keyless needs exactly one of subject and subjectRegExp".to_owned();
            return Err(invalid(message));
        }
    };
    Ok(trust::Signer::Keyless {
        issuer: Pattern::exactly(&given.issuer),
        subject,
        root: root.clone(),
    })
}

fn invalid(message: String) -> Stop {
    Stop::new(Stage::Verified, PluginReason::InvalidSpec, message)
}

fn refusal(error: &TrustError) -> Stop {
    let reason = match error {
        TrustError::NoSignature { .. } => PluginReason::NoSignature,
        TrustError::NotTrusted { .. } => PluginReason::NotTrusted,
        TrustError::Tampered { .. } | TrustError::Unreadable { .. } => PluginReason::Tampered,
        TrustError::Registry(error) => refused(error).reason,
    };
    Stop::new(Stage::Verified, reason, with_sources(error))
}
