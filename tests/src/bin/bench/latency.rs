//! One event in contexts of different sizes, of which the template reads a field of each object: how long until the
//! result is in the cluster.

use std::time::Instant;

use espejote_tests::{
    Cluster, Namespace, Operator,
    cluster::kind_path,
    connection::Connection,
    objects::{config_maps, esp, labelled},
    process, run,
};
use serde_json::{Value, json};

use crate::{
    figure::{Budget, Figure},
    load::{in_parallel, median, rest, shipped},
    plot::Plot,
};

/// Objects in the context, and the milliseconds that an event may take.
const SIZES: [(usize, f64); 4] = [(100, 10.0), (1_000, 12.0), (5_000, 18.0), (20_000, 30.0)];
/// Events of each size; the median counts.
const EVENTS: usize = 15;
/// What each thousand objects more may cost, in milliseconds.
const SLOPE: f64 = 1.0;

/// Latency of each size, what each thousand objects more cost, and processor time.
pub fn measure() -> Vec<Figure> {
    let operator = Operator::start(run::admin(), &shipped("latency"));
    let measured: Vec<(f64, f64)> = SIZES.iter().map(|(size, _)| of_size(&operator, *size)).collect();
    let mut figures: Vec<Figure> = SIZES
        .iter()
        .zip(&measured)
        .map(|((size, budget), (latency, _))| {
            let name = format!("one event, context of {size}: latency");
            Figure::once(name, *latency, "ms", Budget::AtMost(*budget))
        })
        .collect();
    plot(&measured).write();
    let [.., (before, _), (after, cpu)] = measured[..] else {
        return figures;
    };
    let [.., (small, _), (large, _)] = SIZES;
    let thousands = (large - small) as f64 / 1_000.0;
    let slope = (after - before) / thousands;
    figures.extend([
        Figure::once(
            "one event: each 1,000 objects more",
            slope,
            "ms",
            Budget::AtMost(SLOPE),
        ),
        Figure::once(
            format!("one event, context of {large}: CPU"),
            cpu,
            "ms",
            Budget::None,
        ),
    ]);
    figures
}

fn plot(measured: &[(f64, f64)]) -> Plot {
    let sizes = || SIZES.iter().map(|(size, _)| *size as f64);
    Plot {
        file: "bench-latency",
        title: "One event: from the change to the result",
        across: "objects in the context",
        up: "ms",
        points: sizes()
            .zip(measured.iter().map(|(latency, _)| *latency))
            .collect(),
        limit: sizes().zip(SIZES.iter().map(|(_, limit)| *limit)).collect(),
    }
}

/// Milliseconds on the wall and of processor time for one event.
pub fn of_size(operator: &Operator, size: usize) -> (f64, f64) {
    let admin = run::admin();
    let ns = Namespace::served_by(admin, operator, "bench-latency");
    in_parallel(size - 1, |index| {
        let object = labelled(
            &format!("cm-{index}"),
            json!({"bench": "yes"}),
            json!({"value": "no", "text": "x".repeat(100)}),
        );
        admin
            .create(&espejote_tests::objects::within(&ns.name, object))
            .expect("create a ConfigMap");
    });
    ns.apply(trigger(0));
    ns.managed("test", spec()).is_ready();
    ns.has_data("out", json!({"hits": "0", "event": "0"}));
    rest();
    let mut watch = watch_output(admin, &ns.name);
    let used = process::processor_time(operator.pid());
    let mut times: Vec<f64> = (1..=EVENTS)
        .map(|event| event_took(&ns, &mut watch, event))
        .collect();
    let used = process::processor_time(operator.pid()) - used;
    (median(&mut times), used.as_secs_f64() * 1_000.0 / EVENTS as f64)
}

fn trigger(event: usize) -> Value {
    labelled(
        "trigger",
        json!({"bench": "yes"}),
        json!({"value": "no", "event": event.to_string()}),
    )
}

fn watch_output(admin: &Cluster, namespace: &str) -> Connection {
    let path = kind_path("v1", "ConfigMap", namespace);
    let list: Value = serde_json::from_str(&admin.read(&path).expect("a list")).expect("a list");
    let version = list["metadata"]["resourceVersion"].as_str().expect("a version");
    let path = format!("{path}?watch=true&fieldSelector=metadata.name%3Dout&resourceVersion={version}");
    admin.watch(&path).expect("open a watch")
}

/// Milliseconds from the answer to the change until the API server tells of the result.
fn event_took(ns: &Namespace<'_>, watch: &mut Connection, event: usize) -> f64 {
    ns.apply(trigger(event));
    let started = Instant::now();
    loop {
        let seen = watch.next_event().expect("the result comes");
        let seen: Value = serde_json::from_slice(&seen).expect("an event");
        if seen["object"]["data"]["event"] == json!(event.to_string()) {
            return started.elapsed().as_secs_f64() * 1_000.0;
        }
    }
}

fn spec() -> Value {
    let context = config_maps(json!({"labelSelector": {"matchLabels": {"bench": "yes"}}}));
    let trigger = config_maps(json!({"name": "trigger"}));
    json!({
        "context": [{"name": "cms", "resource": context}],
        "triggers": [{"name": "event", "watchResource": trigger}],
        "template": esp("
            local hits = [cm.metadata.name for cm in esp.context().cms if cm.data.value == 'yes'];
            local data = esp.triggerData();
            if data != null && data.resource != null then {
                apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out'},
                data: {hits: std.toString(std.length(hits)), event: data.resource.data.event},
            }"),
    })
}
