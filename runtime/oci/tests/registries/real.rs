//! Pushing and pulling with the real registry: open, with TLS of a private authority, with a password, behind tokens.

use std::{collections::BTreeMap, sync::Mutex};

use espejote_oci::{
    Authority, Client, ClientConfig, Credentials, Error, Kind, Secret, SizeLimits, Store, WASM_LAYER,
    WasmConfig,
};

use crate::{
    modules::{client, component, config, fetch, fetch_as, push, reference},
    real_registry::RealRegistry,
    tls::Tls,
};

/// The password `correct horse`, for the name `robot`, as `htpasswd -B` writes it.
const PASSWORD_LINE: &str = "robot:$2y$05$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2";

fn robot(password: &str) -> Credentials {
    Credentials::basic("robot", Secret::new(password))
}

#[tokio::test]
async fn what_was_pushed_is_pulled_by_tag_and_by_digest() {
    let registry = RealRegistry::open();
    let client = client(&[&registry.host]);
    let tagged = reference(&format!("{}/acme/labels:1.0", registry.host));
    let digest = push(&client, &tagged, &Credentials::anonymous(), "labels")
        .await
        .unwrap();

    let resolved = client.resolve(&tagged, &Credentials::anonymous()).await.unwrap();
    assert_eq!(resolved.manifest_digest, digest);
    assert_eq!(resolved.layer.media_type, WASM_LAYER);
    let told = Mutex::new(Vec::new());
    let progress = |done, total| told.lock().unwrap().push((done, total));
    let artifact = client
        .pull(&tagged, &resolved, &Credentials::anonymous(), progress)
        .await
        .unwrap();
    assert_eq!(artifact.bytes, component("labels"));
    assert_eq!(artifact.kind(), Kind::Component);
    let size = component("labels").len() as u64;
    let told = told.into_inner().unwrap();
    assert_eq!(
        (told.first(), told.last()),
        (Some(&(0, size)), Some(&(size, size)))
    );

    let by_digest = fetch(&client, &tagged.at(digest)).await.unwrap();
    assert_eq!(by_digest, component("labels"));
}

#[tokio::test]
async fn a_stored_artifact_needs_no_registry() {
    let registry = RealRegistry::open();
    let client = client(&[&registry.host]);
    let tagged = reference(&format!("{}/acme/labels:1.0", registry.host));
    let digest = push(&client, &tagged, &Credentials::anonymous(), "labels")
        .await
        .unwrap();
    let resolved = client.resolve(&tagged, &Credentials::anonymous()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("store"), SizeLimits::default()).unwrap();
    let mut layer = store.begin().unwrap();
    client
        .download(&tagged, &resolved, &Credentials::anonymous(), &mut layer)
        .await
        .unwrap();
    store.keep(resolved, layer).unwrap();

    drop(registry);
    let error = fetch(&client, &tagged).await.unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error}");
    let mut module = Vec::new();
    store
        .write_module(&store.get(digest).unwrap(), &mut module)
        .unwrap();
    assert_eq!(module, component("labels"));
}

#[tokio::test]
async fn the_same_component_has_the_same_digest_and_its_configuration_tells_its_world() {
    let registry = RealRegistry::open();
    let client = client(&[&registry.host]);
    let tagged = reference(&format!("{}/acme/labels:1.0", registry.host));
    let config = WasmConfig {
        target: Some("espejote:plugin/reconciler@0.1.0".into()),
        imports: vec!["espejote:plugin/state@0.1.0".into()],
        exports: vec!["espejote:plugin/reconcile@0.1.0".into()],
        ..WasmConfig::default()
    };
    let annotations = BTreeMap::from([("org.opencontainers.image.source".to_owned(), "here".to_owned())]);
    let anonymous = Credentials::anonymous();
    let first = client
        .push(&tagged, &anonymous, component("a"), &config, annotations.clone())
        .await
        .unwrap();
    let again = client
        .push(&tagged, &anonymous, component("a"), &config, annotations.clone())
        .await
        .unwrap();
    assert_eq!(first, again);
    let resolved = client.resolve(&tagged, &anonymous).await.unwrap();
    assert_eq!(resolved.annotations, annotations);
    let other = client
        .push(&tagged, &anonymous, component("b"), &config, annotations)
        .await
        .unwrap();
    assert_ne!(first, other);
}

