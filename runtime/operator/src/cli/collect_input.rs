//! `espejote collect-input`: what the cluster holds for a ManagedResource, as an input that `espejote render` takes.
//!
//! Owns the command. It reads the cluster with the rights of whoever runs it, and applies nothing. All triggers are run to see
//! which libraries are imported and what computed contexts give.

use std::{io::Write as _, path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::Context as _;
use clap::Args;
use espejote_core::LibraryReads;
use espejote_engine::Computed;

use super::{
    color,
    component_flags::ComponentFlags,
    input::{self, Call, InputFile},
    manifest::{self, Manifest},
    render::{Asked, Live, describe, gather, namespace_of},
};

/// The end of `espejote collect-input --help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  What the cluster holds, and what comes of it without the cluster:
    espejote collect-input manifest.yaml --namespace prod >input.yaml
    espejote render manifest.yaml --input input.yaml

  With a plugin under development:
    espejote collect-input manifest.yaml --plugin build/labels.wasm >tests/prod/input.yaml

The file holds what your own rights let you read, Secrets included, not what those of the
ManagedResource's ServiceAccount do. A template or plugin that fails is told of, and the
input written all the same.";

/// The flags.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The manifest of the ManagedResource; - is standard input.
    path: PathBuf,
    /// The namespace of the ManagedResource, instead of the manifest's.
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// The namespace of the libraries that are imported as lib/….
    #[arg(
        long,
        value_name = "NAMESPACE",
        env = "POD_NAMESPACE",
        default_value = "default"
    )]
    jsonnet_library_namespace: String,
    #[command(flatten)]
    component: ComponentFlags,
}

/// Prints the input.
pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let manifest = manifest::read(&flags.path).with_context(|| flags.path.display().to_string())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let input = runtime.block_on(collect(flags, &manifest))?;
    std::io::stdout().write_all(input.to_yaml().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

async fn collect(flags: &Flags, manifest: &Manifest) -> anyhow::Result<InputFile> {
    let reads = Arc::new(LibraryReads::default());
    let asked = Asked {
        manifest,
        namespace: namespace_of(flags.namespace.as_deref(), &manifest.resource),
        library_namespace: &flags.jsonnet_library_namespace,
        component: &flags.component,
    };
    let live = gather(&asked, Some(reads.clone())).await?;
    let computed = called(&live).await;
    let input = recorded(&live.calls, &computed, &reads)?;
    let is_template = manifest.plugin.is_none() && flags.component.plugin.is_none();
    Ok(match is_template && computed.is_empty() {
        true => without_call(input),
        false => input,
    })
}

/// Runs everything once, and gives what was computed for it.
async fn called(live: &Live) -> Computed {
    let mut computed = Computed::new();
    for call in &live.calls {
        let ran = live.logic.run(call.invocation.clone()).await;
        computed.extend(ran.computed);
        if let Err(error) = ran.result {
            eprintln!(
                "{} {}: {error}\nThe input is written all the same; libraries that would have been read after that are not in it.",
                color::yellow("WARNING:"),
                describe(call)
            );
        }
    }
    computed
}

fn recorded(calls: &[Call], computed: &Computed, reads: &LibraryReads) -> anyhow::Result<InputFile> {
    let first = calls.first().context("nothing is called")?;
    let triggers = calls
        .iter()
        .map(|call| input::recorded_trigger(&call.invocation.trigger));
    Ok(InputFile {
        triggers: Some(triggers.collect::<Result<_, _>>()?),
        ..input::of_call(&first.invocation, computed, &reads.paths())?
    })
}

/// A template sees neither owner nor time nor chance: without them its input is the same each time, as long as the cluster
/// is.
fn without_call(input: InputFile) -> InputFile {
    InputFile {
        owner: None,
        clock: None,
        seed: 0,
        ..input
    }
}
