//! Many ManagedResources that read the same large context.

use std::time::{Duration, Instant};

use espejote_tests::{
    Namespace, Operator, eventually_within,
    objects::{config_maps, labelled, managed_resource, within, writes},
    process, run,
    waiting::equal,
};
use serde_json::{Value, json};

use crate::{
    figure::{Budget, Figure},
    load::{in_parallel, mib, rest, shipped},
    plot::Plot,
};

const CONFIG_MAPS: usize = 2_000;
/// Bytes of each ConfigMap's data.
const SIZE: usize = 2_900;
const FIRST: usize = 30;
const MORE: usize = 40;

/// Memory and time for 30 of them, and memory for each more.
pub fn measure() -> Vec<Figure> {
    let admin = run::admin();
    let operator = Operator::start(admin, &shipped("contexts"));
    let ns = Namespace::served_by(admin, &operator, "bench-contexts");
    seed(&ns);
    let mut points = vec![(0.0, mib(process::resident(operator.pid())))];
    let time = add(&ns, 0..FIRST);
    rest();
    let first = mib(process::resident(operator.pid()));
    add(&ns, FIRST..FIRST + MORE);
    rest();
    let all = mib(process::resident(operator.pid()));
    let each = (all - first) / MORE as f64;
    points.extend([(FIRST as f64, first), ((FIRST + MORE) as f64, all)]);
    plot(points).write();
    let peak = mib(process::peak(operator.pid()));
    vec![
        Figure::once("30 on 2,000 ConfigMaps: RSS", first, "MiB", Budget::AtMost(45.0)),
        Figure::once(
            "30 on 2,000 ConfigMaps: all Ready after",
            time.as_secs_f64(),
            "s",
            Budget::AtMost(1.0),
        ),
        Figure::once(
            "30 on 2,000 ConfigMaps: each more",
            each,
            "MiB",
            Budget::AtMost(0.15),
        ),
        Figure::once("70 on 2,000 ConfigMaps: peak RSS", peak, "MiB", Budget::None),
    ]
}

fn plot(points: Vec<(f64, f64)>) -> Plot {
    let limit = |count: usize| 45.0 + 0.15 * count.saturating_sub(FIRST) as f64;
    Plot {
        file: "bench-memory",
        title: "Memory by ManagedResources that read the same 2,000 ConfigMaps",
        across: "ManagedResources",
        up: "MiB",
        points,
        limit: [0, FIRST, FIRST + MORE]
            .map(|count| (count as f64, limit(count)))
            .to_vec(),
    }
}

/// The 2,000 ConfigMaps of the context: `cm-0` and so on, labelled `bench: yes`.
pub fn seed(ns: &Namespace<'_>) {
    in_parallel(CONFIG_MAPS, |index| {
        let text = json!({"text": "x".repeat(SIZE)});
        let object = labelled(&format!("cm-{index}"), json!({"bench": "yes"}), text);
        ns.cluster
            .create(&within(&ns.name, object))
            .expect("create a ConfigMap");
    });
}

/// Creates them, and waits until all are ready.
fn add(ns: &Namespace<'_>, range: std::ops::Range<usize>) -> Duration {
    let total = range.end;
    let started = Instant::now();
    for index in range {
        ns.create(managed_resource(&format!("mr-{index}"), spec(index)));
    }
    eventually_within(Duration::from_secs(120), "all are ready", || {
        equal(ready(ns), total)
    });
    started.elapsed()
}

fn spec(index: usize) -> Value {
    let selected = config_maps(json!({"labelSelector": {"matchLabels": {"bench": "yes"}}}));
    let count = "std.toString(std.length(esp.context().cms))";
    json!({
        "context": [{"name": "cms", "resource": selected}],
        "template": writes(&format!("out-{index}"), count),
    })
}

/// How many ManagedResources of a namespace are ready.
pub fn ready(ns: &Namespace<'_>) -> usize {
    let all = ns
        .cluster
        .list("espejote.io/v1alpha1", "ManagedResource", &ns.name);
    all.iter()
        .filter(|resource| resource["status"]["status"] == "Ready")
        .count()
}
