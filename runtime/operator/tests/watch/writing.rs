//! What is written, what is sent again, and what is not.

use espejote_core::{ApplyOptions, DeleteOptions, Desired, DesiredBuilder, FieldValidation, ObjectId};
use espejote_operator::{
    apply::{self, ApplyError, Defaults, Writer, Written},
    client::{Accept, Client},
};
use http::Method;

use crate::{
    Operator,
    connections::config_maps,
    scripted_api::{Fault, ScriptedApi},
    within,
};

/// Three ConfigMaps to apply.
fn tree() -> Desired {
    let mut tree = DesiredBuilder::default();
    for name in ["a", "b", "c"] {
        let json = format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}","namespace":"a"}}}}"#
        );
        tree.apply(json.into(), ApplyOptions::default());
    }
    tree.finish().unwrap()
}

fn writer(operator: &Operator, client: Client) -> Writer {
    let defaults = Defaults {
        namespace: "a".into(),
        field_manager: "test".into(),
        force: true,
        field_validation: FieldValidation::Strict,
    };
    Writer::new(client, operator.discovery.clone(), defaults)
}

async fn write(writer: &Writer, tree: &Desired) -> Result<Written, ApplyError> {
    within("written", apply::apply(writer, tree, &|| false)).await
}

fn patches(api: &ScriptedApi) -> usize {
    api.requests(|seen| seen.method == Method::PATCH).len()
}

/// A token that is dead costs its neighbours their connection each time that it is sent.
#[tokio::test]
async fn a_refused_token_is_sent_once_and_the_rest_of_the_tree_is_left_out() {
    let api = ScriptedApi::start_h2(100).await;
    let operator = Operator::new(&api);
    let account = operator.identities.service_account("a", "sa");
    let writer = writer(&operator, operator.identities.client_as(&account));
    assert_eq!(write(&writer, &tree()).await.unwrap().applied, 3);
    {
        let mut state = api.state();
        state.generation = 2;
        state.token_fault = Some(Fault::Status(404, "serviceaccounts \"sa\" not found"));
    }
    let before = patches(&api);
    let error = write(&writer, &tree()).await.unwrap_err();
    assert_eq!((error.errors.len(), error.written.skipped), (1, 2), "{error}");
    assert_eq!(patches(&api) - before, 1);
    for _ in 0..3 {
        write(&writer, &tree()).await.unwrap_err();
    }
    assert_eq!(patches(&api) - before, 1, "it is not sent again");
    api.state().token_fault = None;
    let recovered = async { while write(&writer, &tree()).await.is_err() {} };
    within("a new token is asked for", recovered).await;
}

#[tokio::test]
async fn nothing_further_is_written_once_it_is_said_to_stop() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    let writer = writer(&operator, operator.identities.own().clone());
    let stopped = || patches(&api) == 1;
    let written = apply::apply(&writer, &tree(), &stopped).await.unwrap();
    assert_eq!((written.applied, written.skipped), (1, 2));
    assert_eq!(patches(&api), 1);
}

/// The 404 of something else says nothing about the object.
#[tokio::test]
async fn an_object_is_gone_only_if_the_server_says_so_of_that_object() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    let writer = writer(&operator, operator.identities.own().clone());
    let mut tree = DesiredBuilder::default();
    let id = ObjectId {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        namespace: "a".into(),
        name: "x".into(),
    };
    tree.delete(id, DeleteOptions::default());
    let tree = tree.finish().unwrap();
    api.state().list_fault = Some(Fault::Absent("configmaps", "x"));
    assert_eq!(write(&writer, &tree).await.unwrap().deleted, 1);
    for fault in [
        Fault::Absent("configmaps", "y"),
        Fault::Status(404, "no such thing"),
    ] {
        api.state().list_fault = Some(fault);
        let error = write(&writer, &tree).await.unwrap_err();
        assert_eq!(error.errors.len(), 1, "{error}");
    }
}

#[tokio::test]
async fn a_request_that_a_closing_connection_did_not_take_is_sent_again() {
    let api = ScriptedApi::start_h2(100).await;
    let operator = Operator::new(&api);
    api.state().leaving = 2;
    let client = operator.identities.own();
    let maps = config_maps();
    let got = client.get(&maps, Some("a"), "x", Accept::Whole);
    within("a GET is answered", got).await.unwrap();
    assert_eq!(api.state().connections, 3);
}

#[tokio::test]
async fn a_server_that_closes_every_connection_is_given_up() {
    let api = ScriptedApi::start_h2(100).await;
    let operator = Operator::new(&api);
    api.state().leaving = usize::MAX;
    let client = operator.identities.own();
    let maps = config_maps();
    let got = client.get(&maps, Some("a"), "x", Accept::Whole);
    let error = within("an answer", got).await.unwrap_err();
    assert!(error.is_transient(), "{error}");
    assert_eq!(api.state().connections, 4);
}
