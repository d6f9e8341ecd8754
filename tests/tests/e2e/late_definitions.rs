//! Kinds that come late, change and go.

use espejote_tests::{
    Namespace, eventually,
    namespace::EDIT,
    objects::{GROUP, definition, esp, watched},
    waiting::equal,
};
use serde_json::{Value, json};

const V1: &str = "test.espejote.io/v1";

fn copies_widgets() -> Value {
    json!({
        "context": [{"name": "widgets", "resource": watched(V1, "Widget", json!({}))}],
        "template": esp("{apiVersion: 'test.espejote.io/v1', kind: 'Gadget', metadata: {name: 'case4'},
            spec: {widgets: std.length(esp.context().widgets)}}"),
    })
}

/// Improvements 8 and 9, case 4: each kind is found when it comes, and under the path that it has now.
#[test]
fn c6_kinds_that_come_late_and_change_are_followed() {
    let ns = Namespace::new("case4");
    ns.grant_everywhere(GROUP, &["widgets", "gadgets", "gadgetz"], EDIT);
    let managed = ns.managed("late-crd", copies_widgets());
    managed.is("DependencyConfigurationError");
    managed.warns("DependencyConfigurationError", &["Widget"]);

    ns.cluster
        .ensure(&definition("Widget", "widgets", "Namespaced", "v1"));
    managed.is("ApplyError");
    managed.warns("ApplyError", &["Gadget"]);

    ns.cluster
        .ensure(&definition("Gadget", "gadgets", "Namespaced", "v1"));
    managed.is_ready();
    assert!(ns.cluster.get(V1, "Gadget", &ns.name, "case4").is_some());

    replace_gadget(&ns, "gadgets", "gadgetz", "Cluster", "v1");
    managed.touch("after-replacement");
    let path = "/apis/test.espejote.io/v1/gadgetz/case4";
    eventually("it is written to the new path", || {
        ns.cluster
            .read(path)
            .map(drop)
            .map_err(|refusal| refusal.to_string())
    });
    managed.is_ready();

    replace_gadget(&ns, "gadgetz", "gadgets", "Namespaced", "v2");
    managed.touch("after-version");
    managed.is("ApplyError");
}

fn replace_gadget(ns: &Namespace<'_>, old: &str, new: &str, scope: &str, version: &str) {
    let (api, kind) = ("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    let name = format!("{old}.test.espejote.io");
    ns.cluster.delete(api, kind, "", &name);
    eventually("the definition is gone", || {
        equal(ns.cluster.get(api, kind, "", &name), None)
    });
    ns.cluster.ensure(&definition("Gadget", new, scope, version));
}
