//! What is written, what is sent again, and what is not.

use std::sync::{Arc, Mutex};

use espejote_core::{ApplyOptions, DeleteOptions, Desired, DesiredBuilder, FieldValidation, ObjectId};
use espejote_operator::{
    apply::{self, ApplyError, Defaults, Known, LiveVersions, Writer, Written},
    client::{Accept, Client},
};
use http::Method;

use crate::{
    Operator,
    connections::config_maps,
    scripted_api::{Fault, ScriptedApi, Seen},
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

fn config_map_id(name: &str) -> ObjectId {
    ObjectId {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        namespace: "a".into(),
        name: name.into(),
    }
}

fn writer(operator: &Operator, client: Client) -> Writer {
    writer_knowing(operator, client, Watched(None))
}

fn writer_knowing(operator: &Operator, client: Client, versions: impl LiveVersions + 'static) -> Writer {
    let defaults = Defaults {
        namespace: "a".into(),
        field_manager: "test".into(),
        force: true,
        field_validation: FieldValidation::Strict,
    };
    let known = Arc::new(Known::new(Arc::new(versions)));
    Writer::new(client, operator.discovery.clone(), defaults, known)
}

/// Versions as a watch of all objects would have them; none if there is no watch.
#[derive(Clone)]
struct Watched(Option<Arc<Mutex<&'static str>>>);

impl LiveVersions for Watched {
    fn live_version(&self, _id: &ObjectId) -> Option<String> {
        let version = self.0.as_ref()?;
        Some(version.lock().unwrap().to_string())
    }
}

fn gets(api: &ScriptedApi) -> usize {
    let one = |seen: &Seen| seen.method == Method::GET && seen.path.contains("/configmaps/");
    api.requests(one).len()
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
    let id = config_map_id("x");
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

const AT_SEVEN: &str = r#"{"metadata":{"resourceVersion":"7"}}"#;
const AT_EIGHT: &str = r#"{"metadata":{"resourceVersion":"8"}}"#;

#[tokio::test]
async fn what_changes_nothing_is_asked_for_and_not_sent() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    let writer = writer(&operator, operator.identities.own().clone());
    api.state().single = AT_SEVEN;
    assert_eq!(write(&writer, &tree()).await.unwrap().applied, 3);
    assert_eq!((patches(&api), gets(&api)), (3, 0), "the first is always sent");
    let again = write(&writer, &tree()).await.unwrap();
    assert_eq!((again.applied, again.unchanged), (0, 3));
    assert_eq!((patches(&api), gets(&api)), (3, 3));
    // Somebody else has written.
    api.state().single = AT_EIGHT;
    assert_eq!(write(&writer, &tree()).await.unwrap().applied, 3);
}

#[tokio::test]
async fn the_version_of_a_watch_is_taken_without_asking() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    let version = Arc::new(Mutex::new("7"));
    let own = operator.identities.own().clone();
    let writer = writer_knowing(&operator, own, Watched(Some(version.clone())));
    api.state().single = AT_SEVEN;
    write(&writer, &tree()).await.unwrap();
    assert_eq!(write(&writer, &tree()).await.unwrap().unchanged, 3);
    *version.lock().unwrap() = "8";
    assert_eq!(write(&writer, &tree()).await.unwrap().applied, 3);
    assert_eq!(gets(&api), 0);
}

#[tokio::test]
async fn other_bytes_or_other_options_are_sent() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    let writer = writer(&operator, operator.identities.own().clone());
    api.state().single = AT_SEVEN;
    let with = |label: &str, options: &ApplyOptions| {
        let json = format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"a","namespace":"a","labels":{{"l":"{label}"}}}}}}"#
        );
        let mut tree = DesiredBuilder::default();
        tree.apply(json.into(), options.clone());
        tree.finish().unwrap()
    };
    let plain = ApplyOptions::default();
    let unforced = ApplyOptions {
        force: Some(false),
        ..ApplyOptions::default()
    };
    let others = ApplyOptions {
        field_manager: Some("other".into()),
        ..ApplyOptions::default()
    };
    let status = ApplyOptions {
        subresource: Some("status".into()),
        ..ApplyOptions::default()
    };
    for tree in [
        with("1", &plain),
        with("2", &plain),
        with("2", &unforced),
        with("2", &others),
        with("2", &status),
    ] {
        assert_eq!(write(&writer, &tree).await.unwrap().applied, 1);
        assert_eq!(write(&writer, &tree).await.unwrap().unchanged, 1);
    }
}

#[tokio::test]
async fn who_may_not_read_an_object_is_asked_once_and_then_always_writes() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    let writer = writer(&operator, operator.identities.own().clone());
    api.state().single = AT_SEVEN;
    api.state().get_fault = Some(Fault::Status(403, "configmaps is forbidden"));
    for round in 1..=3 {
        assert_eq!(write(&writer, &tree()).await.unwrap().applied, 3, "{round}");
    }
    assert_eq!((patches(&api), gets(&api)), (9, 1));
}

#[tokio::test]
async fn a_write_that_failed_is_sent_again() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    let writer = writer(&operator, operator.identities.own().clone());
    api.state().single = AT_SEVEN;
    write(&writer, &tree()).await.unwrap();
    api.state().single = AT_EIGHT;
    api.state().list_fault = Some(Fault::Status(409, "conflict"));
    write(&writer, &tree()).await.unwrap_err();
    api.state().list_fault = None;
    api.state().single = AT_SEVEN;
    assert_eq!(write(&writer, &tree()).await.unwrap().applied, 3);
}

/// A watch that lags still shows the version from before the deletion.
#[tokio::test]
async fn what_was_deleted_is_sent_again_whatever_a_watch_says() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    let own = operator.identities.own().clone();
    let writer = writer_knowing(&operator, own, Watched(Some(Arc::new(Mutex::new("7")))));
    api.state().single = AT_SEVEN;
    write(&writer, &tree()).await.unwrap();
    let mut gone = DesiredBuilder::default();
    let id = config_map_id("a");
    gone.delete(id, DeleteOptions::default());
    write(&writer, &gone.finish().unwrap()).await.unwrap();
    let again = write(&writer, &tree()).await.unwrap();
    assert_eq!((again.applied, again.unchanged), (1, 2));
}

/// Two managers that want different things: the later one wins in each round, also while a watch lags.
#[tokio::test]
async fn a_write_of_another_manager_makes_the_first_one_be_sent_again() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    let own = operator.identities.own().clone();
    let writer = writer_knowing(&operator, own, Watched(Some(Arc::new(Mutex::new("7")))));
    let by = |manager: &str| {
        let options = ApplyOptions {
            field_manager: Some(manager.into()),
            ..ApplyOptions::default()
        };
        let json = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"a"}}"#;
        let mut tree = DesiredBuilder::default();
        tree.apply(json.into(), options);
        tree.finish().unwrap()
    };
    api.state().single = AT_SEVEN;
    assert_eq!(write(&writer, &by("m1")).await.unwrap().applied, 1);
    api.state().single = AT_EIGHT;
    assert_eq!(write(&writer, &by("m2")).await.unwrap().applied, 1);
    assert_eq!(
        write(&writer, &by("m1")).await.unwrap().applied,
        1,
        "the watch is at 7"
    );
}
