//! Which keyless signatures count, and why others do not.

use std::sync::Arc;

use espejote_oci::trust::{Identity, Pattern, PublicKey, Signer, TrustError, TrustRoot};
use serde_json::{Value, json};

use crate::{
    sigstore::{GITHUB, Key, NOW, Request, Sigstore, WORKFLOW, dsse_body, encode, key_bundle, pem},
    trust::{bundle, check, digest, refusal, simple},
};

fn root(sigstore: &Sigstore) -> Arc<TrustRoot> {
    Arc::new(TrustRoot::from_json(sigstore.root().to_string().as_bytes()).unwrap())
}

fn release_workflow(sigstore: &Sigstore) -> Signer {
    Signer::Keyless {
        issuer: Pattern::exactly(GITHUB),
        subject: Pattern::matching("https://github.com/acme/labels/.*").unwrap(),
        root: root(sigstore),
    }
}

/// Both formats of a keyless signature.
fn both(sigstore: &Sigstore, request: &Request) -> [Value; 2] {
    let signer = sigstore.signer(request);
    [
        bundle(&sigstore.bundle(&signer, digest())),
        simple(sigstore.simple(&signer, digest())),
    ]
}

/// The bundle of the release workflow, changed.
fn changed(sigstore: &Sigstore, change: impl Fn(&mut Value)) -> Value {
    let mut changed = sigstore.bundle(&sigstore.signer(&Request::default()), digest());
    change(&mut changed);
    bundle(&changed)
}

#[test]
fn a_keyless_signature_counts_in_both_formats() {
    let sigstore = Sigstore::new();
    for found in both(&sigstore, &Request::default()) {
        let verified = check(&[release_workflow(&sigstore)], &[found]).unwrap();
        let expected = Identity::Keyless {
            issuer: GITHUB.into(),
            subject: WORKFLOW.into(),
        };
        assert_eq!(verified.signers, [expected]);
    }
}

#[test]
fn a_mail_address_is_an_identity_too() {
    let sigstore = Sigstore::new();
    let request = Request {
        subject: "me@acme.example".into(),
        issuer: "https://accounts.example".into(),
        ..Request::default()
    };
    let required = Signer::Keyless {
        issuer: Pattern::exactly("https://accounts.example"),
        subject: Pattern::exactly("me@acme.example"),
        root: root(&sigstore),
    };
    for found in both(&sigstore, &request) {
        check(std::slice::from_ref(&required), &[found]).unwrap();
    }
}

#[test]
fn another_identity_is_not_trusted_and_named() {
    let sigstore = Sigstore::new();
    let others = [
        Request {
            subject: "https://github.com/evil/labels/x".into(),
            ..Request::default()
        },
        Request {
            issuer: "https://issuer.evil".into(),
            ..Request::default()
        },
        Request {
            subject: format!("https://evil/?{WORKFLOW}"),
            ..Request::default()
        },
    ];
    for request in others {
        for found in both(&sigstore, &request) {
            let error = refusal(&[release_workflow(&sigstore)], &[found]);
            assert!(matches!(error, TrustError::NotTrusted { .. }), "{error:?}");
            assert!(error.to_string().contains(&format!(
                "{} (vouched for by {})",
                request.subject, request.issuer
            )));
        }
    }
}

#[test]
fn another_instance_vouches_for_nobody() {
    let (sigstore, other) = (Sigstore::new(), Sigstore::new());
    for found in both(&other, &Request::default()) {
        assert!(matches!(
            refusal(&[release_workflow(&sigstore)], &[found]),
            TrustError::NotTrusted { .. }
        ));
    }
    // One server after the other is the right one.
    let mut root = other.root();
    for (part, missing) in [
        ("tlogs", "no authority of the trust root issued"),
        ("certificateAuthorities", "no certificate log of the trust root"),
        ("ctlogs", ""),
    ] {
        root[part] = sigstore.root()[part].clone();
        let root = Arc::new(TrustRoot::from_json(root.to_string().as_bytes()).unwrap());
        let (issuer, subject) = (Pattern::exactly(GITHUB), Pattern::exactly(WORKFLOW));
        let required = Signer::Keyless {
            issuer,
            subject,
            root,
        };
        for found in both(&sigstore, &Request::default()) {
            match check(std::slice::from_ref(&required), &[found]) {
                Ok(_) => assert_eq!(missing, ""),
                Err(error) => assert!(
                    !missing.is_empty() && error.to_string().contains(missing),
                    "{part}: {error}"
                ),
            }
        }
    }
}

#[test]
fn a_certificate_that_was_not_valid_at_the_time_is_not_trusted() {
    let sigstore = Sigstore::new();
    for from in [NOW + 1, NOW - 601] {
        for found in both(
            &sigstore,
            &Request {
                from,
                ..Request::default()
            },
        ) {
            let error = refusal(&[release_workflow(&sigstore)], &[found]);
            assert!(
                error.to_string().contains("issued its certificate for that time"),
                "{error}"
            );
        }
    }
}

