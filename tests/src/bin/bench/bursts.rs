//! Objects that are updated again and again within a few seconds.

use std::time::{Duration, Instant};

use espejote_tests::{
    Namespace, Operator, eventually_within,
    objects::{config_maps, esp, labelled, within},
    process, run, stays,
    waiting::holds,
};
use serde_json::{Value, json};

use crate::{
    figure::{Budget, Figure},
    load::{count, in_parallel, rest, shipped},
};

const OBJECTS: usize = 500;
const UPDATES: usize = 10;
const SPREAD_OVER: Duration = Duration::from_secs(5);
/// Nothing is done for so long: it is quiet.
const QUIET: Duration = Duration::from_millis(500);

/// How soon it is quiet, and what it costs.
pub fn measure() -> Vec<Figure> {
    let admin = run::admin();
    let operator = Operator::start(admin, &shipped("bursts"));
    let ns = Namespace::served_by(admin, &operator, "bench-bursts");
    update_all(&ns, 0);
    let managed = ns.managed("test", spec());
    managed.is_ready();
    let outputs = espejote_tests::cluster::kind_path("v1", "ConfigMap", &ns.name);
    eventually_within(Duration::from_secs(120), "all objects are there", || {
        let there = count(admin, &outputs, "labelSelector=out%3Dyes");
        holds(there == OBJECTS, || there.to_string())
    });
    rest();
    let (before, used) = (managed.reconciles("cm"), process::processor_time(operator.pid()));
    for round in 1..=UPDATES {
        let started = Instant::now();
        update_all(&ns, round);
        let left = (SPREAD_OVER / UPDATES as u32).saturating_sub(started.elapsed());
        stays(left, "until the next round", || Ok(()));
    }
    let quiet = quiet_after(|| managed.reconciles("cm"));
    let used = process::processor_time(operator.pid()) - used;
    let reconciles = managed.reconciles("cm") - before;
    vec![
        Figure::once(
            "bursts: quiet after the last update",
            quiet,
            "s",
            Budget::AtMost(1.0),
        ),
        Figure::once("bursts: CPU", used.as_secs_f64(), "s", Budget::AtMost(0.8)),
        Figure::once("bursts: reconciles", reconciles, "", Budget::None),
    ]
}

fn update_all(ns: &Namespace<'_>, round: usize) {
    in_parallel(OBJECTS, |index| {
        let object = labelled(
            &format!("cm-{index}"),
            json!({"bench": "yes"}),
            json!({"n": round.to_string()}),
        );
        ns.cluster
            .apply_as("bench", &within(&ns.name, object))
            .expect("update a ConfigMap");
    });
}

/// Seconds until the last change of a number that then stays.
fn quiet_after(number: impl Fn() -> f64) -> f64 {
    let started = Instant::now();
    let (mut last, mut changed) = (number(), started);
    while changed.elapsed() < QUIET {
        stays(Duration::from_millis(50), "a while", || Ok(()));
        let now = number();
        if now != last {
            (last, changed) = (now, Instant::now());
        }
    }
    (changed - started).as_secs_f64()
}

fn spec() -> Value {
    let triggers = config_maps(json!({"labelSelector": {"matchLabels": {"bench": "yes"}}}));
    json!({
        "triggers": [{"name": "cm", "watchResource": triggers}],
        "template": esp("
            if esp.triggerName() == 'cm' && esp.triggerData().resource != null then
                local cm = esp.triggerData().resource;
                {
                    apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out-' + cm.metadata.name, labels: {out: 'yes'}},
                    data: cm.data,
                }"),
    })
}
