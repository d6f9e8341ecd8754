//! Who may write: whatever is sent goes past the same gate.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use espejote_operator::{
    client::{Accept, ApiError, Client, DeleteOptions, Limits, Patch, PatchKind, Resource, WriteOptions},
    identity::Identities,
    leading::{Leadership, Leading},
};
use http::Method;
use tokio::time::Instant;

use crate::{
    connections::config_maps,
    eventually, install_crypto,
    scripted_api::{Fault, ScriptedApi, Seen},
    within,
};

const MINUTE: Duration = Duration::from_secs(60);

fn elected(api: &ScriptedApi) -> (Arc<Identities>, Leadership) {
    install_crypto();
    let (leadership, leading) = Leading::elected();
    let identities = Identities::new(&api.config, Limits::default(), &leading).unwrap();
    (identities, leadership)
}

fn patch() -> Patch {
    Patch {
        kind: PatchKind::Apply { force: true },
        subresource: None,
        options: WriteOptions::default(),
        body: Bytes::from_static(b"{}"),
    }
}

async fn apply(client: &Client) -> Result<Bytes, ApiError> {
    let (maps, patch) = (config_maps(), patch());
    let written = client.patch(&maps, Some("a"), "x", &patch);
    within("an answer to a write", written).await
}

/// One of each kind of write there is.
async fn every_write(client: &Client) -> Vec<Result<Bytes, ApiError>> {
    let (maps, namespace, body) = (config_maps(), Some("a"), Bytes::from_static(b"{}"));
    let options = WriteOptions::default();
    vec![
        apply(client).await,
        client.create(&maps, namespace, &options, body.clone()).await,
        client.replace(&maps, namespace, "x", &options, body).await,
        client
            .delete(&maps, namespace, "x", &DeleteOptions::default())
            .await,
    ]
}

fn changes(seen: &Seen) -> bool {
    seen.method != Method::GET && !seen.path.ends_with("/token") && !seen.path.ends_with("/tokenreviews")
}

#[tokio::test]
async fn who_does_not_lead_writes_nothing_and_reads_all_the_same() {
    let api = ScriptedApi::start_h2(100).await;
    let (identities, leadership) = elected(&api);
    let account = identities.service_account("a", "sa");
    let clients = [identities.own().clone(), identities.client_as(&account)];
    let review = Resource::known("authentication.k8s.io/v1", "TokenReview", "tokenreviews", false);
    for client in &clients {
        for written in every_write(client).await {
            assert!(matches!(written, Err(ApiError::NotLeading)), "{written:?}");
        }
        let maps = config_maps();
        let read = client.get(&maps, Some("a"), "x", Accept::Whole);
        within("a read", read).await.unwrap();
        let asked = client.review(&review, Bytes::from_static(b"{}"));
        within("a review", asked).await.unwrap();
    }
    assert!(api.requests(changes).is_empty());
    assert!(leadership.extend(Instant::now() + MINUTE));
    for client in &clients {
        assert!(every_write(client).await.iter().all(Result::is_ok));
    }
    assert_eq!(api.requests(changes).len(), 8);
}

#[tokio::test]
async fn a_write_that_is_under_way_is_given_up_when_the_lead_ends() {
    let api = ScriptedApi::start_h2(100).await;
    let (identities, leadership) = elected(&api);
    leadership.extend(Instant::now() + MINUTE);
    api.state().list_fault = Some(Fault::Silence);
    let client = identities.own().clone();
    let writing = tokio::spawn(async move { apply(&client).await });
    eventually("it is sent", || api.requests(changes).len() == 1).await;
    leadership.end();
    let written = within("it is given up", writing).await.unwrap();
    assert!(matches!(written, Err(ApiError::NotLeading)), "{written:?}");
}

/// What was begun while leading, and comes to the connection only afterwards.
#[tokio::test]
async fn nothing_at_all_is_sent_once_the_lead_has_ended() {
    let api = ScriptedApi::start_h2(100).await;
    let (identities, leadership) = elected(&api);
    leadership.extend(Instant::now() + MINUTE);
    apply(identities.own()).await.unwrap();
    let before = api.requests(|_| true).len();
    leadership.end();
    let maps = config_maps();
    let read = identities.own().get(&maps, Some("a"), "x", Accept::Whole);
    let error = within("an answer to a read", read).await.unwrap_err();
    assert!(error.to_string().contains("leads no more"), "{error}");
    assert_eq!(api.requests(|_| true).len(), before);
}
