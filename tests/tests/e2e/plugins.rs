//! Plugins as the logic of ManagedResources.

use std::time::Duration;

use espejote_tests::{
    Namespace, components, eventually,
    namespace::EDIT,
    objects::{managed_resource, writes},
    run, stays,
    waiting::holds,
};
use serde_json::{Value, json};

/// A name for a module's file that no other test uses.
fn module(bytes: &[u8]) -> (String, String) {
    let name = run::unique("module");
    let reference = components::put(&name, bytes);
    (name, reference)
}

/// The spec of a ManagedResource that runs the renderer as a plugin.
fn rendering(plugin: &str, template: &str) -> Value {
    json!({"plugin": {"name": plugin, "config": {"template": template}}})
}

/// P1, P2: a module is registered, runs, and says what it is.
#[test]
fn p1_a_managed_resource_runs_a_plugin() {
    let ns = Namespace::new("p1");
    let (_, reference) = module(components::jsonnet());
    let plugin = ns.plugin("renderer", json!({"module": reference}));
    let managed = ns.managed("test", rendering("renderer", &writes("out", "'from a plugin'")));
    ns.has_data("out", json!({"text": "from a plugin"}));
    managed.is_ready();
    let status = plugin.is_registered();
    let artifact = &status["artifact"];
    assert_eq!(artifact["world"], "reconcile,admit");
    assert!(artifact["layerDigest"].as_str().unwrap().starts_with("sha256:"));
    assert_eq!(artifact["size"], components::jsonnet().len());
    let has = |list: &str, name: &str| {
        let names = artifact[list].as_array().unwrap();
        names
            .iter()
            .any(|known| known.as_str().unwrap().starts_with(name))
    };
    assert!(has("imports", "espejote:plugin/state@") && has("exports", "espejote:plugin/reconcile@"));
    eventually("one event says so", || {
        let events = plugin.events();
        let registered =
            |(kind, reason, _): &(String, String, String)| kind == "Normal" && reason == "PluginRegistered";
        holds(events.len() == 1 && events.iter().all(registered), || {
            format!("{events:?}")
        })
    });
}

#[test]
fn a_managed_resource_waits_for_its_plugin_and_starts_when_it_comes() {
    let ns = Namespace::new("plugin-later");
    let managed = ns.managed("test", rendering("renderer", &writes("out", "'later'")));
    managed.is_not_ready("PluginNotReady", &["\"renderer\" is not registered", &ns.name]);
    managed.is("PluginNotReady");
    let (_, reference) = module(components::jsonnet());
    ns.plugin("renderer", json!({"module": reference}));
    managed.is_ready();
    ns.has_data("out", json!({"text": "later"}));
}

#[test]
fn without_its_plugin_a_managed_resource_writes_nothing_more() {
    let ns = Namespace::new("plugin-gone");
    let (_, reference) = module(components::jsonnet());
    let plugin = ns.plugin("renderer", json!({"module": reference}));
    let managed = ns.managed("test", rendering("renderer", &writes("out", "'1'")));
    ns.has_data("out", json!({"text": "1"}));
    plugin.delete();
    managed.is_not_ready("PluginNotReady", &["\"renderer\" is not registered"]);
    managed.update(rendering("renderer", &writes("other", "'2'")));
    ns.stays_without("other", Duration::from_secs(1));
}

#[test]
fn a_plugin_of_the_library_namespace_serves_everybody() {
    let ns = Namespace::new("plugin-lib");
    let (name, reference) = module(components::jsonnet());
    let shared = json!({
        "apiVersion": "espejote.io/v1alpha1", "kind": "Plugin",
        "metadata": {"name": name, "namespace": espejote_tests::deployment::PLUGINS}, "spec": {"module": reference},
    });
    ns.cluster.ensure(&shared);
    let managed = ns.managed(
        "test",
        rendering(&format!("lib/{name}"), &writes("out", "'shared'")),
    );
    managed.is_ready();
    ns.has_data("out", json!({"text": "shared"}));
}

