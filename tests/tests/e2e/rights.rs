//! Rights that are missing, come and go.

use std::time::Duration;

use espejote_tests::{
    Namespace, eventually_within,
    namespace::{EDIT, READ},
    objects::{config_map, watched, writes},
    stays,
    waiting::{equal, holds},
};
use serde_json::{Value, json};

fn needs_secrets() -> Value {
    json!({
        "cacheSyncTimeout": "3s",
        "context": [{"name": "secrets", "resource": watched("v1", "Secret", json!({}))}],
        "triggers": [{"name": "tick", "interval": "200ms"}],
        "applyOptions": {"force": true},
        "template": writes("out", "std.toString(std.length(esp.context().secrets))"),
    })
}

/// K4, K6, case 5: a right that is missing is named, one that is given heals, one that is taken away shows, and nothing
/// is written from what may no longer be read.
#[test]
fn k6_rights_that_come_and_go_are_followed() {
    let ns = Namespace::new("case5");
    let managed = ns.managed("needs-secrets", needs_secrets());
    managed.is("ControllerStartError");
    let who = format!("system:serviceaccount:{}:default", ns.name);
    managed.warns("ControllerStartError", &["secrets is forbidden", &who, &ns.name]);
    managed.settles();
    let grant = ns.grant("", &["secrets"], READ);
    managed.is_ready();
    ns.has_data("out", json!({"text": "0"}));
    ns.revoke(grant);
    eventually_within(Duration::from_secs(20), "it is not ready", || {
        let status = managed.status();
        holds(status != "Ready", || status.clone())
    });
    ns.apply(config_map("out", json!({"text": "edited"})));
    stays(
        Duration::from_secs(2),
        "nothing is written from a stale cache",
        || equal(ns.data("out"), Some(json!({"text": "edited"}))),
    );
    ns.grant("", &["secrets"], READ);
    managed.is_ready();
    ns.has_data("out", json!({"text": "0"}));
}

/// A right to write that is missing is an ApplyError that names it, and heals.
#[test]
fn a18_a_write_that_is_forbidden_is_named_and_heals() {
    let ns = Namespace::new("a18-forbidden");
    let template = "{apiVersion: 'v1', kind: 'Secret', metadata: {name: 'out'}}";
    let managed = ns.managed("test", json!({"template": template}));
    managed.is("ApplyError");
    let who = format!("system:serviceaccount:{}:default", ns.name);
    managed.warns(
        "ApplyError",
        &["applying resource", "out Secret", "forbidden", &who],
    );
    managed.is_not_ready("Forbidden", &["forbidden"]);
    ns.grant("", &["secrets"], EDIT);
    managed.is_ready();
}
