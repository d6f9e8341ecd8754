//! The fake host answers as the real one.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

use serde_json::{Value, json};

use super::{Host, Item};
use crate::admission::Decision;
use crate::desired::{ApplyOptions, DeleteOptions, ErrorPolicy, PropagationPolicy};
use crate::report::ConditionStatus;
use crate::{
    Admitter, Failure, FailureKind, ObjectId, Provider, Reconciler, UnavailableReason, admission, desired,
    invocation, library, logging, provided, report, state, trigger,
};

fn thing(namespace: &str, name: &str, labels: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"namespace": namespace, "name": name, "labels": labels},
        "data": {"n": 9_007_199_254_740_993_u64},
    })
}

/// Runs some lines as a reconcile.
macro_rules! reconcile {
    ($host:expr, $body:block) => {{
        struct Plugin;
        impl Reconciler for Plugin {
            fn reconcile() -> Result<(), Failure> {
                $body
                #[allow(unreachable_code, reason = "the body may return")]
                Ok(())
            }
        }
        $host.reconcile::<Plugin>()
    }};
}

#[test]
fn objects_are_read_in_order_and_in_every_way() {
    let host = Host::new().context(
        "things",
        [
            thing("b", "two", &json!({"app": "web"})),
            thing("a", "one", &json!({"app": "db", "tier": "x"})),
            thing("b", "three", &json!({})),
        ],
    );
    let outcome = reconcile!(host, {
        let things = state::context("things")?;
        let names = |indices: &[u32]| {
            things
                .ids(indices)
                .into_iter()
                .map(|id| id.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&[0, 1, 2]), ["one", "three", "two"]);
        assert_eq!(things.find("b", "two"), Some(2));
        for (selector, expected) in [
            ("", vec![0, 1, 2]),
            ("app", vec![0, 2]),
            ("!app", vec![1]),
            ("app=web", vec![2]),
            ("app!=web", vec![0, 1]),
            ("app in (web,db),tier", vec![0]),
            ("app notin (web, db)", vec![1]),
        ] {
            assert_eq!(things.select(None, selector)?, expected, "{selector}");
        }
        assert_eq!(things.select(Some("b"), "app")?, [2]);
        assert!(things.select(None, "a b").is_err());
        let values: Vec<Option<u64>> = things.values(&[1], "/data/n")?;
        assert_eq!(values, [Some(9_007_199_254_740_993)]);
        let all: Vec<Value> = things.iter().collect::<Result<_, _>>()?;
        assert_eq!(all.len(), 3);
        assert_eq!(things.revisions().len(), 3);
        assert_ne!(things.revisions()[0], things.revisions()[1]);
    });
    assert_eq!(outcome.result, Ok(()));
}

#[test]
fn what_was_emitted_comes_back_with_groups_and_options() {
    let id = ObjectId {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        namespace: "n".into(),
        name: "old".into(),
    };
    let outcome = reconcile!(Host::new(), {
        let id = ObjectId {
            api_version: "v1".into(),
            kind: "ConfigMap".into(),
            namespace: "n".into(),
            name: "old".into(),
        };
        desired::group(Some(ErrorPolicy::Abort), || {
            let options = ApplyOptions::new().force(true).field_manager_suffix(":x");
            desired::apply_with(&json!({"kind": "A", "metadata": {"name": "a"}}), &options)
        })?;
        desired::delete_with(
            &id,
            &DeleteOptions::new().propagation_policy(PropagationPolicy::Orphan),
        );
    });
    assert_eq!(outcome.result, Ok(()));
    assert_eq!(outcome.object("A", "a").unwrap()["kind"], "A");
    assert_eq!(outcome.deleted(), [&id]);
    let Item::Group { items, .. } = &outcome.items[0] else {
        panic!("{:?}", outcome.items)
    };
    assert!(
        matches!(&items[0], Item::Apply { options, .. } if *options == json!({"fieldManagerSuffix": ":x", "force": true}))
    );
    assert!(
        matches!(&outcome.items[1], Item::Delete { options, .. } if *options == json!({"propagationPolicy": "Orphan"}))
    );
}