#[test]
fn a_new_version_rolls_over_and_a_bad_one_leaves_the_old_one_running() {
    let ns = Namespace::new("plugin-roll");
    let (name, reference) = module(components::guests());
    let plugin = ns.plugin("p", json!({"module": reference}));
    plugin.is_registered();
    let managed = ns.managed("test", rendering("p", &writes("out", "'new'")));
    managed.is_not_ready("InvalidConfig", &["/mode"]);
    components::put(&name, components::jsonnet());
    managed.is_ready();
    ns.has_data("out", json!({"text": "new"}));

    components::put(&name, b"no component at all");
    plugin.is(
        "InvalidArtifact",
        ("Ready", "True", "InvalidArtifact"),
        &["goes on running", "no WebAssembly component"],
    );
    managed.update(rendering("p", &writes("out", "'still'")));
    ns.has_data("out", json!({"text": "still"}));
    managed.is_ready();
}

#[test]
fn what_cannot_be_a_plugin_says_what_it_is() {
    let ns = Namespace::new("plugin-bad");
    let core = b"\0asm\x01\0\0\0".as_slice();
    for (name, bytes, parts) in [
        ("core", core, &["core WebAssembly module", "wasm32-wasip2"][..]),
        ("text", b"hello".as_slice(), &["no WebAssembly component"][..]),
    ] {
        let (_, reference) = module(bytes);
        let plugin = ns.plugin(name, json!({"module": reference}));
        plugin.is("InvalidArtifact", ("Compiled", "False", "InvalidArtifact"), parts);
        plugin.is("InvalidArtifact", ("Ready", "False", "InvalidArtifact"), parts);
    }
}

#[test]
fn a_file_outside_of_the_operators_folders_is_denied() {
    let ns = Namespace::new("plugin-file");
    let plugin = ns.plugin("p", json!({"module": "file:///etc/passwd"}));
    plugin.is(
        "NotAllowed",
        ("Resolved", "False", "NotAllowed"),
        &["/etc/passwd", "policy"],
    );
    eventually("a warning says so", || {
        let events = plugin.events();
        holds(
            events
                .iter()
                .any(|(kind, reason, _)| kind == "Warning" && reason == "NotAllowed"),
            || format!("{events:?}"),
        )
    });
}

#[test]
fn a_limit_that_is_none_is_named_and_one_that_is_hit_too() {
    let ns = Namespace::new("plugin-limit");
    let (_, reference) = module(components::guests());
    let plugin = ns.plugin("p", json!({"module": reference, "limits": {"memory": "much"}}));
    plugin.is(
        "InvalidSpec",
        ("Resolved", "False", "InvalidSpec"),
        &["spec.limits.memory", "\"much\"", "64Mi"],
    );
    plugin.update(json!({"module": reference, "limits": {"memory": "8Mi", "timeout": "1s"}}));
    plugin.is_registered();
    let mode = |mode: &str| json!({"plugin": {"name": "p", "config": {"mode": mode}}});
    let managed = ns.managed("test", mode("grow"));
    managed.is_not_ready("LimitExceeded", &["memory", "8Mi"]);
    managed.is("PluginError");
    managed.update(mode("nap"));
    managed.is_not_ready("LimitExceeded", &["1s"]);
}

#[test]
fn template_and_plugin_exclude_each_other() {
    let ns = Namespace::new("plugin-both");
    let spec = json!({"template": "null", "plugin": {"name": "p"}});
    let both = espejote_tests::objects::within(&ns.name, managed_resource("both", spec));
    let refused = ns.cluster.create(&both).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("template and plugin cannot both be set"),
        "{refused}"
    );
}

#[test]
fn a_trap_in_one_plugin_disturbs_no_neighbour() {
    let ns = Namespace::new("plugin-trap");
    ns.grant("", &["configmaps"], EDIT);
    let (_, bad) = module(components::guests());
    ns.plugin("bad", json!({"module": bad}));
    let managed = ns.managed(
        "test",
        json!({"plugin": {"name": "bad", "config": {"mode": "panic"}}}),
    );
    managed.is_not_ready("GuestTrapped", &["a well-known"]);
    let neighbour = ns.managed("neighbour", json!({"template": writes("out", "'fine'")}));
    neighbour.is_ready();
    ns.has_data("out", json!({"text": "fine"}));
    stays(Duration::from_secs(1), "the trap shows", || {
        holds(managed.status() == "PluginError", || managed.status())
    });
}
