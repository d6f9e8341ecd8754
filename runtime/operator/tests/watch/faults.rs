//! Everything that a watch has to survive.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use espejote_core::UnavailableReason;
use espejote_operator::cache::{NotSynced, State};

use crate::{
    LONG, Operator, config_maps, data, eventually, is_stale, names,
    scripted_api::{Fault, ScriptedApi},
    short, stays, synced, within,
};

/// Case 2: a watch drops, something is deleted meanwhile, and the resource version is too old.
async fn deletion_in_a_gap(gone_as_event: bool, streams_lists: bool) {
    let api = ScriptedApi::start().await;
    api.state().gone_as_event = gone_as_event;
    api.state().streams_lists = streams_lists;
    for name in ["a", "b", "c"] {
        api.state().put("ns", name, "1");
    }
    let operator = Operator::new(&api);
    let handle = operator.watch("ns");
    let reader = synced(&handle).await;
    let mut changes = reader.subscribe();
    changes.take();
    let kept = reader.read().collection.objects()[0].clone();
    {
        let mut state = api.state();
        state.close_watches();
        state.delete("ns", "b");
        state.put("ns", "c", "2");
        state.compact();
    }
    assert_eq!(short(within("changes", changes.next()).await), ["-b", "+c"]);
    eventually("synced", || reader.state().is_synced()).await;
    assert_eq!(names(&reader), ["a", "c"]);
    assert!(
        Arc::ptr_eq(&kept, &reader.read().collection.objects()[0]),
        "what did not change is kept"
    );
    assert_eq!(short(changes.take()), [""; 0]);
}

#[tokio::test]
async fn a_deletion_in_a_gap_is_told_after_410_as_an_event() {
    deletion_in_a_gap(true, true).await;
    deletion_in_a_gap(true, false).await;
}

#[tokio::test]
async fn a_deletion_in_a_gap_is_told_after_410_as_a_status() {
    deletion_in_a_gap(false, true).await;
    deletion_in_a_gap(false, false).await;
}

#[tokio::test]
async fn another_object_of_the_same_name_is_a_deletion_and_then_an_object() {
    let api = ScriptedApi::start().await;
    api.state().put("ns", "a", "1");
    let operator = Operator::new(&api);
    let handle = operator.watch("ns");
    let reader = synced(&handle).await;
    let mut changes = reader.subscribe();
    changes.take();
    {
        let mut state = api.state();
        state.close_watches();
        state.put_object(("ns".to_owned(), "a".to_owned()), "another", "1");
        state.compact();
    }
    assert_eq!(short(within("changes", changes.next()).await), ["-a", "+a"]);
}

#[tokio::test]
async fn a_watch_that_drops_goes_on_where_it_was_without_a_list() {
    let api = ScriptedApi::start().await;
    api.state().put("ns", "a", "1");
    let operator = Operator::new(&api);
    let handle = operator.watch("ns");
    let reader = synced(&handle).await;
    {
        let mut state = api.state();
        state.close_watches();
        state.delete("ns", "a");
        state.put("ns", "b", "1");
    }
    eventually("the gap is filled", || names(&reader) == ["b"]).await;
    eventually("synced", || reader.state().is_synced()).await;
    let watches = api.requests(|seen| seen.is_watch());
    assert_eq!(watches.len(), 2);
    assert_eq!(watches[1].query["resourceVersion"], "11");
}

#[tokio::test]
async fn a_server_that_closes_watches_at_once_is_not_asked_in_a_hot_loop() {
    let api = ScriptedApi::start().await;
    api.state().watch_fault = Some(Fault::CloseAtOnce);
    let operator = Operator::new(&api);
    let handle = operator.watch("ns");
    stays("few requests", Duration::from_secs(2), || {
        api.requests(|seen| seen.is_watch()).len() < 8
    })
    .await;
    let State::NotSynced(NotSynced::Pending { cause: Some(cause) }) = handle.reader().state() else {
        panic!()
    };
    assert_eq!(&*cause, "the API server closed the watch early");
    api.state().watch_fault = None;
    synced(&handle).await;
    api.state().watch_fault = Some(Fault::CloseAtOnce);
    api.state().close_watches();
    let before = api.requests(|seen| seen.is_watch()).len();
    stays("few requests", Duration::from_secs(2), || {
        api.requests(|s| s.is_watch()).len() < before + 8
    })
    .await;
}

#[tokio::test]
async fn a_fault_of_the_server_makes_a_store_stale_and_it_comes_back() {
    let api = ScriptedApi::start().await;
    api.state().put("ns", "a", "1");
    let operator = Operator::new(&api);
    let handle = operator.watch("ns");
    let reader = synced(&handle).await;
    api.state().watch_fault = Some(Fault::Status(503, "storage is (re)initializing"));
    api.state().close_watches();
    eventually("stale", || is_stale(&reader)).await;
    assert_eq!(
        reader.read().available().unwrap().len(),
        1,
        "stale objects may be used"
    );
    let State::Stale { since, .. } = reader.state() else {
        panic!()
    };
    eventually(
        "the cause is the server's word",
        || matches!(reader.state(), State::Stale { cause, .. } if &*cause == "storage is (re)initializing"),
    )
    .await;
    stays(
        "stale since the same instant",
        Duration::from_millis(500),
        || matches!(reader.state(), State::Stale { since: now, .. } if now == since),
    )
    .await;
    api.state().watch_fault = None;
    eventually("synced", || reader.state().is_synced()).await;
    assert!(
        api.requests(|seen| seen.is_list()).is_empty(),
        "nothing was missed"
    );
}

