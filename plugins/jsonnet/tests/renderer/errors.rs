//! What a template is told that fails in a way that others have met.

use crate::fake::{Fake, id};
use espejote_jsonnet::validate;
use espejote_sdk::FailureKind::{InvalidConfig, InvalidInput, InvalidOutput};

const HINT: &str = "esp.triggerData() is null in the general reconcile and for an interval";

fn runtime_error(template: &str) -> String {
    Fake::new().render(template).fails_with(InvalidInput)
}

#[test]
fn a_field_of_what_has_none_is_told_by_what_it_is() {
    for (template, words) in [
        ("null.x", "RUNTIME ERROR: a field of null was read: it has none"),
        (
            "null[0]",
            "RUNTIME ERROR: an element of null was read: it has none",
        ),
        (
            "(5).x",
            "RUNTIME ERROR: a field of a number was read: it has none",
        ),
        (
            "[1].x",
            "RUNTIME ERROR: a field of an array was read: it has elements only, by number",
        ),
        (
            "{a: 1}[0]",
            "RUNTIME ERROR: an object has fields, by string; it was asked for a number",
        ),
    ] {
        let text = runtime_error(template);
        assert!(text.starts_with(words), "{template}: {text}");
        assert!(!text.contains(HINT), "{text}");
    }
}

#[test]
fn a_field_of_the_trigger_data_is_told_to_be_null_without_an_object() {
    let template = "local esp = import 'espejote.libsonnet'; {kind: esp.triggerData().resource.kind}";
    let general = runtime_error(template);
    let first = general.lines().next().unwrap();
    assert!(
        first.starts_with("RUNTIME ERROR: a field of null was read") && first.ends_with(HINT),
        "{general}"
    );
    let gone = Fake::new().trigger("t", Some(id("v1", "ConfigMap", "n", "x")), None);
    let gone = gone.render(template).fails_with(InvalidInput);
    assert!(
        gone.starts_with("RUNTIME ERROR: a field of null") && !gone.contains(HINT),
        "{gone}"
    );
}

#[test]
fn a_slip_in_the_name_of_the_built_in_library_is_told() {
    for path in ["espejote.libsonet", "espejote.jsonnet"] {
        let text = runtime_error(&format!("import '{path}'"));
        assert!(
            text.contains("invalid path; did you mean \"espejote.libsonnet\"?"),
            "{text}"
        );
    }
}

#[test]
fn texts_that_cannot_be_parsed_are_not_quoted() {
    for parse in ["parseYaml", "parseJson", "base64Decode"] {
        let text = runtime_error(&format!("std.{parse}('a: b: hunter2!')"));
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn an_empty_template_is_an_invalid_config_that_says_so() {
    for template in ["", " \n"] {
        let text = Fake::new().render(template).fails_with(InvalidConfig);
        assert!(
            text.starts_with("template:1:1 the template is empty: spec.template"),
            "{text}"
        );
    }
    let problems = validate(r#"{"template": ""}"#);
    assert!(
        problems
            .iter()
            .any(|problem| problem.message.contains("is empty"))
    );
}

#[test]
fn what_is_nested_too_deeply_is_an_invalid_config_with_its_line() {
    let deep = format!("[\n{}", "[".repeat(10_000));
    let text = Fake::new().render(&deep).fails_with(InvalidConfig);
    assert_eq!(
        text,
        "template:2:500 nested too deeply: more than 500 brackets are open here"
    );
    let chain = format!("\n{}1", "-".repeat(10_000));
    let text = Fake::new().render(&chain).fails_with(InvalidConfig);
    assert!(text.starts_with("template:2:2001 nested too deeply"), "{text}");
    assert_eq!(
        validate(&format!("{{\"template\": \"{}\"}}", "(".repeat(9000))).len(),
        1
    );
}

#[test]
fn a_library_that_is_nested_too_deeply_is_named_and_a_text_is_none() {
    let deep = "[".repeat(10_000);
    let fake = || {
        Fake::new()
            .library("own/a.jsonnet", &deep)
            .library("own/a.txt", &deep)
    };
    let text = fake().render("import 'own/a.jsonnet'").fails_with(InvalidInput);
    assert!(text.contains("own/a.jsonnet:1:501 nested too deeply"), "{text}");
    assert_eq!(
        fake().render("std.length(importstr 'own/a.txt')").document(),
        "10000"
    );
}

#[test]
fn the_same_problem_is_told_three_times_and_counted() {
    let text = Fake::new()
        .render("std.makeArray(100, function(i) 'x') + [{a: 1}]")
        .fails_with(InvalidOutput);
    assert_eq!(text.matches("got string").count(), 3, "{text}");
    assert!(
        text.contains("'Kind' is missing") && text.ends_with("; and 97 more"),
        "{text}"
    );
}
