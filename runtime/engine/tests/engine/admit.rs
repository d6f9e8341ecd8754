//! Requests for admission.

use espejote_core::{Context, ContextValue, FailureKind};
use espejote_engine::{Admitted, CallError, Decision, Grants, LimitKind, Mutation};
use serde_json::{Value, json};

use crate::support::{guests, invocation, patient, short};

const REQUEST: &str = r#"{"uid":"705ab4f5","operation":"CREATE","object":{"n":9007199254740993}}"#;

async fn admit(config: &Value) -> Admitted {
    let (plugin, grants) = (guests().await, Grants::default());
    plugin
        .admit(invocation(config), REQUEST.into(), &patient(), &grants)
        .await
}

#[tokio::test]
async fn an_admitter_gets_the_request_and_answers_with_warnings_and_annotations() {
    let admitted = admit(&json!({"mode": "echo"})).await;
    assert_eq!(
        admitted.result.unwrap(),
        Decision {
            allowed: false,
            code: None,
            message: r#"["705ab4f5",9007199254740993]"#.into(),
            mutation: None,
        }
    );
    assert_eq!(admitted.warnings, ["first", "second"]);
    let annotations: Vec<_> = admitted.audit_annotations.into_iter().collect();
    assert_eq!(annotations, [("who".to_owned(), "owner".to_owned())]);
    assert!(admitted.keep && !admitted.usage.wall.is_zero());
}

#[tokio::test]
async fn mutations_arrive_as_they_were_written() {
    let patch = r#"[{"op":"add","path":"/n","value":1.0}]"#;
    let admitted = admit(&json!({"mode": "decide", "allowed": true, "patch": patch})).await;
    assert_eq!(
        admitted.result.unwrap().mutation,
        Some(Mutation::Patch(patch.into()))
    );
    let object = r#"{"n":9007199254740993}"#;
    let admitted = admit(&json!({"mode": "decide", "allowed": true, "object": object, "code": 201})).await;
    let decision = admitted.result.unwrap();
    assert_eq!(
        (decision.code, decision.mutation),
        (Some(201), Some(Mutation::Object(object.into())))
    );
}

#[tokio::test]
async fn a_decision_that_breaks_a_rule_is_an_error() {
    for (config, words) in [
        (
            json!({"mode": "decide", "allowed": true, "patch": "{}"}),
            "no JSON array",
        ),
        (
            json!({"mode": "decide", "allowed": true, "object": "[]"}),
            "no JSON object",
        ),
        (
            json!({"mode": "decide", "allowed": false, "object": "{}"}),
            "not allowed",
        ),
        (
            json!({"mode": "decide", "allowed": false, "code": 7}),
            "no HTTP status",
        ),
    ] {
        let error = admit(&config).await.result.unwrap_err();
        assert!(matches!(error, CallError::InvalidOutput(_)), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[tokio::test]
async fn a_failure_is_an_error_and_its_warnings_stay() {
    let admitted = admit(&json!({"mode": "fail"})).await;
    assert_eq!(admitted.warnings, ["about to fail"]);
    let Err(CallError::Guest { kind, message }) = admitted.result else {
        panic!("{:?}", admitted.result);
    };
    assert_eq!((kind, message.as_str()), (FailureKind::Internal, "out of paper"));
}

#[tokio::test]
async fn nothing_is_left_of_an_admission_that_trapped() {
    let admitted = admit(&json!({"mode": "panic"})).await;
    assert!(matches!(admitted.result, Err(CallError::Trap { .. })));
    assert!(admitted.warnings.is_empty() && !admitted.keep);
}

#[tokio::test]
async fn admissions_end_at_limits() {
    for (mode, expected) in [
        ("spin", LimitKind::Cpu),
        ("warnings", LimitKind::Items),
        ("grow", LimitKind::Memory),
    ] {
        let (plugin, grants) = (guests().await, Grants::default());
        let invocation = invocation(&json!({"mode": mode}));
        let limits = if mode == "spin" { short() } else { patient() };
        let admitted = plugin.admit(invocation, REQUEST.into(), &limits, &grants).await;
        let error = admitted.result.unwrap_err();
        assert!(
            matches!(error, CallError::Limit { limit, .. } if limit == expected),
            "{mode}: {error}"
        );
    }
}

#[tokio::test]
async fn computed_contexts_are_served_and_other_worlds_are_not() {
    let plugin = guests().await;
    let mut asking = invocation(&json!({"mode": "ask"}));
    let config = json!({"mode": "text", "text": "42"}).to_string();
    asking.snapshot.contexts.push(Context {
        name: "computed".into(),
        value: ContextValue::Computed(plugin.entry("computed", config.into(), patient(), Grants::default())),
    });
    let grants = Grants::default();
    let admitted = plugin.admit(asking, REQUEST.into(), &patient(), &grants).await;
    assert_eq!(admitted.result.unwrap().message, "42");
    assert_eq!(admitted.computed["computed"].as_deref(), Ok("42"));
    let text = admit(&json!({"mode": "foreign"}))
        .await
        .result
        .unwrap_err()
        .to_string();
    assert!(text.contains("desired may not be called by admit"), "{text}");
    let call = plugin
        .reconcile(invocation(&json!({"mode": "foreign"})), &patient())
        .await;
    let text = call.result.unwrap_err().to_string();
    assert!(
        text.contains("admission may not be called by reconcile"),
        "{text}"
    );
}