#[test]
fn an_authority_or_a_log_that_was_not_in_use_at_the_time_is_not_trusted() {
    let sigstore = Sigstore::new();
    let signer = sigstore.bundle(&sigstore.signer(&Request::default()), digest());
    let periods = [
        "/certificateAuthorities/0/validFor",
        "/tlogs/0/publicKey/validFor",
        "/ctlogs/0/publicKey/validFor",
    ];
    for period in periods {
        let mut root = sigstore.root();
        *root.pointer_mut(period).unwrap() =
            json!({"start": "2025-01-01T00:00:00Z", "end": "2025-12-01T00:00:00Z"});
        let root = Arc::new(TrustRoot::from_json(root.to_string().as_bytes()).unwrap());
        let (issuer, subject) = (Pattern::exactly(GITHUB), Pattern::exactly(WORKFLOW));
        let required = Signer::Keyless {
            issuer,
            subject,
            root,
        };
        assert!(
            matches!(
                refusal(&[required], &[bundle(&signer)]),
                TrustError::NotTrusted { .. }
            ),
            "{period}"
        );
    }
}

#[test]
fn a_certificate_for_something_else_is_not_trusted() {
    let sigstore = Sigstore::new();
    let request = Request {
        for_code: false,
        ..Request::default()
    };
    for found in both(&sigstore, &request) {
        let error = refusal(&[release_workflow(&sigstore)], &[found]);
        assert!(error.to_string().contains("is not for CodeSigning"), "{error}");
    }
}

#[test]
fn a_certificate_that_nobody_promised_to_publish_is_not_trusted() {
    let sigstore = Sigstore::new();
    for found in both(
        &sigstore,
        &Request {
            promised: false,
            ..Request::default()
        },
    ) {
        let error = refusal(&[release_workflow(&sigstore)], &[found]);
        assert!(
            error.to_string().contains("no promise of a certificate log"),
            "{error}"
        );
    }
}

#[test]
fn each_change_of_a_bundle_is_noticed() {
    let sigstore = Sigstore::new();
    check(&[release_workflow(&sigstore)], &[changed(&sigstore, |_| {})]).unwrap();
    let entry = "/verificationMaterial/tlogEntries/0";
    let changes: [(&str, Value, &str); 9] = [
        ("/logId/keyId", json!(encode(&[7; 32])), "promise"),
        ("/logIndex", json!("8"), "promise"),
        ("/integratedTime", json!((NOW + 1).to_string()), "promise"),
        (
            "/inclusionPromise/signedEntryTimestamp",
            json!(encode(b"no signature")),
            "promise",
        ),
        ("/inclusionProof/logIndex", json!("0"), "proof"),
        ("/inclusionProof/treeSize", json!("4"), "proof"),
        ("/inclusionProof/rootHash", json!(encode(&[7; 32])), "proof"),
        ("/inclusionProof/hashes/0", json!(encode(&[7; 32])), "proof"),
        (
            "/inclusionProof/checkpoint/envelope",
            json!("rekor.test\n3\nx\n\n\u{2014} rekor.test x\n"),
            "proof",
        ),
    ];
    for (path, value, noticed) in changes {
        let found = changed(&sigstore, |bundle| {
            *bundle.pointer_mut(&format!("{entry}{path}")).unwrap() = value.clone()
        });
        let error = refusal(&[release_workflow(&sigstore)], &[found]);
        assert!(
            matches!(error, TrustError::NotTrusted { .. }),
            "{path}: {error:?}"
        );
        assert!(error.to_string().contains(noticed), "{path}: {error}");
    }
}

#[test]
fn a_signature_that_does_not_fit_its_certificate_is_tampering() {
    let sigstore = Sigstore::new();
    let other = key_bundle(&Key::new(), digest());
    let found = changed(&sigstore, |bundle| {
        bundle["dsseEnvelope"] = other["dsseEnvelope"].clone()
    });
    let error = refusal(&[release_workflow(&sigstore)], &[found]);
    assert!(matches!(error, TrustError::Tampered { .. }), "{error:?}");
    let (payload, annotations) = sigstore.simple(&sigstore.signer(&Request::default()), digest());
    let found = simple((payload.replace("acme", "evil"), annotations));
    assert!(matches!(
        refusal(&[release_workflow(&sigstore)], &[found]),
        TrustError::Tampered { .. }
    ));
}

#[test]
fn a_log_entry_about_another_signature_does_not_count() {
    let sigstore = Sigstore::new();
    let (one, two) = (
        sigstore.signer(&Request::default()),
        sigstore.signer(&Request::default()),
    );
    let mut found = sigstore.bundle(&one, digest());
    let other = sigstore.bundle(&two, digest());
    found["verificationMaterial"]["tlogEntries"] = other["verificationMaterial"]["tlogEntries"].clone();
    let error = refusal(&[release_workflow(&sigstore)], &[bundle(&found)]);
    assert!(error.to_string().contains("about another signature"), "{error}");
    // The same signature by another certificate of the same signer.
    let mut found = sigstore.bundle(&one, digest());
    let body = dsse_body(&found, &pem("CERTIFICATE", &two.certificate));
    found["verificationMaterial"]["tlogEntries"] = json!([sigstore.entry(&body, NOW)]);
    let error = refusal(&[release_workflow(&sigstore)], &[bundle(&found)]);
    assert!(error.to_string().contains("about another signature"), "{error}");
}

