//! What a ManagedResource says of itself.

use std::time::Duration;

use espejote_tests::{
    Namespace, eventually,
    kubectl::kubectl,
    objects::{config_maps, esp, writes},
    stays,
    waiting::{equal, holds},
};
use serde_json::json;

/// S1, S7: the status is Ready once, and not written again by reconciles that change nothing.
#[test]
fn s7_a_status_is_written_only_when_it_changes() {
    let ns = Namespace::new("s7");
    let trigger = json!({"name": "tick", "interval": "50ms"});
    let managed = ns.managed(
        "test",
        json!({"triggers": [trigger], "template": writes("out", "'x'")}),
    );
    managed.is_ready();
    eventually("it ticks", || {
        holds(managed.reconciles("tick") >= 2.0, || "not yet".to_owned())
    });
    let version = managed.version();
    stays(Duration::from_secs(2), "it is not written again", || {
        equal(managed.version(), version.clone())
    });
}

/// T16, S7: a status that somebody else has written is put back, and starts nothing.
#[test]
fn s7_the_status_of_somebody_else_is_put_back() {
    let ns = Namespace::new("s7-foreign");
    let managed = ns.managed("test", json!({"template": writes("out", "'x'")}));
    managed.is_ready();
    let runs = managed.reconciles("");
    let patch = r#"{"status":{"status":"Hacked","conditions":null}}"#;
    let arguments = [
        "patch",
        "managedresource",
        "test",
        "--subresource=status",
        "--type=merge",
        "--patch",
        patch,
    ];
    let namespace = ["--namespace", ns.name.as_str()];
    kubectl(ns.cluster, &[&arguments[..], &namespace[..]].concat()).expect("patch the status");
    eventually("the status is ours again", || {
        let ready = managed.condition("Ready").map(|(status, ..)| status);
        equal(
            (managed.status(), ready),
            ("Ready".to_owned(), Some("True".to_owned())),
        )
    });
    equal(managed.reconciles(""), runs).unwrap();
}

/// Standard conditions, as kstatus reads them.
#[test]
fn s1_conditions_say_the_same_as_the_status() {
    let ns = Namespace::new("s1");
    let good = ns.managed("good", json!({"template": "null"}));
    good.is_ready();
    assert_eq!(
        good.condition("Ready").map(|condition| condition.0),
        Some("True".to_owned())
    );
    assert_eq!(
        (good.condition("Reconciling"), good.condition("Stalled")),
        (None, None)
    );
    let bad = ns.managed("bad", json!({"template": "local"}));
    bad.is("TemplateError");
    assert_eq!(
        bad.condition("Ready").map(|condition| condition.0),
        Some("False".to_owned())
    );
    assert_eq!(
        bad.condition("Stalled").map(|condition| condition.0),
        Some("True".to_owned())
    );
    bad.update(json!({"template": "null"}));
    bad.is_ready();
    assert_eq!(bad.condition("Stalled"), None);
}

/// S3, S5: one event for one error, however often it is tried, in the form that tools know.
#[test]
fn s3_a_template_error_is_one_event() {
    let ns = Namespace::new("s3");
    let managed = ns.managed("test", json!({"template": "glug"}));
    managed.is("TemplateError");
    let warning = managed.warns_once("TemplateError", &["glug"]);
    assert!(
        warning.note.starts_with("Reconcile error: TemplateError: "),
        "{warning:?}"
    );
    assert_eq!(warning.action, "Reconcile");
    assert!(!warning.about_version.is_empty());
}

/// S5: what keeps everything from beginning is told in words of its own.
#[test]
fn s5_what_cannot_be_begun_says_so() {
    let ns = Namespace::new("s5");
    let managed = ns.managed(
        "test",
        json!({"serviceAccountRef": {"name": "missing"}, "template": "null"}),
    );
    managed.is("ServiceAccountError");
    let warning = managed.warns("ServiceAccountError", &["missing"]);
    let expected = "ServiceAccountError: failed to ensure/start instance controller: ";
    assert!(warning.note.starts_with(expected), "{warning:?}");
}

