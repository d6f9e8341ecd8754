//! Inputs that are wrong: each is said precisely, in the condition and in an event; nothing is written beyond what the
//! error policy says; and a calm neighbour goes on.

use std::time::Duration;

use espejote_tests::{
    Namespace, eventually,
    objects::{config_map, config_maps, esp, writes},
    run,
    waiting::{equal, holds},
};
use serde_json::{Value, json};

/// What a bad input has to say.
struct Said<'a> {
    error_type: &'a str,
    reason: &'a str,
    parts: &'a [&'a str],
}

/// Gives a namespace a bad ManagedResource and a calm one, and checks all that is promised of both.
fn check(stem: &str, spec: Value, said: &Said<'_>) {
    let ns = Namespace::new(stem);
    let watched = config_maps(json!({"name": "tick"}));
    let calm = json!({
        "context": [{"name": "tick", "resource": watched}],
        "triggers": [{"name": "tick", "watchContextResource": {"name": "tick"}}],
        "template": writes("tock", "std.toString([o.data.n for o in esp.context().tick])"),
    });
    ns.managed("calm", calm).is_ready();
    let bad = ns.managed("bad", spec);
    bad.is(said.error_type);
    bad.is_not_ready(said.reason, said.parts);
    bad.warns(said.error_type, said.parts);
    ns.config_map("tick", json!({"n": "1"}));
    ns.has_data("tock", json!({"text": r#"["1"]"#}));
    ns.stays_without("out", Duration::from_millis(200));
}

/// A template's expression, with `out` as what must never be written.
fn template(text: &str) -> Value {
    json!({"template": esp(&text.replace("OUT", "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out'}}"))})
}

/// A template that does not parse, with the line.
#[test]
fn s3_a_syntax_error_names_its_place() {
    let said = Said {
        error_type: "TemplateError",
        reason: "InvalidConfig",
        parts: &["template:3"],
    };
    check("bad-syntax", template("[OUT,\n  }"), &said);
}

/// A template that raises an error, with its words.
#[test]
fn s3_a_runtime_error_has_its_words_and_its_place() {
    let said = Said {
        error_type: "TemplateError",
        reason: "InvalidInput",
        parts: &["on purpose", "template:"],
    };
    check("bad-runtime", template("[OUT, error 'on purpose']"), &said);
}

/// A function that there is not.
#[test]
fn s3_a_missing_field_is_named() {
    let said = Said {
        error_type: "TemplateError",
        reason: "InvalidInput",
        parts: &["tripledata"],
    };
    check("bad-field", template("[OUT, esp.tripledata()]"), &said);
}

/// Recursion without an end is the template's error, not a crash.
#[test]
fn s3_endless_recursion_is_a_template_error() {
    let said = Said {
        error_type: "TemplateError",
        reason: "InvalidInput",
        parts: &["stack"],
    };
    check(
        "bad-recursion",
        template("local f(x) = f(x + 1) + 1; [OUT, f(0)]"),
        &said,
    );
}

/// More memory than there is for a call.
#[test]
fn s3_a_huge_array_is_a_limit() {
    let ns = Namespace::new("bad-array");
    let bad = ns.managed(
        "bad",
        template("[OUT, std.manifestJson([[i] for i in std.range(1, 100000000)])]"),
    );
    bad.is("TemplateError");
    bad.is_not_ready("LimitExceeded", &["memory"]);
    ns.stays_without("out", Duration::from_millis(500));
}

/// A result of a wrong type, beside a good one.
#[test]
fn a2_a_wrong_type_stops_everything() {
    let said = Said {
        error_type: "TemplateReturnError",
        reason: "InvalidOutput",
        parts: &[],
    };
    check("bad-type", template("[OUT, 'glug']"), &said);
}

/// A kind that there is not, in a group that aborts: what comes later is not written.
#[test]
fn a5_an_unknown_kind_in_a_group_that_aborts() {
    let said = Said {
        error_type: "ApplyError",
        reason: "KindNotFound",
        parts: &["NoSuchKind", "v1"],
    };
    let bad = "esp.applyGroup([{apiVersion: 'v1', kind: 'NoSuchKind', metadata: {name: 'x'}}, OUT], errorPolicy='Abort')";
    check("bad-kind", template(bad), &said);
}

/// A field that there is not.
#[test]
fn a13_an_unknown_field_in_a_group_that_aborts() {
    let said = Said {
        error_type: "ApplyError",
        reason: "Rejected",
        parts: &[".typo", "field not declared"],
    };
    let bad = "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'x'}, typo: 1}";
    check(
        "bad-unknown-field",
        template(&format!("esp.applyGroup([{bad}, OUT], errorPolicy='Abort')")),
        &said,
    );
}

/// A right that there is not.
#[test]
fn a18_a_forbidden_object_in_a_group_that_aborts() {
    let said = Said {
        error_type: "ApplyError",
        reason: "Forbidden",
        parts: &["secrets", "forbidden"],
    };
    let bad = "esp.applyGroup([{apiVersion: 'v1', kind: 'Secret', metadata: {name: 'x'}}, OUT], errorPolicy='Abort')";
    check("bad-right", template(bad), &said);
}

/// A ServiceAccount that there is not.
#[test]
fn sa2_a_missing_service_account_writes_nothing() {
    let said = Said {
        error_type: "ServiceAccountError",
        reason: "ServiceAccountUnavailable",
        parts: &["missing", "not found"],
    };
    let mut spec = template("OUT");
    spec["serviceAccountRef"] = json!({"name": "missing"});
    check("bad-account", spec, &said);
}

/// A kind to be watched that there is not.
#[test]
fn c9_a_missing_definition_writes_nothing() {
    let said = Said {
        error_type: "DependencyConfigurationError",
        reason: "UnknownKind",
        parts: &["Absent", "test.espejote.io/v1"],
    };
    let mut spec = template("OUT");
    spec["context"] =
        json!([{"name": "c", "resource": {"apiVersion": "test.espejote.io/v1", "kind": "Absent"}}]);
    check("bad-definition", spec, &said);
}

/// A name that would become part of a path.
#[test]
fn a_service_account_that_is_no_name_is_an_invalid_spec() {
    let said = Said {
        error_type: "DependencyConfigurationError",
        reason: "InvalidSpec",
        parts: &["spec.serviceAccountRef.name", "../../x"],
    };
    let mut spec = template("OUT");
    spec["serviceAccountRef"] = json!({"name": "../../x"});
    check("bad-account", spec, &said);
}

/// A value that would become another requirement.
#[test]
fn a_label_that_is_none_is_an_invalid_spec() {
    let said = Said {
        error_type: "DependencyConfigurationError",
        reason: "InvalidSpec",
        parts: &["labelSelector", "x,b=y"],
    };
    let mut spec = template("OUT");
    let selector = json!({"matchLabels": {"a": "x,b=y"}});
    spec["triggers"] =
        json!([{"name": "t", "watchResource": config_maps(json!({"labelSelector": selector}))}]);
    check("bad-label", spec, &said);
}

/// A trigger that names no context.
#[test]
fn t4_a_trigger_without_its_context_writes_nothing() {
    let said = Said {
        error_type: "DependencyConfigurationError",
        reason: "InvalidSpec",
        parts: &["context", "nope"],
    };
    let mut spec = template("OUT");
    spec["triggers"] = json!([{"name": "t", "watchContextResource": {"name": "nope"}}]);
    check("bad-trigger", spec, &said);
}

/// T13: a trigger that names nothing.
#[test]
fn t13_a_trigger_without_a_source_writes_nothing() {
    let parts = [r#"trigger "t" has no watch resource or interval"#];
    let said = Said {
        error_type: "DependencyConfigurationError",
        reason: "InvalidSpec",
        parts: &parts,
    };
    let mut spec = template("OUT");
    spec["triggers"] = json!([{"name": "t"}]);
    check("bad-source", spec, &said);
}

/// A namespace that there is not.
#[test]
fn a18_an_object_in_a_missing_namespace_is_named() {
    let ns = Namespace::new("bad-namespace");
    ns.grant_everywhere("", &["configmaps"], espejote_tests::namespace::EDIT);
    let absent = run::unique("absent");
    let bad = ns.managed(
        "bad",
        template(&format!("OUT {{metadata+: {{namespace: '{absent}'}}}}")),
    );
    bad.is("ApplyError");
    bad.warns("ApplyError", &[&format!("{absent}/out ConfigMap"), "not found"]);
    ns.cluster.ensure(&espejote_tests::objects::namespace(&absent));
    bad.is_ready();
}

/// Nulls where maps are expected, in what is read and in what is written, are no error.
#[test]
fn a1_null_annotations_are_no_error() {
    let ns = Namespace::new("null-annotations");
    ns.config_map("source", json!({}));
    let mut spec = json!({"template": esp("
        [{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out', annotations: null, labels: null},
          data: {has: std.toString(std.objectHas(o.metadata, 'annotations'))}} for o in esp.context().cms]")});
    spec["context"] = json!([{"name": "cms", "resource": config_maps(json!({"name": "source"}))}]);
    ns.managed("test", spec).is_ready();
    ns.has_data("out", json!({"has": "false"}));
}

/// An event that is handled while the template fails is not lost: it is rendered once the template is right.
#[test]
fn s7_an_event_during_an_error_is_not_lost() {
    let ns = Namespace::new("bad-then-good");
    let spec = |template: String| {
        json!({
            "triggers": [{"name": "cm", "watchResource": config_maps(json!({"name": "source"}))}],
            "template": template,
        })
    };
    let managed = ns.managed("test", spec("error 'not yet'".to_owned()));
    managed.is("TemplateError");
    ns.apply(config_map("source", json!({"n": "1"})));
    eventually("it is tried", || {
        holds(managed.errors("cm", "TemplateError") >= 1.0, || {
            "not yet".to_owned()
        })
    });
    managed.update(spec(esp("if esp.triggerName() == 'cm' then {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out'}, data: esp.triggerData().resource.data}")));
    eventually("it is rendered", || {
        equal(ns.data("out"), Some(json!({"n": "1"})))
    });
    managed.is_ready();
}
