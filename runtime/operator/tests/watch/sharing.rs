//! Who shares a watch, and when it ends.

use std::time::Duration;

use crate::{
    LONG, Operator, config_maps, data, eventually, names, scripted_api::ScriptedApi, short, stays, synced,
};

/// K10:
#[tokio::test]
async fn k10_thirty_identical_definitions_share_one_watch_and_one_store() {
    let api = ScriptedApi::start().await;
    api.state().put("a", "x", "1");
    let operator = Operator::new(&api);
    let handles: Vec<_> = (0..30).map(|_| operator.watch("a")).collect();
    for handle in &handles {
        assert_eq!(names(&synced(handle).await), ["x"]);
    }
    let collections: Vec<_> = handles
        .iter()
        .map(|handle| handle.reader().read().collection)
        .collect();
    assert!(
        collections
            .iter()
            .all(|collection| std::sync::Arc::ptr_eq(collection, &collections[0]))
    );
    assert_eq!(api.requests(|seen| seen.is_watch()).len(), 1);
    assert_eq!((operator.watches.len(), operator.watches.tasks()), (1, 1));
}

#[tokio::test]
async fn equal_objects_of_different_watches_are_one_object() {
    let api = ScriptedApi::start().await;
    api.state().put("a", "x", "1");
    let operator = Operator::new(&api);
    let mut other = config_maps("a");
    other.label_selector = "app".to_owned();
    let (first, second) = (operator.watch("a"), operator.watches.acquire(&other, LONG));
    let (first, second) = (synced(&first).await, synced(&second).await);
    let object = |reader: &espejote_operator::cache::Reader| reader.read().collection.objects()[0].clone();
    assert!(std::sync::Arc::ptr_eq(&object(&first), &object(&second)));
}

/// Case 7:
#[tokio::test]
async fn a_watch_ends_with_its_last_handle() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    for round in 0..200 {
        let (one, two) = (operator.watch(&format!("ns-{}", round % 7)), operator.watch("a"));
        if round % 20 == 0 {
            synced(&one).await;
            synced(&two).await;
        }
    }
    eventually("no task is left", || operator.watches.tasks() == 0).await;
    eventually("no watch is left", || api.state().open_watches() == 0).await;
    assert!(operator.watches.is_empty());
}

#[tokio::test]
async fn closing_ends_all_watches() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    let handle = operator.watch("a");
    synced(&handle).await;
    operator.watches.close().await;
    assert_eq!(operator.watches.tasks(), 0);
}

#[tokio::test]
async fn a_subscriber_gets_what_is_there_and_then_every_change_once() {
    let api = ScriptedApi::start().await;
    api.state().put("a", "x", "1");
    api.state().put("a", "y", "1");
    let operator = Operator::new(&api);
    let handle = operator.watch("a");
    let mut early = handle.reader().subscribe();
    let reader = synced(&handle).await;
    let mut late = reader.subscribe();
    assert_eq!(
        short(early.take()),
        ["+x", "+y"],
        "the whole first list with the first take"
    );
    assert_eq!(short(late.take()), ["+x", "+y"]);
    for n in 0..100 {
        api.state().put("a", "x", &n.to_string());
    }
    api.state().delete("a", "y");
    api.state().put("a", "y", "2");
    api.state().put("a", "z", "1");
    api.state().delete("a", "z");
    api.state().put("a", "last", "1");
    eventually("all is there", || data(&reader).contains_key("last")).await;
    let expected = ["+last", "+x", "-y", "+y", "-z"];
    assert_eq!(short(late.take()), expected, "folded by object, deletion first");
    assert_eq!(late.take(), []);
}

#[tokio::test]
async fn a_reader_gets_the_same_snapshot_until_something_changes() {
    let api = ScriptedApi::start().await;
    api.state().put("a", "x", "1");
    let operator = Operator::new(&api);
    let handle = operator.watch("a");
    let reader = synced(&handle).await;
    let before = reader.read().collection;
    assert_eq!(before.revision(), reader.read().collection.revision());
    api.state().put("a", "y", "1");
    eventually("the change is there", || reader.size().objects == 2).await;
    let after = reader.read().collection;
    assert_ne!(before.revision(), after.revision());
    assert_eq!(
        (before.len(), after.len()),
        (1, 2),
        "what was read stays as it was"
    );
    assert_eq!(before.objects()[0].revision(), after.objects()[0].revision());
}

/// Revoked rights do not end an open watch: it has to end by itself.
#[tokio::test]
async fn a_watch_is_opened_anew_within_the_shortest_sync_timeout_of_its_handles() {
    let api = ScriptedApi::start().await;
    api.state().put("a", "x", "1");
    let operator = Operator::new(&api);
    let long = operator.watch("a");
    let reader = synced(&long).await;
    let count = || api.requests(|seen| seen.is_watch()).len();
    stays("one watch", Duration::from_millis(300), || count() == 1).await;
    let short = operator
        .watches
        .acquire(&config_maps("a"), Duration::from_secs(1));
    let started = std::time::Instant::now();
    eventually("three more", || count() >= 4).await;
    assert!(
        started.elapsed() > Duration::from_millis(1500),
        "{:?}",
        started.elapsed()
    );
    assert!(reader.state().is_synced());
    assert!(
        api.requests(|seen| seen.is_list()).is_empty(),
        "it resumes and does not list"
    );
    drop(short);
}