/// S4: the object that started the reconcile has the event as well.
#[test]
fn s4_an_error_of_a_trigger_is_told_to_its_object() {
    let ns = Namespace::new("s4");
    let watched = config_maps(json!({"name": "trigger"}));
    let template = esp("if esp.triggerName() == 'cm' then glug");
    let template = template.replace("glug", "error 'glug'");
    ns.config_map("trigger", json!({}));
    let managed = ns.managed(
        "test",
        json!({"triggers": [{"name": "cm", "watchResource": watched}], "template": template}),
    );
    managed.warns("TemplateError", &["glug"]);
    let told = eventually("the trigger is told", || {
        ns.warnings("ConfigMap", "trigger")
            .pop()
            .ok_or_else(|| "no event".to_owned())
    });
    let whose = format!(
        "Reconcile error: TemplateError: ManagedResource {}/test: ",
        ns.name
    );
    assert!(
        told.reason == "TemplateError" && told.note.starts_with(&whose),
        "it says whose it is: {told:?}"
    );
    stays(Duration::from_secs(2), "it is told once", || {
        equal(ns.warnings("ConfigMap", "trigger").len(), 1)
    });
}

/// S5, improvement 19: a long note is cut, not lost.
#[test]
fn s5_a_long_note_is_cut() {
    let ns = Namespace::new("s5");
    let template = "error std.repeat('\u{e4}\u{1f642}', 2000)";
    let managed = ns.managed("test", json!({"template": template}));
    let warning = managed.warns("TemplateError", &["\u{e4}\u{1f642}"]);
    assert!(warning.note.len() <= 1_024, "{}", warning.note.len());
}

/// S10: the documented ways to look and to wait.
#[test]
fn s10_kubectl_shows_the_status_and_waits_for_it() {
    let ns = Namespace::new("s10");
    ns.managed("test", json!({"template": "null"}));
    let wait = |what: &str| {
        let arguments = [
            "wait",
            "--namespace",
            &ns.name,
            "--timeout=30s",
            "--for",
            what,
            "managedresource/test",
        ];
        kubectl(ns.cluster, &arguments).unwrap_or_else(|error| panic!("wait for {what}: {error}"));
    };
    wait("jsonpath={.status.status}=Ready");
    wait("condition=Ready");
    let shown = kubectl(
        ns.cluster,
        &["get", "--namespace", &ns.name, "managedresource", "test"],
    )
    .expect("get");
    let mut lines = shown
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let heads = lines.next().expect("heads");
    assert_eq!(&heads[..2], ["NAME", "STATUS"]);
    assert!(heads.contains(&"AGE"), "{heads:?}");
    assert_eq!(&lines.next().expect("a line")[..2], ["test", "Ready"]);
}

/// Improvement 6: one good trigger does not hide a bad one.
#[test]
fn s7_one_failing_trigger_keeps_it_from_being_ready() {
    let ns = Namespace::new("s7-keys");
    let bad = config_maps(json!({"name": "bad"}));
    let trigger = json!([{"name": "good", "interval": "100ms"}, {"name": "bad", "watchResource": bad}]);
    let template =
        esp("if esp.triggerName() == 'bad' && esp.triggerData().resource != null then error 'bad one'");
    let managed = ns.managed("test", json!({"triggers": trigger, "template": template}));
    managed.is_ready();
    ns.config_map("bad", json!({}));
    managed.is("TemplateError");
    stays(Duration::from_secs(2), "it does not flap", || {
        equal(managed.status().as_str(), "TemplateError")
    });
    ns.delete_config_map("bad");
    managed.is_ready();
}

/// S9: an error that comes before any watch is not overwritten by waiting for watches, however often it is tried again.
#[test]
fn s9_an_error_of_the_start_is_never_followed_by_waiting_for_caches() {
    let ns = Namespace::new("s9");
    let spec = json!({
        "serviceAccountRef": {"name": "nobody"},
        "context": [{"name": "maps", "resource": {"apiVersion": "v1", "kind": "ConfigMap"}}],
        "template": "null",
    });
    let managed = ns.managed("test", spec);
    managed.is("ServiceAccountError");
    managed.settles();
    let version = managed.version();
    stays(Duration::from_secs(4), "nobody writes another status", || {
        equal(managed.version(), version.clone())
    });
}
