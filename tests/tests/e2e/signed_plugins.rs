//! Plugins that have to be signed.

use espejote_oci::Digest;
use espejote_tests::{Namespace, components, objects::writes, registry, run, signing::Signer};
use serde_json::{Value, json};

fn pushed() -> (String, Digest) {
    let reference = registry::reference(&format!("acme/{}", run::unique("signed")), "1.0");
    let digest = registry::push(&reference, components::jsonnet());
    (reference, digest)
}

fn signed_by(reference: &str, key: &str) -> Value {
    json!({"module": reference, "verify": {"anyOf": [{"key": key}]}})
}

#[test]
fn a_plugin_with_the_right_signature_runs_and_says_who_signed_it() {
    let ns = Namespace::new("signed");
    let signer = Signer::default();
    let (reference, digest) = pushed();
    signer.sign(&reference, digest, digest);
    let plugin = ns.plugin("p", signed_by(&reference, &signer.public_key()));
    let status = plugin.is("Registered", ("Verified", "True", "Registered"), &[]);
    assert!(
        status["artifact"]["signers"][0]
            .as_str()
            .unwrap()
            .starts_with("the key SHA256:")
    );
    let config = json!({"template": writes("out", "'signed'")});
    ns.managed("test", json!({"plugin": {"name": "p", "config": config}}))
        .is_ready();
    ns.has_data("out", json!({"text": "signed"}));
}

#[test]
fn without_a_signature_nothing_is_compiled_and_it_runs_once_it_is_signed() {
    let ns = Namespace::new("unsigned");
    let signer = Signer::default();
    let (reference, digest) = pushed();
    let plugin = ns.plugin("p", signed_by(&reference, &signer.public_key()));
    plugin.is(
        "NoSignature",
        ("Verified", "False", "NoSignature"),
        &["is not signed", &digest.to_string()],
    );
    plugin.is("NoSignature", ("Compiled", "Unknown", "Pending"), &[]);
    signer.sign(&reference, digest, digest);
    plugin.is("Registered", ("Verified", "True", "Registered"), &[]);
}

#[test]
fn somebody_elses_signature_is_not_trusted() {
    let ns = Namespace::new("signed-other");
    let (reference, digest) = pushed();
    Signer::default().sign(&reference, digest, digest);
    let plugin = ns.plugin("p", signed_by(&reference, &Signer::default().public_key()));
    plugin.is(
        "NotTrusted",
        ("Verified", "False", "NotTrusted"),
        &["is not signed by the key"],
    );
}

#[test]
fn a_signature_of_something_else_is_tampered_with() {
    let ns = Namespace::new("signed-tampered");
    let signer = Signer::default();
    let (reference, digest) = pushed();
    signer.sign(&reference, Digest::of(b"something else"), digest);
    let plugin = ns.plugin("p", signed_by(&reference, &signer.public_key()));
    plugin.is("Tampered", ("Verified", "False", "Tampered"), &["tampered"]);
}

#[test]
fn what_is_asked_for_anew_stops_what_was_not_checked_for_it() {
    let ns = Namespace::new("signed-later");
    let (reference, _) = pushed();
    let plugin = ns.plugin("p", json!({"module": reference}));
    let config = json!({"template": writes("out", "'x'")});
    let managed = ns.managed("test", json!({"plugin": {"name": "p", "config": config}}));
    managed.is_ready();
    plugin.update(signed_by(&reference, &Signer::default().public_key()));
    managed.is_not_ready("PluginNotReady", &["\"p\" is not ready"]);
}

#[test]
fn a_key_that_is_none_and_a_keyless_signer_without_a_trust_root_are_named() {
    let ns = Namespace::new("signed-spec");
    let (reference, _) = pushed();
    let plugin = ns.plugin("p", signed_by(&reference, "no key"));
    plugin.is(
        "InvalidSpec",
        ("Verified", "False", "InvalidSpec"),
        &["a signer's key"],
    );
    let keyless = json!({"issuer": "https://accounts.example", "subject": "me@example.com"});
    plugin.update(json!({"module": reference, "verify": {"anyOf": [{"keyless": keyless}]}}));
    plugin.is(
        "NotAllowed",
        ("Verified", "False", "NotAllowed"),
        &["--sigstore-trust-root"],
    );
}
