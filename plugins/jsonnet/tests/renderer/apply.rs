//! Results, options, deletions and groups: what a template returns and what becomes of it.

use crate::fake::{Emitted, ErrorPolicyName, Fake, document, id};
use espejote_jsonnet::options::{ApplyOptions, DeleteOptions, FieldValidation, PropagationPolicy};
use espejote_sdk::FailureKind::{InvalidInput, InvalidOutput};

const CM: &str = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}"#;
const ESP: &str = "local esp = import 'espejote.libsonnet'; ";

fn esp(expression: &str) -> String {
    format!("{ESP}local cm = {CM}; {expression}")
}

fn applied(object: &str) -> Emitted {
    Emitted::Apply(object.to_owned(), None)
}

#[test]
fn a1_null_object_and_nested_lists_are_results_and_nulls_vanish() {
    assert_eq!(Fake::new().render("null").emitted(), []);
    assert_eq!(Fake::new().render(CM).emitted(), [applied(CM)]);
    let nested = format!("[null, [{CM}, [null, [], [{CM}]]], null]");
    assert_eq!(Fake::new().render(&nested).emitted(), [applied(CM), applied(CM)]);
}

#[test]
fn a2_anything_else_is_an_invalid_output() {
    for (template, kind) in [
        ("'glug'", "string"),
        ("42", "number"),
        ("true", "boolean"),
        ("['x']", "string"),
    ] {
        let text = Fake::new().render(template).fails_with(InvalidOutput);
        assert!(text.contains(&format!("got {kind}")), "{template}: {text}");
    }
}

