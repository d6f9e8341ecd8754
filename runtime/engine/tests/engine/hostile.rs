//! One hostile guest for each limit: it ends, the text names plugin and limit, and nothing of it is left.

use std::time::{Duration, Instant};

use espejote_core::Report;
use espejote_engine::{Call, CallError, Engine, EngineConfig, LimitKind, Limits};
use serde_json::json;

use crate::support::{
    GUESTS, cache_dir, compiler, guests, invocation, mode, patient, run, short, things, with_things,
};

/// Generous: the machine may be busy.
const SOON: Duration = Duration::from_secs(15);

/// The call ended at a limit, said so, and left nothing behind; a calm call works right after.
async fn assert_limit(call: Call, limit: LimitKind) -> String {
    let error = call.result.unwrap_err();
    let text = error.to_string();
    assert!(
        matches!(error, CallError::Limit { limit: at, .. } if at == limit),
        "{text}"
    );
    assert!(text.contains("guests") && text.contains(limit.words()), "{text}");
    assert_eq!((call.report, call.keep), (Report::default(), false));
    assert!(run("echo", &patient()).await.result.is_ok());
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spin_ends_at_the_cpu_limit() {
    guests().await;
    let started = Instant::now();
    let call = run("spin", &short()).await;
    assert!(started.elapsed() < SOON);
    assert!(call.usage.cpu >= Duration::from_millis(300));
    let text = assert_limit(call, LimitKind::Cpu).await;
    assert!(text.contains("300ms"), "{text}");
}

#[tokio::test]
async fn spin_ends_at_the_wall_limit_on_an_executor_with_one_thread() {
    let limits = Limits::builder().wall(Duration::from_millis(200)).build();
    guests().await;
    let call = run("spin", &limits).await;
    assert!(call.usage.wall < SOON);
    assert_limit(call, LimitKind::Wall).await;
}

#[tokio::test]
async fn nap_ends_at_the_wall_limit() {
    let limits = Limits::builder().wall(Duration::from_millis(200)).build();
    guests().await;
    let call = run("nap", &limits).await;
    assert!(call.usage.wall < SOON && call.usage.cpu < Duration::from_millis(200));
    assert_limit(call, LimitKind::Wall).await;
}

#[tokio::test]
async fn grow_ends_at_the_memory_limit() {
    let call = run("grow", &patient()).await;
    assert!(call.usage.memory_peak <= 64 << 20);
    let text = assert_limit(call, LimitKind::Memory).await;
    assert!(text.contains("64Mi"), "{text}");
}

#[tokio::test]
async fn chatty_goes_on_without_filling_the_log() {
    let call = run("chatty", &patient()).await;
    assert!(call.result.is_ok(), "{:?}", call.result);
    assert!(
        call.usage.log_lines_dropped > 1_000_000,
        "{}",
        call.usage.log_lines_dropped
    );
}

#[tokio::test]
async fn logflood_goes_on_without_filling_the_log() {
    let call = run("logflood", &patient()).await;
    assert!(call.result.is_ok(), "{:?}", call.result);
    assert_eq!(call.usage.log_lines_dropped, 1_000_000 - 1_000);
}

#[tokio::test]
async fn deep_ends_at_the_stack() {
    let call = run("deep", &patient()).await;
    assert_limit(call, LimitKind::Stack).await;
}

#[tokio::test]
async fn deep_in_memory_is_told_as_recursion() {
    let text = run("deep-in-memory", &patient())
        .await
        .result
        .unwrap_err()
        .to_string();
    assert!(text.contains("recursion"), "{text}");
}

#[tokio::test]
async fn hoard_ends_at_the_limit_on_handles() {
    let call = run("hoard", &patient()).await;
    assert_limit(call, LimitKind::Handles).await;
}

/// The runtime itself counts handles that are lent. It has no type for that error: this test notices another text.
#[tokio::test]
async fn a_handle_that_is_lent_beyond_the_limit_ends_the_call() {
    let config = json!({"mode": "lend", "handles": 50});
    let limits = Limits::builder()
        .handles(50)
        .wall(Duration::from_secs(60))
        .build();
    let call = guests()
        .await
        .reconcile(with_things(invocation(&config), things(1)), &limits)
        .await;
    assert_limit(call, LimitKind::Handles).await;
}

#[tokio::test]
async fn flood_ends_at_the_limit_on_items() {
    let call = run("flood", &patient()).await;
    assert_limit(call, LimitKind::Items).await;
}

#[tokio::test]
async fn huge_ends_at_the_limit_on_bytes() {
    let call = run("huge", &patient()).await;
    assert!(call.usage.emitted_bytes > 64 << 20);
    assert_limit(call, LimitKind::EmittedBytes).await;
}

#[tokio::test]
async fn nest_ends_at_the_limit_on_depth() {
    let call = run("nest", &patient()).await;
    assert_limit(call, LimitKind::GroupDepth).await;
}

/// The runtime itself counts these bytes. It has no type for that error: this test notices another text.
#[tokio::test]
async fn one_call_of_the_host_takes_only_so_much() {
    let limits = Limits::builder().host_call_bytes(100_000).build();
    let call = run("huge", &limits).await;
    assert_limit(call, LimitKind::HostCallBytes).await;
}

#[tokio::test]
async fn answers_that_cannot_fit_end_at_the_memory_limit() {
    for method in ["ids", "read", "values"] {
        let invocation = with_things(
            invocation(&json!({"mode": "repeat", "method": method})),
            things(1),
        );
        let call = guests().await.reconcile(invocation, &patient()).await;
        assert_limit(call, LimitKind::Memory).await;
    }
}

#[tokio::test]
async fn limits_above_the_ceilings_are_lowered() {
    let limits = Limits::builder()
        .memory(u64::MAX)
        .cpu(Duration::from_secs(40))
        .build();
    let call = run("grow", &limits).await;
    assert!(call.usage.memory_peak <= 1 << 30);
    let text = assert_limit(call, LimitKind::Memory).await;
    assert!(text.contains("1024Mi"), "{text}");
}

#[tokio::test]
async fn what_all_calls_take_together_ends_the_call_that_goes_over() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = EngineConfig::new(cache_dir(&folder), compiler());
    config.memory_budget = 8 << 20;
    let engine = Engine::new(config).unwrap();
    let plugin = engine.load("guests", GUESTS.clone()).await.unwrap();
    let limits = Limits::builder().memory(256 << 20).build();
    let call = plugin.reconcile(mode("grow"), &limits).await;
    assert_limit(call, LimitKind::MemoryOfAll).await;
    let modest = plugin.reconcile(mode("echo"), &limits).await;
    assert!(modest.result.is_ok(), "what it took is given back");
}