#[tokio::test]
async fn a_private_authority_is_trusted_only_when_it_is_given() {
    let tls = Tls::new();
    let registry = RealRegistry::with_tls(&tls.certificate, &tls.key);
    let tagged = reference(&format!("{}/acme/labels:1.0", registry.host));
    let trusting = |host: Option<&str>| {
        let authority = Authority {
            host: host.map(str::to_owned),
            pem: tls.authority.clone().into(),
        };
        Client::new(ClientConfig {
            authorities: vec![authority],
            ..config(&[])
        })
        .unwrap()
    };
    push(&trusting(None), &tagged, &Credentials::anonymous(), "labels")
        .await
        .unwrap();
    assert_eq!(
        fetch(&trusting(Some(&registry.host)), &tagged).await.unwrap(),
        component("labels")
    );
    for other in [client(&[]), trusting(Some("other.example"))] {
        let error = fetch(&other, &tagged).await.unwrap_err();
        assert!(matches!(error, Error::Tls { .. }), "{error}");
        assert!(error.to_string().contains("--registry-ca-file"), "{error}");
    }
}

#[tokio::test]
async fn plain_http_is_used_only_where_it_is_allowed() {
    let registry = RealRegistry::open();
    let error = fetch(&client(&[]), &reference(&format!("{}/a:1", registry.host)))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::PlainHttp { .. }), "{error:?}");
    assert!(
        error
            .to_string()
            .contains(&format!("--registry-plain-http {}", registry.host)),
        "{error}"
    );
}

#[tokio::test]
async fn a_password_is_asked_for_and_a_wrong_one_refused() {
    let registry = RealRegistry::with_password(PASSWORD_LINE);
    let client = client(&[&registry.host]);
    let tagged = reference(&format!("{}/acme/labels:1.0", registry.host));
    push(&client, &tagged, &robot("correct horse"), "labels")
        .await
        .unwrap();
    assert_eq!(
        fetch_as(&client, &tagged, &robot("correct horse")).await.unwrap(),
        component("labels")
    );

    let error = fetch_as(&client, &tagged, &robot("hunter2")).await.unwrap_err();
    assert!(matches!(error, Error::Unauthorized { .. }), "{error}");
    assert!(
        error.to_string().contains("to name and password") && !error.to_string().contains("hunter2"),
        "{error}"
    );
    let error = fetch(&client, &tagged).await.unwrap_err();
    assert!(error.to_string().contains("without credentials"), "{error}");
    assert!(
        error.to_string().contains("authentication required"),
        "the registry's words: {error}"
    );
}

#[tokio::test]
async fn of_several_secrets_the_one_that_is_let_in_is_found() {
    let registry = RealRegistry::with_password(PASSWORD_LINE);
    let client = client(&[&registry.host]);
    let tagged = reference(&format!("{}/acme/labels:1.0", registry.host));
    push(&client, &tagged, &robot("correct horse"), "labels")
        .await
        .unwrap();
    let config = serde_json::json!({"auths": {
        (format!("{}/acme", registry.host)): {"username": "robot", "password": "outdated"},
        (registry.host.clone()): {"username": "robot", "password": "correct horse"},
    }});
    let secrets = Credentials::from_docker_config_json("test", config.to_string().as_bytes()).unwrap();
    assert_eq!(
        fetch_as(&client, &tagged, &secrets).await.unwrap(),
        component("labels")
    );
}

#[tokio::test]
async fn what_is_not_there_is_told_with_the_registrys_words() {
    let registry = RealRegistry::open();
    let error = fetch(
        &client(&[&registry.host]),
        &reference(&format!("{}/acme/none:1", registry.host)),
    )
    .await;
    let error = error.unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error}");
    assert!(error.to_string().contains("MANIFEST_UNKNOWN"), "{error}");
}
