//! Large clusters: a thousand ManagedResources, ten thousand namespaces, a hundred thousand objects. Not for every day:
//! it takes up to half an hour, most of it for seeding, which no figure contains.

use std::time::{Duration, Instant};

use espejote_tests::{
    Namespace, Operator, eventually_within,
    namespace::READ,
    objects::{config_maps, managed_resource, writes},
    process, run,
    waiting::equal,
};
use serde_json::{Value, json};

use crate::{
    contexts::{self, ready},
    figure::{Budget, Figure},
    latency,
    load::{in_parallel, mib, rest, shipped},
    spread,
};

const MANAGED: usize = 1_000;
const NAMESPACES: usize = 10_000;
const ROLE_BINDINGS: usize = 11_000;
/// Subjects that make a RoleBinding about 4 KiB large.
const SUBJECTS: usize = 36;
const CONTEXT: usize = 100_000;
const PATIENCE: Duration = Duration::from_secs(600);

/// A thousand ManagedResources on one context of 2,000 ConfigMaps, each with two watches of its own.
pub fn managed_resources() -> Vec<Figure> {
    let admin = run::admin();
    let operator = Operator::start(admin, &shipped("large-managed"));
    let ns = Namespace::served_by(admin, &operator, "bench-large-managed");
    contexts::seed(&ns);
    let started = Instant::now();
    in_parallel(MANAGED, |index| {
        ns.create(managed_resource(&format!("mr-{index}"), managed(index)));
    });
    eventually_within(PATIENCE, "all are ready", || equal(ready(&ns), MANAGED));
    let time = started.elapsed();
    rest();
    let resident = mib(process::resident(operator.pid()));
    let peak = mib(process::peak(operator.pid()));
    vec![
        Figure::once(
            "1,000 ManagedResources, 2,001 watches: RSS",
            resident,
            "MiB",
            Budget::AtMost(200.0),
        ),
        Figure::once("1,000 ManagedResources: peak RSS", peak, "MiB", Budget::None),
        Figure::once(
            "1,000 ManagedResources: all Ready after",
            time.as_secs_f64(),
            "s",
            Budget::None,
        ),
    ]
}

fn managed(index: usize) -> Value {
    let all = config_maps(json!({"labelSelector": {"matchLabels": {"bench": "yes"}}}));
    let one = |index: usize| config_maps(json!({"name": format!("cm-{index}")}));
    json!({
        "context": [{"name": "cms", "resource": all}, {"name": "own", "resource": one(index)}],
        "triggers": [{"name": "other", "watchResource": one(index + MANAGED)}],
        "template": writes(&format!("out-{index}"), "std.toString(std.length(esp.context().cms))"),
    })
}

/// One object into each of ten thousand namespaces.
pub fn namespaces() -> Vec<Figure> {
    let (time, [before, peak, after]) = spread::spread(NAMESPACES, PATIENCE);
    let name = |what: &str| format!("one object into each of 10,000 namespaces: {what}");
    vec![
        Figure::once(name("time"), time.as_secs_f64(), "s", Budget::None),
        Figure::once(name("RSS before"), before, "MiB", Budget::None),
        Figure::once(name("peak RSS"), peak, "MiB", Budget::None),
        Figure::once(name("RSS after"), after, "MiB", Budget::None),
    ]
}

/// A context of 11,000 RoleBindings of 4 KiB: memory while it fills, and afterwards.
pub fn role_bindings() -> Vec<Figure> {
    let admin = run::admin();
    let operator = Operator::start(admin, &shipped("large-bindings"));
    let ns = Namespace::served_by(admin, &operator, "bench-large-bindings");
    in_parallel(ROLE_BINDINGS, |index| {
        admin
            .create(&role_binding(&ns.name, index))
            .expect("create a RoleBinding");
    });
    ns.grant("rbac.authorization.k8s.io", &["rolebindings"], READ);
    let started = Instant::now();
    let bindings = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding"});
    let managed = ns.managed(
        "test",
        json!({
            "context": [{"name": "bindings", "resource": bindings}],
            "template": writes("out", "std.toString(std.length(esp.context().bindings))"),
        }),
    );
    managed.is_ready();
    let time = started.elapsed();
    rest();
    let name = |what: &str| format!("11,000 RoleBindings of 4 KiB: {what}");
    vec![
        Figure::once(
            name("peak RSS"),
            mib(process::peak(operator.pid())),
            "MiB",
            Budget::None,
        ),
        Figure::once(
            name("RSS"),
            mib(process::resident(operator.pid())),
            "MiB",
            Budget::None,
        ),
        Figure::once(name("Ready after"), time.as_secs_f64(), "s", Budget::None),
    ]
}

fn role_binding(namespace: &str, index: usize) -> Value {
    let subject = |of: usize| {
        let name = format!("user-{index}-{of}-{}", "x".repeat(30));
        json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name})
    };
    let subjects: Vec<Value> = (0..SUBJECTS).map(subject).collect();
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": {"name": format!("binding-{index}"), "namespace": namespace},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
        "subjects": subjects,
    })
}

/// One event in a context of a hundred thousand objects.
pub fn context() -> Vec<Figure> {
    let operator = Operator::start(run::admin(), &shipped("large-context"));
    let (latency, cpu) = latency::of_size(&operator, CONTEXT);
    let resident = mib(process::resident(operator.pid()));
    let peak = mib(process::peak(operator.pid()));
    let name = |what: &str| format!("one event, context of 100,000: {what}");
    vec![
        Figure::once(name("latency"), latency, "ms", Budget::None),
        Figure::once(name("CPU"), cpu, "ms", Budget::None),
        Figure::once(name("RSS"), resident, "MiB", Budget::None),
        Figure::once(name("peak RSS"), peak, "MiB", Budget::None),
    ]
}
