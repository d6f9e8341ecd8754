//! Instances that are kept for their owner's next call.

use std::{sync::Arc, time::Duration};

use espejote_core::Invocation;
use espejote_engine::{
    Call, CallError, Engine, EngineConfig, Grants, HostPattern, Kept, Limits, Plugin, WarmConfig,
};
use serde_json::{Value, json};

use crate::support::{
    GUESTS, cache_dir, compiler, data, guests, invocation, patient, short, things, with_things,
};

async fn call_of(plugin: &Plugin, kept: &Kept, invocation: Invocation) -> Call {
    plugin
        .reconcile_kept(invocation, &patient(), &Grants::default(), kept)
        .await
}

async fn call(kept: &Kept, config: &Value) -> Call {
    call_of(guests().await, kept, invocation(config)).await
}

/// How many calls the instance has served that answers.
async fn calls(kept: &Kept, config: &Value) -> Value {
    let call = call(kept, config).await;
    data(&call.result.unwrap(), "count")["calls"].take()
}

fn remember() -> Value {
    json!({"mode": "remember"})
}

/// An engine of its own, and what it needs.
async fn engine(warm: WarmConfig) -> (tempfile::TempDir, Engine, Plugin) {
    let folder = tempfile::tempdir().unwrap();
    let mut config = EngineConfig::new(cache_dir(&folder), compiler());
    config.warm = warm;
    let engine = Engine::new(config).unwrap();
    let plugin = engine.load("guests", GUESTS.clone()).await.unwrap();
    (folder, engine, plugin)
}

#[tokio::test]
async fn who_asks_to_be_kept_serves_the_owners_next_call_and_no_other_owners() {
    let plugin = guests().await;
    let (kept, other) = (plugin.kept(), plugin.kept());
    for expected in 1..=3 {
        let call = call(&kept, &remember()).await;
        assert_eq!((call.usage.warm, call.keep), (expected > 1, true));
        assert_eq!(data(&call.result.unwrap(), "count")["calls"], json!(expected));
    }
    assert_eq!(calls(&other, &remember()).await, json!(1));
}

#[tokio::test]
async fn who_does_not_ask_is_fresh_each_time() {
    let kept = guests().await.kept();
    let forget = json!({"mode": "forget"});
    assert_eq!(calls(&kept, &forget).await, json!(1));
    assert_eq!(calls(&kept, &forget).await, json!(1));
    assert_eq!(calls(&kept, &remember()).await, json!(1));
    assert_eq!(calls(&kept, &forget).await, json!(2), "asked in each call anew");
    assert_eq!(calls(&kept, &remember()).await, json!(1));
}

#[tokio::test]
async fn a_kept_instance_sees_the_clock_the_state_and_the_owner_of_its_call() {
    let kept = guests().await.kept();
    let first = with_things(invocation(&remember()), things(3));
    let mut second = with_things(invocation(&remember()), things(5));
    second.clock = 1_800_000_000_000_000_000;
    second.owner.id.name = "renamed".into();
    let one = call_of(guests().await, &kept, first).await;
    let two = call_of(guests().await, &kept, second.clone()).await;
    let cold = call_of(guests().await, &guests().await.kept(), second).await;
    assert!(!one.usage.warm && two.usage.warm && !cold.usage.warm);
    let mut seen = data(&two.result.unwrap(), "count");
    assert_eq!((&seen["things"], &seen["owner"]), (&json!(5), &json!("renamed")));
    assert_eq!(seen["clock"], json!("1800000000000000000"));
    seen["calls"] = json!(1);
    assert_eq!(seen, data(&cold.result.unwrap(), "count"));
}

#[tokio::test]
async fn a_handle_of_an_earlier_call_is_stale_and_the_call_is_made_again_afresh() {
    let kept = guests().await.kept();
    for _ in 0..2 {
        let invocation = with_things(invocation(&json!({"mode": "stale-kept"})), things(3));
        let call = call_of(guests().await, &kept, invocation).await;
        assert!(!call.usage.warm);
        assert_eq!(
            data(&call.result.unwrap(), "stale"),
            json!({"calls": 1, "len": 3})
        );
    }
}

#[tokio::test]
async fn a_failure_or_a_trap_ends_the_instance_and_counts_only_if_a_fresh_one_gives_it_too() {
    let kept = guests().await.kept();
    calls(&kept, &remember()).await;
    let failing = json!({"mode": "remember", "end": "failure"});
    let failed = call(&kept, &failing).await;
    assert!(failed.result.is_err() && !failed.usage.warm);
    assert_eq!(calls(&kept, &remember()).await, json!(1));
    let spoilt = json!({"mode": "remember", "end": "later"});
    for _ in 0..3 {
        assert!(
            call(&kept, &spoilt).await.result.is_ok(),
            "it fails in its second call"
        );
    }
    kept.clear();
    calls(&kept, &remember()).await;
    let trapping = json!({"mode": "remember", "end": "trap"});
    let trapped = call(&kept, &trapping).await;
    assert!(
        matches!(trapped.result, Err(CallError::Trap { .. })),
        "{trapped:?}"
    );
    assert!(!trapped.usage.warm, "it was tried in a fresh instance too");
    assert_eq!(calls(&kept, &remember()).await, json!(1));
}

