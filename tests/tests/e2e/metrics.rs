//! What monitoring reads.

use espejote_tests::{
    Namespace, eventually,
    objects::{config_maps, esp, labelled, writes},
    waiting::{equal, holds},
};
use serde_json::json;

/// M1, M2: the objects of each context and trigger, and their size.
#[test]
fn m1_cached_objects_are_counted_for_each_context_and_trigger() {
    let ns = Namespace::new("m1");
    for index in 0..100 {
        let labels = if index % 2 == 0 {
            json!({"m1": "even"})
        } else {
            json!({})
        };
        ns.create(labelled(
            &format!("cm-{index}"),
            labels,
            json!({"text": "x".repeat(100)}),
        ));
    }
    let ignored = json!({"ignoreNames": ["kube-root-ca.crt"]});
    ns.managed(
        "test",
        json!({
            "context": [
                {"name": "all-cms", "resource": config_maps(ignored)},
                {"name": "labelled", "resource": config_maps(json!({"labelSelector": {"matchLabels": {"m1": "even"}}}))},
            ],
            "triggers": [{"name": "some", "watchResource": config_maps(json!({"matchNames": ["cm-1", "cm-2"]}))}],
            "template": "null",
        }),
    )
    .is_ready();
    let of = |metric: &str, name: &str, kind: &str| {
        ns.metric(
            metric,
            &[("managedresource", "test"), ("name", name), ("type", kind)],
        )
    };
    eventually("all are counted", || {
        let counts = [
            ("all-cms", "context"),
            ("labelled", "context"),
            ("some", "trigger"),
        ];
        equal(
            counts.map(|(name, kind)| of("espejote_cached_objects", name, kind)),
            [100.0, 50.0, 2.0],
        )
    });
    let size = |name: &str, kind: &str| of("espejote_cache_size_bytes", name, kind);
    let (all, half) = (size("all-cms", "context"), size("labelled", "context"));
    assert!(all > 100.0 * 200.0 && all < 100.0 * 2_000.0, "{all}");
    assert!(half > all * 0.4 && half < all * 0.6, "{half} of {all}");
}

/// M3, M4: reconciles and errors, by trigger.
#[test]
fn m3_reconciles_and_errors_are_counted_by_trigger() {
    let ns = Namespace::new("m3");
    let managed = ns.managed("test", json!({"template": writes("out", "'x'")}));
    managed.is_ready();
    assert!(managed.reconciles("") >= 1.0);
    assert_eq!(managed.errors("", "TemplateError"), 0.0);
    managed.update(json!({"template": "error 'broken'"}));
    managed.is("TemplateError");
    eventually("the error is counted", || {
        let errors = managed.errors("", "TemplateError");
        holds(errors >= 1.0, || format!("{errors}"))
    });
}

/// M5: names, types and helps as promlint wants them.
#[test]
fn m5_the_metrics_are_well_formed() {
    let ns = Namespace::new("m5");
    ns.managed("test", json!({"template": "null"})).is_ready();
    assert_eq!(ns.operator.metrics().complaints(), Vec::<String>::new());
}

/// M1 to M7: help texts that people search for.
#[test]
fn m6_help_texts_are_as_they_were() {
    let ns = Namespace::new("m6-help");
    let spec =
        json!({"context": [{"name": "c", "resource": config_maps(json!({}))}], "template": "error 'x'"});
    ns.managed("test", spec).is("TemplateError");
    let metrics = ns.operator.metrics();
    let helps = [
        (
            "espejote_cached_objects",
            "gauge",
            "Number of objects in the cache.",
        ),
        (
            "espejote_reconciles_total",
            "counter",
            "Total number of reconciles by trigger.",
        ),
        (
            "espejote_managedresource_status",
            "gauge",
            "Status of the managed resource. Read from the resources .status.status field.",
        ),
        (
            "espejote_managedresource_status_ready",
            "gauge",
            "Ready status of the managed resource. 1 if ready, 0 if any other status. Read from the resources .status.status field.",
        ),
    ];
    for (name, kind, help) in helps {
        assert_eq!(
            (metrics.kind(name), metrics.help(name)),
            (Some(kind), Some(help)),
            "{name}"
        );
    }
    let size = metrics.help("espejote_cache_size_bytes").unwrap_or_default();
    assert!(
        size.starts_with("Size of the cache in bytes. Note that this is an approximation."),
        "{size}"
    );
    assert_eq!(metrics.kind("espejote_reconcile_errors_total"), Some("counter"));
}

/// M6, M7: the status and whether it is Ready.
#[test]
fn m7_the_status_is_a_metric() {
    let ns = Namespace::new("m7");
    let managed = ns.managed("test", json!({"template": "null"}));
    let ready = || {
        ns.metric(
            "espejote_managedresource_status_ready",
            &[("managedresource", "test")],
        )
    };
    let status = |status: &str| {
        ns.metric(
            "espejote_managedresource_status",
            &[("managedresource", "test"), ("status", status)],
        )
    };
    eventually("it is ready", || equal((ready(), status("Ready")), (1.0, 1.0)));
    managed.update(json!({"template": "error 'x'"}));
    eventually("it is not", || {
        equal(
            (ready(), status("Ready"), status("TemplateError")),
            (0.0, 0.0, 1.0),
        )
    });
}

/// M3: ticks are counted under their trigger's name.
#[test]
fn m3_ticks_are_counted_under_their_trigger() {
    let ns = Namespace::new("m3-ticks");
    let spec = json!({"triggers": [{"name": "tick", "interval": "100ms"}], "template": esp("null")});
    let managed = ns.managed("test", spec);
    eventually("it ticks", || {
        let ticks = managed.reconciles("tick");
        holds(ticks >= 3.0, || format!("{ticks}"))
    });
}
