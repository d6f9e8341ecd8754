//! What a call costs: `cargo run --release -p espejote-engine --example calls`.
//!
//! Prints times of single calls, one after the other, and the memory of the process.

use std::{
    env,
    error::Error,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use espejote_core::{
    Collection, Context, ContextValue, Invocation, Libraries, Object, ObjectId, Owner, Revision, Snapshot,
    Trigger,
};
use espejote_engine::{Compiler, Engine, EngineConfig, Limits, Plugin, compile_child};
use serde_json::{Value, json};

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    if arguments.next().is_some_and(|word| word == "compile") {
        return compile_child(arguments);
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async { tokio::spawn(measure()).await? })
}

async fn measure() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let compiler = Compiler::new(env::current_exe()?, ["compile"]);
    println!("start                         {}", memory());
    let engine = Engine::new(EngineConfig::new(folder.path().join("plugins"), compiler))?;
    println!("engine                        {}", memory());
    let started = Instant::now();
    let plugin = engine
        .load("guests", espejote_test_components::GUESTS.into())
        .await?;
    println!("compile and load {:>10.1?}   {}", started.elapsed(), memory());
    report(
        "nothing",
        &plugin,
        &invocation(&json!({"mode": "nothing"}), None),
        5000,
    )
    .await?;
    report("echo", &plugin, &invocation(&json!({"mode": "echo"}), None), 2000).await?;
    for objects in [3_000, 20_000] {
        let things = Arc::new(things(objects)?);
        let limits = if objects > 3_000 { "256 MiB" } else { "64 MiB" };
        println!("{objects} objects, {limits} allowed");
        let none = invocation(&json!({"mode": "nothing"}), Some(&things));
        report("  not read", &plugin, &none, 1000).await?;
        let columns = invocation(&json!({"mode": "columns"}), Some(&things));
        report("  one field", &plugin, &columns, 50).await?;
        for (name, times) in [("  read once", 1), ("  read twice", 2)] {
            let all = invocation(&json!({"mode": "readall", "times": times}), Some(&things));
            report(name, &plugin, &all, 20).await?;
        }
    }
    println!("end                           {}", memory());
    Ok(())
}

/// The median and the least of many calls.
async fn report(name: &str, plugin: &Plugin, invocation: &Invocation, calls: usize) -> Result<(), Failure> {
    let limits = Limits::builder()
        .memory(256 << 20)
        .wall(Duration::from_secs(60))
        .build();
    let mut times = Vec::new();
    for _ in 0..calls {
        let invocation = invocation.clone();
        let started = Instant::now();
        let call = plugin.reconcile(invocation, &limits).await;
        times.push(started.elapsed());
        call.result?;
    }
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let least = times.first().copied().unwrap_or_default();
    println!(
        "{name:<14} min {least:>9.1?} median {median:>9.1?}   {}",
        memory()
    );
    Ok(())
}

fn invocation(config: &Value, things: Option<&Arc<Collection>>) -> Invocation {
    let context = things.map(|things| Context {
        name: "things".into(),
        value: ContextValue::Objects(Ok(things.clone())),
    });
    Invocation {
        owner: Owner {
            id: ObjectId::default(),
            uid: String::new(),
        },
        config: config.to_string().into(),
        trigger: Trigger::default(),
        snapshot: Snapshot {
            contexts: context.into_iter().collect(),
        },
        libraries: Libraries::default(),
        clock: 0,
        seed: 0,
    }
}

/// ConfigMaps of 3 KB.
fn things(count: u64) -> Result<Collection, Failure> {
    let data = "x".repeat(2900);
    let thing = |n: u64| {
        let json = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("t{n}")}, "data": {"x": data}});
        Object::parse(json.to_string().into(), Revision(n)).map(Arc::new)
    };
    let objects: Result<_, _> = (0..count).map(thing).collect();
    Ok(Collection::new(objects?, Revision(0)))
}

fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lines: Vec<&str> = status
        .lines()
        .filter(|line| line.starts_with("VmRSS") || line.starts_with("RssAnon"))
        .collect();
    lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}
