//! What starts a reconcile.

use std::time::Duration;

use espejote_tests::{
    Namespace, eventually,
    namespace::{EDIT, READ},
    objects::{config_maps, esp, labelled, namespace, watched, writes},
    run, stays,
    waiting::{equal, holds},
};
use serde_json::{Value, json};

/// T1, T2: a trigger renders for its object, and the general reconcile may render nothing.
#[test]
fn t1_a_namespace_that_comes_later_gets_its_config_map() {
    let ns = Namespace::new("t1");
    ns.grant_everywhere("", &["namespaces", "configmaps"], EDIT);
    let later = run::unique("t1-later");
    let managed = ns.managed(
        "test",
        json!({
            "triggers": [{"name": "ns", "watchResource": watched("v1", "Namespace", json!({"name": later}))}],
            "template": esp("if esp.triggerName() == 'ns' then {
                apiVersion: 'v1', kind: 'ConfigMap',
                metadata: {name: 'made', namespace: esp.triggerData().resource.metadata.name},
            }"),
        }),
    );
    managed.is_ready();
    ns.cluster.ensure(&namespace(&later));
    eventually("the ConfigMap is in the namespace", || {
        ns.cluster
            .get("v1", "ConfigMap", &later, "made")
            .ok_or_else(|| "it is not there".to_owned())
    });
}

/// T2: nothing is applied for a null.
#[test]
fn t2_a_general_reconcile_that_gives_null_is_fine() {
    let ns = Namespace::new("t2");
    let managed = ns.managed(
        "test",
        json!({"template": esp("if esp.triggerName() != null then {}")}),
    );
    managed.is_ready();
    assert!(managed.warnings().is_empty());
}

/// T3, K10: a context is used as a trigger, and watched once.
#[test]
fn t3_a_context_as_trigger_renders_all_of_its_objects() {
    let ns = Namespace::new("t3");
    let watched = config_maps(json!({"labelSelector": {"matchLabels": {"in": "yes"}}}));
    ns.managed(
        "test",
        json!({
            "context": [{"name": "configmaps", "resource": watched}],
            "triggers": [{"name": "changed", "watchContextResource": {"name": "configmaps"}}],
            "template": writes("out", "std.join(',', [cm.metadata.name for cm in esp.context().configmaps])"),
        }),
    );
    ns.has_data("out", json!({"text": ""}));
    for name in ["b", "a"] {
        ns.apply(labelled(name, json!({"in": "yes"}), json!({})));
    }
    ns.has_data("out", json!({"text": "a,b"}));
}

/// T4.
#[test]
fn t4_a_trigger_that_names_no_context_is_refused() {
    let ns = Namespace::new("t4");
    let managed = ns.managed(
        "test",
        json!({"triggers": [{"name": "t", "watchContextResource": {"name": "missing"}}], "template": writes("out", "'x'")}),
    );
    managed.is("DependencyConfigurationError");
    managed.warns_once(
        "DependencyConfigurationError",
        &[r#"context "missing" not found for trigger "t""#],
    );
    ns.stays_without("out", Duration::from_millis(200));
}

/// A template that writes the trigger's event, and the name of its resource, for objects other than its own.
fn writes_event() -> String {
    esp("local data = esp.triggerData();
        if esp.triggerName() != null then {
            apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out'},
            data: {
                event: std.manifestJsonMinified(data.resourceEvent),
                resource: if data.resource == null then 'null' else data.resource.kind + '/' + data.resource.metadata.name,
            },
        }")
}

/// T5, C6: the event is complete, also of groups with a name.
#[test]
fn t5_a_trigger_has_its_event_and_its_whole_object() {
    let ns = Namespace::new("t5");
    ns.grant("networking.k8s.io", &["networkpolicies"], READ);
    let policy = watched("networking.k8s.io/v1", "NetworkPolicy", json!({}));
    ns.managed(
        "test",
        json!({"triggers": [{"name": "p", "watchResource": policy}], "template": writes_event()}),
    );
    ns.create(json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy",
        "metadata": {"name": "deny"}, "spec": {"podSelector": {}},
    }));
    let event = json!({"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "name": "deny", "namespace": ns.name});
    eventually("the event is written", || {
        written(&ns, &event, "NetworkPolicy/deny")
    });
}

/// T6: a deleted object is null, its event is not.
#[test]
fn t6_a_deleted_object_still_has_its_event() {
    let ns = Namespace::new("t6");
    let watched = config_maps(json!({"matchNames": ["source"]}));
    ns.managed(
        "test",
        json!({"triggers": [{"name": "cm", "watchResource": watched}], "template": writes_event()}),
    );
    ns.config_map("source", json!({}));
    let event = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "source", "namespace": ns.name});
    eventually("it is seen", || written(&ns, &event, "ConfigMap/source"));
    ns.delete_config_map("source");
    eventually("its deletion is seen", || written(&ns, &event, "null"));
}