#[tokio::test]
async fn a_limit_on_time_is_not_spent_twice() {
    let kept = guests().await.kept();
    call(&kept, &remember()).await;
    let (plugin, none) = (guests().await, Grants::default());
    let spin = invocation(&json!({"mode": "spin"}));
    // The same limits, so that the kept instance fits.
    plugin
        .reconcile_kept(invocation(&remember()), &short(), &none, &kept)
        .await;
    let spun = plugin.reconcile_kept(spin, &short(), &none, &kept).await;
    assert!(matches!(spun.result, Err(CallError::Limit { .. })), "{spun:?}");
    assert!(spun.usage.warm);
}

#[tokio::test]
async fn what_a_guest_hoards_is_not_held_against_a_later_call() {
    let kept = guests().await.kept();
    let limits = Limits::builder().memory(32 << 20).build();
    for _ in 0..8 {
        let invocation = invocation(&json!({"mode": "hoard-kept", "bytes": 6 << 20}));
        let call = guests()
            .await
            .reconcile_kept(invocation, &limits, &Grants::default(), &kept)
            .await;
        assert!(call.result.is_ok(), "{call:?}");
    }
}

#[tokio::test]
async fn other_limits_or_other_grants_get_a_fresh_instance() {
    let kept = guests().await.kept();
    let plugin = guests().await;
    let granted = Grants {
        hosts: vec!["example.com".parse::<HostPattern>().unwrap()],
        ..Grants::default()
    };
    calls(&kept, &remember()).await;
    for (limits, grants) in [(short(), Grants::default()), (short(), granted)] {
        let call = plugin
            .reconcile_kept(invocation(&remember()), &limits, &grants, &kept)
            .await;
        assert!(!call.usage.warm);
    }
}

#[tokio::test]
async fn what_is_cleared_does_not_come_back_from_a_call_that_runs() {
    let kept = Arc::new(guests().await.kept());
    calls(&kept, &remember()).await;
    kept.clear();
    assert_eq!(calls(&kept, &remember()).await, json!(1));
    let napping = json!({"mode": "remember", "nap": 300});
    let running = tokio::spawn({
        let kept = kept.clone();
        async move { calls(&kept, &napping).await }
    });
    // The guest sleeps when the other task lets go.
    tokio::task::yield_now().await;
    kept.clear();
    assert_eq!(running.await.unwrap(), json!(2));
    assert_eq!(calls(&kept, &remember()).await, json!(1));
}

#[tokio::test]
async fn one_instance_serves_so_many_calls_and_no_more() {
    let warm = WarmConfig {
        calls: 2,
        ..WarmConfig::default()
    };
    let (_folder, _engine, plugin) = engine(warm).await;
    let kept = plugin.kept();
    let mut seen = Vec::new();
    for _ in 0..4 {
        let call = call_of(&plugin, &kept, invocation(&remember())).await;
        seen.push(data(&call.result.unwrap(), "count")["calls"].take());
    }
    assert_eq!(json!(seen), json!([1, 2, 1, 2]));
}

#[tokio::test]
async fn the_one_that_has_waited_longest_makes_room() {
    let warm = WarmConfig {
        instances: 2,
        ..WarmConfig::default()
    };
    let (_folder, engine, plugin) = engine(warm).await;
    let owners = [plugin.kept(), plugin.kept(), plugin.kept()];
    for kept in &owners {
        call_of(&plugin, kept, invocation(&remember())).await;
    }
    assert_eq!(engine.waiting().0, 2);
    let [first, second, _] = &owners;
    assert!(call_of(&plugin, second, invocation(&remember())).await.usage.warm);
    assert!(!call_of(&plugin, first, invocation(&remember())).await.usage.warm);
}

#[tokio::test]
async fn what_does_not_fit_the_memory_for_all_does_not_wait() {
    let warm = WarmConfig {
        memory: 10 << 20,
        ..WarmConfig::default()
    };
    let (_folder, engine, plugin) = engine(warm).await;
    let kept = plugin.kept();
    let hoard = invocation(&json!({"mode": "hoard-kept", "bytes": 12 << 20}));
    call_of(&plugin, &kept, hoard).await.result.unwrap();
    assert_eq!(engine.waiting(), (0, 0));
    call_of(&plugin, &kept, invocation(&remember())).await;
    let (count, bytes) = engine.waiting();
    assert!(count == 1 && bytes > 0 && bytes <= 10 << 20);
    drop(kept);
    assert_eq!(engine.waiting(), (0, 0), "gone with its owner");
}

#[tokio::test]
async fn who_waits_too_long_is_let_go() {
    let warm = WarmConfig {
        idle: Duration::from_millis(50),
        ..WarmConfig::default()
    };
    let (_folder, engine, plugin) = engine(warm).await;
    let tidying = tokio::spawn({
        let engine = engine.clone();
        async move { engine.drop_idle().await }
    });
    let kept = plugin.kept();
    for _ in 0..2 {
        call_of(&plugin, &kept, invocation(&remember())).await;
        assert_eq!(engine.waiting().0, 1);
        let gone = async {
            while engine.waiting().0 > 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), gone).await.unwrap();
    }
    tidying.abort();
}