/// K4: K6: case 5:
#[tokio::test]
async fn k6_rights_that_are_missing_granted_and_revoked_show() {
    const WORDS: &str = r#"configmaps is forbidden: User "system:serviceaccount:a:sa" cannot list resource"#;
    let api = ScriptedApi::start().await;
    api.state().put("a", "x", "1");
    api.state().watch_fault = Some(Fault::Status(403, WORDS));
    let operator = Operator::new(&api);
    let handle = operator
        .watches
        .acquire(&config_maps("a"), Duration::from_secs(1));
    let reader = handle.reader();
    let forbidden = || matches!(reader.state(), State::NotSynced(NotSynced::Forbidden { .. }));
    eventually("forbidden", forbidden).await;
    let unavailable = reader.read().available().unwrap_err();
    assert_eq!(
        (unavailable.reason, unavailable.message.as_str()),
        (UnavailableReason::Forbidden, WORDS)
    );
    api.state().watch_fault = None;
    eventually("granted", || reader.state().is_synced()).await;
    assert_eq!(names(&reader), ["x"]);
    api.state().watch_fault = Some(Fault::Status(403, WORDS));
    let revoked = Instant::now();
    eventually("revoked, though the watch was open", forbidden).await;
    assert!(revoked.elapsed() < Duration::from_secs(2));
    assert!(reader.read().available().is_err());
}

#[tokio::test]
async fn a_path_that_is_not_served_is_an_unknown_kind_until_it_is() {
    let api = ScriptedApi::start().await;
    api.state().put("a", "x", "1");
    let operator = Operator::new(&api);
    let handle = operator.watch("a");
    let reader = synced(&handle).await;
    let unknown = || matches!(reader.state(), State::NotSynced(NotSynced::UnknownKind { .. }));
    api.state().watch_fault = Some(Fault::Plain(404));
    api.state().close_watches();
    eventually("unknown", unknown).await;
    api.state().watch_fault = None;
    eventually("known", || reader.state().is_synced()).await;
    assert_eq!(names(&reader), ["x"]);
}

/// T14: case 4:
#[tokio::test]
async fn a_kind_that_comes_late_is_found_without_a_restart() {
    let api = ScriptedApi::start().await;
    api.state().knows_config_maps = false;
    let operator = Operator::new(&api);
    let handle = operator.watch("a");
    let reader = handle.reader();
    let words = "no matches for kind \"ConfigMap\" in version \"v1\"";
    eventually("unknown", || {
        matches!(reader.state(), State::NotSynced(NotSynced::UnknownKind { message }) if &*message == words)
    })
    .await;
    stays("few requests", Duration::from_secs(1), || {
        api.requests(|seen| seen.path == "/api").len() < 6
    })
    .await;
    api.state().knows_config_maps = true;
    eventually("known", || reader.state().is_synced()).await;
}

#[tokio::test]
async fn the_server_decides_how_long_to_wait_when_it_says_so() {
    let api = ScriptedApi::start().await;
    api.state().watch_fault = Some(Fault::Status(429, "too many requests"));
    let operator = Operator::new(&api);
    let handle = operator.watch("a");
    eventually("told", || {
        matches!(
            handle.reader().state(),
            State::NotSynced(NotSynced::Pending { cause: Some(_) })
        )
    })
    .await;
    api.state().watch_fault = None;
    synced(&handle).await;
}

#[tokio::test]
async fn a_server_that_does_not_answer_makes_a_store_stale_soon() {
    let api = ScriptedApi::start().await;
    let operator = Operator::with(&api, |settings| settings.grace = Duration::from_millis(100));
    let handle = operator
        .watches
        .acquire(&config_maps("a"), Duration::from_secs(1));
    let reader = synced(&handle).await;
    api.state().watch_fault = Some(Fault::Silence);
    eventually("stale", || is_stale(&reader)).await;
}

#[tokio::test]
async fn a_line_without_end_does_not_fill_the_memory() {
    let api = ScriptedApi::start().await;
    api.state().put("a", "x", "1");
    let operator = Operator::with(&api, |settings| settings.max_line_bytes = 1000);
    let handle = operator.watches.acquire(&config_maps("a"), LONG);
    let reader = synced(&handle).await;
    api.state().put("a", "big", &"x".repeat(2000));
    eventually("refused", || !reader.state().is_synced()).await;
    assert_eq!(data(&reader).len(), 1);
}

/// Everything that is logged, in this thread.
pub struct Log {
    lines: Arc<Mutex<Vec<u8>>>,
    _guard: tracing::subscriber::DefaultGuard,
}

impl Log {
    pub fn capture() -> Self {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(move || Writer(writer.clone()))
            .finish();
        Self {
            lines,
            _guard: tracing::subscriber::set_default(subscriber),
        }
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.lines.lock().unwrap().clone()).unwrap()
    }
}

struct Writer(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
