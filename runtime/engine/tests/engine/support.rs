//! What the tests share: the guests, built once, and one engine for those that need none of their own.

use std::{
    path::PathBuf,
    sync::{Arc, LazyLock},
    time::Duration,
};

use espejote_core::{
    Collection, Context, ContextValue, Desired, Invocation, Item, Libraries, Object, ObjectId, Owner,
    Revision, Snapshot, Trigger,
};
use espejote_engine::{Call, Compiler, Engine, EngineConfig, Limits, Plugin};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

/// The guests of `tests/guests`.
pub static GUESTS: LazyLock<Arc<[u8]>> = LazyLock::new(|| espejote_test_components::GUESTS.into());

static SHARED: OnceCell<(tempfile::TempDir, Engine, Plugin)> = OnceCell::const_new();

/// Compiles by the engine's own helper.
pub fn compiler() -> Compiler {
    Compiler::new(env!("CARGO_BIN_EXE_espejote-compile"), std::iter::empty::<&str>())
}

/// A folder that does not exist yet, for compiled code.
pub fn cache_dir(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("plugins")
}

async fn shared() -> &'static (tempfile::TempDir, Engine, Plugin) {
    SHARED
        .get_or_init(|| async {
            let folder = tempfile::tempdir().unwrap();
            let mut config = EngineConfig::new(cache_dir(&folder), compiler());
            // Tests run side by side: what one of them takes is no business of another.
            config.memory_budget = 16 << 30;
            let engine = Engine::new(config).unwrap();
            let plugin = engine.load("guests", GUESTS.clone()).await.unwrap();
            (folder, engine, plugin)
        })
        .await
}

/// The engine that most tests share.
pub async fn engine() -> &'static Engine {
    &shared().await.1
}

/// The guests, loaded.
pub async fn guests() -> &'static Plugin {
    &shared().await.2
}

/// An invocation with a config and nothing to read.
pub fn invocation(config: &Value) -> Invocation {
    Invocation {
        owner: Owner {
            id: ObjectId {
                api_version: "espejote.io/v1alpha1".into(),
                kind: "ManagedResource".into(),
                namespace: "tenant".into(),
                name: "owner".into(),
            },
            uid: "uid-1".into(),
        },
        config: config.to_string().into(),
        trigger: Trigger::default(),
        snapshot: Snapshot::default(),
        libraries: Libraries::default(),
        clock: 1_700_000_000_123_456_789,
        seed: 42,
    }
}

/// An invocation of one mode, with three things to read.
pub fn mode(mode: &str) -> Invocation {
    with_things(invocation(&json!({"mode": mode})), things(3))
}

/// Adds the context `things`.
pub fn with_things(mut invocation: Invocation, things: Collection) -> Invocation {
    invocation.snapshot.contexts.push(Context {
        name: "things".into(),
        value: ContextValue::Objects(Ok(Arc::new(things))),
    });
    invocation
}

/// ConfigMaps of about 3 KB.
pub fn things(count: u64) -> Collection {
    let data = "x".repeat(2900);
    let thing = |n: u64| {
        let namespace = format!("n{}", n % 10);
        let metadata = json!({"name": format!("t{n}"), "namespace": namespace, "labels": {"app": "web"}});
        object(
            &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"x": data}}),
            n,
        )
    };
    Collection::new((0..count).map(thing).collect(), Revision(1))
}

/// One object.
pub fn object(json: &Value, revision: u64) -> Arc<Object> {
    Arc::new(Object::parse(json.to_string().into(), Revision(revision)).unwrap())
}

/// Runs one mode within short limits.
pub async fn run(name: &str, limits: &Limits) -> Call {
    guests().await.reconcile(mode(name), limits).await
}

/// Limits that end every hostile guest soon.
pub fn short() -> Limits {
    Limits::builder()
        .wall(Duration::from_secs(20))
        .cpu(Duration::from_millis(300))
        .build()
}

/// Limits that no slow machine reaches.
pub fn patient() -> Limits {
    Limits::builder()
        .wall(Duration::from_secs(60))
        .cpu(Duration::from_secs(30))
        .build()
}

/// The `data` of the one ConfigMap of that name.
pub fn data(desired: &Desired, name: &str) -> Value {
    let found = desired.root.items.iter().find_map(|item| match item {
        Item::Apply(apply) if apply.id.name == name => Some(apply.json.clone()),
        _ => None,
    });
    serde_json::from_str::<Value>(&found.unwrap()).unwrap()["data"].take()
}

/// What a polite mode emitted under its own name.
pub async fn emitted(name: &str) -> Value {
    let call = run(name, &patient()).await;
    data(&call.result.unwrap(), name)
}
