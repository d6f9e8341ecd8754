//! Objects that a template marks for deletion.

use espejote_tests::{
    Namespace, eventually,
    objects::{config_maps, esp, managed_resource, writes},
    waiting::equal,
};
use serde_json::json;

fn is_gone(ns: &Namespace<'_>, name: &str) {
    eventually(&format!("{name} is gone"), || match ns.get_config_map(name) {
        None => Ok(()),
        Some(_) => Err("it is there".to_owned()),
    });
}

/// D1: every option deletes its object, and a fourth one is applied.
#[test]
fn d1_each_option_of_a_deletion_deletes() {
    let ns = Namespace::new("d1");
    for name in ["plain", "uid", "version"] {
        ns.config_map(name, json!({}));
    }
    let watched = config_maps(json!({"matchNames": ["plain", "uid", "version"]}));
    let managed = ns.managed(
        "test",
        json!({
            "context": [{"name": "cms", "resource": watched}],
            "template": esp("
                local cm(name) = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: name}};
                local live(name) = [o for o in esp.context().cms if o.metadata.name == name];
                [esp.markForDelete(cm('plain'), gracePeriodSeconds=0, propagationPolicy='Background')]
                + [esp.markForDelete(cm('uid'), preconditionUID=o.metadata.uid) for o in live('uid')]
                + [esp.markForDelete(cm('version'), preconditionResourceVersion=o.metadata.resourceVersion) for o in live('version')]
                + [cm('fourth')]"),
        }),
    );
    for name in ["plain", "uid", "version"] {
        is_gone(&ns, name);
    }
    ns.has("fourth");
    managed.is_ready();
}

/// D2.
#[test]
fn d2_what_is_absent_is_deleted_already() {
    let ns = Namespace::new("d2");
    let template =
        esp("esp.markForDelete({apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'absent'}})");
    let managed = ns.managed("test", json!({"template": template}));
    managed.is_ready();
    assert!(managed.warnings().is_empty());
}

/// A name that leads to the path of all objects, once it is decoded, is refused before anything is sent.
#[test]
fn a_name_with_a_slash_deletes_nothing() {
    let ns = Namespace::new("slash");
    ns.config_map("kept", json!({}));
    for name in ["/", "..", "a/b", "kept%2F"] {
        let template = esp(&format!(
            "[{{apiVersion: 'v1', kind: 'ConfigMap', metadata: {{name: 'out'}}}},
              esp.markForDelete({{apiVersion: 'v1', kind: 'ConfigMap', metadata: {{name: '{name}'}}}})]"
        ));
        let managed = ns.managed("test", json!({"template": template}));
        managed.is("TemplateReturnError");
        managed.is_not_ready("InvalidOutput", &[&format!("metadata.name {name:?} must not")]);
        ns.apply(managed_resource("test", json!({"template": "null"})));
        managed.is_ready();
    }
    assert!(ns.get_config_map("kept").is_some() && ns.get_config_map("out").is_none());
}

/// What is deleted stops writing in the middle of its tree, and its successor's values stay.
#[test]
fn a_deleted_managed_resource_stops_in_the_middle_of_its_tree() {
    let ns = Namespace::new("stops");
    let many = |value: &str| {
        let template = esp(&format!(
            "[{{apiVersion: 'v1', kind: 'ConfigMap', metadata: {{name: 'out-%04d' % i}}, data: {{by: '{value}'}}}}
              for i in std.range(0, 1999)]"
        ));
        managed_resource("test", json!({"template": template}))
    };
    ns.apply(many("old"));
    ns.has("out-0000");
    ns.cluster
        .delete("espejote.io/v1alpha1", "ManagedResource", &ns.name, "test");
    let count = || ns.cluster.list("v1", "ConfigMap", &ns.name).len();
    // The write under way may end.
    let mut last = count();
    eventually("nothing more comes", || {
        let now = count();
        equal(std::mem::replace(&mut last, now), now)
    });
    assert!(last < 1_500, "{last} of 2,000: it was written to the end");
    ns.managed("test", json!({"template": writes("successor", "'new'")}));
    ns.has_data("successor", json!({"text": "new"}));
}

/// D7: a precondition that does not hold is an error in the API server's words.
#[test]
fn d7_a_precondition_that_does_not_hold_is_an_apply_error() {
    let ns = Namespace::new("d7");
    ns.config_map("kept", json!({}));
    let template = esp(
        "esp.markForDelete({apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'kept'}}, preconditionUID='other')",
    );
    let managed = ns.managed("test", json!({"template": template}));
    managed.is("ApplyError");
    managed.warns(
        "ApplyError",
        &[
            &format!("deleting resource {}/kept ConfigMap:", ns.name),
            "UID in the precondition (other)",
        ],
    );
    assert!(ns.get_config_map("kept").is_some());
}
