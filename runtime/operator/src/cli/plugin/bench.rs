//! `espejote plugin bench`: what a component costs, measured on the engine as the operator has it.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use clap::Args;
use espejote_api::PluginRef;
use espejote_core::Invocation;
use espejote_engine::{Engine, EngineConfig, Limits, Plugin};
use serde_json::{Value, json};

use super::{
    cases,
    inspect::{Format, size},
    project::{MANIFEST, Project},
    run::built,
};
use crate::cli::{
    compile,
    input::{self, InputFile, Subject},
    manifest,
};

/// The end of `--help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  The plugin in this folder, with the inputs of its tests:
    espejote plugin bench

  Any component, for programs:
    espejote plugin bench labels.wasm --manifest manifest.yaml -I input.yaml --output json";

/// How often compiled code is loaded: that varies little.
const LOADS: usize = 10;

/// Measures a component: compiling, loading, instantiating, calling, memory.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The component. Default: that of the plugin in this folder.
    file: Option<PathBuf>,
    /// What the cluster holds. May be repeated. Default: the input of every test of the plugin.
    #[arg(short = 'I', long, value_name = "FILE")]
    input: Vec<PathBuf>,
    /// The manifest of the ManagedResource.
    #[arg(long, value_name = "FILE", default_value = MANIFEST)]
    manifest: PathBuf,
    /// How often the inputs are run.
    #[arg(short, long, value_name = "N", default_value = "100", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: u32,
    /// How the figures are shown.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Format,
}

/// How long something took: the least, and the median.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Times {
    count: usize,
    min: Duration,
    median: Duration,
}

/// All that is measured.
#[derive(Debug)]
struct Figures {
    name: String,
    size: u64,
    compiled_size: u64,
    compile: Duration,
    load: Times,
    instantiate: Times,
    call: Option<Times>,
    memory: u64,
}

/// Runs the command.
pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let here = Project::find(Path::new("."))?;
    let file = match (&flags.file, &here) {
        (Some(file), _) => file.clone(),
        (None, Some(project)) => built(project)?.to_owned(),
        (None, None) => anyhow::bail!("there is no plugin.toml here: name a component"),
    };
    let inputs = match (flags.input.as_slice(), &here) {
        ([], Some(project)) => cases::inputs(project)?,
        (given, _) => given.to_vec(),
    };
    let calls = match inputs.is_empty() {
        true => Vec::new(),
        false => calls(&flags.manifest, &inputs)?,
    };
    let component: Arc<[u8]> = fs::read(&file)
        .with_context(|| format!("cannot read {}", file.display()))?
        .into();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let name = Project::shown(&file);
    let figures = runtime.block_on(measure(name, component, &calls, flags.count as usize))?;
    let text = match flags.output {
        Format::Text => figures.text(),
        Format::Json => serde_json::to_string_pretty(&figures.json())? + "\n",
    };
    print!("{text}");
    Ok(ExitCode::SUCCESS)
}

/// Everything that the inputs start.
fn calls(path: &Path, inputs: &[PathBuf]) -> anyhow::Result<Vec<Invocation>> {
    let manifest = manifest::read(path).with_context(|| path.display().to_string())?;
    let config = manifest.plugin.as_ref().map_or("null", PluginRef::config_text);
    let namespace = manifest.resource.metadata.namespace.clone();
    let subject = Subject {
        resource: &manifest.resource,
        namespace: namespace.as_deref().unwrap_or("default"),
        config: config.into(),
    };
    let mut invocations = Vec::new();
    for path in inputs {
        let input = InputFile::read(path).with_context(|| path.display().to_string())?;
        let calls = input::calls(&subject, input).with_context(|| path.display().to_string())?;
        invocations.extend(calls.into_iter().map(|call| call.invocation));
    }
    Ok(invocations)
}

async fn measure(
    name: String,
    component: Arc<[u8]>,
    calls: &[Invocation],
    count: usize,
) -> anyhow::Result<Figures> {
    let cache = tempfile::Builder::new()
        .permissions(fs::Permissions::from_mode(0o700))
        .tempdir()
        .context("there is no place for compiled code")?;
    let size = component.len() as u64;
    let started = Instant::now();
    drop(load(cache.path(), &name, &component).await?);
    let compile = started.elapsed();
    let mut loads = Vec::new();
    let mut plugin = timed_load(cache.path(), &name, &component, &mut loads).await?;
    for _ in 1..LOADS {
        plugin = timed_load(cache.path(), &name, &component, &mut loads).await?;
    }
    let (instantiate, empty) = instantiations(&plugin, count).await?;
    let (called, memory) = measure_calls(&plugin, calls, count).await?;
    Ok(Figures {
        name,
        size,
        compiled_size: folder_size(cache.path()),
        compile,
        load: Times::of(loads),
        instantiate,
        call: called,
        memory: memory.max(empty),
    })
}

