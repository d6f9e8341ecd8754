//! Ends and starts.

use std::time::Duration;

use espejote_tests::{
    Namespace, components, eventually,
    namespace::READ,
    objects::{config_map, config_maps, esp, watched, within, writes},
    registry::{self, RealRegistry},
    run, stays,
    waiting::equal,
};
use serde_json::json;

use crate::Alone;

/// SIGTERM ends it within seconds, without an error, also while it works.
#[test]
fn e3_it_ends_at_sigterm_without_an_error() {
    let mut alone = Alone::new("sigterm");
    {
        let ns = Namespace::served_by(run::admin(), alone.operator(), "sigterm");
        let trigger = json!([{"name": "tick", "interval": "10ms"}]);
        let managed = ns.managed(
            "test",
            json!({"triggers": trigger, "template": writes("out", "'x'")}),
        );
        managed.is_ready();
        alone.operator().probe("/healthz").expect("it is healthy");
        std::mem::forget(ns);
    }
    let (status, time) = alone.take().terminate();
    assert!(status.success(), "{status}");
    assert!(time < Duration::from_secs(5), "{time:?}");
}

/// After a restart nothing is Ready before it has run, and nothing is written that is as it should be.
#[test]
fn s7_a_restart_changes_nothing_that_is_right() {
    let mut alone = Alone::new("restart");
    let name;
    {
        let ns = Namespace::served_by(run::admin(), alone.operator(), "restart");
        name = ns.name.clone();
        ns.config_map("source", json!({}));
        let watched = config_maps(json!({"name": "source"}));
        let good =
            json!({"triggers": [{"name": "cm", "watchResource": watched}], "template": writes("out", "'x'")});
        let bad = json!({
            "triggers": [{"name": "cm", "watchResource": watched}],
            "template": esp("if esp.triggerName() == 'cm' then error 'bad key'"),
        });
        ns.managed("good", good).is_ready();
        ns.managed("bad", bad).is("TemplateError");
        ns.has_data("out", json!({"text": "x"}));
        ns.managed(
            "good",
            json!({"triggers": [{"name": "cm", "watchResource": watched}], "template": writes("out", "'x'")}),
        )
        .is_ready();
        std::mem::forget(ns);
    }
    let admin = run::admin();
    let version = |kind: &str, api: &str, object: &str| {
        admin.get(api, kind, &name, object).expect("it is there")["metadata"]["resourceVersion"].clone()
    };
    let versions = || {
        (
            version("ConfigMap", "v1", "out"),
            version("ManagedResource", "espejote.io/v1alpha1", "good"),
        )
    };
    let before = versions();
    alone.take().kill();
    alone.restart();
    let bad = |what: &str| {
        let bad = admin
            .get("espejote.io/v1alpha1", "ManagedResource", &name, "bad")
            .expect("it is there");
        assert_eq!(bad["status"]["status"], "TemplateError", "{what}");
    };
    let labels = [
        ("namespace", name.as_str()),
        ("managedresource", "good"),
        ("trigger", "cm"),
    ];
    eventually("it has run again", || {
        bad("it is never Ready");
        equal(alone.operator().metric("espejote_reconciles_total", &labels), 1.0)
    });
    stays(Duration::from_secs(2), "all is as it was", || {
        bad("it is never Ready");
        equal(versions(), before.clone())
    });
}

/// What changed while it was away is found.
#[test]
fn t6_what_changed_while_it_was_away_is_found() {
    let mut alone = Alone::new("away");
    let admin = run::admin();
    let name;
    {
        let ns = Namespace::served_by(admin, alone.operator(), "away");
        name = ns.name.clone();
        ns.grant("", &["secrets"], READ);
        let spec = json!({
            "context": [{"name": "cms", "resource": config_maps(json!({"matchNames": ["a", "b"]}))},
                        {"name": "secrets", "resource": watched("v1", "Secret", json!({}))}],
            "triggers": [{"name": "cms", "watchContextResource": {"name": "cms"}}],
            "template": writes("out", "std.join(',', [o.metadata.name for o in esp.context().cms])"),
        });
        ns.config_map("a", json!({}));
        ns.managed("test", spec);
        ns.has_data("out", json!({"text": "a"}));
        std::mem::forget(ns);
    }
    alone.take().kill();
    admin.delete("v1", "ConfigMap", &name, "a");
    admin
        .apply(&within(&name, config_map("b", json!({}))))
        .expect("apply");
    alone.restart();
    eventually("the list is new", || {
        equal(
            admin
                .get("v1", "ConfigMap", &name, "out")
                .map(|o| o["data"]["text"].clone()),
            Some(json!("b")),
        )
    });
}

/// What a Plugin has pulled before needs no registry: by a tag, and by the digest of an index.
#[test]
fn a_registry_that_is_down_at_a_restart_stops_no_plugin() {
    let folder = run::folder().join("registry-down");
    let registry = RealRegistry::open();
    let mut alone = Alone::with("registry-down", |options| {
        options.plugins = folder.join("plugins");
        options
            .arguments
            .push(format!("--registry-plain-http={}", registry.host));
    });
    let name;
    {
        let ns = Namespace::served_by(run::admin(), alone.operator(), "registry-down");
        name = ns.name.clone();
        let tagged = format!("{}/acme/renderer:latest", registry.host);
        let manifest = registry::push(&tagged, components::jsonnet());
        let index = registry::push_index(&registry.host, "acme/renderer", manifest);
        let by_index = format!("{}/acme/renderer@{index}", registry.host);
        for (plugin, module) in [("tagged", tagged), ("by-index", by_index)] {
            ns.plugin(plugin, json!({"module": module})).is_registered();
            let config = json!({"template": writes(plugin, "'x'")});
            ns.managed(plugin, json!({"plugin": {"name": plugin, "config": config}}))
                .is_ready();
        }
        std::mem::forget(ns);
    }
    drop(registry);
    alone.take().terminate();
    let admin = run::admin();
    for plugin in ["tagged", "by-index"] {
        admin.delete("v1", "ConfigMap", &name, plugin);
    }
    alone.restart();
    for plugin in ["tagged", "by-index"] {
        eventually("the plugin runs without a registry", || {
            admin
                .get("v1", "ConfigMap", &name, plugin)
                .ok_or_else(|| format!("{:?}", admin.get("espejote.io/v1alpha1", "Plugin", &name, plugin)))
        });
    }
}
