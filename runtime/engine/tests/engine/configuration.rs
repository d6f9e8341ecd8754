//! The optional export that looks at a config.

use espejote_engine::{CallError, LimitKind, Problem, Role};

use crate::support::guests;

#[tokio::test]
async fn a_schema_depends_on_the_role() {
    let plugin = guests().await;
    let schema = plugin.config_schema(Role::Reconcile).await.unwrap();
    assert_eq!(schema.as_deref(), Some(r#"{"type":"object"}"#));
    assert_eq!(plugin.config_schema(Role::Admit).await.unwrap(), None);
}

#[tokio::test]
async fn problems_come_with_their_paths() {
    let plugin = guests().await;
    let problems = plugin
        .validate_config(Role::Reconcile, r#"{"mode":1}"#)
        .await
        .unwrap();
    assert_eq!(
        problems,
        [Problem {
            path: "/mode".into(),
            message: "has to be a string".into(),
        }]
    );
    let problems = plugin
        .validate_config(Role::Reconcile, r#"{"mode":"x"}"#)
        .await
        .unwrap();
    assert_eq!(problems, []);
}

#[tokio::test]
async fn other_imports_trap() {
    let error = guests()
        .await
        .validate_config(Role::Reconcile, r#"{"mode":"peek"}"#)
        .await
        .unwrap_err();
    assert!(
        matches!(error, CallError::Trap { .. }) && error.to_string().contains("only logging"),
        "{error}"
    );
}

#[tokio::test]
async fn looking_at_a_config_ends_at_a_limit_too() {
    let error = guests()
        .await
        .validate_config(Role::Reconcile, r#"{"mode":"spin"}"#)
        .await
        .unwrap_err();
    assert!(
        matches!(
            error,
            CallError::Limit {
                limit: LimitKind::Cpu | LimitKind::Wall,
                ..
            }
        ),
        "{error}"
    );
}
