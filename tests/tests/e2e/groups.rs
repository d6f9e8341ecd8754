//! What goes on after an error, and in which order.

use std::time::Duration;

use espejote_tests::{Namespace, objects::esp};
use serde_json::json;

const CONFIG_MAPS: &str = "
    local cm(name) = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: name}};
    local bad = cm('\u{1f642}');
";

fn template(objects: &str) -> String {
    esp(&format!("{CONFIG_MAPS}{objects}"))
}

/// G8: a group that continues does the rest.
#[test]
fn g8_a_group_that_continues_does_the_rest() {
    let ns = Namespace::new("g8");
    let managed = ns.managed("test", json!({"template": template("[bad, cm('after')]")}));
    managed.is("ApplyError");
    ns.has("after");
}

/// G8: a group that aborts stops at its first error.
#[test]
fn g8_a_group_that_aborts_stops_at_its_first_error() {
    let ns = Namespace::new("g8-abort");
    let objects = "[esp.applyGroup([cm('before'), bad, cm('after')], errorPolicy='Abort')]";
    let managed = ns.managed("test", json!({"template": template(objects)}));
    managed.is("ApplyError");
    ns.has("before");
    ns.stays_without("after", Duration::from_secs(1));
}

/// G7, G9: nested groups with invalid names; an aborted group does not stop a parent that continues.
#[test]
fn g9_an_aborted_group_does_not_stop_a_parent_that_continues() {
    let ns = Namespace::new("g9");
    let objects = "esp.applyGroup([
        esp.applyGroup([bad, cm('cm-continue')], errorPolicy='Continue'),
        esp.applyGroup([[cm('cm-pre-abort-inherit'), bad, cm('never-inherit')], cm('never')], errorPolicy='Abort'),
    ], errorPolicy='Continue')";
    let managed = ns.managed("test", json!({"template": template(objects)}));
    managed.is("ApplyError");
    ns.has("cm-continue");
    ns.has("cm-pre-abort-inherit");
    ns.stays_without("never-inherit", Duration::from_millis(500));
    ns.stays_without("never", Duration::from_millis(500));
}

/// G11: objects are written in the order of the list: what comes later finds what came before.
#[test]
fn g11_objects_are_written_in_the_order_of_the_list() {
    let ns = Namespace::new("g11");
    ns.grant_everywhere("", &["namespaces", "configmaps"], espejote_tests::namespace::EDIT);
    let later = espejote_tests::run::unique("g11-later");
    let objects = format!(
        "[{{apiVersion: 'v1', kind: 'Namespace', metadata: {{name: '{later}'}}}},
          [cm(name) {{metadata+: {{namespace: '{later}'}}}} for name in ['a', 'b']]]"
    );
    let managed = ns.managed("test", json!({"template": template(&objects)}));
    managed.is_ready();
    assert!(
        managed.warnings().is_empty(),
        "a later object finds the namespace that an earlier one has made"
    );
    for name in ["a", "b"] {
        assert!(ns.cluster.get("v1", "ConfigMap", &later, name).is_some());
    }
}