async fn load(cache: &Path, name: &str, component: &Arc<[u8]>) -> anyhow::Result<Plugin> {
    let engine = Engine::new(EngineConfig::new(cache, compile::compiler()?))?;
    Ok(engine.load(name, component.clone()).await?)
}

/// A new engine each time, since one keeps what it has loaded; its own start does not count.
async fn timed_load(
    cache: &Path,
    name: &str,
    component: &Arc<[u8]>,
    times: &mut Vec<Duration>,
) -> anyhow::Result<Plugin> {
    let engine = Engine::new(EngineConfig::new(cache, compile::compiler()?))?;
    let started = Instant::now();
    let plugin = engine.load(name, component.clone()).await?;
    times.push(started.elapsed());
    Ok(plugin)
}

/// Their times, and the memory of one.
async fn instantiations(plugin: &Plugin, count: usize) -> anyhow::Result<(Times, u64)> {
    let mut times = Vec::with_capacity(count);
    let mut memory = 0;
    for _ in 0..count {
        let usage = plugin.instantiate().await?;
        times.push(usage.wall);
        memory = usage.memory_peak;
    }
    Ok((Times::of(times), memory))
}

/// The times of all calls, and the most memory that one took. None: there is nothing to call.
async fn measure_calls(
    plugin: &Plugin,
    calls: &[Invocation],
    count: usize,
) -> anyhow::Result<(Option<Times>, u64)> {
    let limits = Limits::default();
    let mut times = Vec::new();
    let mut memory = 0;
    for _ in 0..count {
        for call in calls {
            let ended = plugin.reconcile(call.clone(), &limits).await;
            ended.result?;
            times.push(ended.usage.wall);
            memory = memory.max(ended.usage.memory_peak);
        }
    }
    Ok(((!times.is_empty()).then(|| Times::of(times)), memory))
}

/// Of the files in it and below.
fn folder_size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => folder_size(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort();
        let at = |n: usize| times.get(n).copied().unwrap_or_default();
        Self {
            count: times.len(),
            min: at(0),
            median: at(times.len() / 2),
        }
    }

    fn text(&self) -> String {
        format!(
            "{:.2?} at least, {:.2?} in the median of {}",
            self.min, self.median, self.count
        )
    }

    fn json(&self) -> Value {
        json!({
            "count": self.count,
            "minMilliseconds": milliseconds(self.min),
            "medianMilliseconds": milliseconds(self.median),
        })
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

impl Figures {
    fn text(&self) -> String {
        let call = match &self.call {
            Some(times) => times.text(),
            None => "not measured: there is no input".to_owned(),
        };
        let rows = [
            (
                "size",
                format!("{}, compiled {}", size(self.size), size(self.compiled_size)),
            ),
            ("compile", format!("{:.2?}, once for each version", self.compile)),
            ("load", self.load.text()),
            ("instantiate", self.instantiate.text()),
            ("call", call),
            ("memory", format!("{} for each call at a time", size(self.memory))),
        ];
        let rows: String = rows
            .map(|(name, figures)| format!("{name:<12}{figures}\n"))
            .concat();
        format!("{}\n{rows}", self.name)
    }

    fn json(&self) -> Value {
        json!({
            "of": self.name,
            "size": self.size,
            "compiledSize": self.compiled_size,
            "compileMilliseconds": milliseconds(self.compile),
            "load": self.load.json(),
            "instantiate": self.instantiate.json(),
            "call": self.call.as_ref().map(Times::json),
            "memory": self.memory,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_by_the_least_and_the_median() {
        let times = Times::of([5, 1, 3].map(Duration::from_millis).to_vec());
        assert_eq!(times.min, Duration::from_millis(1));
        assert_eq!(times.median, Duration::from_millis(3));
        assert_eq!(times.text(), "1.00ms at least, 3.00ms in the median of 3");
    }
}
