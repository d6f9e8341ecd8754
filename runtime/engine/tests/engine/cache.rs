//! Compiled code on disk: reused after a restart, and never used when it is not what was written.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use espejote_engine::{
    CompileError, Compiler, Component, Engine, EngineConfig, EngineError, LoadError, Source,
};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::support::{GUESTS, cache_dir, compiler, mode, patient};

/// An engine that cannot compile.
fn without_compiler(folder: &TempDir) -> Engine {
    let nothing = Compiler::new("/nonexistent/compiler", std::iter::empty::<&str>());
    Engine::new(EngineConfig::new(cache_dir(folder), nothing)).unwrap()
}

fn with_compiler(folder: &TempDir) -> Engine {
    Engine::new(EngineConfig::new(cache_dir(folder), compiler())).unwrap()
}

fn artifact(folder: &TempDir) -> PathBuf {
    let entries = fs::read_dir(cache_dir(folder)).unwrap();
    let mut found: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "cwasm"));
    assert_eq!(found.len(), 1);
    found.remove(0)
}

async fn compiled() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    with_compiler(&folder)
        .load("guests", GUESTS.clone())
        .await
        .unwrap();
    let artifact = artifact(&folder);
    (folder, artifact)
}

async fn needs_compiling(folder: &TempDir) -> bool {
    let loaded = without_compiler(folder).load("guests", GUESTS.clone()).await;
    matches!(loaded, Err(LoadError::Compile { .. }))
}

fn mode_of(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn compiled_code_is_reused_after_a_restart() {
    let (folder, artifact) = compiled().await;
    assert_eq!((mode_of(&cache_dir(&folder)), mode_of(&artifact)), (0o700, 0o600));
    let plugin = without_compiler(&folder)
        .load("again", GUESTS.clone())
        .await
        .unwrap();
    let call = plugin.reconcile(mode("echo"), &patient()).await;
    assert!(call.result.is_ok());
}

#[tokio::test]
async fn the_same_bytes_are_loaded_once() {
    let (folder, artifact) = compiled().await;
    let engine = without_compiler(&folder);
    let first = engine.load("first", GUESTS.clone()).await.unwrap();
    fs::remove_file(artifact).unwrap();
    let second = engine.load("second", GUESTS.clone()).await.unwrap();
    assert_eq!(
        (first.digest(), first.name(), second.name()),
        (second.digest(), "first", "second")
    );
}

#[tokio::test]
async fn changed_code_is_compiled_again() {
    let (folder, artifact) = compiled().await;
    let mut bytes = fs::read(&artifact).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&artifact, &bytes).unwrap();
    assert!(needs_compiling(&folder).await);
    with_compiler(&folder)
        .load("guests", GUESTS.clone())
        .await
        .unwrap();
    assert!(!needs_compiling(&folder).await);
}

#[tokio::test]
async fn code_without_a_record_or_that_others_may_write_is_not_used() {
    let (folder, artifact) = compiled().await;
    fs::set_permissions(&artifact, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(needs_compiling(&folder).await);
    fs::set_permissions(&artifact, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(!needs_compiling(&folder).await);
    fs::remove_file(artifact.with_extension("sha256")).unwrap();
    assert!(needs_compiling(&folder).await);
}

#[tokio::test]
async fn a_link_is_not_used() {
    let (folder, artifact) = compiled().await;
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(&artifact, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &artifact).unwrap();
    assert!(needs_compiling(&folder).await);
}

#[tokio::test]
async fn a_folder_that_others_may_enter_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(cache_dir(&folder)).unwrap();
    fs::set_permissions(cache_dir(&folder), fs::Permissions::from_mode(0o755)).unwrap();
    let engine = Engine::new(EngineConfig::new(cache_dir(&folder), compiler()));
    assert!(matches!(engine, Err(EngineError::Cache(_))));
}

#[tokio::test]
async fn what_other_versions_left_behind_is_removed() {
    let (folder, artifact) = compiled().await;
    let stale = cache_dir(&folder).join("abc-0000000000000000.cwasm");
    fs::write(&stale, "x").unwrap();
    without_compiler(&folder);
    assert!(!stale.exists() && artifact.exists());
}

#[tokio::test]
async fn what_is_compiled_waits_for_nobody_who_compiles() {
    let (folder, _) = compiled().await;
    let endless = Compiler::new("/bin/sh", ["-c", "sleep 100"]);
    let engine = Engine::new(EngineConfig::new(cache_dir(&folder), endless)).unwrap();
    let other: Arc<[u8]> = wat::parse_str("(component)").unwrap().into();
    let compiling = tokio::spawn({
        let engine = engine.clone();
        async move { engine.load("other", other).await.map(drop) }
    });
    let begun = || fs::read_dir(cache_dir(&folder)).unwrap().count() > 2;
    timeout(Duration::from_secs(30), async {
        while !begun() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    let loaded = timeout(Duration::from_secs(60), engine.load("guests", GUESTS.clone())).await;
    assert!(loaded.unwrap().is_ok() && !compiling.is_finished());
    compiling.abort();
}

#[tokio::test]
async fn bytes_that_have_not_the_digest_that_they_are_known_by_are_not_compiled() {
    let folder = tempfile::tempdir().unwrap();
    let digest = format!("sha256:{}", "0".repeat(64));
    let component = Component {
        name: "guests",
        tenant: "",
        digest: &digest,
        source: Source::of(GUESTS.clone()),
    };
    let error = with_compiler(&folder).load_known(component).await.unwrap_err();
    let LoadError::Compile { source, .. } = &error else {
        panic!("{error:?}");
    };
    assert!(matches!(source, CompileError::Altered { .. }), "{source}");
}
