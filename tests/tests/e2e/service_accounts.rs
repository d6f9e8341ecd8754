//! As whom a ManagedResource reads and writes.

use espejote_tests::{
    Namespace,
    namespace::EDIT,
    objects::{esp, watched, writes},
    run,
};
use serde_json::json;

/// SA1: the default is `default`, and the API server says so.
#[test]
fn sa1_the_default_is_the_service_account_default() {
    let ns = Namespace::new("sa1");
    let managed = ns.managed("test", json!({"template": writes("out", "'x'")}));
    managed.is_ready();
    assert_eq!(
        managed.get()["spec"]["serviceAccountRef"],
        json!({"name": "default"})
    );
    ns.has("out");
    let unnamed = ns.managed(
        "unnamed",
        json!({"serviceAccountRef": {}, "template": writes("unnamed", "'x'")}),
    );
    unnamed.is_ready();
}

/// SA2: one that is missing is said once, before anything else, and found when it comes.
#[test]
fn sa2_a_missing_service_account_is_said_once() {
    let ns = Namespace::new("sa2");
    let trigger = json!({"name": "twice", "interval": "1h"});
    let managed = ns.managed(
        "test",
        json!({"serviceAccountRef": {"name": "missing"}, "triggers": [trigger, trigger], "template": "null"}),
    );
    let text = format!(
        r#"token request for "system:serviceaccount:{}:missing" failed: "#,
        ns.name
    );
    managed.warns_once("ServiceAccountError", &[&text]);
    managed.is("ServiceAccountError");
    managed.settles();
    assert!(!ns.operator.metrics().samples.is_empty());
}

/// Improvement 8: a ServiceAccount that comes late is used without anybody's help.
#[test]
fn sa2_a_service_account_that_comes_late_is_used() {
    let ns = Namespace::new("sa2-late");
    let spec = json!({"serviceAccountRef": {"name": "late"}, "template": writes("out", "'x'")});
    let managed = ns.managed("test", spec);
    managed.is("ServiceAccountError");
    ns.service_account("late");
    ns.grant_to((&ns.name, "late"), "", &["configmaps"], EDIT);
    managed.is_ready();
    ns.has("out");
}

/// SA3: reads and writes have the rights of the ServiceAccount that is named, and of no other.
#[test]
fn sa3_reads_and_writes_have_the_rights_of_the_named_service_account() {
    let ns = Namespace::new("sa3");
    ns.service_account("keeper");
    ns.grant_to((&ns.name, "keeper"), "", &["secrets"], EDIT);
    let value = run::secret_value("sa3");
    ns.apply(espejote_tests::objects::secret("source", json!({"key": value})));
    let spec = |account: &str, name: &str| {
        json!({
            "serviceAccountRef": {"name": account}, "cacheSyncTimeout": "5s",
            "context": [{"name": "source", "resource": watched("v1", "Secret", json!({"name": "source"}))}],
            "template": esp(&format!("
                [{{apiVersion: 'v1', kind: 'Secret', metadata: {{name: '{name}'}}, data: o.data}} for o in esp.context().source]")),
        })
    };
    ns.managed("may", spec("keeper", "copied")).is_ready();
    let copied = ns
        .cluster
        .get("v1", "Secret", &ns.name, "copied")
        .expect("the copy is there");
    let source = ns
        .cluster
        .get("v1", "Secret", &ns.name, "source")
        .expect("the source is there");
    assert_eq!(copied["data"], source["data"]);
    let forbidden = ns.managed("may-not", spec("default", "stolen"));
    forbidden.is("ControllerStartError");
    let who = format!("system:serviceaccount:{}:default", ns.name);
    forbidden.warns(
        "ControllerStartError",
        &[r#"secrets "source" is forbidden"#, &who],
    );
    assert_eq!(ns.cluster.get("v1", "Secret", &ns.name, "stolen"), None);
}

/// A Secret's contents that the API server refuses are nowhere to be seen: the end of the run searches for them.
#[test]
fn sa3_a_secret_in_a_refused_object_is_not_told() {
    let ns = Namespace::new("sa3-refused");
    ns.grant("", &["secrets"], EDIT);
    let value = run::secret_value("sa3-refused");
    ns.apply(espejote_tests::objects::secret("source", json!({"key": value})));
    let managed = ns.managed(
        "test",
        json!({
            "context": [{"name": "source", "resource": watched("v1", "Secret", json!({"name": "source"}))}],
            "template": esp("
                local value = std.base64Decode(esp.context().source[0].data.key);
                {apiVersion: 'v1', kind: 'Secret', metadata: {name: 'copy'}, stringData: {key: value}, typo: 'x'}"),
        }),
    );
    managed.is("ApplyError");
    managed.warns(
        "ApplyError",
        &[&format!("applying resource {}/copy Secret:", ns.name)],
    );
}
