//! Entries of `context` that a plugin computes when it is asked for them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use espejote_core::{Compute, Computing, Context, ContextValue, Invocation};
use espejote_engine::{Call, CallError, Grants, LimitKind, Limits, Plugin, Provision};
use serde_json::{Value, json};

use crate::support::{data, guests, invocation, patient, things, with_things};

async fn provide(config: &Value, limits: &Limits) -> Provision {
    let invocation = with_things(invocation(config), things(3));
    guests()
        .await
        .provide(invocation, limits, &Grants::default())
        .await
}

/// Counts how often it is asked.
#[derive(Debug)]
struct Counted(Arc<dyn Compute>, Arc<AtomicU32>);

impl Compute for Counted {
    fn compute(&self, caller: &Invocation, wall: Duration) -> Computing {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.compute(caller, wall)
    }
}

/// A call that asks for `names`, of which `entry` is computed within `limits` as its config says.
async fn asking(names: &[&str], entry: &Value, limits: Limits) -> (Invocation, Arc<AtomicU32>) {
    let asked = Arc::new(AtomicU32::new(0));
    let plugin = guests().await;
    let computed = plugin.entry("entry", entry.to_string().into(), limits, Grants::default());
    let mut invocation = with_things(invocation(&json!({"mode": "ask", "names": names})), things(3));
    for (name, value) in [
        (
            "entry",
            ContextValue::Computed(Arc::new(Counted(computed, asked.clone()))),
        ),
        ("other", ContextValue::Provided(Ok("7".into()))),
    ] {
        let name = name.into();
        invocation.snapshot.contexts.push(Context { name, value });
    }
    (invocation, asked)
}

async fn ask(names: &[&str], entry: &Value, limits: Limits) -> (Call, u32) {
    let (invocation, asked) = asking(names, entry, limits).await;
    let call = guests().await.reconcile(invocation, &patient()).await;
    (call, asked.load(Ordering::Relaxed))
}

async fn message(entry: &Value, limits: Limits) -> (String, String) {
    let (call, _) = ask(&["entry"], entry, limits).await;
    let answer = data(&call.result.unwrap(), "ask")[0].clone();
    let part = |n: usize| answer[n].as_str().unwrap().to_owned();
    (part(0), part(1))
}

