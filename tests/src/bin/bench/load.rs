//! Many requests at a time.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use espejote_tests::{Cluster, OperatorOptions, eventually_within, run, stays, waiting::holds};
use serde_json::json;

/// Connections of the bare client.
pub const CONNECTIONS: usize = 8;

/// Does something `count` times over eight connections, and says how long it took.
pub fn in_parallel(count: usize, work: impl Fn(usize) + Sync) -> Duration {
    let next = AtomicUsize::new(0);
    let started = Instant::now();
    thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        return;
                    }
                    work(index);
                }
            });
        }
    });
    started.elapsed()
}

/// How many objects of a kind a namespace has, by a selector.
pub fn count(cluster: &Cluster, kind_path: &str, selector: &str) -> usize {
    let text = cluster.read(&format!("{kind_path}?{selector}")).expect("a list");
    let list: serde_json::Value = serde_json::from_str(&text).expect("a list");
    list["items"].as_array().map_or(0, Vec::len)
}

/// Namespaces that templates filter. They stay for all runs.
pub fn make_namespaces(namespaces: usize) {
    let admin = run::admin();
    in_parallel(namespaces, |index| {
        let odd = if index % 2 == 1 { "yes" } else { "no" };
        admin.ensure(&json!({
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": format!("bench-ns-{index}"), "labels": {"bench": "yes", "odd": odd}},
        }));
    });
    eventually_within(
        Duration::from_secs(180),
        "the controller manager has followed",
        || {
            let ours = count(
                admin,
                "/api/v1/configmaps",
                "fieldSelector=metadata.name%3Dkube-root-ca.crt",
            );
            holds(ours >= namespaces, || format!("{ours}"))
        },
    );
}

/// The value in the middle.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// An operator with the flags of the shipped manifests, as far as they matter for speed.
pub fn shipped(name: &str) -> OperatorOptions {
    let mut options = OperatorOptions::named(name);
    options.arguments.push("--zap-devel=false".to_owned());
    options
}

/// Lets the operator be for ten seconds, after which memory is read.
pub fn rest() {
    stays(Duration::from_secs(10), "at rest", || Ok(()));
}

/// Kibibytes as mebibytes.
pub fn mib(kib: u64) -> f64 {
    kib as f64 / 1_024.0
}
