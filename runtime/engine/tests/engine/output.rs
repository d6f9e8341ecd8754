//! What a guest emits and tells, and how it fails.

use espejote_core::{
    Condition, ConditionStatus, ErrorPolicy, FailureKind, FieldValidation, Item, PropagationPolicy, Waiting,
};
use espejote_engine::CallError;
use serde_json::json;

use crate::support::{guests, invocation, patient, run};

#[tokio::test]
async fn groups_and_options_arrive_as_emitted() {
    let desired = run("tree", &patient()).await.result.unwrap();
    let [Item::Apply(first), Item::Group(group)] = desired.root.items.as_slice() else {
        panic!("{desired:?}");
    };
    assert_eq!(first.id.name, "first");
    assert_eq!(group.on_error, Some(ErrorPolicy::Abort));
    let [Item::Apply(apply), Item::Group(inner)] = group.items.as_slice() else {
        panic!("{group:?}");
    };
    assert!(apply.json.contains("9007199254740993"));
    let options = &apply.options;
    assert_eq!(
        (
            options.field_manager.as_deref(),
            options.field_manager_suffix.as_deref()
        ),
        (Some("m"), Some("s"))
    );
    assert_eq!(
        (options.force, options.field_validation),
        (Some(false), Some(FieldValidation::Strict))
    );
    assert_eq!(options.subresource.as_deref(), Some("status"));
    let [Item::Delete(delete)] = inner.items.as_slice() else {
        panic!("{inner:?}");
    };
    assert_eq!(inner.on_error, None);
    assert_eq!(
        (delete.id.kind.as_str(), delete.id.namespace.as_str()),
        ("Deployment", "n")
    );
    let options = &delete.options;
    assert_eq!(
        (options.grace_period_seconds, options.propagation_policy),
        (Some(5), Some(PropagationPolicy::Orphan))
    );
    assert_eq!(
        (
            options.precondition_uid.as_deref(),
            options.precondition_resource_version.as_deref()
        ),
        (Some("u"), Some("7"))
    );
}

#[tokio::test]
async fn a_report_is_taken_and_the_last_word_counts() {
    let report = run("tell", &patient()).await.report;
    assert_eq!(report.requeue_after, Some(1500));
    assert_eq!(report.message.as_deref(), Some("all is well"));
    assert_eq!(
        report.conditions,
        [Condition {
            kind: "Synced".into(),
            status: ConditionStatus::Unknown,
            reason: "Half".into(),
            message: "some".into(),
        }]
    );
    assert_eq!(
        report.waiting,
        Some(Waiting {
            reason: "Copying".into(),
            message: "three to go".into(),
        })
    );
    assert_eq!(report.document.as_deref(), Some(r#"{"n": 9007199254740993}"#));
}

#[tokio::test]
async fn every_failure_kind_arrives_with_the_report_and_without_output() {
    for (word, expected) in [
        ("invalid-config", FailureKind::InvalidConfig),
        ("invalid-input", FailureKind::InvalidInput),
        ("invalid-output", FailureKind::InvalidOutput),
        ("not-ready", FailureKind::NotReady),
        ("internal", FailureKind::Internal),
    ] {
        let invocation = invocation(&json!({"mode": "fail", "kind": word}));
        let call = guests().await.reconcile(invocation, &patient()).await;
        let Err(CallError::Guest { kind, message }) = call.result else {
            panic!("{:?}", call.result);
        };
        assert_eq!(kind, expected);
        assert!(message.starts_with("because é") && message.len() <= 1024 && message.len() > 1020);
        assert_eq!(call.report.requeue_after, Some(1500));
    }
}

async fn lie(lie: &str) -> String {
    let invocation = invocation(&json!({"mode": "liar", "lie": lie}));
    let call = guests().await.reconcile(invocation, &patient()).await;
    match call.result {
        Err(error @ CallError::InvalidOutput(_)) => error.to_string(),
        other => panic!("{lie}: {other:?}"),
    }
}

#[tokio::test]
async fn every_lie_is_found() {
    for (name, text) in [
        ("json", "item 0"),
        ("number", "expected a JSON object"),
        ("kind", "Object 'Kind' is missing"),
        ("trailing", "trailing"),
        ("open", "left open"),
        ("close", "not opened"),
        ("delete", "'metadata.name' is missing"),
        ("condition", "\"Ready\" is the host's own"),
        ("condition-type", "\"two words\" has no proper type"),
        ("condition-reason", "\"Lie\" has reason \"\""),
        ("conditions", "more than 32 conditions, such as \"Lie32\""),
        ("document", "the document is no JSON"),
    ] {
        let found = lie(name).await;
        assert!(found.contains(text), "{name}: {found}");
    }
}

#[tokio::test]
async fn all_lies_are_told_together() {
    let found = lie("all").await;
    assert!(
        found.contains("item 0") && found.contains("item 1") && found.contains("\"Ready\""),
        "{found}"
    );
}
