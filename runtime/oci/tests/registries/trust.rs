//! Which signatures count, and why others do not. Nothing here asks a registry.

use std::collections::BTreeMap;

use espejote_oci::{
    Digest,
    trust::{Identity, PublicKey, Requirements, Signatures, Signer, TrustError, Verified},
};
use serde_json::{Value, json};

use crate::sigstore::{self, Key, Request, Sigstore, bundle_of, encode, key_bundle, key_simple, pem};

pub fn digest() -> Digest {
    Digest::of(b"manifest")
}

pub fn signatures(found: &[Value]) -> Signatures {
    serde_json::from_value(json!({"found": found})).unwrap()
}

pub fn simple((payload, annotations): (String, BTreeMap<String, String>)) -> Value {
    json!({"format": "simple", "payload": payload, "annotations": annotations})
}

pub fn bundle(bundle: &Value) -> Value {
    json!({"format": "bundle", "json": bundle.to_string()})
}

pub fn check(required: &[Signer], found: &[Value]) -> Result<Verified, TrustError> {
    let requirements = Requirements {
        any_of: required.to_vec(),
    };
    requirements.check("registry.example/acme/labels", &[digest()], &signatures(found))
}

/// Why it is not trusted, which names what was wanted.
pub fn refusal(required: &[Signer], found: &[Value]) -> TrustError {
    let error = check(required, found).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("registry.example/acme/labels") && text.contains(&digest().to_string()),
        "{text}"
    );
    error
}

fn by(key: &Key) -> Signer {
    Signer::Key {
        key: PublicKey::from_pem(key.pem().as_bytes()).unwrap(),
        log: None,
    }
}

#[test]
fn a_signature_by_the_key_counts_in_both_formats() {
    let key = Key::new();
    let fingerprint = PublicKey::from_pem(key.pem().as_bytes()).unwrap().fingerprint();
    for found in [
        bundle(&key_bundle(&key, digest())),
        simple(key_simple(&key, digest())),
    ] {
        let verified = check(&[by(&Key::new()), by(&key)], &[found]).unwrap();
        assert_eq!(
            verified.signers,
            [Identity::Key {
                fingerprint: fingerprint.clone()
            }]
        );
    }
}

#[test]
fn keys_of_openssl_count_whatever_their_algorithm() {
    let cases = include_str!("keys.txt").split("\n\n");
    let mut seen = 0;
    for case in cases {
        let (key, signature) = case.trim().rsplit_once('\n').unwrap();
        let required = [Signer::Key {
            key: PublicKey::from_pem(key.as_bytes()).unwrap(),
            log: None,
        }];
        let annotations = BTreeMap::from([(
            "dev.cosignproject.cosign/signature".to_owned(),
            signature.to_owned(),
        )]);
        let payload = sigstore::payload(digest());
        check(&required, &[simple((payload.clone(), annotations.clone()))]).unwrap();
        let changed = payload.replace("acme", "evil");
        assert!(check(&required, &[simple((changed, annotations))]).is_err());
        seen += 1;
    }
    assert_eq!(seen, 4, "RSA, Ed25519, and P-384 with both digests");
}

#[test]
fn what_is_no_key_is_refused() {
    let certificate = pem(
        "CERTIFICATE",
        &Sigstore::new().signer(&Request::default()).certificate,
    );
    for wrong in ["", "hello", &certificate] {
        assert!(
            PublicKey::from_pem(wrong.as_bytes())
                .unwrap_err()
                .to_string()
                .contains("BEGIN PUBLIC KEY")
        );
    }
}

#[test]
fn without_any_signature_it_is_said_who_should_sign() {
    let key = Key::new();
    let error = refusal(&[by(&key)], &[]);
    assert!(matches!(error, TrustError::NoSignature { .. }));
    assert!(
        error.to_string().contains("the key SHA256:") && error.to_string().contains("cosign sign"),
        "{error}"
    );
}

#[test]
fn a_signature_by_another_key_is_not_trusted_and_named() {
    let other = Key::new();
    let error = refusal(&[by(&Key::new())], &[bundle(&key_bundle(&other, digest()))]);
    assert!(matches!(error, TrustError::NotTrusted { .. }), "{error:?}");
    let fingerprint = PublicKey::from_pem(other.pem().as_bytes()).unwrap().fingerprint();
    assert!(error.to_string().contains(&fingerprint), "{error}");
}

#[test]
fn without_required_signers_nothing_is_trusted() {
    let key = Key::new();
    assert!(check(&[], &[bundle(&key_bundle(&key, digest()))]).is_err());
    assert!(
        check(&[], &[])
            .unwrap_err()
            .to_string()
            .contains("no signer is configured")
    );
}

#[test]
fn a_signature_of_another_artifact_is_tampering() {
    let key = Key::new();
    let other = Digest::of(b"other");
    for found in [bundle(&key_bundle(&key, other)), simple(key_simple(&key, other))] {
        let error = refusal(&[by(&key)], &[found]);
        assert!(matches!(error, TrustError::Tampered { .. }), "{error:?}");
        assert!(error.to_string().contains(&other.to_string()), "{error}");
    }
}

#[test]
fn a_statement_that_is_no_signature_counts_for_nothing() {
    let key = Key::new();
    let provenance = bundle_of(&key, digest(), "https://slsa.dev/provenance/v1");
    assert!(matches!(
        refusal(&[by(&key)], &[bundle(&provenance)]),
        TrustError::NoSignature { .. }
    ));
    let (payload, _) = key_simple(&key, digest());
    let other = payload.replace("cosign container image signature", "something else");
    let annotations = BTreeMap::from([(
        "dev.cosignproject.cosign/signature".to_owned(),
        encode(&key.sign(other.as_bytes())),
    )]);
    let error = refusal(&[by(&key)], &[simple((other, annotations))]);
    assert!(
        matches!(error, TrustError::Unreadable { .. }) && error.to_string().contains("something else"),
        "{error}"
    );
}

#[test]
fn what_cannot_be_read_is_told_but_hides_no_good_signature() {
    let key = Key::new();
    let junk = [
        json!({"format": "bundle", "json": "{}"}),
        json!({"format": "simple", "payload": "junk", "annotations": {}}),
        json!({"format": "simple", "payload": sigstore::payload(digest()), "annotations": {}}),
        json!({"format": "unreadable", "reason": "it is no text"}),
    ];
    for found in &junk {
        assert!(
            matches!(
                refusal(&[by(&key)], std::slice::from_ref(found)),
                TrustError::Unreadable { .. }
            ),
            "{found}"
        );
    }
    let mut found = junk.to_vec();
    found.push(bundle(&key_bundle(&Key::new(), digest())));
    found.push(bundle(&key_bundle(&key, Digest::of(b"other"))));
    found.push(bundle(&key_bundle(&key, digest())));
    check(&[by(&key)], &found).unwrap();
}