#[test]
fn without_a_log_entry_or_a_trusted_time_it_is_not_trusted() {
    let sigstore = Sigstore::new();
    let none = changed(&sigstore, |bundle| {
        bundle["verificationMaterial"]["tlogEntries"] = json!([])
    });
    let error = refusal(&[release_workflow(&sigstore)], &[none]);
    assert!(
        error.to_string().contains("no transparency log has it"),
        "{error}"
    );
    let untimed = changed(&sigstore, |bundle| {
        bundle
            .pointer_mut("/verificationMaterial/tlogEntries/0/inclusionPromise")
            .unwrap()
            .take();
    });
    let error = refusal(&[release_workflow(&sigstore)], &[untimed]);
    assert!(error.to_string().contains("tells when it was made"), "{error}");
    let bare = changed(&sigstore, |bundle| {
        let entry = &mut bundle["verificationMaterial"]["tlogEntries"][0];
        entry["inclusionPromise"].take();
        entry["inclusionProof"].take();
    });
    let error = refusal(&[release_workflow(&sigstore)], &[bare]);
    assert!(error.to_string().contains("neither promise nor proof"), "{error}");
}

/// A bundle whose time comes from a timestamp only, as with logs that give no time.
fn stamped(sigstore: &Sigstore, by: &Sigstore, over: Option<&[u8]>, time: &str) -> Value {
    changed(sigstore, |bundle| {
        let text = bundle["dsseEnvelope"]["signatures"][0]["sig"].as_str().unwrap();
        let signature = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, text).unwrap();
        let stamp = by.timestamp(over.unwrap_or(&signature), time);
        let material = &mut bundle["verificationMaterial"];
        material["timestampVerificationData"] =
            json!({"rfc3161Timestamps": [{"signedTimestamp": encode(&stamp)}]});
        material["tlogEntries"][0]["inclusionPromise"].take();
        material["tlogEntries"][0]["integratedTime"] = json!("0");
    })
}

#[test]
fn a_timestamp_tells_the_time_where_the_log_does_not() {
    let (sigstore, other) = (Sigstore::new(), Sigstore::new());
    let required = [release_workflow(&sigstore)];
    check(
        &required,
        &[stamped(&sigstore, &sigstore, None, "20260102030405Z")],
    )
    .unwrap();
    let wrong = [
        (
            stamped(&sigstore, &sigstore, None, "20260102040405Z"),
            "for that time",
        ),
        (
            stamped(&sigstore, &sigstore, Some(b"other"), "20260102030405Z"),
            "about another signature",
        ),
        (
            stamped(&sigstore, &other, None, "20260102030405Z"),
            "no service of the trust root",
        ),
    ];
    for (found, reason) in wrong {
        let error = refusal(&required, &[found]);
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn a_timestamp_that_does_not_count_takes_nothing_away() {
    let (sigstore, other) = (Sigstore::new(), Sigstore::new());
    let found = changed(&sigstore, |bundle| {
        let stamp = encode(&other.timestamp(b"other", "20260102030405Z"));
        let stamps = json!({"rfc3161Timestamps": [{"signedTimestamp": stamp}]});
        bundle["verificationMaterial"]["timestampVerificationData"] = stamps;
    });
    check(&[release_workflow(&sigstore)], &[found]).unwrap();
}

#[test]
fn a_key_may_be_required_to_be_in_the_log() {
    let sigstore = Sigstore::new();
    let key = Key::new();
    let required = Signer::Key {
        key: PublicKey::from_pem(key.pem().as_bytes()).unwrap(),
        log: Some(root(&sigstore)),
    };
    let mut found = key_bundle(&key, digest());
    assert!(
        refusal(std::slice::from_ref(&required), &[bundle(&found)])
            .to_string()
            .contains("no transparency log")
    );
    let body = dsse_body(&found, &key.pem());
    found["verificationMaterial"]["tlogEntries"] = json!([sigstore.entry(&body, NOW)]);
    check(&[required], &[bundle(&found)]).unwrap();
}

#[test]
fn a_trust_root_that_lacks_a_part_is_refused() {
    for part in ["tlogs", "ctlogs", "certificateAuthorities"] {
        let mut root = Sigstore::new().root();
        root[part] = json!([]);
        let error = TrustRoot::from_json(root.to_string().as_bytes()).unwrap_err();
        assert!(error.to_string().contains("the trust root has no"), "{error}");
    }
    assert!(
        TrustRoot::from_json(b"root")
            .unwrap_err()
            .to_string()
            .contains("trusted_root.json")
    );
}
