//! Templates that decide on requests.

use std::rc::Rc;

use espejote_jsonnet::host::Host;
use espejote_jsonnet::{Renderer, Verdict};
use espejote_sdk::{Failure, FailureKind};

use crate::fake::Fake;

const REQUEST: &str = r#"{"uid":"u","userInfo":{"username":"testuser"},"object":{"metadata":{"annotations":{}},"spec":{"replicas":3,"big":9007199254740993}}}"#;

fn decide_with(fake: Fake, request: &str, body: &str) -> Result<Verdict, Failure> {
    let host: Rc<dyn Host> = Rc::new(fake);
    let template = format!("local adm = (import 'espejote.libsonnet').ALPHA.admission;\n{body}");
    Renderer::default().decide(&host, &template, request)
}

fn decide(body: &str) -> Result<Verdict, Failure> {
    decide_with(Fake::new(), REQUEST, body)
}

fn failure(body: &str) -> (FailureKind, String) {
    let failure = decide(body).unwrap_err();
    (failure.kind, failure.message)
}

/// W11, W12:
#[test]
fn w11_a_template_allows_and_denies() {
    let allowed = decide("adm.allowed('Nice job!')").unwrap();
    assert_eq!(
        (allowed.allowed, allowed.message.as_str(), allowed.patches),
        (true, "Nice job!", None)
    );
    let denied = decide("adm.denied('sod off')").unwrap();
    assert_eq!(
        (denied.allowed, denied.message.as_str(), denied.patches),
        (false, "sod off", None)
    );
}

/// W13, W16: the request is the AdmissionRequest; integers do not break the patch.
#[test]
fn w13_a_template_patches_what_the_request_is_about() {
    let patched = decide(
        "local user = adm.admissionRequest().userInfo.username;
         adm.patched('get patched', adm.assertPatch([adm.jsonPatchOp('add', '/metadata/annotations/request-user', user)]))",
    )
    .unwrap();
    assert_eq!(patched.message, "get patched");
    assert_eq!(
        patched.patches.unwrap(),
        r#"[{"op":"add","path":"/metadata/annotations/request-user","value":"testuser"}]"#
    );
    let copied = decide(
        "adm.patched('', [adm.jsonPatchOp('add', '/spec/copy', adm.admissionRequest().object.spec.big)])",
    );
    assert!(copied.unwrap().patches.unwrap().contains("9007199254740993"));
}

/// W14, W15: what fails says what failed.
#[test]
fn w14_a_patch_that_does_not_apply_is_an_error() {
    let template = "adm.patched('', adm.assertPatch([adm.jsonPatchOp('add', '/metadata/labels/x', 'y')]))";
    let (_, text) = failure(template);
    assert!(
        text.starts_with("failed to evaluate jsonnet: RUNTIME ERROR: JSON patch failed: add operation"),
        "{text}"
    );
    for words in [
        "add operation does not apply",
        "doc is missing path",
        "/metadata/labels/x",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

/// W15:
#[test]
fn w15_templates_that_fail_and_results_that_are_none() {
    let (kind, text) = failure("glug");
    assert_eq!(kind, FailureKind::InvalidConfig);
    assert!(text.starts_with("failed to evaluate jsonnet: "), "{text}");
    let (kind, text) = failure("error 'no'");
    assert_eq!(kind, FailureKind::InvalidInput);
    assert!(
        text.starts_with("failed to evaluate jsonnet: RUNTIME ERROR: no"),
        "{text}"
    );
    let (kind, text) = failure("'yes'");
    assert_eq!(kind, FailureKind::InvalidOutput);
    assert!(text.starts_with("failed to unmarshal response: "), "{text}");
    assert!(!decide("{}").unwrap().allowed);
}

#[test]
fn an_admission_has_libraries_and_neither_trigger_nor_context() {
    let fake = Fake::new().library("lib/rules/rules.libsonnet", "{text: 'from a library'}");
    let verdict = decide_with(
        fake,
        REQUEST,
        "adm.denied((import 'lib/rules/rules.libsonnet').text)",
    );
    assert_eq!(verdict.unwrap().message, "from a library");
    for call in ["context", "triggerName", "triggerData"] {
        let (_, text) = failure(&format!(
            "adm.denied(std.toString((import 'espejote.libsonnet').{call}()))"
        ));
        assert!(text.contains("an admission has no "), "{text}");
    }
}