#[tokio::test]
async fn a_panic_is_a_trap_with_its_message() {
    let error = run("panic", &patient()).await.result.unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, CallError::Trap { .. }), "{text}");
    assert!(
        text.starts_with("plugin guests trapped") && text.contains("a well-known"),
        "{text}"
    );
    assert!(!text.contains('\x1b') && text.len() < 1200, "{text}");
}

#[tokio::test]
async fn nothing_is_left_of_half_a_call() {
    let call = run("half", &patient()).await;
    assert_eq!(call.report, Report::default());
    let text = call.result.unwrap_err().to_string();
    assert!(text.contains("about to trap"), "{text}");
}

#[tokio::test]
async fn an_exit_is_a_trap() {
    let text = run("exit", &patient()).await.result.unwrap_err().to_string();
    assert!(text.contains("exited with status"), "{text}");
}

#[tokio::test]
async fn indices_out_of_range_trap() {
    for method in ["ids", "read", "scan", "values"] {
        let invocation = with_things(invocation(&json!({"mode": "range", "method": method})), things(3));
        let call = guests().await.reconcile(invocation, &patient()).await;
        let text = call.result.unwrap_err().to_string();
        assert!(text.contains("out of range") && text.contains("things"), "{text}");
    }
}

#[tokio::test]
async fn handles_that_were_never_given_trap() {
    let error = run("stale", &patient()).await.result.unwrap_err();
    assert!(matches!(error, CallError::Trap { .. }), "{error}");
}

/// Memory of this process, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = status.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_returns_to_where_it_was() {
    let hostile = ["grow", "panic", "hoard", "nest", "half", "deep"];
    for name in hostile {
        run(name, &short()).await;
    }
    let before = resident();
    for n in 0..100 {
        run(hostile[n % hostile.len()], &short()).await;
    }
    let grown = resident().saturating_sub(before);
    eprintln!("grown by {grown} bytes after 100 hostile calls");
    // Other tests run beside this one.
    assert!(grown < 256 << 20, "{grown}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_calm_neighbour_is_served_while_others_spin() {
    guests().await;
    let limits = Limits::builder()
        .wall(Duration::from_secs(20))
        .cpu(Duration::from_secs(1))
        .build();
    let spinning: Vec<_> = (0..16)
        .map(|_| {
            let limits = limits.clone();
            tokio::spawn(async move { guests().await.reconcile(mode("spin"), &limits).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut slowest = Duration::ZERO;
    for _ in 0..20 {
        let call = tokio::spawn(async { run("nothing", &patient()).await })
            .await
            .unwrap();
        assert!(call.result.is_ok());
        slowest = slowest.max(call.usage.wall);
    }
    eprintln!("slowest calm call beside 16 that spin: {slowest:?}");
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
    for call in spinning {
        assert!(call.await.unwrap().result.is_err());
    }
}
