//! How what a template gives is written.

use std::time::Duration;

use espejote_tests::{
    Namespace, eventually,
    objects::{config_map, esp, within, writes},
    waiting::equal,
};
use serde_json::{Value, json};

/// The managers of an object, sorted.
fn managers(object: &Value) -> Vec<&str> {
    let entries = object["metadata"]["managedFields"]
        .as_array()
        .expect("managedFields");
    let mut managers: Vec<_> = entries
        .iter()
        .filter_map(|entry| entry["manager"].as_str())
        .collect();
    managers.sort_unstable();
    managers
}

/// A template whose object is wrapped by options, with `data.test` set to `mine`.
fn with_options(options: &str) -> String {
    esp(&format!(
        "esp.applyOptions({{apiVersion: 'v1', kind: 'ConfigMap', metadata: {{name: 'out'}}, data: {{test: 'mine'}}}}{options})"
    ))
}

/// Somebody else owns `data.test` of `out`.
fn owned_by_another(ns: &Namespace<'_>) {
    let object = within(&ns.name, config_map("out", json!({"test": "theirs"})));
    ns.cluster
        .apply_as("other-owner", &object)
        .expect("apply as another");
}

/// A1: lists nest, and nulls in them are nothing.
#[test]
fn a1_a_result_may_nest_and_hold_nulls() {
    let ns = Namespace::new("a1");
    let template = esp(
        "local cm(n) = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: n}}; [null, [cm('a'), [null, [cm('b')]]], []]",
    );
    let managed = ns.managed("test", json!({"template": template}));
    managed.is_ready();
    ns.has("a");
    ns.has("b");
    assert!(managed.warnings().is_empty());
}

/// A2: nothing but null, an object or a list of them is a result.
#[test]
fn a2_other_results_are_refused_before_anything_is_written() {
    let ns = Namespace::new("a2");
    let results = [
        ("text", "'glug'"),
        ("number", "42"),
        ("bool", "true"),
        (
            "listed",
            "[{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out'}}, 42]",
        ),
    ];
    for (name, result) in results {
        let managed = ns.managed(name, json!({"template": result}));
        managed.is("TemplateReturnError");
        managed.warns("TemplateReturnError", &[]);
    }
    ns.stays_without("out", Duration::from_millis(300));
}

/// A3.
#[test]
fn a3_an_object_without_a_kind_is_refused() {
    let ns = Namespace::new("a3");
    let managed = ns.managed(
        "test",
        json!({"template": "{apiVersion: 'v1', metadata: {name: 'out'}}"}),
    );
    managed.warns_once("TemplateReturnError", &["'Kind' is missing"]);
    managed.is("TemplateReturnError");
}

/// A4: the namespace of a namespaced object defaults, for deletions as well.
#[test]
fn a4_a_namespace_that_is_missing_is_that_of_the_managed_resource() {
    let ns = Namespace::new("a4");
    ns.config_map("old", json!({}));
    let template = esp("[{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'new'}},
        esp.markForDelete({apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'old'}})]");
    ns.managed("test", json!({"template": template})).is_ready();
    ns.has("new");
    assert!(ns.get_config_map("old").is_none());
}

/// A5: an unknown kind is the error of its own item; the rest of the group is written.
#[test]
fn a5_an_unknown_kind_does_not_stop_its_neighbours() {
    let ns = Namespace::new("a5");
    let template = "[{apiVersion: 'v1', kind: 'DoesNotExist', metadata: {name: 'x'}}, {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out'}}]";
    let managed = ns.managed("test", json!({"template": template}));
    managed.warns_once("ApplyError", &["DoesNotExist"]);
    managed.is("ApplyError");
    ns.has("out");
}

/// A6.
#[test]
fn a6_the_field_manager_is_named_after_the_managed_resource() {
    let ns = Namespace::new("a6");
    ns.managed("test", json!({"template": writes("out", "'x'")}))
        .is_ready();
    let object = ns.has("out");
    assert_eq!(managers(&object), ["managed-resource:test"]);
    assert_eq!(object["metadata"]["managedFields"][0]["operation"], "Apply");
}

/// A7: the field manager of the spec, with which a field of another's name is taken over without force.
#[test]
fn a7_a_field_manager_of_the_spec_replaces_the_default() {
    let ns = Namespace::new("a7");
    owned_by_another(&ns);
    let options = json!({"fieldManager": "other-owner"});
    ns.managed(
        "test",
        json!({"applyOptions": options, "template": with_options("")}),
    )
    .is_ready();
    ns.has_data("out", json!({"test": "mine"}));
}

/// A8, A15: the option of an object wins over the spec's.
#[test]
fn a8_a_field_manager_of_an_object_wins() {
    let ns = Namespace::new("a8");
    let options = json!({"fieldManager": "of-spec"});
    let template = with_options(", fieldManager='of-object'");
    ns.managed("test", json!({"applyOptions": options, "template": template}))
        .is_ready();
    assert_eq!(managers(&ns.has("out")), ["of-object"]);
}

/// A9: a suffix makes a second manager of the same object.
#[test]
fn a9_a_suffix_makes_a_manager_of_its_own() {
    let ns = Namespace::new("a9");
    let template = esp(
        "local cm(data) = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out'}, data: data};
        [cm({a: '1'}), esp.applyOptions(cm({b: '2'}), fieldManagerSuffix=':status-report')]",
    );
    ns.managed("test", json!({"template": template})).is_ready();
    ns.has_data("out", json!({"a": "1", "b": "2"}));
    assert_eq!(
        managers(&ns.has("out")),
        ["managed-resource:test", "managed-resource:test:status-report"]
    );
}

