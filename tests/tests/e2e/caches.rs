//! Watches: when they can't be filled, and when they end.

use std::time::Duration;

use espejote_tests::{
    Managed, Namespace, eventually,
    namespace::{EDIT, READ},
    objects::{GROUP, config_maps, definition, esp, managed_resource, watched, within, writes},
    run, stays,
    waiting::{equal, eventually_within, holds},
    watched,
};
use serde_json::{Value, json};

/// A context on Secrets of a name, and how long its watch may take.
fn on_secrets(timeout: &str) -> Value {
    json!({
        "cacheSyncTimeout": timeout,
        "context": [{"name": "secrets", "resource": watched("v1", "Secret", json!({}))}],
        "template": writes("out", "std.toString(std.length(esp.context().secrets))"),
    })
}

/// Requests of a namespace's `default` ServiceAccount for Secrets wait in a queue of the API server until this is undone.
fn hold_back(ns: &Namespace<'_>) {
    let api = "flowcontrol.apiserver.k8s.io/v1";
    let name = &ns.name;
    ns.cluster.ensure(&json!({
        "apiVersion": api, "kind": "PriorityLevelConfiguration", "metadata": {"name": name},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 0, "lendablePercent": 0, "borrowingLimitPercent": 0,
            "limitResponse": {"type": "Queue", "queuing": {"queues": 1, "handSize": 1, "queueLengthLimit": 50}},
        }},
    }));
    ns.cluster.ensure(&json!({
        "apiVersion": api, "kind": "FlowSchema", "metadata": {"name": name},
        "spec": {
            "priorityLevelConfiguration": {"name": name}, "matchingPrecedence": 2,
            "rules": [{
                "subjects": [{"kind": "ServiceAccount", "serviceAccount": {"namespace": name, "name": "default"}}],
                "resourceRules": [{"verbs": ["*"], "apiGroups": [""], "resources": ["secrets"], "namespaces": ["*"], "clusterScope": true}],
            }],
        },
    }));
    eventually("Secrets are held back", || {
        let path = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
        let text = ns
            .cluster
            .read(&format!("{path}/{name}"))
            .map_err(|refusal| refusal.to_string())?;
        let schema: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let dangling = &schema["status"]["conditions"][0];
        equal(
            (&dangling["type"], &dangling["status"]),
            (&json!("Dangling"), &json!("False")),
        )
    });
}