#[test]
fn what_is_not_well_formed_fails_like_on_the_real_host() {
    let outcome = reconcile!(Host::new(), {
        desired::apply(&json!({"metadata": {"name": "x"}}))?;
        desired::apply_json("[]", None);
        desired::open_group(None);
    });
    let failure = outcome.result.unwrap_err();
    assert_eq!(failure.kind, FailureKind::InvalidOutput);
    for words in [
        "item 0: Object 'Kind' is missing",
        "item 1: expected",
        "left open",
    ] {
        assert!(failure.message.contains(words), "{}", failure.message);
    }
}

#[test]
fn config_files_triggers_and_computed_entries_are_given() {
    let host = Host::new()
        .config(json!({"n": 1}))
        .file("lib/a/x", "text")
        .provided("computed", json!([1]))
        .provider_fails("broken", UnavailableReason::NotSynced, "not yet")
        .unavailable("later", UnavailableReason::Forbidden, "no")
        .changed("things", thing("a", "one", &json!({})));
    let outcome = reconcile!(host, {
        assert_eq!(invocation::config::<Value>()?, json!({"n": 1}));
        assert_eq!(invocation::owner().id.name, "test");
        assert_eq!(library::read_text("lib/a/x")?, "text");
        assert_eq!(provided::get::<Vec<u8>>("computed")?, [1]);
        assert_eq!(trigger::name().as_deref(), Some("things"));
        assert_eq!(trigger::event().unwrap().name, "one");
        assert!(trigger::object::<Value>()?.is_some());
        let failure: Failure = state::context("later").unwrap_err().into();
        assert_eq!(failure.kind, FailureKind::InvalidInput);
        invocation::keep_instance();
        logging::info("hello", &[("n", &1)]);
        report::condition("Synced", ConditionStatus::False, "Half", "some");
        report::message("all well");
        provided::get::<Value>("broken")?;
    });
    assert_eq!(outcome.result, Err(Failure::not_ready("not yet")));
    assert!(outcome.kept);
    assert_eq!(outcome.log[0].fields, [("n".to_owned(), "1".to_owned())]);
    assert_eq!(outcome.report.conditions["Synced"].1, "Half");
    assert_eq!(outcome.report.message.as_deref(), Some("all well"));
}

struct Other;

impl Provider for Other {
    fn provide() -> Result<String, Failure> {
        Ok(invocation::config_json())
    }
}

impl Admitter for Other {
    fn admit(request: &str) -> Result<Decision, Failure> {
        let request: Value = serde_json::from_str(request)?;
        admission::warn("careful");
        admission::annotate("key", "value");
        Decision::allowed("").code(201).object(&request["object"])
    }
}

#[test]
fn providers_and_admitters_run_too() {
    assert_eq!(Host::new().config(json!([1])).provide::<Other>(), Ok(json!([1])));
    let admission = Host::new().admit::<Other>(json!({"object": {"kind": "A"}}));
    assert_eq!(
        admission.decision(),
        Ok(json!({"allowed": true, "code": 201, "object": {"kind": "A"}}))
    );
    assert_eq!(admission.warnings, ["careful"]);
    assert_eq!(admission.annotations["key"], "value");
}

#[test]
#[should_panic(expected = "espejote_sdk::testing::Host")]
fn without_a_host_a_panic_says_what_is_missing() {
    let _ = invocation::config_json();
}

#[test]
fn a_panic_leaves_no_host_behind() {
    struct Panics;
    impl Reconciler for Panics {
        fn reconcile() -> Result<(), Failure> {
            std::panic::resume_unwind(Box::new("as meant"))
        }
    }
    let panicked = std::panic::catch_unwind(|| Host::new().reconcile::<Panics>());
    assert!(panicked.is_err());
    assert_eq!(reconcile!(Host::new(), {}).result, Ok(()));
}
