//! One object into each of many namespaces, from one reconcile.

use std::time::{Duration, Instant};

use espejote_tests::{
    Namespace, Operator, eventually_within, namespace::READ, objects::esp, process, run, waiting::equal,
};
use serde_json::{Value, json};

use crate::{
    figure::{Budget, Figure},
    load::{count, make_namespaces, mib, rest, shipped},
};

const NAMESPACES: usize = 2_000;

/// How long it takes.
pub fn measure() -> Vec<Figure> {
    let (time, _) = spread(NAMESPACES, Duration::from_secs(300));
    vec![Figure::once(
        "one object into each of 2,000 namespaces",
        time.as_secs_f64(),
        "s",
        Budget::AtMost(10.0),
    )]
}

/// Time, and resident memory before, at its peak, and after, in MiB.
pub fn spread(namespaces: usize, patience: Duration) -> (Duration, [f64; 3]) {
    make_namespaces(namespaces);
    let admin = run::admin();
    let operator = Operator::start(admin, &shipped("spread"));
    let ns = Namespace::served_by(admin, &operator, "bench-spread");
    ns.grant_everywhere("", &["namespaces"], READ);
    ns.grant_everywhere("", &["configmaps"], &["get", "patch", "create"]);
    let before = mib(process::resident(operator.pid()));
    let started = Instant::now();
    let managed = ns.managed("test", spec(&ns.name));
    eventually_within(patience, "every namespace has its object", || {
        let there = count(
            admin,
            "/api/v1/configmaps",
            &format!("labelSelector=spread%3D{}", ns.name),
        );
        equal(there, namespaces)
    });
    let time = started.elapsed();
    assert_eq!(managed.warnings(), [], "nothing went wrong");
    rest();
    let after = mib(process::resident(operator.pid()));
    let peak = mib(process::peak(operator.pid()));
    (time, [before, peak, after])
}

fn spec(name: &str) -> Value {
    let namespaces =
        json!({"apiVersion": "v1", "kind": "Namespace", "labelSelector": {"matchLabels": {"bench": "yes"}}});
    json!({
        "context": [{"name": "namespaces", "resource": namespaces}],
        "template": esp(&format!("[
            {{
                apiVersion: 'v1', kind: 'ConfigMap',
                metadata: {{name: 'spread', namespace: ns.metadata.name, labels: {{spread: '{name}'}}}},
                data: {{of: ns.metadata.name}},
            }}
            for ns in esp.context().namespaces
        ]")),
    })
}
