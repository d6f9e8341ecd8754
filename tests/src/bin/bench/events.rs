//! One trigger for each of many objects, with a context that is filtered in each call, beside a bare client that writes
//! the same objects in the same run.

use std::time::{Duration, Instant};

use espejote_tests::{
    Namespace, Operator,
    cluster::{kind_path, object_path},
    eventually_within,
    namespace::READ,
    objects::{config_map, config_maps, esp, within},
    process, run,
    waiting::{equal, holds},
};
use serde_json::{Value, json};

use crate::{
    figure::{Budget, Figure},
    guest_time::GuestTime,
    load::{count, in_parallel, make_namespaces, mib, rest, shipped},
};

const TRIGGERS: usize = 2_000;
const NAMESPACES: usize = 1_000;
/// Reconciles a second of the Go program, times twenty.
const TWENTY_TIMES_GO: f64 = 340.0;

/// Speed, processor time and memory.
pub fn measure() -> Vec<Figure> {
    let admin = run::admin();
    make_namespaces(NAMESPACES);
    let operator = Operator::start(admin, &shipped("events"));
    let ns = Namespace::served_by(admin, &operator, "bench-events");
    ns.grant_everywhere("", &["namespaces"], READ);
    in_parallel(TRIGGERS, |index| {
        let mut object = within(
            &ns.name,
            config_map(&format!("trigger-{index}"), json!({"n": index.to_string()})),
        );
        object["metadata"]["labels"] = json!({"trigger": "yes"});
        admin.create(&object).expect("create a trigger");
    });
    let bare = bare_loop(&ns);
    rest();
    let before = process::processor_time(operator.pid());
    let guest = GuestTime::of(&operator);
    let time = reconcile_all(&ns);
    let render = guest.since(&operator);
    let used = process::processor_time(operator.pid()) - before;
    rest();
    let speed = TRIGGERS as f64 / time.as_secs_f64();
    let bare_speed = TRIGGERS as f64 / bare.as_secs_f64();
    vec![
        Figure::once(
            "events: reconciles",
            speed,
            "/s",
            Budget::AtLeast(TWENTY_TIMES_GO),
        ),
        Figure::once(
            "events: bare client, 8 connections",
            bare_speed,
            "/s",
            Budget::None,
        ),
        Figure::once(
            "events: share of the bare client",
            speed / bare_speed,
            "",
            Budget::AtLeast(0.8),
        ),
        Figure::once(
            "events: CPU of each",
            used.as_secs_f64() * 1_000.0 / TRIGGERS as f64,
            "ms",
            Budget::AtMost(2.5),
        ),
        Figure::once("one render, warm", render, "ms", Budget::AtMost(2.0)),
        Figure::once(
            "events: RSS 10 s after",
            mib(process::resident(operator.pid())),
            "MiB",
            Budget::None,
        ),
        Figure::once(
            "events: peak RSS",
            mib(process::peak(operator.pid())),
            "MiB",
            Budget::None,
        ),
    ]
}

/// The same applies, by a client that does nothing else.
fn bare_loop(ns: &Namespace<'_>) -> Duration {
    let other = ns.neighbour();
    in_parallel(TRIGGERS, |index| {
        let name = format!("out-trigger-{index}");
        let object = output(&other.name, &name);
        let path = object_path("v1", "ConfigMap", &other.name, &name);
        let path = format!("{path}?fieldManager=managed-resource%3Atest&fieldValidation=Strict");
        let body = object.to_string();
        ns.cluster
            .send("PATCH", &path, "application/apply-patch+yaml", body.as_bytes())
            .expect("apply");
    })
}

fn output(namespace: &str, name: &str) -> Value {
    let mut object = within(
        namespace,
        config_map(name, json!({"count": (NAMESPACES / 2).to_string()})),
    );
    object["metadata"]["labels"] = json!({"out": "yes"});
    object
}

/// From the creation of the ManagedResource until every trigger has its object.
fn reconcile_all(ns: &Namespace<'_>) -> Duration {
    let outputs = kind_path("v1", "ConfigMap", &ns.name);
    let started = Instant::now();
    let managed = ns.managed("test", spec());
    let mut finished = started.elapsed();
    eventually_within(Duration::from_secs(300), "all triggers have run", || {
        let reconciles = managed.reconciles("cm");
        finished = started.elapsed();
        holds(reconciles >= TRIGGERS as f64, || {
            format!("{reconciles} of {TRIGGERS}")
        })
    });
    eventually_within(Duration::from_secs(20), "all objects are there", || {
        equal(count(ns.cluster, &outputs, "labelSelector=out%3Dyes"), TRIGGERS)
    });
    assert_eq!(managed.warnings(), [], "nothing went wrong");
    finished
}

fn spec() -> Value {
    let namespaces = json!({
        "apiVersion": "v1", "kind": "Namespace", "labelSelector": {"matchLabels": {"bench": "yes"}},
    });
    let triggers = config_maps(json!({"labelSelector": {"matchLabels": {"trigger": "yes"}}}));
    json!({
        "context": [{"name": "namespaces", "resource": namespaces}],
        "triggers": [{"name": "cm", "watchResource": triggers}],
        "template": esp("
            local odd = std.filter(function(n) std.get(n.metadata.labels, 'odd', '') == 'yes', esp.context().namespaces);
            if esp.triggerName() == 'cm' then
                local name = esp.triggerData().resource.metadata.name;
                {
                    apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out-' + name, labels: {out: 'yes'}},
                    data: {count: std.toString(std.length(odd))},
                }"),
    })
}
