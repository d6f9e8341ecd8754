//! What went wrong elsewhere.

use std::time::{Duration, Instant};

use espejote_tests::{
    Namespace, eventually,
    namespace::EDIT,
    objects::{GROUP, config_maps, definition_of, esp, watched, writes},
    waiting::{equal, holds},
};
use serde_json::{json, value::RawValue};

/// Case 8: numbers pass through as they are.
#[test]
fn a6_large_integers_pass_through_unchanged() {
    let ns = Namespace::new("case8");
    let number = |kind: &str| json!({"type": kind});
    let spec = json!({"type": "object", "properties": {
        "id": {"type": "integer", "format": "int64"}, "ratio": number("number"), "count": number("number"),
        "neg": number("number"), "huge": number("number"),
    }});
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    ns.cluster
        .ensure(&definition_of("Big", "bigs", "Namespaced", "v1", schema));
    ns.grant(GROUP, &["bigs"], EDIT);
    let object = r#"{"apiVersion":"test.espejote.io/v1","kind":"Big","metadata":{"name":"source"},
        "spec":{"id":9007199254740993,"ratio":0.1,"count":3.0,"neg":-0,"huge":1e21}}"#;
    let path = format!("/apis/test.espejote.io/v1/namespaces/{}/bigs", ns.name);
    eventually("the source is there", || {
        let made = ns
            .cluster
            .send("POST", &path, "application/json", object.as_bytes());
        made.map(drop).map_err(|refusal| refusal.to_string())
    });
    ns.managed(
        "pass-through",
        json!({
            "context": [{"name": "bigs", "resource": watched("test.espejote.io/v1", "Big", json!({"name": "source"}))}],
            "template": esp("[{apiVersion: o.apiVersion, kind: o.kind, metadata: {name: 'copy'}, spec: o.spec} for o in esp.context().bigs]"),
        }),
    )
    .is_ready();
    let spec = |name: &str| raw_spec(&ns.cluster.read(&format!("{path}/{name}")).expect("it is there"));
    assert!(spec("source").contains("9007199254740993"));
    assert_eq!(spec("copy"), spec("source"));
}

/// The bytes of `spec`.
fn raw_spec(object: &str) -> String {
    let object: std::collections::HashMap<String, Box<RawValue>> =
        serde_json::from_str(object).expect("an object");
    object["spec"].get().to_owned()
}

/// Case 9: those that blow up do so alone.
#[test]
fn s3_a_bomb_does_not_disturb_its_calm_neighbour() {
    let ns = Namespace::new("case9");
    let bombs = [
        ns.managed("stack", json!({"template": "local f(x) = f(x + 1) + 1; f(0)"})),
        ns.managed(
            "memory",
            json!({"template": "std.manifestJson([[i, i] for i in std.range(0, 100000000)])"}),
        ),
        ns.managed(
            "time",
            json!({"template": "std.foldl(function(a, i) (a + i) % 7, std.range(0, 1000000000), 0)"}),
        ),
    ];
    let watched = config_maps(json!({"name": "tick"}));
    ns.managed(
        "calm",
        json!({
            "context": [{"name": "tick", "resource": watched}],
            "triggers": [{"name": "tick", "watchContextResource": {"name": "tick"}}],
            "template": writes("tock", "std.toString([o.data.n for o in esp.context().tick])"),
        }),
    )
    .is_ready();
    let started = Instant::now();
    let mut round = 0;
    let exploded = |bomb: &espejote_tests::Managed<'_>| bomb.status() == "TemplateError";
    while round < 20 || !bombs.iter().all(exploded) {
        round += 1;
        ns.config_map("tick", json!({"n": round.to_string()}));
        ns.has_data("tock", json!({"text": format!("[\"{round}\"]")}));
        assert!(
            started.elapsed() < Duration::from_secs(120),
            "the bombs have not exploded"
        );
    }
    let average = started.elapsed() / round;
    assert!(average < Duration::from_secs(3), "{average:?} a round");
    bombs[0].warns("TemplateError", &["stack"]);
}

/// Case 7: a changed ManagedResource leaves no watch behind.
#[test]
fn t21_a_watch_that_is_no_longer_asked_for_ends() {
    let ns = Namespace::new("case7");
    let plural = "formerthings";
    ns.cluster.ensure(&espejote_tests::objects::definition(
        "FormerThing",
        plural,
        "Namespaced",
        "v1",
    ));
    ns.grant(GROUP, &[plural], EDIT);
    let trigger =
        json!({"name": "t", "watchResource": watched("test.espejote.io/v1", "FormerThing", json!({}))});
    let managed = ns.managed("test", json!({"triggers": [trigger], "template": "null"}));
    let open = || espejote_tests::watched::in_namespaces(ns.cluster, GROUP, plural);
    eventually("it is watched", || equal(open(), 1.0));
    managed.update(json!({"template": "null"}));
    managed.is_ready();
    eventually("it is not watched any more", || equal(open(), 0.0));
}

/// A name that is too long for a field manager is an error that says so, or is coped with; neighbours go on.
#[test]
fn a6_a_long_name_is_coped_with() {
    let ns = Namespace::new("long-name");
    let name = "n".repeat(200);
    let managed = ns.managed(&name, json!({"template": writes("out", "'x'")}));
    eventually("it says what became of it", || {
        let status = managed.status();
        let written = ns.get_config_map("out").is_some();
        let warned = managed
            .warnings()
            .iter()
            .any(|warning| warning.note.contains("fieldManager"));
        holds(
            status == "Ready" && written || status == "ApplyError" && warned,
            || status.clone(),
        )
    });
}

/// A template that passes a live object on, with its server-side fields, is judged by the API server in its own words.
#[test]
fn a18_a_live_object_with_its_uid_can_be_applied_again() {
    let ns = Namespace::new("live");
    ns.config_map("live", json!({"a": "1"}));
    let context = json!([{"name": "cms", "resource": config_maps(json!({"name": "live"}))}]);
    let template = esp("[o + {data+: {b: '2'}} for o in esp.context().cms]");
    let managed = ns.managed(
        "test",
        json!({"context": context, "applyOptions": {"force": true}, "template": template}),
    );
    managed.is_ready();
    ns.has_data("live", json!({"a": "1", "b": "2"}));
}

/// Two ManagedResources in different namespaces with the same name do not know each other.
#[test]
fn a6_equal_names_in_two_namespaces_are_two() {
    let (one, two) = (Namespace::new("twin"), Namespace::new("twin"));
    for (ns, text) in [(&one, "one"), (&two, "two")] {
        ns.managed("same", json!({"template": writes("out", &format!("'{text}'"))}));
    }
    one.has_data("out", json!({"text": "one"}));
    two.has_data("out", json!({"text": "two"}));
    for ns in [&one, &two] {
        eventually("each is counted for itself", || {
            let reconciles = ns.metric("espejote_reconciles_total", &[("managedresource", "same")]);
            holds(reconciles >= 1.0, || reconciles.to_string())
        });
    }
}
