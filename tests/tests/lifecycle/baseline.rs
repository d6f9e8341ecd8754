//! What is left when everything has gone.

use std::time::Duration;

use espejote_tests::{
    Namespace, eventually_within,
    objects::{config_maps, managed_resource, writes},
    process, run,
    waiting::{equal, holds},
    watched,
};
use serde_json::{Value, json};

use crate::Alone;

const COUNT: usize = 200;

/// Each with a selector of its own, so that it has a watch of its own.
fn spec(index: usize) -> Value {
    let selector = json!({"matchLabels": {"for": index.to_string()}});
    json!({
        "triggers": [{"name": "cm", "watchResource": config_maps(json!({"labelSelector": selector}))}],
        "template": writes(&format!("out-{index}"), "'x'"),
    })
}

/// K7, case 7: many that are made and deleted leave no watch, no metric and little memory.
#[test]
fn k7_two_hundred_that_come_and_go_leave_nothing() {
    let alone = Alone::new("baseline");
    let operator = alone.operator();
    let ns = Namespace::served_by(run::admin(), operator, "baseline");
    let watches = || watched::in_namespaces(ns.cluster, "", "configmaps");
    // The API server itself has some.
    let others = watches();
    let of_namespace = || {
        let samples = operator.metrics().samples;
        samples
            .iter()
            .filter(|sample| sample.labels.get("namespace") == Some(&ns.name))
            .count()
    };
    let round = || {
        for index in 0..COUNT {
            ns.apply(managed_resource(&format!("mr-{index}"), spec(index)));
        }
        eventually_within(Duration::from_secs(90), "all are ready", || {
            let ready = operator.metric(
                "espejote_managedresource_status_ready",
                &[("namespace", &ns.name)],
            );
            equal(ready, COUNT as f64)
        });
        ns.cluster
            .delete_all("espejote.io/v1alpha1", "ManagedResource", &ns.name);
        eventually_within(Duration::from_secs(60), "nothing is left", || {
            equal((of_namespace(), watches()), (0, others))
        });
    };
    round();
    let first = process::resident(operator.pid());
    round();
    eventually_within(
        Duration::from_secs(30),
        "memory does not grow with each round",
        || {
            let second = process::resident(operator.pid());
            holds(second < first + 6 * 1_024, || {
                format!("{first} KiB after one round, {second} after two")
            })
        },
    );
}