/// K3, S8, M8: while a context can't be filled it is waited for, without an event, and metrics answer.
#[test]
fn k3_a_context_that_cannot_be_filled_is_waited_for() {
    let ns = Namespace::new("k3");
    ns.grant("", &["secrets"], READ);
    hold_back(&ns);
    let managed = ns.managed("test", on_secrets("2m"));
    managed.is("WaitingForCacheSync");
    assert!(!ns.operator.metrics().samples.is_empty());
    managed.settles();
    ns.stays_without("out", Duration::from_millis(500));
    ns.cluster
        .delete("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "", &ns.name);
    managed.is_ready();
    ns.has_data("out", json!({"text": "0"}));
    assert_eq!(managed.warnings(), []);
    assert_eq!(managed.errors("", "WaitingForCacheSync"), 0.0);
}

/// K4, S9, M8.
#[test]
fn k4_a_context_that_is_forbidden_is_a_start_error() {
    let ns = Namespace::new("k4");
    let managed = ns.managed("test", on_secrets("1s"));
    managed.is("ControllerStartError");
    managed.warns_once("ControllerStartError", &["secrets is forbidden"]);
    managed.settles();
    assert!(!ns.operator.metrics().samples.is_empty());
    ns.stays_without("out", Duration::from_millis(200));
}

/// K5: a text that is no duration is refused by the API server.
#[test]
fn k5_what_is_no_duration_is_refused() {
    let ns = Namespace::new("k5");
    let object = within(
        &ns.name,
        managed_resource("test", json!({"cacheSyncTimeout": "soon", "template": "null"})),
    );
    let refusal = ns.cluster.apply(&object).expect_err("it is no duration");
    assert!(
        refusal.code == 422 && refusal.message.contains("spec.cacheSyncTimeout"),
        "{refusal}"
    );
    let object = within(
        &ns.name,
        managed_resource("test", json!({"triggers": [{"name": "t", "interval": "often"}]})),
    );
    let refusal = ns.cluster.apply(&object).expect_err("it is no duration");
    assert!(refusal.message.contains("interval"), "{refusal}");
    assert!(
        ns.managed("test", json!({"template": "null"})).get()["spec"]
            .get("cacheSyncTimeout")
            .is_none()
    );
}

/// Copies a ConfigMap's data.
fn copies(name: &str) -> Value {
    let watched = config_maps(json!({"matchNames": ["source"]}));
    json!({
        "context": [{"name": "source", "resource": watched}],
        "triggers": [{"name": "source", "watchContextResource": {"name": "source"}}],
        "template": writes(name, "std.toString([o.data.text for o in esp.context().source])"),
    })
}

/// K7: a deleted ManagedResource sees nothing more, and its metrics are gone.
#[test]
fn k7_a_deleted_managed_resource_does_nothing_more() {
    let ns = Namespace::new("k7");
    ns.config_map("source", json!({"text": "1"}));
    let managed = ns.managed("test", copies("out"));
    ns.has_data("out", json!({"text": r#"["1"]"#}));
    managed.delete();
    eventually("its metrics are gone", || {
        let left = ns.operator.metrics();
        let left = left
            .samples
            .iter()
            .filter(|sample| sample.labels.get("namespace") == Some(&ns.name))
            .count();
        equal(left, 0)
    });
    ns.delete_config_map("source");
    stays(Duration::from_secs(2), "its output stays", || {
        equal(ns.data("out"), Some(json!({"text": r#"["1"]"#})))
    });
}

/// K8: one that waits for its finalizers does nothing more either.
#[test]
fn k8_a_managed_resource_that_is_being_deleted_does_nothing_more() {
    let ns = Namespace::new("k8");
    ns.config_map("source", json!({"text": "1"}));
    let mut object = managed_resource("test", copies("out"));
    object["metadata"]["finalizers"] = json!(["go.test/finalizer"]);
    ns.apply(object);
    ns.has_data("out", json!({"text": r#"["1"]"#}));
    ns.cluster
        .delete("espejote.io/v1alpha1", "ManagedResource", &ns.name, "test");
    stays(Duration::from_secs(1), "it waits for its finalizer", || {
        let there = ns
            .cluster
            .get("espejote.io/v1alpha1", "ManagedResource", &ns.name, "test");
        holds(
            there.is_some_and(|o| !o["metadata"]["deletionTimestamp"].is_null()),
            || "it is gone".to_owned(),
        )
    });
    ns.config_map("source", json!({"text": "2"}));
    stays(Duration::from_secs(2), "its output stays", || {
        equal(ns.data("out"), Some(json!({"text": r#"["1"]"#})))
    });
    let path = json!({"metadata": {"finalizers": null}});
    ns.cluster
        .merge("espejote.io/v1alpha1", "ManagedResource", &ns.name, "test", &path);
}

/// K10: a context and a trigger on it are one watch, as are those of two ManagedResources; and the watch ends with them.
#[test]
fn k10_a_context_and_its_trigger_share_one_watch() {
    let ns = Namespace::new("k10");
    let plural = "sharedthings";
    ns.cluster
        .ensure(&definition("SharedThing", plural, "Namespaced", "v1"));
    ns.grant("test.espejote.io", &[plural], READ);
    let spec = json!({
        "context": [{"name": "things", "resource": watched("test.espejote.io/v1", "SharedThing", json!({}))}],
        "triggers": [{"name": "things", "watchContextResource": {"name": "things"}}],
        "template": "null",
    });
    let open = || watched::in_namespaces(run::admin(), "test.espejote.io", plural);
    let both: Vec<Managed<'_>> = ["one", "two"].map(|name| ns.managed(name, spec.clone())).into();
    both.iter().for_each(Managed::is_ready);
    stays(Duration::from_secs(1), "there is one watch", || {
        equal(open(), 1.0)
    });
    both.iter().for_each(Managed::delete);
    eventually("the watch ends", || equal(open(), 0.0));
}

/// A kind whose objects cannot be converted any more: its watch goes down, and cannot be begun again. What it has brought is
/// used for a while, and the condition says so.
#[test]
fn a_watch_that_is_down_shows_in_the_condition_before_it_stops_the_work() {
    let ns = Namespace::new("stale");
    ns.grant_everywhere(GROUP, &["relics"], EDIT);
    let crd = |conversion: Value| {
        let mut crd = definition("Relic", "relics", "Namespaced", "v1");
        let mut newer = crd["spec"]["versions"][0].clone();
        newer["name"] = json!("v2");
        newer["storage"] = json!(false);
        crd["spec"]["versions"].as_array_mut().unwrap().push(newer);
        crd["spec"]["conversion"] = conversion;
        ns.cluster.apply(&crd).expect("apply the definition");
    };
    crd(json!({"strategy": "None"}));
    let old = json!({"apiVersion": format!("{GROUP}/v1"), "kind": "Relic", "metadata": {"name": "old"}});
    eventually("the kind is served", || {
        let created = ns.cluster.apply(&within(&ns.name, old.clone()));
        created.map(drop).map_err(|refusal| refusal.to_string())
    });
    let managed = ns.managed(
        "test",
        json!({
            "cacheSyncTimeout": "20s",
            "context": [{"name": "relics", "resource": watched(&format!("{GROUP}/v2"), "Relic", json!({}))}],
            "template": esp("{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out'},
                data: {relics: std.toString(std.length(esp.context().relics))}}"),
        }),
    );
    managed.is_ready();
    ns.has_data("out", json!({"relics": "1"}));
    crd(json!({"strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://127.0.0.1:1/convert"},
    }}));
    eventually_within(Duration::from_secs(60), "what may be old is said", || {
        let (status, _, message) = managed.condition("Ready").unwrap_or_default();
        let told = message.contains("context \"relics\" may be out of date");
        holds(status == "True" && told, || format!("{status} {message}"))
    });
    eventually_within(Duration::from_secs(60), "it stops after a while", || {
        let (status, reason, message) = managed.condition("Ready").unwrap_or_default();
        let stopped = status == "False" && reason == "CacheNotSynced";
        holds(stopped, || format!("{status} {reason} {message}"))
    });
    crd(json!({"strategy": "None"}));
    managed.is_ready();
}
