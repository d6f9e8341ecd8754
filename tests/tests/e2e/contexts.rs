//! What a template may read.

use espejote_tests::{
    Namespace, eventually,
    namespace::READ,
    objects::{config_maps, esp, labelled, watched, writes},
    waiting::equal,
};
use serde_json::{Value, json};

/// A template that writes the names of a context.
fn writes_names() -> String {
    writes(
        "collected",
        "std.join(',', [cm.metadata.name for cm in esp.context().cms])",
    )
}

fn spec(watched: &Value) -> Value {
    json!({
        "context": [{"name": "cms", "resource": watched}],
        "triggers": [{"name": "cms", "watchContextResource": {"name": "cms"}}],
        "template": writes_names(),
    })
}

/// C1: a context is always a list, and `context()` always an object.
#[test]
fn c1_a_context_is_a_list_even_of_one_name() {
    let ns = Namespace::new("c1");
    let one = config_maps(json!({"name": "one"}));
    let text =
        "std.toString([std.type(esp.context()), std.type(esp.context().one), std.length(esp.context().one)])";
    ns.managed(
        "test",
        json!({
            "context": [{"name": "one", "resource": one}],
            "triggers": [{"name": "one", "watchContextResource": {"name": "one"}}],
            "template": writes("out", text),
        }),
    );
    ns.has_data("out", json!({"text": r#"["object", "array", 0]"#}));
    ns.config_map("one", json!({}));
    ns.has_data("out", json!({"text": r#"["object", "array", 1]"#}));
    let none = ns.managed(
        "none",
        json!({"template": writes("none", "std.toString(esp.context())")}),
    );
    ns.has_data("none", json!({"text": "{ }"}));
    none.is_ready();
}

/// C2: an ignored object is neither in the list nor an event, so that a template may write what it watches.
#[test]
fn c2_an_ignored_name_is_not_seen() {
    let ns = Namespace::new("c2");
    let watched = config_maps(json!({"ignoreNames": ["collected", "kube-root-ca.crt"]}));
    let managed = ns.managed("test", spec(&watched));
    ns.config_map("a", json!({}));
    ns.has_data("collected", json!({"text": "a"}));
    managed.is_ready();
    // It is counted when everything about it is done.
    espejote_tests::eventually("the event is counted", || equal(managed.reconciles("cms"), 1.0));
    let before = managed.reconciles("cms");
    ns.config_map("collected", json!({"by": "hand"}));
    espejote_tests::stays(std::time::Duration::from_secs(1), "no event", || {
        equal(managed.reconciles("cms"), before)
    });
}

/// C3, C4, C15: many objects without some, then some of them only, in the order of their names.
#[test]
fn c3_five_hundred_config_maps_without_the_ignored_ones() {
    let ns = Namespace::new("c3");
    for index in 0..500 {
        ns.create(espejote_tests::objects::config_map(
            &format!("test{index}"),
            json!({}),
        ));
    }
    let ignored = ["collected", "test1", "test3", "kube-root-ca.crt"];
    let managed = ns.managed("test", spec(&config_maps(json!({"ignoreNames": ignored}))));
    let mut names: Vec<String> = (0..500).map(|index| format!("test{index}")).collect();
    names.retain(|name| !ignored.contains(&name.as_str()));
    names.sort();
    assert_eq!(names.len(), 498);
    ns.has_data("collected", json!({"text": names.join(",")}));
    managed.update(spec(&config_maps(json!({"matchNames": ["test1", "test3"]}))));
    ns.has_data("collected", json!({"text": "test1,test3"}));
    ns.delete_config_map("test1");
    ns.has_data("collected", json!({"text": "test3"}));
}

/// C5.
#[test]
fn c5_names_to_match_and_to_ignore_combine() {
    let ns = Namespace::new("c5");
    for name in ["a", "b", "c"] {
        ns.config_map(name, json!({}));
    }
    ns.managed(
        "test",
        spec(&config_maps(
            json!({"matchNames": ["a", "b"], "ignoreNames": ["b"]}),
        )),
    );
    ns.has_data("collected", json!({"text": "a"}));
}

/// C6.
#[test]
fn c6_other_groups_than_the_core_work() {
    let ns = Namespace::new("c6");
    ns.grant("networking.k8s.io", &["networkpolicies"], READ);
    ns.create(json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy",
        "metadata": {"name": "deny"}, "spec": {"podSelector": {}},
    }));
    ns.managed(
        "test",
        spec(&watched("networking.k8s.io/v1", "NetworkPolicy", json!({}))),
    );
    ns.has_data("collected", json!({"text": "deny"}));
}

/// C7: every operator of a selector.
#[test]
fn c7_label_selectors_select() {
    let ns = Namespace::new("c7");
    ns.apply(labelled("good", json!({"a": "1", "b": "x", "c": "y"}), json!({})));
    ns.apply(labelled(
        "wrong-value",
        json!({"a": "1", "b": "z", "c": "y"}),
        json!({}),
    ));
    ns.apply(labelled(
        "unwanted",
        json!({"a": "1", "b": "x", "c": "y", "d": ""}),
        json!({}),
    ));
    ns.apply(labelled(
        "excluded",
        json!({"a": "1", "b": "x", "c": "n"}),
        json!({}),
    ));
    let selector = json!({
        "matchLabels": {"a": "1"},
        "matchExpressions": [
            {"key": "b", "operator": "In", "values": ["x", "y"]}, {"key": "c", "operator": "NotIn", "values": ["n"]},
            {"key": "c", "operator": "Exists"}, {"key": "d", "operator": "DoesNotExist"},
        ],
    });
    ns.managed("test", spec(&config_maps(json!({"labelSelector": selector}))));
    ns.has_data("collected", json!({"text": "good"}));
}

/// C9.
#[test]
fn c9_a_context_without_a_resource_is_refused() {
    let ns = Namespace::new("c9");
    let managed = ns.managed("test", json!({"context": [{"name": "c"}], "template": "null"}));
    managed.is("DependencyConfigurationError");
    managed.warns(
        "DependencyConfigurationError",
        &[r#"context "c" has no resource"#],
    );
}

/// C10.
#[test]
fn c10_two_contexts_of_one_name_are_refused() {
    let ns = Namespace::new("c10");
    let context = json!({"name": "twice", "resource": config_maps(json!({}))});
    let managed = ns.managed("test", json!({"context": [context, context], "template": "null"}));
    managed.warns_once(
        "DependencyConfigurationError",
        &[r#"duplicate context definition "twice""#],
    );
    managed.settles();
}

/// C11, C12: managedFields are left out unless they are asked for, in contexts and triggers.
#[test]
fn c11_managed_fields_are_left_out_unless_asked_for() {
    let ns = Namespace::new("c11");
    let spec = |further: Value| {
        let watched = config_maps(further);
        json!({
            "context": [{"name": "cms", "resource": watched}],
            "triggers": [{"name": "cm", "watchResource": watched}],
            "template": esp("
                local has(o) = std.objectHas(o.metadata, 'managedFields');
                if esp.triggerName() == 'cm' then {
                    apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out'},
                    data: {text: std.toString([has(esp.triggerData().resource), has(esp.context().cms[0])])},
                }"),
        })
    };
    ns.config_map("source", json!({}));
    let managed = ns.managed("test", spec(json!({"name": "source"})));
    ns.has_data("out", json!({"text": "[false, false]"}));
    managed.update(spec(json!({"name": "source", "stripManagedFields": false})));
    ns.has_data("out", json!({"text": "[true, true]"}));
    managed.is_ready();
}

/// C13, case 1: objects of the first list have their type, in contexts and triggers.
#[test]
fn c13_objects_of_the_first_list_have_their_type() {
    let ns = Namespace::new("c13");
    for name in ["a", "b", "c"] {
        ns.apply(labelled(name, json!({"pool": "a"}), json!({})));
    }
    let pool = config_maps(json!({"labelSelector": {"matchLabels": {"pool": "a"}}}));
    let managed = ns.managed(
        "mirror-pool",
        json!({
            "context": [{"name": "pool", "resource": pool}],
            "triggers": [{"name": "pool", "watchContextResource": {"name": "pool"}}],
            "template": esp("
                local copy(o, suffix) = {apiVersion: o.apiVersion, kind: o.kind, metadata: {name: o.metadata.name + suffix}};
                if esp.triggerName() == 'pool' then copy(esp.triggerData().resource, '-t')
                else [copy(o, '-m') for o in esp.context().pool]"),
        }),
    );
    managed.is_ready();
    for name in ["a-m", "b-m", "c-m", "a-t", "b-t", "c-t"] {
        ns.has(name);
    }
}

/// An object that is made, deleted and made again is followed.
#[test]
fn c1_an_object_that_comes_late_and_comes_again_is_followed() {
    let ns = Namespace::new("c1-late");
    ns.managed("test", spec(&config_maps(json!({"matchNames": ["late"]}))));
    for _ in 0..2 {
        ns.has_data("collected", json!({"text": ""}));
        ns.config_map("late", json!({}));
        ns.has_data("collected", json!({"text": "late"}));
        ns.delete_config_map("late");
    }
    eventually("it is gone again", || {
        equal(ns.data("collected"), Some(json!({"text": ""})))
    });
}
