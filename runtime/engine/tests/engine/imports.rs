//! Every import is served.

use std::{collections::BTreeMap, sync::Arc};

use espejote_core::{
    Collection, Context, ContextValue, Library, LibraryFile, LibraryScope, ObjectId, Revision, Trigger,
    Unavailable, UnavailableReason,
};
use serde_json::{Value, json};

use crate::support::{data, guests, invocation, object, patient, run, with_things};

fn library(text: &str) -> LibraryScope {
    let file = LibraryFile {
        text: text.into(),
        revision: Revision(7),
    };
    let library = Library {
        files: BTreeMap::from([("x".to_owned(), file)]),
    };
    Arc::new(BTreeMap::from([("a".to_owned(), Arc::new(library))]))
}

fn unavailable(name: &str, value: fn(Unavailable) -> ContextValue) -> Context {
    Context {
        name: name.into(),
        value: value(Unavailable::new(UnavailableReason::NotSynced, "not yet")),
    }
}

#[tokio::test]
async fn a_call_sees_its_owner_config_trigger_libraries_and_computed_contexts() {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "n"}});
    let mut invocation = invocation(&json!({"mode": "echo"}));
    invocation.trigger = Trigger {
        name: Some("pods".into()),
        event: Some(ObjectId {
            api_version: "v1".into(),
            kind: "Pod".into(),
            namespace: "n".into(),
            name: "p".into(),
        }),
        object: Some(object(&pod, 1)),
    };
    invocation.libraries.local = Some(Ok(library("local")));
    invocation.libraries.shared = Ok(library("shared"));
    invocation.snapshot.contexts = vec![
        Context {
            name: "computed".into(),
            value: ContextValue::Provided(Ok(r#"{"n":1}"#.into())),
        },
        unavailable("broken", |why| ContextValue::Provided(Err(why))),
    ];
    let call = guests().await.reconcile(invocation, &patient()).await;
    assert!(call.keep);
    assert!(call.usage.emitted_bytes > 0 && call.usage.memory_peak > 0 && !call.usage.wall.is_zero());
    assert_eq!(
        data(&call.result.unwrap(), "echo"),
        json!({
            "owner": ["espejote.io/v1alpha1 ManagedResource tenant owner", "uid-1"],
            "config": r#"{"mode":"echo"}"#,
            "trigger": ["pods", "v1 Pod n p", pod],
            "library": [
                ["local", 7],
                ["shared", 7],
                ["ReadErrorReason::InvalidPath", "invalid path"],
                [
                    "ReadErrorReason::NoLibrary",
                    "JsonnetLibrary \"none\" not found in the namespace of the one that imports it; shared ones are imported as \
                     lib/<library>/<key>"
                ],
                ["ReadErrorReason::NoKey", "key \"none\" not found in manifest \"a\""],
            ],
            "provided": [
                ["computed", "broken"],
                r#"{"n":1}"#,
                ["UnavailableReason::NotSynced", "not yet"],
                ["UnavailableReason::UnknownName", "context \"unknown\" is not defined"],
            ],
        })
    );
}

fn thing(namespace: &str, name: &str, app: Option<&str>, revision: u64) -> Arc<espejote_core::Object> {
    let mut metadata = json!({"namespace": namespace, "name": name});
    if let Some(app) = app {
        metadata["labels"] = json!({"app": app});
    }
    object(
        &json!({"apiVersion": "v1", "kind": "T", "metadata": metadata}),
        revision,
    )
}

#[tokio::test]
async fn collections_are_read_in_every_way() {
    let objects = vec![
        thing("b", "two", None, 12),
        thing("a", "one", Some("web"), 11),
        thing("b", "three", Some("db"), 13),
    ];
    let text = |n: usize| objects[n].json().to_string();
    let (one, three, two) = (text(1), text(2), text(0));
    let mut invocation = invocation(&json!({"mode": "state"}));
    invocation
        .snapshot
        .contexts
        .push(unavailable("later", |why| ContextValue::Objects(Err(why))));
    invocation.snapshot.contexts.push(Context {
        name: "computed".into(),
        value: ContextValue::Provided(Ok("1".into())),
    });
    let invocation = with_things(invocation, Collection::new(objects.clone(), Revision(99)));
    let call = guests().await.reconcile(invocation, &patient()).await;
    let found = data(&call.result.unwrap(), "state");
    let expected = json!({
        "names": ["later", "things"],
        "unavailable": [
            "UnavailableReason::NotSynced: not yet",
            "UnavailableReason::UnknownName: context \"unknown\" is not defined",
            "UnavailableReason::UnknownName: context \"computed\" is not defined",
        ],
        "len": 3,
        "revision": [99, 99],
        "revisions": [11, 13, 12],
        "find": [2, null, null],
        "select": [[0, 1, 2], [1, 2], [0], [1, 2], []],
        "ids": ["v1 T a one", "v1 T b three", "v1 T b two"],
        "read": [two, one, one],
        "scan": [[one], [three, two], []],
        "values": ["\"web\"", "\"db\"", null],
        "nothing": [0, 0],
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&found[key], value, "{key}");
    }
    for key in ["bad selector", "bad pointer"] {
        assert!(found[key].as_str().unwrap().contains("invalid"), "{key}");
    }
}

#[tokio::test]
async fn the_log_says_what_it_would_keep() {
    let call = run("enabled", &patient()).await;
    // No subscriber in the tests: nothing would be kept.
    assert_eq!(data(&call.result.unwrap(), "enabled"), json!([false, false]));
}

#[tokio::test]
async fn the_same_invocation_gives_the_same_result() {
    let first = run("chance", &patient()).await.result.unwrap();
    let second = run("chance", &patient()).await.result.unwrap();
    assert_eq!(first, second);
    let mut other = crate::support::mode("chance");
    other.seed += 1;
    let third = guests().await.reconcile(other, &patient()).await.result.unwrap();
    let random = |desired| data(desired, "chance")["random"].clone();
    assert_ne!(random(&first), random(&third));
    assert!(random(&first) != Value::Null);
}