#[test]
fn a3_an_object_without_kind_is_an_invalid_output_but_api_version_may_be_missing() {
    for template in [
        "{apiVersion: 'v1'}",
        "{kind: ''}",
        "{kind: 3}",
        "{kind:: 'Hidden'}",
    ] {
        let text = Fake::new().render(template).fails_with(InvalidOutput);
        assert!(text.contains("'Kind' is missing"), "{template}: {text}");
    }
    assert_eq!(
        Fake::new().render("{kind: 'ConfigMap'}").emitted(),
        [applied(r#"{"kind":"ConfigMap"}"#)]
    );
}

#[test]
fn a9_the_suffix_is_an_option() {
    let template = esp("esp.applyOptions(cm, fieldManagerSuffix=':status-report')");
    let options = ApplyOptions {
        field_manager_suffix: Some(":status-report".into()),
        ..ApplyOptions::default()
    };
    assert_eq!(
        Fake::new().render(&template).emitted(),
        [Emitted::Apply(CM.into(), Some(options))]
    );
}

#[test]
fn a15_options_travel_in_a_key_that_is_stripped_and_a_false_is_kept() {
    let template = esp(
        "esp.applyOptions(cm, fieldManager='m', force=false, fieldValidation='Ignore', subresource='status')",
    );
    let options = ApplyOptions {
        field_manager: Some("m".into()),
        field_manager_suffix: None,
        force: Some(false),
        field_validation: Some(FieldValidation::Ignore),
        subresource: Some("status".into()),
    };
    let outcome = Fake::new().render(&template);
    assert_eq!(outcome.emitted(), [Emitted::Apply(CM.into(), Some(options))]);
    assert!(
        outcome
            .document()
            .contains("__internal_use_espejote_lib_apply_options"),
        "the document is raw"
    );
}

#[test]
fn a17_field_validation_is_asserted() {
    let text = Fake::new()
        .render(&esp("esp.applyOptions(cm, fieldValidation='Maybe')"))
        .fails_with(InvalidInput);
    let expected = r#"RUNTIME ERROR: fieldValidation must be one of [null,"Ignore","Strict"], is: Maybe"#;
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn d3_marked_objects_become_deletions_with_their_options() {
    let template = esp(
        "[esp.markForDelete(cm), esp.markForDelete({kind: 'Pod', metadata: {name: 'p', namespace: 'n'}}, \
         gracePeriodSeconds=0, propagationPolicy='Background', preconditionUID='u', preconditionResourceVersion='7')]",
    );
    let all = DeleteOptions {
        grace_period_seconds: Some(0),
        propagation_policy: Some(PropagationPolicy::Background),
        precondition_uid: Some("u".into()),
        precondition_resource_version: Some("7".into()),
    };
    assert_eq!(
        Fake::new().render(&template).emitted(),
        [
            Emitted::Delete(id("v1", "ConfigMap", "", "a"), Some(DeleteOptions::default())),
            Emitted::Delete(id("", "Pod", "n", "p"), Some(all)),
        ]
    );
}

#[test]
fn d3_a_key_that_says_false_marks_nothing_and_stays() {
    let template = "{kind: 'X', __internal_use_espejote_lib_deletion: {delete: false}}";
    let object = r#"{"__internal_use_espejote_lib_deletion":{"delete":false},"kind":"X"}"#;
    assert_eq!(Fake::new().render(template).emitted(), [applied(object)]);
}

#[test]
fn d4_propagation_policy_is_asserted() {
    let text = Fake::new()
        .render(&esp("esp.markForDelete(cm, propagationPolicy='x')"))
        .fails_with(InvalidInput);
    let expected = r#"propagationPolicy must be one of [null,"Background","Foreground","Orphan"], is: x"#;
    assert!(text.contains(expected), "{text}");
}

#[test]
fn d5_a_deletion_keeps_only_the_name_of_the_object() {
    let template = esp("esp.markForDelete(cm {data: {a: 'b'}}, propagationPolicy='Foreground')");
    let options = DeleteOptions {
        propagation_policy: Some(PropagationPolicy::Foreground),
        ..DeleteOptions::default()
    };
    assert_eq!(
        Fake::new().render(&template).emitted(),
        [Emitted::Delete(id("v1", "ConfigMap", "", "a"), Some(options))]
    );
}

#[test]
fn d6_a_grace_period_that_is_no_number_is_an_invalid_output() {
    let text = Fake::new()
        .render(&esp("esp.markForDelete(cm, gracePeriodSeconds='abc')"))
        .fails_with(InvalidOutput);
    assert!(
        text.contains("accessor error") && text.contains("abc is of the type string"),
        "{text}"
    );
}

/// G1, G2:
#[test]
fn g2_a_config_at_the_head_of_a_list_makes_a_group_of_it() {
    let template = format!(
        "[{CM}, [{{apiVersion: 'internal.espejote.io/v1', kind: 'ApplyGroupConfig', spec: {{errorPolicy: 'Abort'}}}}, {CM}], {CM}]"
    );
    assert_eq!(
        Fake::new().render(&template).emitted(),
        [
            applied(CM),
            Emitted::Open(ErrorPolicyName::Abort),
            applied(CM),
            Emitted::Close,
            applied(CM)
        ]
    );
}

#[test]
fn g3_a_config_cannot_be_the_root() {
    let template = "{apiVersion: 'internal.espejote.io/v1', kind: 'ApplyGroupConfig'}";
    assert_eq!(
        Fake::new().render(template).fails_with(InvalidOutput),
        "ApplyGroupConfig cannot be the root element"
    );
}

#[test]
fn g4_a_config_must_come_first() {
    let template = format!("[{CM}, {{apiVersion: 'internal.espejote.io/v1', kind: 'ApplyGroupConfig'}}]");
    let text = Fake::new().render(&template).fails_with(InvalidOutput);
    assert!(
        text.contains("ApplyGroupConfig must be the first element in an array"),
        "{text}"
    );
}

#[test]
fn g5_a_bad_policy_is_an_invalid_output() {
    let config = |policy: &str| {
        format!(
            "[{{apiVersion: 'internal.espejote.io/v1', kind: 'ApplyGroupConfig', spec: {{errorPolicy: {policy}}}}}]"
        )
    };
    let text = Fake::new()
        .render(&config("'KindaWrong'"))
        .fails_with(InvalidOutput);
    assert!(
        text.contains("errorPolicy must be either 'Continue' or 'Abort', got 'KindaWrong'"),
        "{text}"
    );
    let text = Fake::new().render(&config("42")).fails_with(InvalidOutput);
    assert!(
        text.contains(".spec.errorPolicy accessor error: 42 is of the type int64, expected string"),
        "{text}"
    );
}

#[test]
fn g7_a_list_without_policy_opens_no_group_and_so_inherits() {
    let template =
        esp("esp.applyGroup([cm, [cm, [cm]], esp.applyGroup([cm], 'Continue')], errorPolicy='Abort')");
    use ErrorPolicyName::{Abort, Continue};
    assert_eq!(
        Fake::new().render(&template).emitted(),
        [
            Emitted::Open(Abort),
            applied(CM),
            applied(CM),
            applied(CM),
            Emitted::Open(Continue),
            applied(CM),
            Emitted::Close,
            Emitted::Close,
        ]
    );
}

#[test]
fn g13_without_policy_the_objects_are_returned_as_they_are_and_a_bad_one_is_asserted() {
    for call in [
        "esp.applyGroup([cm])",
        "esp.applyGroup([cm], '')",
        "esp.applyGroup([cm], null)",
    ] {
        assert_eq!(Fake::new().render(&esp(call)).emitted(), [applied(CM)], "{call}");
    }
    let text = Fake::new()
        .render(&esp("esp.applyGroup([cm], 'abort')"))
        .fails_with(InvalidInput);
    assert!(
        text.contains(r#"errorPolicy must be one of ["Continue","Abort"], is: abort"#),
        "{text}"
    );
}

#[test]
fn everything_wrong_is_told_at_once_with_its_place_and_nothing_is_emitted() {
    let template = format!("[{CM}, 1, [{{metadata: {{name: 'x'}}}}]]");
    let text = Fake::new().render(&template).fails_with(InvalidOutput);
    assert!(
        text.contains("got number (at [1]); Object 'Kind' is missing (at [2][0] x)"),
        "{text}"
    );
}

#[test]
fn many_problems_are_counted() {
    let text = Fake::new().render("std.range(1, 25)").fails_with(InvalidOutput);
    assert!(text.ends_with("; and 22 more"), "{text}");
}

#[test]
fn the_document_is_the_raw_result() {
    assert_eq!(
        document("[null, [{kind: 'B', a: 1}], []]"),
        r#"[null,[{"a":1,"kind":"B"}],[]]"#
    );
    assert_eq!(document("'glug'"), r#""glug""#);
}
