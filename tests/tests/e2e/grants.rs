//! What a plugin may reach beside the contract, when it is granted.

use espejote_tests::{
    Namespace, components,
    namespace::READ,
    objects::{config_map, secret},
    run,
    waiting::{equal, eventually, holds},
};
use serde_json::{Value, json};

/// The guests as a module.
fn module() -> String {
    components::put(&run::unique("granted"), components::guests())
}

/// A ManagedResource's spec: it writes what a file holds.
fn file(path: &str) -> Value {
    json!({"plugin": {"name": "p", "config": {"mode": "file", "path": path}}})
}

#[test]
fn a_granted_config_map_is_a_folder_that_follows_it() {
    let ns = Namespace::new("grant-map");
    let grants = json!({"files": [{"path": "/etc/team", "configMap": {"name": "team"}}]});
    ns.plugin("p", json!({"module": module(), "grants": grants}));
    let managed = ns.managed("test", file("/etc/team/name"));
    managed.is_not_ready(
        "NotReady",
        &["spec.grants.files", "ConfigMap team does not exist"],
    );
    ns.apply(config_map("team", json!({"name": "web", "contact": "one"})));
    managed.is_ready();
    ns.has_data("file", json!({"text": "web"}));
    ns.apply(config_map("team", json!({"name": "web", "contact": "two"})));
    // Files start nothing, and what is watched may be there a little later than what else is.
    let mut round = 0;
    eventually("a later call finds the new file", || {
        round += 1;
        let config = json!({"mode": "file", "path": "/etc/team/contact", "round": round});
        managed.update(json!({"plugin": {"name": "p", "config": config}}));
        equal(ns.data("file"), Some(json!({"text": "two"})))
    });
}

#[test]
fn without_a_grant_there_is_no_file() {
    let ns = Namespace::new("grant-none");
    ns.plugin("p", json!({"module": module()}));
    ns.apply(config_map("team", json!({"name": "web"})));
    ns.managed("test", file("/etc/team/name")).is_ready();
    let text = ns.has("file")["data"]["text"].to_string();
    assert!(text.contains("No such file") || text.contains("not"), "{text}");
    assert!(!text.contains("web"));
}

#[test]
fn granted_files_are_read_with_the_rights_of_the_owner() {
    let ns = Namespace::new("grant-secret");
    let value = run::secret_value("granted");
    ns.apply(secret("token", json!({"value": value})));
    let grants = json!({"files": [{"path": "/token", "secret": {"name": "token"}}]});
    ns.plugin("p", json!({"module": module(), "grants": grants}));
    ns.service_account("reader");
    let spec = json!({
        "serviceAccountRef": {"name": "reader"},
        "plugin": {"name": "p", "config": {"mode": "nothing"}},
    });
    let managed = ns.managed("test", spec);
    managed.is_not_ready("WatchForbidden", &["Secret token", "secrets"]);
    ns.grant_to((&ns.name, "reader"), "", &["secrets"], READ);
    managed.is_ready();
}

/// What runs loses it at once, even where the version that goes with it cannot be had.
#[test]
fn what_is_no_longer_granted_is_gone_though_the_new_version_cannot_be_pulled() {
    let ns = Namespace::new("grant-gone");
    ns.apply(config_map("team", json!({"name": "web"})));
    let grants = json!({"files": [{"path": "/etc/team", "configMap": {"name": "team"}}]});
    let plugin = ns.plugin("p", json!({"module": module(), "grants": grants}));
    ns.managed("test", file("/etc/team/name")).is_ready();
    ns.has_data("file", json!({"text": "web"}));
    plugin.update(json!({"module": "127.0.0.1:1/acme/x:1", "limits": {"memory": "32Mi"}}));
    eventually("the file is gone", || {
        let text = ns.data("file").unwrap_or_default()["text"].to_string();
        holds(!text.contains("web"), || text)
    });
    plugin.is(
        "RegistryUnavailable",
        ("Ready", "True", "RegistryUnavailable"),
        &["goes on running"],
    );
}

#[test]
fn an_address_of_the_operators_machine_is_granted_only_by_the_policy() {
    let ns = Namespace::new("grant-guarded");
    let plugin = ns.plugin(
        "p",
        json!({"module": module(), "grants": {"http": {"hosts": ["http://169.254.169.254"]}}}),
    );
    plugin.is(
        "NotAllowed",
        ("Resolved", "False", "NotAllowed"),
        &["http://169.254.169.254", "metadata service", "grants.httpHosts"],
    );
}

#[test]
fn a_grant_of_another_form_is_named() {
    let ns = Namespace::new("grant-form");
    let plugin = ns.plugin(
        "p",
        json!({"module": module(), "grants": {"http": {"hosts": ["not a host"]}}}),
    );
    plugin.is(
        "InvalidSpec",
        ("Resolved", "False", "InvalidSpec"),
        &["spec.grants", "not a host", "example.com"],
    );
}

#[test]
fn a_limit_above_the_operators_ceiling_is_not_allowed() {
    let ns = Namespace::new("limit-ceiling");
    let plugin = ns.plugin("p", json!({"module": module(), "limits": {"memory": "512Gi"}}));
    plugin.is(
        "NotAllowed",
        ("Resolved", "False", "NotAllowed"),
        &["spec.limits", "memory"],
    );
}