/// T7.
#[test]
fn t7_a_cluster_scoped_object_has_an_empty_namespace() {
    let ns = Namespace::new("t7");
    ns.grant_everywhere("", &["namespaces"], READ);
    let watched = watched("v1", "Namespace", json!({"name": ns.name}));
    ns.managed(
        "test",
        json!({"triggers": [{"name": "ns", "watchResource": watched}], "template": writes_event()}),
    );
    let event = json!({"apiVersion": "v1", "kind": "Namespace", "name": ns.name, "namespace": ""});
    eventually("the event is written", || {
        written(&ns, &event, &format!("Namespace/{}", ns.name))
    });
}

fn written(ns: &Namespace<'_>, event: &Value, resource: &str) -> Result<(), String> {
    let data = ns.data("out").ok_or("it is not there")?;
    let found: Value = serde_json::from_str(data["event"].as_str().unwrap_or_default()).unwrap_or_default();
    equal((&found, &data["resource"]), (event, &json!(resource)))
}

/// T14: an unknown kind is one event and no hot loop.
#[test]
fn t14_an_unknown_kind_is_said_once() {
    let ns = Namespace::new("t14");
    let unknown = watched("v1", "WhatWouldThisControllerDo", json!({}));
    let managed = ns.managed(
        "test",
        json!({"triggers": [{"name": "t", "watchResource": unknown}], "template": "null"}),
    );
    managed.warns_once("DependencyConfigurationError", &["WhatWouldThisControllerDo"]);
    managed.is("DependencyConfigurationError");
    managed.settles();
    assert!(!ns.operator.metrics().samples.is_empty());
}