#[tokio::test]
async fn a_value_is_computed_once_and_only_if_asked_for() {
    let entry = json!({"mode": "text", "text": r#"{"n":9007199254740993}"#});
    let (call, asked) = ask(&["entry", "other", "entry"], &entry, patient()).await;
    assert_eq!(asked, 1);
    assert_eq!(call.computed["entry"].as_deref(), Ok(r#"{"n":9007199254740993}"#));
    assert_eq!(
        data(&call.result.unwrap(), "ask"),
        json!([r#"{"n":9007199254740993}"#, "7", r#"{"n":9007199254740993}"#])
    );
    let (call, asked) = ask(&["other"], &entry, patient()).await;
    assert_eq!((asked, call.computed.len()), (0, 0));
    assert!(call.result.is_ok());
}

#[tokio::test]
async fn a_recorded_value_gives_the_same_call_without_the_provider() {
    let (invocation, _) = asking(&["entry"], &json!({"mode": "look"}), patient()).await;
    let first = guests().await.reconcile(invocation.clone(), &patient()).await;
    let mut replayed = invocation;
    for context in &mut replayed.snapshot.contexts {
        if let Some(value) = first.computed.get(&context.name) {
            context.value = ContextValue::Provided(value.clone());
        }
    }
    let second = guests().await.reconcile(replayed, &patient()).await;
    assert_eq!(first.result.unwrap(), second.result.unwrap());
}

#[tokio::test]
async fn a_provider_sees_the_owner_its_config_and_objects_but_nothing_computed() {
    let entry = json!({"mode": "look"});
    let (call, _) = ask(&["entry"], &entry, patient()).await;
    let answer = data(&call.result.unwrap(), "ask")[0].as_str().unwrap().to_owned();
    let seen: Value = serde_json::from_str(&answer).unwrap();
    let expected = json!({
        "owner": ["owner", "uid-1"],
        "config": entry.to_string(),
        "names": ["things"],
        "things": 3,
        "provided": [],
        "other": false,
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&seen[key], value, "{key}");
    }
}

#[tokio::test]
async fn a_failure_makes_the_entry_unavailable_and_names_entry_and_plugin() {
    let (reason, text) = message(&json!({"mode": "fail"}), patient()).await;
    assert!(reason.contains("Failed"), "{reason}");
    assert_eq!(
        text,
        r#"context "entry", computed by plugin guests: out of paper"#
    );
}

#[tokio::test]
async fn a_provider_that_is_not_ready_is_waited_for() {
    let (reason, text) = message(&json!({"mode": "wait"}), patient()).await;
    assert!(
        reason.contains("NotSynced") && text.ends_with("still counting"),
        "{reason} {text}"
    );
}

#[tokio::test]
async fn traps_limits_and_values_that_are_none_make_the_entry_unavailable() {
    for (entry, words) in [
        (json!({"mode": "panic"}), "trapped"),
        (json!({"mode": "grow"}), "limit on memory"),
        (json!({"mode": "text", "text": "{} {}"}), "no JSON document"),
        (json!({"mode": "no such"}), "no mode"),
    ] {
        let (reason, text) = message(&entry, patient()).await;
        assert!(
            reason.contains("Failed") && text.contains(r#"context "entry""#) && text.contains(words),
            "{reason} {text}"
        );
    }
}

#[tokio::test]
async fn a_provider_that_spins_ends_at_its_own_limit_and_costs_the_caller_no_cpu_time() {
    let own = Limits::builder().cpu(Duration::from_millis(400)).build();
    let (invocation, _) = asking(&["entry"], &json!({"mode": "spin"}), own).await;
    let strict = Limits::builder()
        .wall(Duration::from_secs(60))
        .cpu(Duration::from_millis(200))
        .build();
    let call = guests().await.reconcile(invocation, &strict).await;
    assert!(call.usage.wall >= Duration::from_millis(400), "{:?}", call.usage);
    let answer = data(&call.result.unwrap(), "ask").to_string();
    assert!(answer.contains("limit on CPU time (400ms)"), "{answer}");
}

#[tokio::test]
async fn a_provider_gets_no_more_than_the_time_that_the_caller_has_left() {
    for mode in ["nap", "spin"] {
        let (invocation, _) = asking(&["entry"], &json!({"mode": mode}), patient()).await;
        let limits = Limits::builder().wall(Duration::from_millis(300)).build();
        let started = Instant::now();
        let call = guests().await.reconcile(invocation, &limits).await;
        let error = call.result.unwrap_err();
        assert!(started.elapsed() < Duration::from_secs(15));
        assert!(
            matches!(
                error,
                CallError::Limit {
                    limit: LimitKind::Wall,
                    ..
                }
            ),
            "{error}"
        );
    }
}

/// Says when it is dropped.
#[derive(Debug)]
struct Endless(Arc<AtomicU32>);

impl Compute for Endless {
    fn compute(&self, _: &Invocation, _: Duration) -> Computing {
        struct Dropped(Arc<AtomicU32>);
        impl Drop for Dropped {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let dropped = Dropped(self.0.clone());
        Box::pin(async move {
            std::future::pending::<()>().await;
            drop(dropped);
            Ok("1".into())
        })
    }
}

#[tokio::test]
async fn computing_ends_with_the_call_that_asked() {
    let (mut invocation, _) = asking(&["entry"], &json!({}), patient()).await;
    let dropped = Arc::new(AtomicU32::new(0));
    invocation.snapshot.contexts[1].value = ContextValue::Computed(Arc::new(Endless(dropped.clone())));
    let limits = Limits::builder().wall(Duration::from_millis(200)).build();
    let call = guests().await.reconcile(invocation, &limits).await;
    assert!(call.result.is_err());
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_value_is_no_larger_than_what_may_be_emitted() {
    let limits = Limits::builder().emitted_bytes(1000).build();
    let fits = provide(&json!({"mode": "large", "bytes": 998}), &limits).await;
    assert_eq!(fits.result.unwrap().len(), 1000);
    let error = provide(&json!({"mode": "large", "bytes": 999}), &limits)
        .await
        .result
        .unwrap_err();
    assert!(
        matches!(
            error,
            CallError::Limit {
                limit: LimitKind::EmittedBytes,
                ..
            }
        ),
        "{error}"
    );
}

#[tokio::test]
async fn a_value_that_cannot_fit_into_the_caller_ends_it_at_the_memory_limit() {
    let entry = json!({"mode": "large", "bytes": 30 << 20});
    let large = Limits::builder()
        .memory(256 << 20)
        .wall(Duration::from_secs(60))
        .build();
    let (invocation, _) = asking(&["entry"], &entry, large).await;
    let limits = Limits::builder()
        .memory(20 << 20)
        .wall(Duration::from_secs(60))
        .build();
    let error = guests()
        .await
        .reconcile(invocation, &limits)
        .await
        .result
        .unwrap_err();
    assert!(
        matches!(
            error,
            CallError::Limit {
                limit: LimitKind::Memory,
                ..
            }
        ),
        "{error}"
    );
}

#[tokio::test]
async fn imports_of_other_worlds_trap() {
    for interface in ["desired", "report", "trigger"] {
        let call = provide(&json!({"mode": "foreign", "interface": interface}), &patient()).await;
        let text = call.result.unwrap_err().to_string();
        let expected = format!("{interface} may not be called by provide");
        assert!(text.contains(&expected), "{text}");
    }
}

#[tokio::test]
async fn a_plugin_of_another_role_is_no_provider() {
    let bytes: Arc<[u8]> = wat::parse_str(crate::load::reconciler()).unwrap().into();
    let plugin: Plugin = crate::support::engine()
        .await
        .load("reconciler", bytes)
        .await
        .unwrap();
    let provision = plugin
        .provide(invocation(&json!({})), &patient(), &Grants::default())
        .await;
    let error = provision.result.unwrap_err();
    assert!(matches!(error, CallError::Host { .. }), "{error}");
    assert!(
        std::error::Error::source(&error)
            .unwrap()
            .to_string()
            .contains("provide")
    );
}
