use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::Value;
use tokio::{
    task::JoinSet,
    time::{Instant, advance},
};
use tokio_util::sync::CancellationToken;

use super::*;

/// One request that the sink saw.
#[derive(Clone, Debug, PartialEq)]
enum Write {
    Create(String, Value),
    Patch(String, String, Value),
}

/// Remembers what was written and answers from a script, then with success.
#[derive(Clone, Default)]
struct Script {
    seen: Arc<Mutex<Vec<Write>>>,
    answers: Arc<Mutex<VecDeque<Result<(), SinkError>>>>,
}

impl Script {
    fn see(&self, write: Write) -> Result<(), SinkError> {
        self.seen.lock().unwrap().push(write);
        self.answers.lock().unwrap().pop_front().unwrap_or(Ok(()))
    }
}

impl EventSink for Script {
    async fn create(&self, namespace: &str, event: Vec<u8>) -> Result<(), SinkError> {
        self.see(Write::Create(
            namespace.into(),
            serde_json::from_slice(&event).unwrap(),
        ))
    }

    async fn patch(&self, namespace: &str, name: &str, patch: Vec<u8>) -> Result<(), SinkError> {
        let patch = serde_json::from_slice(&patch).unwrap();
        self.see(Write::Patch(namespace.into(), name.into(), patch))
    }
}

/// A recorder, its worker as a task, and the script it writes to.
struct Stage {
    recorder: Recorder,
    script: Script,
    losses: Losses,
    cancel: CancellationToken,
    tasks: JoinSet<()>,
}

impl Stage {
    fn new(settings: Settings) -> Self {
        let (script, losses, cancel) = (Script::default(), Losses::default(), CancellationToken::new());
        let (recorder, worker) = Recorder::new(script.clone(), settings, losses.clone());
        let mut tasks = JoinSet::new();
        tasks.spawn(worker.run(cancel.clone()));
        Self {
            recorder,
            script,
            losses,
            cancel,
            tasks,
        }
    }

    fn answers(self, answers: impl IntoIterator<Item = Result<(), SinkError>>) -> Self {
        self.script.answers.lock().unwrap().extend(answers);
        self
    }

    /// Records one after the other, each written before the next; gives what was written.
    async fn record(&self, occurrences: impl IntoIterator<Item = Occurrence>) -> Vec<Write> {
        for occurrence in occurrences {
            self.recorder.record(occurrence);
            self.settle().await;
        }
        std::mem::take(&mut *self.script.seen.lock().unwrap())
    }

