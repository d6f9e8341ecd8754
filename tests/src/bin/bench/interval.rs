//! A fast interval that changes nothing, and the render that it makes each time.

use std::time::Duration;

use espejote_tests::{
    Namespace, Operator, eventually,
    objects::{config_map, esp},
    process, run, stays,
    waiting::equal,
};
use serde_json::{Value, json};

use crate::{
    figure::{Budget, Figure},
    guest_time::GuestTime,
    load::{make_namespaces, rest, shipped},
};

const OBJECTS: usize = 20;
const INTERVAL: Duration = Duration::from_millis(200);
/// How long it is looked at.
const LONG: Duration = Duration::from_secs(10);
/// Namespaces in the context that the template filters.
const NAMESPACES: usize = 1_000;

/// What is sent and how often it runs, how soon a foreign edit is put back, and the time of a render in a kept instance.
pub fn measure() -> Vec<Figure> {
    make_namespaces(NAMESPACES);
    let admin = run::admin();
    let operator = Operator::start(admin, &shipped("interval"));
    let ns = Namespace::served_by(admin, &operator, "bench-interval");
    ns.grant_everywhere("", &["namespaces"], espejote_tests::namespace::READ);
    let managed = ns.managed("test", spec());
    managed.is_ready();
    rest();
    let sent = || ns.metric("espejote_applied_objects_total", &[("outcome", "applied")]);
    let (sent_before, ticks_before) = (sent(), managed.reconciles("tick"));
    let guest = GuestTime::of(&operator);
    let used = process::processor_time(operator.pid());
    stays(LONG, "it ticks", || Ok(()));
    let used = process::processor_time(operator.pid()) - used;
    let render = guest.since(&operator);
    let (sent, ticks) = (sent() - sent_before, managed.reconciles("tick") - ticks_before);
    vec![
        Figure::once("interval: PATCHes", sent, "", Budget::AtMost(0.0)),
        Figure::once(
            "interval: reconciles",
            ticks / LONG.as_secs_f64(),
            "/s",
            Budget::AtLeast(4.9),
        ),
        Figure::once(
            "interval: CPU of each",
            used.as_secs_f64() * 1_000.0 / ticks,
            "ms",
            Budget::None,
        ),
        Figure::once(
            "interval: a foreign edit is put back after",
            put_back(&ns),
            "ms",
            Budget::AtMost(400.0),
        ),
        // Five times a second the processor's caches are cold: for what it costs alone see the events.
        Figure::once("interval: one render, warm", render, "ms", Budget::None),
    ]
}

/// Milliseconds.
fn put_back(ns: &Namespace<'_>) -> f64 {
    let name = "out-7";
    ns.apply(config_map(name, json!({"odd": "edited"})));
    let started = std::time::Instant::now();
    eventually("the edit is put back", || {
        equal(ns.data(name), Some(json!({"odd": (NAMESPACES / 2).to_string()})))
    });
    started.elapsed().as_secs_f64() * 1_000.0
}

fn spec() -> Value {
    let namespaces =
        json!({"apiVersion": "v1", "kind": "Namespace", "labelSelector": {"matchLabels": {"bench": "yes"}}});
    json!({
        "applyOptions": {"force": true},
        "context": [{"name": "namespaces", "resource": namespaces}],
        "triggers": [{"name": "tick", "interval": format!("{}ms", INTERVAL.as_millis())}],
        "template": esp(&format!("
            local odd = std.filter(function(n) std.get(n.metadata.labels, 'odd', '') == 'yes', esp.context().namespaces);
            [
                {{apiVersion: 'v1', kind: 'ConfigMap', metadata: {{name: 'out-%d' % n}}, data: {{odd: std.toString(std.length(odd))}}}}
                for n in std.range(1, {OBJECTS})
            ]")),
    })
}
