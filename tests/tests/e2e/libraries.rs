//! What templates import.

use espejote_tests::{
    Namespace,
    deployment::LIBRARIES,
    namespace::READ,
    objects::{library, watched, within, writes},
    run,
};
use serde_json::{Value, json};

/// A library that everybody may import, by a name of its own.
fn shared(ns: &Namespace<'_>, data: Value) -> String {
    let name = run::unique("shared");
    ns.apply(within(LIBRARIES, library(&name, data)));
    name
}

fn renders(ns: &Namespace<'_>, expression: &str, text: &str) {
    ns.managed("test", json!({"template": writes("out", expression)}));
    ns.has_data("out", json!({"text": text}));
}

/// L1, L5: shared and local libraries, and a local one that imports a shared one.
#[test]
fn l1_shared_and_local_libraries_are_imported() {
    let ns = Namespace::new("l1");
    let shared = shared(&ns, json!({"a.libsonnet": "'shared'"}));
    let local = format!("'local and ' + import 'lib/{shared}/a.libsonnet'");
    ns.apply(library("mine", json!({"b.libsonnet": local})));
    let both = format!("(import 'lib/{shared}/a.libsonnet') + ', ' + (import 'mine/b.libsonnet')");
    renders(&ns, &both, "shared, local and shared");
}

/// L2, L10: keys of the same library, with and without a dot, and JSON.
#[test]
fn l2_a_library_imports_its_own_keys() {
    let ns = Namespace::new("l2");
    let data = json!({
        "a.libsonnet": "(import 'b.libsonnet') + (import './c.libsonnet') + (import 'd.json').d",
        "b.libsonnet": "'b'", "c.libsonnet": "'c'", "d.json": r#"{"d": "d"}"#,
    });
    ns.apply(library("mine", data));
    renders(&ns, "import 'mine/a.libsonnet'", "bcd");
}

/// L3: the same text leads to the shared library from a shared one, and to the local one from a local one.
#[test]
fn l3_an_import_is_relative_to_where_it_stands() {
    let ns = Namespace::new("l3");
    let second = shared(&ns, json!({"test.jsonnet": "'world'"}));
    let importing = format!("(import '{second}/test.jsonnet') + '-ns'");
    let first = shared(&ns, json!({"test.jsonnet": importing}));
    ns.apply(library(&second, json!({"test.jsonnet": "'local-world'"})));
    ns.apply(library("mine", json!({"test.jsonnet": importing})));
    let both = format!("(import 'lib/{first}/test.jsonnet') + ', ' + (import 'mine/test.jsonnet')");
    renders(&ns, &both, "world-ns, local-world-ns");
}

/// L4: the built-in library is always the built-in one; a dot leads to the key of that name.
#[test]
fn l4_the_built_in_library_cannot_be_replaced() {
    let ns = Namespace::new("l4");
    let data = json!({
        "a.libsonnet": "std.toString([std.objectHasAll(import 'espejote.libsonnet', 'triggerName'), import './espejote.libsonnet'])",
        "espejote.libsonnet": "'own'",
    });
    ns.apply(library("mine", data));
    renders(&ns, "import 'mine/a.libsonnet'", r#"[true, "own"]"#);
}

/// L7, improvement 11: an import that can't work says so with both files.
#[test]
fn l7_an_import_that_cannot_work_is_named() {
    let ns = Namespace::new("l7");
    ns.apply(library("mine", json!({"a.libsonnet": "1"})));
    let missing_key = ns.managed("key", json!({"template": "import 'mine/b.libsonnet'"}));
    missing_key.is("TemplateError");
    missing_key.warns("TemplateError", &["mine/b.libsonnet", "b.libsonnet", "not found"]);
    let invalid = ns.managed("path", json!({"template": "import 'a/b/c/d'"}));
    invalid.warns("TemplateError", &["a/b/c/d", "invalid path"]);
}

/// A library that comes late is found without anybody's help.
#[test]
fn l8_a_library_that_comes_late_is_found() {
    let ns = Namespace::new("l8");
    let managed = ns.managed(
        "test",
        json!({"template": writes("out", "import 'mine/late.libsonnet'")}),
    );
    managed.is("TemplateError");
    ns.apply(library("mine", json!({"late.libsonnet": "'came'"})));
    ns.has_data("out", json!({"text": "came"}));
    managed.is_ready();
}

/// L9, improvement 20: a trigger on a library renders its new text; without one nothing happens.
#[test]
fn l9_a_trigger_on_a_library_renders_its_new_text() {
    let ns = Namespace::new("l9");
    ns.grant("espejote.io", &["jsonnetlibraries"], READ);
    ns.apply(library("mine", json!({"a.libsonnet": "'first'"})));
    let watched = watched("espejote.io/v1alpha1", "JsonnetLibrary", json!({"name": "mine"}));
    let template = |name: &str| writes(name, "import 'mine/a.libsonnet'");
    ns.managed(
        "watching",
        json!({"triggers": [{"name": "lib", "watchResource": watched}], "template": template("out")}),
    );
    ns.managed("calm", json!({"template": template("calm")}));
    ns.has_data("out", json!({"text": "first"}));
    ns.has_data("calm", json!({"text": "first"}));
    ns.apply(library("mine", json!({"a.libsonnet": "'second'"})));
    ns.has_data("out", json!({"text": "second"}));
    assert_eq!(ns.data("calm"), Some(json!({"text": "first"})));
}
