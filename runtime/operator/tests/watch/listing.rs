//! First lists and what is stored of them.

use std::collections::BTreeSet;

use espejote_operator::cache::Reader;

use crate::{LONG, Operator, config_maps, data, eventually, names, scripted_api::ScriptedApi, synced};

fn texts(reader: &Reader) -> Vec<String> {
    reader
        .read()
        .collection
        .objects()
        .iter()
        .map(|object| object.json().to_string())
        .collect()
}

/// C13: case 1: C11:
#[tokio::test]
async fn c13_objects_are_the_same_bytes_whether_listed_streamed_or_watched() {
    let api = ScriptedApi::start().await;
    for name in ["c", "a", "b"] {
        api.state().put("ns", name, "1");
    }
    let streamed = synced(&Operator::new(&api).watch("ns")).await;
    api.state().streams_lists = false;
    let operator = Operator::with(&api, |settings| settings.page_size = 2);
    let (handle, other) = (
        operator.watch("ns"),
        operator.watches.acquire(&config_maps("other"), LONG),
    );
    let paged = synced(&handle).await;
    assert_eq!(texts(&streamed), texts(&paged));
    let watched = synced(&other).await;
    api.state().put("other", "x", "1");
    api.state().put("ns", "x", "1");
    eventually("the changes are there", || {
        paged.size().objects == 4 && watched.size().objects == 1
    })
    .await;
    for text in texts(&paged) {
        assert!(
            text.starts_with(r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":"#),
            "{text}"
        );
        assert!(!text.contains("managedFields"), "{text}");
    }
    assert_eq!(names(&paged), ["a", "b", "c", "x"]);
    assert_eq!(
        api.requests(|seen| seen.is_list() && seen.path.contains("/ns/"))
            .len(),
        2,
        "two pages"
    );
}

/// C12:
#[tokio::test]
async fn c12_managed_fields_are_there_if_they_are_wanted() {
    let api = ScriptedApi::start().await;
    api.state().put("a", "x", "1");
    let operator = Operator::new(&api);
    let mut key = config_maps("a");
    key.strip_managed_fields = false;
    let handle = operator.watches.acquire(&key, LONG);
    let reader = synced(&handle).await;
    assert!(texts(&reader)[0].contains("managedFields"));
}

/// C2: C4: C5:
#[tokio::test]
async fn c5_names_are_filtered_before_anything_is_stored() {
    let api = ScriptedApi::start().await;
    for name in ["test1", "test2", "test3", "collected"] {
        api.state().put("a", name, "1");
    }
    let operator = Operator::new(&api);
    let mut key = config_maps("a");
    key.match_names = BTreeSet::from(["test1", "test3", "collected"].map(str::to_owned));
    key.ignore_names = BTreeSet::from(["collected".to_owned()]);
    let handle = operator.watches.acquire(&key, LONG);
    let reader = synced(&handle).await;
    assert_eq!(names(&reader), ["test1", "test3"]);
    let mut changes = reader.subscribe();
    changes.take();
    api.state().put("a", "collected", "2");
    api.state().put("a", "test2", "2");
    api.state().delete("a", "test1");
    assert_eq!(crate::short(changes.next().await), ["-test1"]);
    assert_eq!(names(&reader), ["test3"]);
}

/// C7: C8:
#[tokio::test]
async fn c7_selectors_are_sent_to_the_server_and_a_namespace_is_in_the_path() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    let mut key = config_maps("a");
    key.label_selector = "app in (x,y)".to_owned();
    key.name = Some("n".to_owned());
    let handle = operator.watches.acquire(&key, LONG);
    synced(&handle).await;
    let watch = api.requests(|seen| seen.is_watch()).remove(0);
    assert_eq!(watch.path, "/api/v1/namespaces/a/configmaps");
    assert_eq!(watch.query["labelSelector"], "app%20in%20%28x%2Cy%29");
    assert_eq!(watch.query["fieldSelector"], "metadata.name%3Dn");
}

#[tokio::test]
async fn a_server_that_does_not_say_the_end_of_a_streamed_list_is_read_in_pages() {
    let api = ScriptedApi::start().await;
    api.state().bookmarks_end = false;
    api.state().put("a", "x", "1");
    let operator = Operator::new(&api);
    let handle = operator.watch("a");
    let reader = synced(&handle).await;
    assert_eq!(names(&reader), ["x"]);
    api.state().put("a", "x", "2");
    eventually("the change is there", || data(&reader)["x"] == "2").await;
}

#[tokio::test]
async fn an_object_that_cannot_be_read_is_left_out_and_its_content_is_not_logged() {
    let log = crate::faults::Log::capture();
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    let handle = operator.watch("a");
    let reader = synced(&handle).await;
    api.state()
        .event(r#"{"type":"ADDED","object":{"metadata":{"name":"hunter2}}}"#.to_owned());
    api.state()
        .event(r#"{"type":"ADDED","object":{"metadata":{"name":5},"data":"hunter2"}}"#.to_owned());
    api.state().put("a", "good", "1");
    eventually("the good one is there", || names(&reader) == ["good"]).await;
    assert_eq!(reader.size().skipped, 2);
    assert!(log.text().contains("skipped"), "{}", log.text());
    assert!(!log.text().contains("hunter2"), "{}", log.text());
}
