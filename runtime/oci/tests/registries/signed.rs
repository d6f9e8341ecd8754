//! Signatures as registries keep them: by their own list, by the index that stands in for it, and under tags.

use std::collections::BTreeMap;

use espejote_oci::{
    Client, Credentials, Digest, NewArtifact, OCI_INDEX, Part, SizeLimits, Store,
    trust::{PublicKey, Requirements, Signer, TrustError},
};
use serde_json::{Value, json};

use crate::{
    faulty::Contents,
    modules::{client, config, manifest, push, reference, wasm_manifest},
    real_registry::RealRegistry,
    server::{Answer, Server},
    sigstore::{Key, key_bundle, key_simple},
};

const BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
const PAYLOAD: &str = "application/vnd.dev.cosign.simplesigning.v1+json";
const MODULE: &[u8] = b"\0asm\x0d\0\x01\0module";

fn by(key: &Key) -> Requirements {
    Requirements {
        any_of: vec![Signer::Key {
            key: PublicKey::from_pem(key.pem().as_bytes()).unwrap(),
            log: None,
        }],
    }
}

async fn verify(client: &Client, host: &str, key: &Key) -> Result<(), TrustError> {
    let tagged = reference(&format!("{host}/acme/labels:1"));
    let anonymous = Credentials::anonymous();
    let resolved = client.resolve(&tagged, &anonymous).await.unwrap();
    client
        .verify(&tagged, &resolved, &anonymous, &by(key))
        .await
        .map(drop)
}

/// A manifest with a signature in the format of old, and its blob.
fn simple(key: &Key, digest: Digest) -> (Value, String) {
    let (payload, annotations) = key_simple(key, digest);
    let mut document = manifest(&[(PAYLOAD, payload.as_bytes())]);
    document["layers"][0]["annotations"] = json!(annotations);
    (document, payload)
}

/// A manifest with a bundle, its blob, and an index with it.
fn bundle(key: &Key, digest: Digest) -> (Value, String, Value) {
    let bundle = key_bundle(key, digest).to_string();
    let document = manifest(&[(BUNDLE, bundle.as_bytes())]);
    let text = document.to_string();
    let index = json!({"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": [{
        "mediaType": document["mediaType"], "digest": Digest::of(text.as_bytes()), "size": text.len(),
        "artifactType": BUNDLE}]});
    (document, bundle, index)
}

fn unsigned() -> (Contents, Digest) {
    let document = wasm_manifest(MODULE);
    let digest = Digest::of(document.to_string().as_bytes());
    (Contents::default().manifest("1", &document).blob(MODULE), digest)
}

