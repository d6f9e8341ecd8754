//! The library that is shipped for everybody, as templates import it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod espejote;

use std::{fs, path::Path};

use espejote::{Ran, render};
use espejote_operator::cli::yaml;
use serde_json::{Value, json};

/// The library's manifest.
fn contrib() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/contrib-library.yaml");
    yaml::read(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Renders a template with the library.
fn rendered(template: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let mut libraries = serde_json::Map::new();
    for (key, text) in contrib()["spec"]["data"].as_object().unwrap() {
        libraries.insert(format!("lib/contrib/{key}"), text.clone());
    }
    let manifest = json!({
        "apiVersion": "espejote.io/v1alpha1", "kind": "ManagedResource",
        "metadata": {"name": "test", "namespace": "test"}, "spec": {"template": template},
    });
    let input = json!({"triggers": [{}], "libraries": libraries});
    let (manifest_file, input_file) = (
        folder.path().join("manifest.yaml"),
        folder.path().join("input.yaml"),
    );
    fs::write(&manifest_file, manifest.to_string()).unwrap();
    fs::write(&input_file, input.to_string()).unwrap();
    render(&manifest_file, &input_file, &[])
}

/// What an expression gives with `accessors` and `errors` at hand.
fn value(expression: &str) -> Value {
    let ran = rendered(&with_library(&format!("{{value: {expression}}}")));
    assert_eq!(ran.code, Some(0), "{expression}: {}", ran.stderr);
    yaml::read(&ran.stdout).unwrap()["value"].take()
}

fn with_library(template: &str) -> String {
    format!(
        "local accessors = import 'lib/contrib/accessors.libsonnet';
         local errors = import 'lib/contrib/errors.libsonnet';
         {template}"
    )
}

/// L13: the names that imports use.
#[test]
fn l13_the_library_has_its_name_and_keys() {
    let library = contrib();
    assert_eq!(library["kind"], "JsonnetLibrary");
    assert_eq!(library["metadata"]["name"], "contrib");
    let keys: Vec<_> = library["spec"]["data"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["accessors.libsonnet", "errors.libsonnet"]);
}

/// X1: an object is in deletion only with a time of it.
#[test]
fn x1_only_an_object_with_a_deletion_timestamp_is_in_deletion() {
    for (object, expected) in [
        ("{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}}", true),
        ("{metadata: {deletionTimestamp: ''}}", false),
        ("{metadata: {}}", false),
        ("{}", false),
    ] {
        assert_eq!(
            value(&format!("accessors.inDelete({object})")),
            expected,
            "{object}"
        );
    }
}

/// X2: what is missing is empty, or null.
#[test]
fn x2_what_is_missing_is_empty_or_null() {
    let object = "{metadata: {name: 'a', namespace: 'b', labels: {l: '1'}, annotations: {x: '2'}}}";
    assert_eq!(value(&format!("accessors.getName({object})")), "a");
    assert_eq!(value(&format!("accessors.getNamespace({object})")), "b");
    assert_eq!(value(&format!("accessors.getLabel({object}, 'l')")), "1");
    assert_eq!(value(&format!("accessors.getAnnotation({object}, 'x')")), "2");
    assert_eq!(value("accessors.getName({})"), "");
    assert_eq!(value("accessors.getNamespace({metadata: {}})"), "");
    assert_eq!(
        value(&format!("accessors.getLabel({object}, 'none')")),
        Value::Null
    );
    assert_eq!(value("accessors.getAnnotation({}, 'x')"), Value::Null);
}

/// X3: results that carry their error.
#[test]
fn x3_results_carry_their_error_until_they_are_unwrapped() {
    assert_eq!(value("errors.ok(42).unwrap()"), 42);
    assert_eq!(value("errors.ok(42).unwrapOr(1)"), 42);
    assert_eq!(value("errors.err('x').unwrapOr(1)"), 1);
    assert_eq!(
        value("errors.ok(2).match(ok=function(v) v * 2, err=function(e) e)"),
        4
    );
    assert_eq!(
        value("errors.err('no').match(ok=function(v) v * 2, err=function(e) e)"),
        "no"
    );
    assert_eq!(value("errors.ok(2).match(err=function(e) e).unwrap()"), 2);
    assert_eq!(value("errors.err('no').match(ok=function(v) v).unwrapOr(3)"), 3);
    let ran = rendered(&with_library("errors.err('some error').unwrap()"));
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("RUNTIME ERROR: some error"), "{}", ran.stderr);
}
