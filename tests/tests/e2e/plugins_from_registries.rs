//! Plugins that are pulled from a real registry.

use espejote_tests::{
    Namespace, components,
    namespace::READ,
    objects::{secret, writes},
    registry, run,
};
use serde_json::{Value, json};

fn rendering(template: &str) -> Value {
    json!({"plugin": {"name": "p", "config": {"template": template}}})
}

fn repository() -> String {
    format!("acme/{}", run::unique("plugin"))
}

/// P1, P2: from a registry to a reconcile.
#[test]
fn p2_a_module_of_a_registry_is_registered_and_runs() {
    let ns = Namespace::new("p2");
    let reference = registry::reference(&repository(), "1.0");
    let digest = registry::push(&reference, components::jsonnet());
    let plugin = ns.plugin("p", json!({"module": format!("registry://{reference}")}));
    let managed = ns.managed("test", rendering(&writes("out", "'pulled'")));
    managed.is_ready();
    ns.has_data("out", json!({"text": "pulled"}));
    let status = plugin.is_registered();
    assert_eq!(status["artifact"]["manifestDigest"], digest.to_string());
    assert_eq!(status["artifact"]["mediaType"], "application/wasm");
}

#[test]
fn a_tag_that_moves_is_followed_and_a_digest_is_not_moved() {
    let ns = Namespace::new("plugin-moves");
    let repository = repository();
    let reference = registry::reference(&repository, "latest");
    let first = registry::push(&reference, components::guests());
    let plugin = ns.plugin("p", json!({"module": reference}));
    let pinned = ns.plugin(
        "pinned",
        json!({"module": format!("{reference}@{first}"), "imagePullPolicy": "Always"}),
    );
    plugin.is_registered();
    let managed = ns.managed("test", rendering(&writes("out", "'moved'")));
    managed.is_not_ready("InvalidConfig", &["/mode"]);
    let second = registry::push(&reference, components::jsonnet());
    managed.is_ready();
    ns.has_data("out", json!({"text": "moved"}));
    assert_eq!(
        plugin.is_registered()["artifact"]["manifestDigest"],
        second.to_string()
    );
    assert_eq!(
        pinned.is_registered()["artifact"]["manifestDigest"],
        first.to_string()
    );
}

#[test]
fn what_a_registry_does_not_have_is_named() {
    let ns = Namespace::new("plugin-missing");
    let reference = registry::reference(&repository(), "1.0");
    let plugin = ns.plugin("p", json!({"module": reference}));
    plugin.is(
        "NotFound",
        ("Resolved", "False", "NotFound"),
        &[
            &reference,
            "404 Not Found",
            "check registry, repository, tag and digest",
        ],
    );
    let managed = ns.managed("test", rendering("null"));
    managed.is_not_ready("PluginNotReady", &["\"p\" is not ready", "NotFound"]);
    registry::push(&reference, components::jsonnet());
    managed.is_ready();
}

#[test]
fn a_registry_that_keeps_silent_is_waited_for_and_the_status_says_so() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let ns = Namespace::new("plugin-silent");
    let module = format!("{}/acme/x:1", silent.local_addr().unwrap());
    let plugin = ns.plugin("p", json!({"module": module}));
    plugin.is("Pending", ("Ready", "Unknown", "Pending"), &["is looked for"]);
    plugin.is(
        "Pending",
        ("Compiled", "Unknown", "Pending"),
        &["waits for Resolved"],
    );
}

#[test]
fn a_registry_that_cannot_be_reached_is_named() {
    let ns = Namespace::new("plugin-unreachable");
    let plugin = ns.plugin("p", json!({"module": "127.0.0.1:1/acme/x:1"}));
    plugin.is(
        "RegistryUnavailable",
        ("Resolved", "False", "RegistryUnavailable"),
        &["127.0.0.1:1/acme/x:1", "cannot reach"],
    );
}

#[test]
fn a_module_that_was_never_pulled_is_not_there_for_the_policy_never() {
    let ns = Namespace::new("plugin-never");
    let reference = registry::reference(&repository(), "1.0");
    registry::push(&reference, components::jsonnet());
    ns.plugin("other", json!({"module": reference})).is_registered();
    let plugin = ns.plugin("p", json!({"module": reference, "imagePullPolicy": "Never"}));
    plugin.is(
        "NotOnDisk",
        ("Resolved", "False", "NotOnDisk"),
        &["for this Plugin", "IfNotPresent"],
    );
}

#[test]
fn pull_secrets_are_read_with_the_rights_of_the_service_account() {
    let ns = Namespace::new("plugin-secret");
    let reference = registry::reference(&repository(), "1.0");
    registry::push(&reference, components::jsonnet());
    ns.service_account("puller");
    let plugin = ns.plugin(
        "p",
        json!({"module": reference, "serviceAccountRef": {"name": "puller"}, "imagePullSecrets": [{"name": "regcred"}]}),
    );
    let condition = ("Resolved", "False", "PullSecretUnavailable");
    plugin.is(
        "PullSecretUnavailable",
        condition,
        &["regcred", "cannot get resource"],
    );
    ns.grant_to((&ns.name, "puller"), "", &["secrets"], READ);
    plugin.is("PullSecretUnavailable", condition, &["regcred does not exist"]);
    ns.apply(secret("regcred", json!({"x": "y"})));
    plugin.is(
        "PullSecretUnavailable",
        condition,
        &["has no key .dockerconfigjson"],
    );
    let config = json!({"auths": {"other.example": {"auth": "dTpw"}}}).to_string();
    ns.apply(json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "regcred"}, "stringData": {".dockerconfigjson": config},
    }));
    plugin.is_registered();
}

#[test]
fn a_reference_without_a_host_says_what_was_expected() {
    let ns = Namespace::new("plugin-reference");
    let plugin = ns.plugin("p", json!({"module": "team-labels:1.0"}));
    plugin.is(
        "InvalidSpec",
        ("Resolved", "False", "InvalidSpec"),
        &["spec.module", "names no registry host"],
    );
}
