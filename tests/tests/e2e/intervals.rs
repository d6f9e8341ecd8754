//! Triggers of time.

use std::time::Duration;

use espejote_tests::{
    Namespace, eventually,
    objects::{config_map, esp},
    stays,
    waiting::equal,
};
use serde_json::json;

/// A template that writes for ticks only.
fn writes_at_ticks() -> String {
    esp("if esp.triggerName() == 'interval' then {
        apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out'},
        data: {test: std.toString(esp.triggerData())},
    }")
}

/// T8, T9: an edit of somebody else is put back at the next tick, which carries no data.
#[test]
fn t8_a_foreign_edit_is_put_back_at_the_next_tick() {
    let ns = Namespace::new("t8");
    let trigger = json!({"name": "interval", "interval": "10ms"});
    let spec = json!({"triggers": [trigger], "applyOptions": {"force": true}, "template": writes_at_ticks()});
    ns.managed("test", spec);
    ns.has_data("out", json!({"test": "null"}));
    for edit in ["first", "second"] {
        ns.apply(config_map("out", json!({"test": edit})));
        ns.has_data("out", json!({"test": "null"}));
    }
}

/// T10, T11: once the trigger is gone from the spec, nothing ticks.
#[test]
fn t10_a_removed_interval_stops() {
    let ns = Namespace::new("t10");
    let trigger = json!({"name": "interval", "interval": "10ms"});
    let spec = json!({"triggers": [trigger], "applyOptions": {"force": true}, "template": writes_at_ticks()});
    let managed = ns.managed("test", spec);
    ns.has_data("out", json!({"test": "null"}));
    managed.update(json!({"applyOptions": {"force": true}, "template": writes_at_ticks()}));
    managed.is_ready();
    ns.apply(config_map("out", json!({"test": "edited"})));
    stays(Duration::from_secs(2), "nobody writes", || {
        equal(ns.data("out"), Some(json!({"test": "edited"})))
    });
}

/// Unchanged objects are not written again, however often it ticks.
#[test]
fn t8_ticks_that_change_nothing_write_nothing() {
    let ns = Namespace::new("t8-silent");
    let trigger = json!({"name": "interval", "interval": "50ms"});
    let managed = ns.managed(
        "test",
        json!({"triggers": [trigger], "template": writes_at_ticks()}),
    );
    let version = ns.has("out")["metadata"]["resourceVersion"].clone();
    managed.is_ready();
    let before = managed.reconciles("interval");
    let sent = || ns.metric("espejote_applied_objects_total", &[("outcome", "applied")]);
    let unchanged = || ns.metric("espejote_applied_objects_total", &[("outcome", "unchanged")]);
    let (sent_before, unchanged_before) = (sent(), unchanged());
    eventually("it goes on ticking", || {
        espejote_tests::waiting::holds(managed.reconciles("interval") > before + 5.0, || {
            "not yet".to_owned()
        })
    });
    assert_eq!(ns.has("out")["metadata"]["resourceVersion"], version);
    assert!(unchanged() >= unchanged_before + 5.0);
    assert_eq!(sent(), sent_before, "nothing is sent");
}