#[tokio::test]
async fn a_signature_under_the_tag_of_old_is_found() {
    let key = Key::new();
    let (contents, digest) = unsigned();
    let (document, payload) = simple(&key, digest);
    let contents = contents
        .manifest(&format!("sha256-{}.sig", digest.hex()), &document)
        .blob(payload);
    let server = Server::start(move |asked| contents.answer(asked)).await;
    verify(&client(&[&server.host]), &server.host, &key)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_bundle_is_found_by_the_registrys_list_and_by_the_index_that_stands_in() {
    for has_list in [true, false] {
        let key = Key::new();
        let (contents, digest) = unsigned();
        let (document, blob, index) = bundle(&key, digest);
        let contents = contents.manifest("bundle", &document).blob(blob);
        let tag = if has_list {
            "elsewhere".to_owned()
        } else {
            format!("sha256-{}", digest.hex())
        };
        let contents = contents.manifest(&tag, &index);
        let server = Server::start(move |asked| match asked.path.contains("/referrers/") {
            true if has_list => Answer::new(200, index.to_string()).with("content-type", OCI_INDEX),
            _ => contents.answer(asked),
        })
        .await;
        verify(&client(&[&server.host]), &server.host, &key)
            .await
            .unwrap();
        assert_eq!(server.count(&format!("/referrers/{digest}?artifactType=")), 1);
    }
}

#[tokio::test]
async fn nothing_that_refers_is_no_signature() {
    let (contents, digest) = unsigned();
    let server = Server::start(move |asked| contents.answer(asked)).await;
    let error = verify(&client(&[&server.host]), &server.host, &Key::new())
        .await
        .unwrap_err();
    assert!(matches!(error, TrustError::NoSignature { .. }), "{error}");
    assert!(error.to_string().contains(&digest.to_string()), "{error}");
}

#[tokio::test]
async fn a_registry_that_fails_is_not_a_missing_signature() {
    for part in ["/referrers/", ".sig"] {
        let (contents, _) = unsigned();
        let server = Server::start(move |asked| match asked.path.contains(part) {
            true => Answer::new(500, "out of order"),
            false => contents.answer(asked),
        })
        .await;
        let error = verify(&client(&[&server.host]), &server.host, &Key::new())
            .await
            .unwrap_err();
        assert!(
            matches!(error, TrustError::Registry(_)) && error.is_transient(),
            "{error}"
        );
        assert!(error.to_string().contains("out of order"), "{error}");
    }
}

#[tokio::test]
async fn an_altered_signature_is_refused_and_hides_no_other() {
    let key = Key::new();
    let (contents, digest) = unsigned();
    let (document, payload) = simple(&key, digest);
    let altered = payload.replace("acme", "evil");
    let contents = contents
        .manifest(&format!("sha256-{}.sig", digest.hex()), &document)
        .blob_as(Digest::of(payload.as_bytes()), altered);
    let only = contents.clone();
    let server = Server::start(move |asked| only.answer(asked)).await;
    let error = verify(&client(&[&server.host]), &server.host, &key)
        .await
        .unwrap_err();
    assert!(matches!(error, TrustError::Unreadable { .. }), "{error}");
    assert!(error.to_string().contains("altered"), "{error}");

    let (document, blob, index) = bundle(&key, digest);
    let tag = format!("sha256-{}", digest.hex());
    let contents = contents
        .manifest("bundle", &document)
        .blob(blob)
        .manifest(&tag, &index);
    let server = Server::start(move |asked| contents.answer(asked)).await;
    verify(&client(&[&server.host]), &server.host, &key)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_signature_of_the_index_covers_what_it_names() {
    let key = Key::new();
    let document = wasm_manifest(MODULE);
    let text = document.to_string();
    let index = json!({"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": [{
        "mediaType": document["mediaType"], "digest": Digest::of(text.as_bytes()), "size": text.len()}]});
    let digest = Digest::of(index.to_string().as_bytes());
    let (signature, payload) = simple(&key, digest);
    let contents = Contents::default()
        .manifest("inner", &document)
        .manifest("1", &index)
        .manifest(&format!("sha256-{}.sig", digest.hex()), &signature)
        .blob(payload);
    let server = Server::start(move |asked| contents.answer(asked)).await;
    verify(&client(&[&server.host]), &server.host, &key)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_mirror_without_signatures_is_passed_over() {
    let key = Key::new();
    let (bare, digest) = unsigned();
    let (document, payload) = simple(&key, digest);
    let signed = bare
        .clone()
        .manifest(&format!("sha256-{}.sig", digest.hex()), &document)
        .blob(payload);
    let mirror = Server::start(move |asked| bare.answer(asked)).await;
    let origin = Server::start(move |asked| signed.answer(asked)).await;
    let mut settings = config(&[&mirror.host, &origin.host]);
    settings
        .mirrors
        .insert(origin.host.clone(), vec![mirror.host.clone()]);
    verify(&Client::new(settings).unwrap(), &origin.host, &key)
        .await
        .unwrap();
}

#[tokio::test]
async fn signatures_are_pushed_to_the_real_registry_found_there_and_kept() {
    let registry = RealRegistry::open();
    let client = client(&[&registry.host]);
    let tagged = reference(&format!("{}/acme/labels:1", registry.host));
    let anonymous = Credentials::anonymous();
    let digest = push(&client, &tagged, &anonymous, "labels").await.unwrap();
    let resolved = client.resolve(&tagged, &anonymous).await.unwrap();
    let (one, two) = (Key::new(), Key::new());
    for key in [&one, &two] {
        let signature = NewArtifact {
            artifact_type: Some(BUNDLE.into()),
            config: Part::empty(),
            layers: vec![Part::new(BUNDLE, key_bundle(key, digest).to_string())],
            subject: Some(resolved.descriptor()),
            annotations: BTreeMap::new(),
        };
        client
            .push_artifact(&tagged, None, &anonymous, &signature)
            .await
            .unwrap();
        client
            .push_artifact(&tagged, None, &anonymous, &signature)
            .await
            .unwrap();
    }
    for key in [&one, &two] {
        client
            .verify(&tagged, &resolved, &anonymous, &by(key))
            .await
            .unwrap();
    }
    let error = client
        .verify(&tagged, &resolved, &anonymous, &by(&Key::new()))
        .await
        .unwrap_err();
    assert!(
        matches!(&error, TrustError::NotTrusted { found, .. } if found.len() == 2),
        "{error}"
    );

    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("store"), SizeLimits::default()).unwrap();
    let signatures = client.signatures(&tagged, &resolved, &anonymous).await.unwrap();
    store.insert_signatures(digest, &signatures).unwrap();
    drop(registry);
    let kept = store.signatures(digest).unwrap();
    by(&one).check(&tagged.name(), &[digest], &kept).unwrap();
    store.collect(&[digest].into()).unwrap();
    assert!(store.signatures(digest).is_some());
    store.collect(&[].into()).unwrap();
    assert!(store.signatures(digest).is_none());
}
