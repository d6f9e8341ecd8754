//! What cannot be loaded says why.

use std::{error::Error, sync::Arc, time::Duration};

use espejote_engine::{
    Allocation, CallError, CompileError, Compiler, Engine, EngineConfig, LimitKind, Limits, LoadError, Role,
};

use crate::support::{GUESTS, cache_dir, compiler, engine, guests, invocation, mode, patient};

/// The text of an error and of all its sources.
fn full(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

async fn refused(wat: &str) -> String {
    let bytes: Arc<[u8]> = wat::parse_str(wat).unwrap().into();
    let error = engine().await.load("small", bytes).await.unwrap_err();
    let text = full(&error);
    assert!(text.contains("small"), "{text}");
    text
}

#[tokio::test]
async fn a_core_module_is_told_how_to_become_a_component() {
    let text = refused("(module)").await;
    assert!(
        text.contains("core WebAssembly module") && text.contains("wasm-tools component new"),
        "{text}"
    );
}

#[tokio::test]
async fn what_is_no_wasm_is_shown_as_it_begins() {
    for bytes in [&b"<html><body>not found"[..], b"", b"\0asm"] {
        let error = engine().await.load("page", bytes.into()).await.unwrap_err();
        assert!(matches!(error, LoadError::NotWasm { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_broken_component_is_refused_by_the_compiler() {
    let bytes: Arc<[u8]> = [&b"\0asm\x0d\0\x01\0"[..], &[0xff; 100]].concat().into();
    let error = engine().await.load("broken", bytes).await.unwrap_err();
    let LoadError::Compile { source, .. } = &error else {
        panic!("{error:?}");
    };
    assert!(matches!(source, CompileError::Invalid(_)), "{}", full(&error));
}

/// The body of its function is broken, which only compiling finds out.
#[tokio::test]
async fn what_does_not_fit_is_told_before_it_is_compiled() {
    let text =
        refused(r#"(component (import "acme:other/x" (instance)) (core module (func (result i32))))"#).await;
    assert!(
        text.contains("does not fit") && !text.contains("type mismatch"),
        "{text}"
    );
}

#[tokio::test]
async fn a_component_of_no_world_is_told_what_it_lacks() {
    let text = refused("(component)").await;
    assert!(text.contains("espejote:plugin/reconcile@0.1.0"), "{text}");
}

/// A component that exports an empty instance by the name of the reconciler's interface.
fn with_import(import: &str) -> String {
    format!(r#"(component {import} (instance $i) (export "espejote:plugin/reconcile@0.1.0" (instance $i)))"#)
}

#[tokio::test]
async fn an_unknown_import_is_named() {
    let text = refused(&with_import(r#"(import "acme:cloud/launch@1.0.0" (instance))"#)).await;
    assert!(text.contains("it imports acme:cloud/launch@1.0.0"), "{text}");
}

#[tokio::test]
async fn a_later_contract_is_named_with_what_is_missing() {
    let text = refused(&with_import(
        r#"(import "espejote:plugin/state@0.1.3" (instance (export "count" (func (result u32)))))"#,
    ))
    .await;
    assert!(
        text.contains("needs version 0.1.3 of the contract, because of espejote:plugin/state@0.1.3 (count)")
            && text.contains("this operator serves 0.1.0"),
        "{text}"
    );
}

#[tokio::test]
async fn a_missing_function_of_an_export_is_named() {
    let text = refused(&with_import("")).await;
    assert!(text.contains("reconcile"), "{text}");
}

#[tokio::test]
async fn a_plugin_tells_what_it_is() {
    let plugin = guests().await;
    assert_eq!(plugin.roles(), Role::ALL);
    assert!(plugin.digest().starts_with("sha256:") && plugin.digest().len() == 71);
    assert!(
        plugin
            .imports()
            .iter()
            .any(|name| name == "espejote:plugin/state@0.1.0")
    );
    assert!(plugin.imports().iter().any(|name| name.starts_with("wasi:cli/")));
    assert!(
        plugin
            .exports()
            .iter()
            .any(|name| name == "espejote:plugin/configuration@0.1.0")
    );
}

fn engine_with(folder: &tempfile::TempDir, compiler: Compiler) -> Engine {
    Engine::new(EngineConfig::new(cache_dir(folder), compiler)).unwrap()
}

async fn compile_error(compiler: Compiler) -> CompileError {
    let folder = tempfile::tempdir().unwrap();
    match engine_with(&folder, compiler)
        .load("guests", GUESTS.clone())
        .await
    {
        Err(LoadError::Compile { source, .. }) => source,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn compiling_within_too_little_memory_says_so() {
    for mebibytes in [12, 40] {
        let mut small = compiler();
        small.memory = mebibytes << 20;
        let error = compile_error(small).await;
        assert!(
            matches!(error, CompileError::Memory { .. }),
            "{mebibytes}: {error}"
        );
        let text = error.to_string();
        assert!(
            text.contains(&format!("{mebibytes}Mi")) && text.contains("--plugin-compile-memory"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn compiling_for_too_long_says_so() {
    let mut slow = Compiler::new("/bin/sleep", ["100"]);
    slow.time = Duration::from_millis(100);
    // `sleep` takes the appended paths for lengths of time and ends at once; a shell does not.
    slow.program = "/bin/sh".into();
    slow.arguments = vec!["-c".into(), "sleep 100".into()];
    let error = compile_error(slow).await;
    assert!(matches!(error, CompileError::Time { .. }), "{error}");
}

#[tokio::test]
async fn a_compiler_that_fails_is_quoted() {
    let broken = Compiler::new("/bin/sh", ["-c", "echo out of paper >&2; exit 3"]);
    let error = compile_error(broken).await;
    assert!(
        matches!(error, CompileError::Ended { .. }) && error.to_string().contains("out of paper"),
        "{error}"
    );
    let missing = Compiler::new("/nonexistent", std::iter::empty::<&str>());
    assert!(matches!(compile_error(missing).await, CompileError::Spawn { .. }));
}

#[tokio::test]
async fn without_a_pool_all_works_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = EngineConfig::new(cache_dir(&folder), compiler());
    config.allocation = Allocation::OnDemand;
    let plugin = Engine::new(config)
        .unwrap()
        .load("guests", GUESTS.clone())
        .await
        .unwrap();
    assert!(plugin.reconcile(mode("echo"), &patient()).await.result.is_ok());
    let error = plugin
        .reconcile(mode("grow"), &patient())
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
async fn a_plugin_outlives_the_engine_it_is_from() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_with(&folder, compiler());
    let plugin = engine.load("guests", GUESTS.clone()).await.unwrap();
    drop(engine);
    let call = plugin.reconcile(mode("spin"), &crate::support::short()).await;
    assert!(matches!(call.result, Err(CallError::Limit { .. })));
}

#[tokio::test]
async fn more_calls_than_slots_are_a_fault_of_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = EngineConfig::new(cache_dir(&folder), compiler());
    config.concurrent_calls = 1;
    config.warm.instances = 0;
    let plugin = Engine::new(config)
        .unwrap()
        .load("guests", GUESTS.clone())
        .await
        .unwrap();
    let limits = Limits::builder().wall(Duration::from_millis(500)).build();
    // Two slots: one for the call, and one for a provider that it may wait for.
    let napping = async {
        tokio::join!(
            plugin.reconcile(mode("nap"), &limits),
            plugin.reconcile(mode("nap"), &limits)
        )
    };
    let other = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        plugin
            .reconcile(invocation(&serde_json::json!({"mode": "nothing"})), &patient())
            .await
    };
    let (_, other) = tokio::join!(napping, other);
    assert!(
        matches!(other.result, Err(CallError::Host { .. })),
        "{:?}",
        other.result
    );
    let after = plugin.reconcile(mode("echo"), &patient()).await;
    assert!(after.result.is_ok());
}

/// A reconciler whose core module never gets past its start function.
const SLOW_START: &str = r#"(component
    (core module $m
        (func $forever (loop $again (br $again)))
        (start $forever)
        (memory (export "memory") 1)
        (func (export "reconcile") (result i32) (i32.const 0)))
    (core instance $i (instantiate $m))
    (type $kind' (enum "invalid-config" "invalid-input" "invalid-output" "not-ready" "internal"))
    (export $kind "failure-kind" (type $kind'))
    (type $failure' (record (field "kind" $kind) (field "message" string)))
    (export $failure "failure" (type $failure'))
    (func $reconcile (result (result (error $failure)))
        (canon lift (core func $i "reconcile") (memory $i "memory")))
    (instance $exports (export "reconcile" (func $reconcile)))
    (export "espejote:plugin/reconcile@0.1.0" (instance $exports)))"#;

/// A reconciler that does nothing.
pub fn reconciler() -> String {
    SLOW_START.replace("(start $forever)", "")
}

#[tokio::test]
async fn a_slow_start_ends_at_a_limit_too() {
    let bytes: Arc<[u8]> = wat::parse_str(SLOW_START).unwrap().into();
    let plugin = engine().await.load("slowstart", bytes).await.unwrap();
    let call = plugin.reconcile(mode("x"), &crate::support::short()).await;
    let error = call.result.unwrap_err();
    let text = error.to_string();
    assert!(
        matches!(
            error,
            CallError::Limit {
                limit: LimitKind::Cpu,
                ..
            }
        ),
        "{text}"
    );
    assert!(text.contains("slowstart"), "{text}");
}

/// A reconciler with more memory than allowed, before it runs.
#[tokio::test]
async fn a_large_start_ends_at_the_memory_limit() {
    let large = reconciler().replace(
        r#"(memory (export "memory") 1)"#,
        r#"(memory (export "memory") 2000)"#,
    );
    let bytes: Arc<[u8]> = wat::parse_str(large).unwrap().into();
    let plugin = engine().await.load("large", bytes).await.unwrap();
    let error = plugin.reconcile(mode("x"), &patient()).await.result.unwrap_err();
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
async fn large_tables_end_at_the_limit_on_their_elements() {
    let large = SLOW_START.replace("(start $forever)", "(table 15000 funcref) (table 6000 funcref)");
    let bytes: Arc<[u8]> = wat::parse_str(large).unwrap().into();
    let plugin = engine().await.load("tables", bytes).await.unwrap();
    let error = plugin.reconcile(mode("x"), &patient()).await.result.unwrap_err();
    assert!(
        matches!(
            error,
            CallError::Limit {
                limit: LimitKind::TableElements,
                ..
            }
        ),
        "{error}"
    );
}

#[tokio::test]
async fn an_export_of_a_later_contract_is_called() {
    let later = reconciler().replace("reconcile@0.1.0", "reconcile@0.1.7");
    let bytes: Arc<[u8]> = wat::parse_str(later).unwrap().into();
    let plugin = engine().await.load("later", bytes).await.unwrap();
    let desired = plugin.reconcile(mode("x"), &patient()).await.result.unwrap();
    assert!(desired.is_empty());
}

#[tokio::test]
async fn an_import_that_wasi_does_not_have_is_named() {
    let text = refused(&with_import(
        r#"(import "wasi:nn/graph@0.2.0" (instance (export "load" (func))))"#,
    ))
    .await;
    assert!(text.contains("wasi:nn/graph@0.2.0"), "{text}");
}