    /// Lets the worker run until it has nothing to do, retries included.
    async fn settle(&self) {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
}

fn manager() -> Reference {
    Reference {
        api_version: "espejote.io/v1alpha1".into(),
        kind: "ManagedResource".into(),
        namespace: "ns".into(),
        name: "test".into(),
        uid: "3f1c".into(),
        resource_version: "42".into(),
    }
}

fn config_map() -> Reference {
    Reference {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        name: "trigger".into(),
        ..manager()
    }
}

fn glug() -> Occurrence {
    Occurrence::reconcile_error(manager(), "TemplateError", "Unknown variable: glug")
}

fn other(text: &str) -> Occurrence {
    Occurrence::reconcile_error(manager(), "TemplateError", text)
}

fn counts(writes: &[Write]) -> Vec<i64> {
    let count = |write: &Write| match write {
        Write::Create(..) => 1,
        Write::Patch(_, _, patch) => patch["series"]["count"].as_i64().unwrap(),
    };
    writes.iter().map(count).collect()
}

#[test]
fn an_event_on_another_object_names_the_managed_resource() {
    let of = Reference {
        kind: "ManagedResource".into(),
        namespace: "ns".into(),
        name: "mine".into(),
        ..Reference::default()
    };
    let told = Occurrence::reconcile_error_on(config_map(), &of, "TemplateError", "why");
    assert_eq!(
        told.note,
        "Reconcile error: TemplateError: ManagedResource ns/mine: why"
    );
    assert_eq!((told.regarding, told.related), (config_map(), Some(of)));
}

#[tokio::test(start_paused = true)]
async fn s5_an_event_has_the_form_that_its_readers_know() {
    let stage = Stage::new(Settings {
        instance: "i".repeat(200),
        ..Settings::default()
    });
    let writes = stage.record([glug().related_to(config_map())]).await;
    let [Write::Create(namespace, event)] = &writes[..] else {
        panic!("one event is written, not {writes:?}");
    };
    assert_eq!(namespace, "ns");
    assert_eq!(event["apiVersion"], "events.k8s.io/v1");
    assert_eq!(event["kind"], "Event");
    assert_eq!(event["metadata"]["namespace"], "ns");
    assert!(event["metadata"]["name"].as_str().unwrap().starts_with("test."));
    assert_eq!(event["type"], "Warning");
    assert_eq!(event["reason"], "TemplateError");
    assert_eq!(event["action"], "Reconcile");
    assert_eq!(
        event["note"],
        "Reconcile error: TemplateError: Unknown variable: glug"
    );
    assert_eq!(
        event["reportingController"],
        "espejote.io/managed-resource-controller"
    );
    assert_eq!(event["reportingInstance"], "i".repeat(128));
    assert_eq!(event["related"]["kind"], "ConfigMap");
    // Microseconds, always six digits.
    assert_eq!(
        event["eventTime"].as_str().unwrap().len(),
        "2026-06-15T00:00:00.000000Z".len()
    );
    assert_eq!(
        event["regarding"],
        serde_json::json!({
            "apiVersion": "espejote.io/v1alpha1", "kind": "ManagedResource", "namespace": "ns", "name": "test",
            "uid": "3f1c", "resourceVersion": "42",
        })
    );
}

#[tokio::test(start_paused = true)]
async fn s3_a_repeat_raises_the_count_of_the_one_event() {
    let stage = Stage::new(Settings::default());
    let mut changed = glug();
    changed.regarding.resource_version = "43".into();
    let writes = stage.record([glug(), changed]).await;
    let [Write::Create(_, event), Write::Patch(namespace, name, patch)] = &writes[..] else {
        panic!("one event is written and raised, not {writes:?}");
    };
    assert_eq!(namespace, "ns");
    assert_eq!(event["metadata"]["name"], **name);
    assert_eq!(patch["series"]["count"], 2);
    assert!(patch["series"]["lastObservedTime"].is_string());
}

#[tokio::test(start_paused = true)]
async fn s4_the_triggering_object_gets_an_event_of_its_own() {
    let stage = Stage::new(Settings::default());
    let on_trigger = Occurrence::reconcile_error(config_map(), "TemplateError", "Unknown variable: glug");
    let writes = stage.record([glug(), on_trigger]).await;
    let kinds: Vec<_> = writes
        .iter()
        .map(|write| match write {
            Write::Create(_, event) => event["regarding"]["kind"].clone(),
            Write::Patch(..) => Value::Null,
        })
        .collect();
    assert_eq!(kinds, ["ManagedResource", "ConfigMap"]);
}

#[tokio::test(start_paused = true)]
async fn another_text_is_another_event() {
    let stage = Stage::new(Settings::default());
    assert_eq!(
        counts(&stage.record([glug(), other("x"), glug(), other("x")]).await),
        [1, 1, 2, 2]
    );
}

#[tokio::test(start_paused = true)]
async fn an_object_made_anew_gets_an_event_of_its_own() {
    let stage = Stage::new(Settings::default());
    let mut again = glug();
    again.regarding.uid = "77".into();
    assert_eq!(counts(&stage.record([glug(), again]).await), [1, 1]);
}

#[tokio::test(start_paused = true)]
async fn repeats_that_come_too_often_are_counted_in_the_next_raise() {
    let stage = Stage::new(Settings::default());
    assert_eq!(counts(&stage.record(vec![glug(); 10]).await), [1, 2, 3, 4]);
    advance(Duration::from_secs(60)).await;
    assert_eq!(counts(&stage.record([glug(), glug()]).await), [11]);
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_gone_is_written_anew() {
    let stage = Stage::new(Settings::default()).answers([Ok(()), Err(SinkError::NotFound)]);
    let writes = stage.record([glug(), glug(), glug()]).await;
    assert_eq!(counts(&writes), [1, 2, 1, 2]);
}

#[tokio::test(start_paused = true)]
async fn texts_that_differ_each_time_are_limited_per_object() {
    let stage = Stage::new(Settings::default());
    let texts = (0..40).map(|n| other(&n.to_string()));
    assert_eq!(stage.record(texts).await.len(), 25);
    assert_eq!(stage.losses.limited.get(), 15);
    let elsewhere = Occurrence::reconcile_error(config_map(), "TemplateError", "0");
    assert_eq!(stage.record([elsewhere]).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn events_of_many_objects_are_limited_together_and_come_later() {
    let stage = Stage::new(Settings::default());
    let failing = |n: i32| {
        let mut occurrence = glug();
        occurrence.regarding.name = format!("n{n}");
        occurrence
    };
    assert_eq!(stage.record((0..150).map(failing)).await.len(), 100);
    assert_eq!(stage.losses.limited.get(), 50);
    advance(Duration::from_secs(10)).await;
    assert_eq!(counts(&stage.record((100..150).map(failing)).await), [1; 50]);
}

#[tokio::test(start_paused = true)]
async fn a_write_without_an_answer_is_tried_again() {
    let lost = || Err(SinkError::Unavailable("reset".into()));
    let stage = Stage::new(Settings::default()).answers([lost(), lost(), Err(SinkError::AlreadyExists)]);
    stage.recorder.record(glug());
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(counts(&stage.record([glug()]).await), [1, 1, 1, 2]);
    assert_eq!(stage.losses.failed.get(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_refused_event_is_counted_and_tried_anew_at_the_next_occurrence() {
    let stage = Stage::new(Settings::default()).answers([Err(SinkError::Refused("no".into()))]);
    assert_eq!(counts(&stage.record([glug(), glug()]).await), [1, 1]);
    assert_eq!(stage.losses.failed.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_full_channel_drops_and_counts_and_never_waits() {
    let stage = Stage::new(Settings::default());
    for _ in 0..WAITING + 7 {
        stage.recorder.record(glug());
    }
    assert_eq!(stage.losses.full.get(), 7);
}

#[tokio::test(start_paused = true)]
async fn long_texts_do_not_pile_up_in_the_channel() {
    let stage = Stage::new(Settings::default());
    let long = "ä".repeat(100_000);
    let writes = stage.record([other(&long), other(&(long.clone() + "b"))]).await;
    assert_eq!(
        counts(&writes),
        [1, 2],
        "what differs is cut off, so they are the same event"
    );
}

#[tokio::test(start_paused = true)]
async fn the_worker_ends_with_its_token_and_with_its_recorders() {
    let mut stage = Stage::new(Settings::default());
    stage.cancel.cancel();
    stage.tasks.join_next().await.unwrap().unwrap();
    let mut stage = Stage::new(Settings::default());
    drop(stage.recorder);
    stage.tasks.join_next().await.unwrap().unwrap();
}

#[tokio::test]
async fn what_happens_while_another_process_leads_is_not_written() {
    let mut stage = Stage::new(Settings::default());
    let (leadership, leading) = Leading::elected();
    stage.recorder = stage.recorder.clone().while_leading(leading);
    let occurrence = || Occurrence::reconcile_error(manager(), "TemplateError", "x");
    assert!(stage.record([occurrence()]).await.is_empty());
    leadership.extend(Instant::now() + Duration::from_secs(1));
    assert_eq!(stage.record([occurrence()]).await.len(), 1);
}
