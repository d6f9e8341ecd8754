//! `espejote render` of Admissions and ClusterAdmissions: a request from a file, and the answer.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod espejote;

use std::{fs, path::PathBuf};

use espejote::{Ran, render, text};
use espejote_operator::cli::yaml;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A manifest and a request in a folder of their own.
struct Case {
    folder: TempDir,
}

impl Case {
    fn new(kind: &str, spec: &Value) -> Self {
        let case = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let manifest = json!({
            "apiVersion": "espejote.io/v1alpha1", "kind": kind,
            "metadata": {"name": "owned", "namespace": (kind == "Admission").then_some("shop")}, "spec": spec,
        });
        case.write("manifest.yaml", &manifest.to_string());
        case
    }

    fn template(template: &str) -> Self {
        let head = "local adm = (import 'espejote.libsonnet').ALPHA.admission; local request = adm.admissionRequest();\n";
        Self::new(
            "Admission",
            &json!({"mutating": true, "template": format!("{head}{template}")}),
        )
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn ask(&self, review: &str, more: &[&str]) -> Ran {
        let input = self.write("review.yaml", review);
        render(&self.folder.path().join("manifest.yaml"), &input, more)
    }
}

fn answer(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    yaml::read(&ran.stdout).unwrap()
}

const REVIEW: &str = "
apiVersion: admission.k8s.io/v1
kind: AdmissionReview
request:
  uid: u
  operation: CREATE
  object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}
";

const OWNED: &str = "if std.objectHas(std.get(request.object.metadata, 'labels', {}), 'owner')
then adm.allowed('fine') else adm.denied('say who owns it')";

#[test]
fn a_decision_is_printed_as_the_api_server_would_get_it() {
    let case = Case::template(OWNED);
    let denied = case.ask(REVIEW, &[]);
    assert_eq!(
        denied.stdout, "---\nallowed: false\ncode: 403\nmessage: say who owns it\n",
        "{denied:?}"
    );
    let allowed = case.ask("request: {object: {metadata: {labels: {owner: me}}}}", &[]);
    assert_eq!(
        answer(&allowed),
        json!({"allowed": true, "code": 200, "message": "fine"})
    );
}

#[test]
fn a_patch_is_printed_if_it_fits_the_object() {
    let patched = "adm.patched('labelled', [adm.jsonPatchOp('add', '/metadata/labels', {owner: 'us'})])";
    let ran = Case::template(patched).ask(REVIEW, &[]);
    let patch = json!([{"op": "add", "path": "/metadata/labels", "value": {"owner": "us"}}]);
    assert_eq!(answer(&ran)["patch"], patch, "{ran:?}");
    let unfit = patched.replace("/metadata/labels'", "/metadata/labels/x'");
    let ran = Case::template(&unfit).ask(REVIEW, &[]);
    assert!(
        ran.code == Some(1)
            && ran
                .stderr
                .contains("review.yaml: no decision: the patch cannot be applied"),
        "{ran:?}"
    );
}

#[test]
fn a_patch_where_the_spec_does_not_allow_one_is_no_decision() {
    let config = r#"{mode: decide, allowed: true, patch: '[{"op":"remove","path":"/metadata"}]'}"#;
    let spec = json!({"plugin": {"name": "lib/p", "config": yaml::read(config).unwrap()}});
    let component = component();
    let ran = Case::new("ClusterAdmission", &spec).ask(REVIEW, &["--plugin", &component]);
    assert!(
        ran.code == Some(1) && ran.stderr.contains("spec.mutating is not true"),
        "{ran:?}"
    );
}

#[test]
fn a_plugin_gives_warnings_and_annotations_too() {
    let spec = json!({"plugin": {"name": "p", "config": {"mode": "echo"}}});
    let component = component();
    let ran = Case::new("Admission", &spec).ask(REVIEW, &["--plugin", &component]);
    let answer = answer(&ran);
    assert_eq!(answer["warnings"], json!(["first", "second"]));
    assert_eq!(answer["auditAnnotations"], json!({"who": "owned"}));
}

#[test]
fn what_the_operator_would_refuse_is_refused() {
    let component = component();
    let plugin = |name: &str, config: Value| json!({"plugin": {"name": name, "config": config}});
    let refused = |kind: &str, spec: &Value, words: &str| {
        let ran = Case::new(kind, spec).ask(REVIEW, &["--plugin", &component]);
        assert!(
            ran.code == Some(1) && ran.stderr.contains(words),
            "{words}: {ran:?}"
        );
    };
    let config = json!({"mode": "echo"});
    refused("ClusterAdmission", &plugin("p", config), "write \"lib/p\"");
    refused(
        "Admission",
        &plugin("p", json!({})),
        "config/mode: has to be a string",
    );
}

#[test]
fn what_is_missing_is_asked_for() {
    let case = Case::template(OWNED);
    let ran = case.ask("context: []\nrequest: {}\n", &[]);
    assert!(
        ran.code == Some(1)
            && ran
                .stderr
                .contains("allowed are apiVersion, kind, request, libraries"),
        "{ran:?}"
    );
    let manifest = case.folder.path().join("manifest.yaml");
    let ran = espejote::espejote(&["render", text(&manifest)]);
    assert!(
        ran.code == Some(1) && ran.stderr.contains("--input FILE"),
        "{ran:?}"
    );
}

/// A component with every role.
fn component() -> String {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/contract-0.1.0");
    format!("{fixtures}/every-function.wasm")
}