/// A10: a conflict names the other owner and the field, and changes nothing.
#[test]
fn a10_a_conflict_names_the_other_owner_and_changes_nothing() {
    let ns = Namespace::new("a10");
    owned_by_another(&ns);
    let managed = ns.managed("test", json!({"template": with_options("")}));
    managed.is("ApplyError");
    managed.warns_once("ApplyError", &["conflict", "other-owner", ".data.test"]);
    managed.is_not_ready("Conflict", &["other-owner"]);
    assert_eq!(ns.data("out"), Some(json!({"test": "theirs"})));
}

/// A11: force of the spec; a conflict is resolved once it is given.
#[test]
fn a11_force_of_the_spec_resolves_a_conflict() {
    let ns = Namespace::new("a11");
    owned_by_another(&ns);
    let managed = ns.managed("test", json!({"template": with_options("")}));
    managed.is("ApplyError");
    managed.update(json!({"applyOptions": {"force": true}, "template": with_options("")}));
    managed.is_ready();
    ns.has_data("out", json!({"test": "mine"}));
}

/// A12, A15: force of an object, and its refusal where the spec has it.
#[test]
fn a12_force_of_an_object_wins_either_way() {
    let ns = Namespace::new("a12");
    owned_by_another(&ns);
    let refusing = json!({"applyOptions": {"force": true}, "template": with_options(", force=false")});
    let managed = ns.managed("test", refusing);
    managed.is("ApplyError");
    assert_eq!(ns.data("out"), Some(json!({"test": "theirs"})));
    managed.update(json!({"template": with_options(", force=true")}));
    managed.is_ready();
    ns.has_data("out", json!({"test": "mine"}));
}

const WITH_TYPO: &str = "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out'}, typo: 'x'}";

/// A13.
#[test]
fn a13_an_unknown_field_is_refused_by_its_path() {
    let ns = Namespace::new("a13");
    let managed = ns.managed("test", json!({"template": WITH_TYPO}));
    managed.is("ApplyError");
    managed.warns_once("ApplyError", &[".typo", "field not declared"]);
    ns.stays_without("out", Duration::from_millis(300));
}

/// A14: server-side apply refuses unknown fields in any case.
#[test]
fn a14_ignoring_validation_does_not_help() {
    let ns = Namespace::new("a14");
    ns.managed(
        "spec",
        json!({"applyOptions": {"fieldValidation": "Ignore"}, "template": WITH_TYPO}),
    )
    .is("ApplyError");
    let template = esp(&format!(
        "esp.applyOptions({WITH_TYPO}, fieldValidation='Ignore')"
    ));
    ns.managed("object", json!({"template": template}))
        .is("ApplyError");
    ns.stays_without("out", Duration::from_secs(2));
}

/// A17: what is none of the allowed values is said in the built-in library's words.
#[test]
fn a17_an_unknown_validation_is_refused_by_the_library() {
    let ns = Namespace::new("a17");
    let managed = ns.managed(
        "test",
        json!({"template": with_options(", fieldValidation='Warn'")}),
    );
    managed.warns(
        "TemplateError",
        &[r#"fieldValidation must be one of [null,"Ignore","Strict"], is: "#],
    );
}

/// A18.
#[test]
fn a18_an_error_names_the_object_and_has_the_servers_words() {
    let ns = Namespace::new("a18");
    let managed = ns.managed("test", json!({"template": WITH_TYPO}));
    let wrapped = format!(
        "failed to apply objects: applying resource {}/out ConfigMap:",
        ns.name
    );
    managed.warns("ApplyError", &[&wrapped]);
}

/// A change of the template alone is rendered, and what stays the same is not written again.
#[test]
fn a6_a_changed_template_is_rendered() {
    let ns = Namespace::new("a6-changed");
    let both = |text: &str| json!({"template": format!("local cm(n, t) = {{apiVersion: 'v1', kind: 'ConfigMap', metadata: {{name: n}}, data: {{text: t}}}}; [cm('same', 'x'), cm('out', '{text}')]")});
    let managed = ns.managed("test", both("first"));
    ns.has_data("out", json!({"text": "first"}));
    let version = ns.has("same")["metadata"]["resourceVersion"].clone();
    managed.update(both("second"));
    ns.has_data("out", json!({"text": "second"}));
    managed.is_ready();
    assert_eq!(ns.has("same")["metadata"]["resourceVersion"], version);
}

/// K11: what is no longer rendered stays, and so does all when the ManagedResource is deleted.
#[test]
fn k11_nothing_is_collected() {
    let ns = Namespace::new("k11");
    let managed = ns.managed("test", json!({"template": writes("first", "'x'")}));
    managed.is_ready();
    managed.update(json!({"template": writes("second", "'x'")}));
    ns.has("second");
    managed.is_ready();
    managed.delete();
    eventually("it is gone", || {
        equal(
            ns.cluster
                .get("espejote.io/v1alpha1", "ManagedResource", &ns.name, "test"),
            None,
        )
    });
    espejote_tests::stays(Duration::from_secs(1), "both stay", || {
        equal(
            (
                ns.get_config_map("first").is_some(),
                ns.get_config_map("second").is_some(),
            ),
            (true, true),
        )
    });
    assert!(ns.has("first")["metadata"]["ownerReferences"].is_null());
}
