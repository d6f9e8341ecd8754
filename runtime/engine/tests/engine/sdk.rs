//! Every role of a guest that was made with the Rust SDK.

use espejote_core::{Context, ContextValue, FailureKind, Invocation, Item};
use espejote_engine::{Admitted, CallError, Grants, Mutation, Plugin, Role};
use serde_json::{Value, json};

use crate::support::{engine, invocation, patient, things, with_things};

async fn guest() -> Plugin {
    let bytes = espejote_test_components::GUESTS_SDK.into();
    engine().await.load("sdk", bytes).await.unwrap()
}

async fn counting(context: &str) -> Invocation {
    let config = json!({ "count": context }).to_string();
    let entry = guest()
        .await
        .entry("count", config.into(), patient(), Grants::default());
    let mut invocation = with_things(invocation(&json!(null)), things(25));
    invocation.snapshot.contexts.push(Context {
        name: "count".into(),
        value: ContextValue::Computed(entry),
    });
    invocation
}

#[tokio::test]
async fn a_reconciler_writes_what_its_provider_counted() {
    let call = guest()
        .await
        .reconcile(counting("things").await, &patient())
        .await;
    let desired = call.result.unwrap();
    assert_eq!(desired.len(), 10);
    let [Item::Apply(first), ..] = desired.root.items.as_slice() else {
        panic!("{desired:?}");
    };
    assert_eq!(first.id.namespace, "n0");
    assert!(first.json.contains(r#""objects":"3""#), "{}", first.json);
}

#[tokio::test]
async fn a_provider_without_its_context_fails_with_words() {
    let call = guest().await.reconcile(counting("none").await, &patient()).await;
    let Err(CallError::Guest { kind, message }) = call.result else {
        panic!("{:?}", call.result);
    };
    assert_eq!(kind, FailureKind::InvalidInput);
    assert_eq!(
        message,
        r#"context "count", computed by plugin sdk: context "none" is not defined"#
    );
}

async fn admit(config: &Value, labels: &Value) -> Admitted {
    let object = json!({"kind": "Pod", "metadata": {"name": "p", "labels": labels}});
    let request = json!({"uid": "u", "operation": "CREATE", "object": object}).to_string();
    let grants = Grants::default();
    guest()
        .await
        .admit(invocation(config), request.into(), &patient(), &grants)
        .await
}

#[tokio::test]
async fn an_admitter_allows_refuses_and_mutates() {
    let wanted = json!({"label": "example.com/team"});
    let allowed = admit(&wanted, &json!({"example.com/team": "a"}))
        .await
        .result
        .unwrap();
    assert!(allowed.allowed && allowed.mutation.is_none());
    let denied = admit(&wanted, &json!({})).await;
    assert_eq!(denied.audit_annotations["label"], "example.com/team");
    let denied = denied.result.unwrap();
    assert_eq!(
        (denied.allowed, denied.code, denied.message.as_str()),
        (false, Some(422), "the label example.com/team is missing")
    );
    let added = admit(&json!({"label": "example.com/team", "add": "b"}), &json!(null)).await;
    assert_eq!(added.warnings, ["the label example.com/team was added"]);
    let Some(Mutation::Patch(patch)) = added.result.unwrap().mutation else {
        panic!("no patch");
    };
    assert_eq!(
        serde_json::from_str::<Value>(&patch).unwrap(),
        json!([
            {"op": "add", "path": "/metadata/labels", "value": {}},
            {"op": "add", "path": "/metadata/labels/example.com~1team", "value": "b"},
        ])
    );
}

#[tokio::test]
async fn an_admitter_that_fails_says_why() {
    let Err(CallError::Guest { kind, message }) = admit(&json!({}), &json!({})).await.result else {
        panic!("it decided");
    };
    assert_eq!(
        (kind, message.as_str()),
        (FailureKind::InvalidConfig, "config: `label` is missing")
    );
}

#[tokio::test]
async fn the_config_is_described_by_role() {
    let guest = guest().await;
    assert_eq!(guest.roles(), Role::ALL);
    let schema = guest.config_schema(Role::Admit).await.unwrap().unwrap();
    assert!(schema.contains("required"));
    assert_eq!(guest.config_schema(Role::Provide).await.unwrap(), None);
    let problems = guest.validate_config(Role::Provide, r#"{"x":1}"#).await.unwrap();
    assert!(
        problems[0].message.starts_with("provide: unknown field"),
        "{problems:?}"
    );
}