/// T15.
#[test]
fn t15_two_triggers_of_one_name_are_refused() {
    let ns = Namespace::new("t15");
    let trigger = json!({"name": "twice", "interval": "1h"});
    let managed = ns.managed(
        "test",
        json!({"triggers": [trigger, trigger], "template": writes("out", "'x'")}),
    );
    managed.warns_once(
        "DependencyConfigurationError",
        &[r#"duplicate trigger definition "twice""#],
    );
    managed.settles();
    ns.stays_without("out", Duration::from_millis(200));
}

/// T16: spec, labels and annotations start a reconcile; a status does not.
#[test]
fn t16_a_status_starts_nothing_and_a_label_does() {
    let ns = Namespace::new("t16");
    let general = "std.toString([esp.triggerName(), esp.triggerData()])";
    let managed = ns.managed("test", json!({"template": writes("out", general)}));
    ns.has_data("out", json!({"text": "[null, null]"}));
    managed.is_ready();
    let before = managed.reconciles("");
    let path = format!(
        "/apis/espejote.io/v1alpha1/namespaces/{}/managedresources/test/status",
        ns.name
    );
    let foreign = json!({"status": {"conditions": [{
        "type": "Foreign", "status": "True", "reason": "Test", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z",
    }]}});
    let body = foreign.to_string();
    ns.cluster
        .send("PATCH", &path, "application/merge-patch+json", body.as_bytes())
        .expect("patch the status");
    stays(Duration::from_secs(1), "a status starts nothing", || {
        equal(managed.reconciles(""), before)
    });
    managed.touch("once");
    eventually("a label starts one", || {
        equal(managed.reconciles(""), before + 1.0)
    });
}

/// T17: two objects of a trigger are two keys.
#[test]
fn t17_each_object_of_a_trigger_has_a_reconcile() {
    let ns = Namespace::new("t17");
    let watched = config_maps(json!({"matchNames": ["one", "two"]}));
    let managed = ns.managed(
        "test",
        json!({"triggers": [{"name": "cm", "watchResource": watched}], "template": "null"}),
    );
    managed.is_ready();
    ns.config_map("one", json!({}));
    ns.config_map("two", json!({}));
    eventually("there are two", || {
        let reconciles = managed.reconciles("cm");
        holds(reconciles >= 2.0, || format!("{reconciles}"))
    });
}

/// T18: unset, named, and all namespaces.
#[test]
fn t18_a_namespace_of_a_trigger_is_its_own_another_or_all() {
    let ns = Namespace::new("t18");
    let other = ns.neighbour();
    ns.grant_everywhere("", &["configmaps"], READ);
    let label = json!({"matchLabels": {"t18": ns.name}});
    let trigger = |name: &str, namespace: Value| {
        let mut watched = config_maps(json!({"labelSelector": label}));
        if !namespace.is_null() {
            watched["namespace"] = namespace;
        }
        json!({"name": name, "watchResource": watched})
    };
    let managed = ns.managed(
        "test",
        json!({
            "triggers": [trigger("own", json!(null)), trigger("other", json!(other.name)), trigger("all", json!(""))],
            "template": "null",
        }),
    );
    managed.is_ready();
    ns.apply(labelled("here", json!({"t18": ns.name}), json!({})));
    other.apply(labelled("there", json!({"t18": ns.name}), json!({})));
    let counts = || ["own", "other", "all"].map(|trigger| managed.reconciles(trigger));
    eventually("each has seen what it watches", || {
        equal(counts(), [1.0, 1.0, 2.0])
    });
}

/// T19: one object for its trigger, all of them otherwise.
#[test]
fn t19_a_labelled_config_map_is_duplicated() {
    let ns = Namespace::new("t19");
    let selector = json!({"matchLabels": {"test-basic.espejote.io/duplicate-cm": "true"}});
    ns.managed(
        "test",
        json!({
            "context": [{"name": "cms", "resource": config_maps(json!({"labelSelector": selector}))}],
            "triggers": [{"name": "cm", "watchContextResource": {"name": "cms"}}],
            "template": esp("
                local duplicate(cm) = {
                    apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: cm.metadata.name + '-duplicate'},
                    data: cm.data + {sample: 'x'},
                };
                if esp.triggerName() == 'cm' then
                    local cm = esp.triggerData().resource;
                    if cm != null then duplicate(cm)
                else
                    [duplicate(cm) for cm in esp.context().cms]"),
        }),
    );
    ns.config_map("to-duplicate", json!({"copied": "y"}));
    let label = json!({"metadata": {"labels": {"test-basic.espejote.io/duplicate-cm": "true"}}});
    ns.cluster
        .merge("v1", "ConfigMap", &ns.name, "to-duplicate", &label);
    ns.has_data("to-duplicate-duplicate", json!({"copied": "y", "sample": "x"}));
}

/// T20.
#[test]
fn t20_a_trigger_may_have_a_slash_in_its_name() {
    let ns = Namespace::new("t20");
    let watched = config_maps(json!({"matchNames": ["source"]}));
    ns.managed(
        "test",
        json!({
            "triggers": [{"name": "machineconfiguration/cluster", "watchResource": watched}],
            "template": writes("out", "std.toString(esp.triggerName())"),
        }),
    );
    ns.has_data("out", json!({"text": "null"}));
    ns.config_map("source", json!({}));
    ns.has_data("out", json!({"text": "machineconfiguration/cluster"}));
}

/// T21: what a renamed trigger has left in the queue is not tried for ever.
#[test]
fn t21_a_renamed_trigger_leaves_nothing_behind() {
    let ns = Namespace::new("t21");
    let watched = config_maps(json!({"matchNames": ["source"]}));
    let spec = |name: &str| {
        json!({
            "triggers": [{"name": name, "watchResource": watched}],
            "template": esp("if esp.triggerData() != null then error 'on purpose'"),
        })
    };
    ns.config_map("source", json!({}));
    let managed = ns.managed("rename-me", spec("t1"));
    managed.warns("TemplateError", &["on purpose"]);
    managed.update(spec("t2"));
    eventually("the new name is tried", || {
        holds(managed.reconciles("t2") >= 1.0, || "not yet".to_owned())
    });
    let (old, new) = (managed.reconciles("t1"), managed.reconciles("t2"));
    ns.config_map("source", json!({"changed": "yes"}));
    eventually("the new name is tried again", || {
        holds(managed.reconciles("t2") > new, || "not yet".to_owned())
    });
    stays(Duration::from_secs(2), "the old name is not tried", || {
        equal(managed.reconciles("t1"), old)
    });
}
