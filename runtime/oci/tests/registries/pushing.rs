//! What a registry can do to a push, and artifacts that refer to others.

use espejote_oci::{Credentials, Error, NewArtifact, Part};

use crate::{
    faulty::Times,
    modules::{client, push, reference},
    real_registry::RealRegistry,
    server::{Answer, Server},
};

const KIND: &str = "application/x-test";

#[tokio::test]
async fn a_push_that_is_refused_tells_what_right_is_missing() {
    let server =
        Server::start(|_| Answer::new(403, r#"{"errors":[{"code":"DENIED","message":"read only"}]}"#)).await;
    let tagged = reference(&format!("{}/a:1", server.host));
    let error = push(&client(&[&server.host]), &tagged, &Credentials::anonymous(), "a")
        .await
        .unwrap_err();
    assert!(
        matches!(error, Error::Forbidden { access: "push", .. }),
        "{error:?}"
    );
    assert!(
        error.to_string().contains("the right to push a") && error.to_string().contains("DENIED: read only")
    );
}

#[tokio::test]
async fn an_upload_goes_where_the_registry_wants_and_is_tried_again() {
    let storage = Server::start(|_| Answer::new(201, "")).await;
    let location = format!("http://{}/upload?state=x", storage.host);
    let times = Times::default();
    let server = Server::start(move |asked| match asked.method.as_str() {
        _ if asked.header("authorization").is_none() => {
            Answer::new(401, "").with("www-authenticate", r#"Basic realm="r""#)
        }
        "HEAD" => Answer::new(404, ""),
        "POST" if times.first(1) => Answer::new(503, ""),
        "POST" => Answer::new(202, "").with("location", location.clone()),
        _ => Answer::new(201, ""),
    })
    .await;
    let credentials = Credentials::basic("robot", espejote_oci::Secret::new("hunter2"));
    let tagged = reference(&format!("{}/a:1", server.host));
    push(&client(&[&server.host]), &tagged, &credentials, "a")
        .await
        .unwrap();
    assert_eq!(storage.count("/upload?state=x&digest=sha256"), 2);
    assert!(
        storage
            .asked()
            .iter()
            .all(|asked| asked.header("authorization").is_none())
    );
}

#[tokio::test]
async fn a_digest_in_the_reference_must_be_that_of_what_is_pushed() {
    let registry = RealRegistry::open();
    let client = client(&[&registry.host]);
    let tagged = reference(&format!("{}/a:1", registry.host));
    let digest = push(&client, &tagged, &Credentials::anonymous(), "a")
        .await
        .unwrap();
    let pinned = reference(&format!("{tagged}@{digest}"));
    push(&client, &pinned, &Credentials::anonymous(), "a")
        .await
        .unwrap();
    let error = push(&client, &pinned, &Credentials::anonymous(), "b")
        .await
        .unwrap_err();
    assert!(error.to_string().contains("leave the digest out"), "{error}");
}

#[tokio::test]
async fn artifacts_without_a_module_can_be_pushed_too() {
    let registry = RealRegistry::open();
    let client = client(&[&registry.host]);
    let tagged = reference(&format!("{}/wit:0.1.0", registry.host));
    let artifact = NewArtifact {
        artifact_type: Some(KIND.into()),
        config: Part::empty(),
        layers: vec![Part::new("text/plain", "package a:b;")],
        ..NewArtifact::default()
    };
    client
        .push_artifact(&tagged, tagged.tag(), &Credentials::anonymous(), &artifact)
        .await
        .unwrap();
    let error = client
        .resolve(&tagged, &Credentials::anonymous())
        .await
        .unwrap_err();
    assert!(
        matches!(&error, Error::NotAPlugin { found, .. } if found.contains(KIND)),
        "{error}"
    );
}
