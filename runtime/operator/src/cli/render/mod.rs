//! `espejote render`: what a ManagedResource would emit, from files, with the engine that the operator uses.
//!
//! Owns the command's flags, exit codes and messages. It contacts no cluster and applies nothing; whether the kinds of what
//! is rendered exist is not looked at.

mod config;
mod document;
mod explain;
mod logic;
mod output;

use std::{
    io::{self, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use clap::{Args, error::ErrorKind};
use espejote_api::ManagedResource;

use self::logic::{Logic, Rendered};
use super::{
    color, controller,
    input::{self, Call, InputFile, Subject},
    manifest::{self, Manifest},
};

/// The end of `espejote render --help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  Render a ManagedResource, once for each trigger in the input:
    espejote render manifest.yaml --input input.yaml

  Render it with a plugin under development, and show what each call took:
    espejote render manifest.yaml -I input.yaml --plugin plugin.wasm --explain

What goes wrong:
  A template or plugin that fails ends the command with exit code 1. A result that breaks
  a rule, such as an object without a kind, is printed all the same, with the rule on
  standard error and exit code 0; with --strict, 1.";

/// Why nothing is rendered without `--input`.
const NO_INPUT: &str =
    "rendering from a cluster is not there yet: say with --input FILE what the cluster holds\n";
/// The namespace of a manifest that names none.
const NO_NAMESPACE: &str = "WARNING: No namespace in --namespace or given managed resource. Using 'default'. This impacts \
                            triggers, context, and library loading.";

/// The flags.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The manifest of the ManagedResource.
    path: PathBuf,
    /// What the cluster holds; repeat it to render for several clusters.
    #[arg(short = 'I', long, value_name = "FILE")]
    input: Vec<PathBuf>,
    /// The namespace of the ManagedResource, instead of the manifest's.
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// The namespace of the libraries that are imported as lib/…; an input holds them itself.
    #[arg(
        long,
        value_name = "NAMESPACE",
        env = "POD_NAMESPACE",
        default_value = "default"
    )]
    jsonnet_library_namespace: String,
    /// Tell on standard error what started each call, what it could read, what it emitted and what it took. The default
    /// on a terminal.
    #[arg(long)]
    explain: bool,
    /// Exit with 1 if a result breaks a rule.
    #[arg(long)]
    strict: bool,
    /// A component to call, instead of what the manifest names.
    #[arg(long, value_name = "FILE")]
    plugin: Option<PathBuf>,
    /// The config of the plugin: a file, or JSON.
    #[arg(long, value_name = "FILE|JSON", requires = "plugin")]
    config: Option<String>,
    /// Where compiled plugins are kept.
    #[arg(long, value_name = "DIR")]
    plugin_cache_dir: Option<PathBuf>,
}

/// Renders every trigger of every input.
pub(super) fn run(flags: Flags) -> anyhow::Result<ExitCode> {
    if flags.input.is_empty() {
        return Err(clap::Error::raw(ErrorKind::MissingRequiredArgument, NO_INPUT).into());
    }
    let manifest = manifest::read(&flags.path).with_context(|| flags.path.display().to_string())?;
    let inputs = read_inputs(&flags.input)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let clean = runtime.block_on(render_all(&flags, &manifest, inputs))?;
    Ok(if clean || !flags.strict {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn read_inputs(paths: &[PathBuf]) -> anyhow::Result<Vec<(&Path, InputFile)>> {
    let read = |path: &PathBuf| InputFile::read(path).with_context(|| path.display().to_string());
    paths
        .iter()
        .map(|path| Ok((path.as_path(), read(path)?)))
        .collect()
}

/// Whether every result is well-formed.
async fn render_all(
    flags: &Flags,
    manifest: &Manifest,
    inputs: Vec<(&Path, InputFile)>,
) -> anyhow::Result<bool> {
    let subject = Subject {
        resource: &manifest.resource,
        namespace: namespace(flags, &manifest.resource),
        config: config::of(manifest, flags.config.as_deref(), flags.plugin.is_some())?,
    };
    let cache = flags
        .plugin_cache_dir
        .clone()
        .unwrap_or_else(controller::default_plugin_cache_dir);
    let logic = Logic::load(flags.plugin.as_deref(), &cache).await?;
    let mut clean = true;
    for (path, input) in inputs {
        let calls = input::calls(&subject, input).with_context(|| path.display().to_string())?;
        for call in calls {
            clean &= render(&logic, call, flags.explain || io::stderr().is_terminal()).await?;
        }
    }
    Ok(clean)
}

async fn render(logic: &Logic, call: Call, explain: bool) -> anyhow::Result<bool> {
    let what = explain::what(&call);
    let before = explain::before(&call);
    let head = output::head(call.trigger.as_deref(), call.object.as_ref());
    let rendered = logic.call(call.invocation).await.with_context(|| what.clone())?;
    if let Some(document) = &rendered.document {
        io::stdout().write_all(format!("{head}{}", super::yaml::to_yaml(document)).as_bytes())?;
    }
    if explain {
        eprint!("{before}{}", explain::after(&rendered));
    }
    Ok(report_problem(&what, &rendered))
}

fn report_problem(what: &str, rendered: &Rendered) -> bool {
    if let Some(problem) = &rendered.problem {
        eprintln!(
            "{} {what}: the result breaks a rule: {problem}",
            color::yellow("WARNING:")
        );
    }
    rendered.problem.is_none()
}

/// R9: a manifest need not name its namespace.
fn namespace<'a>(flags: &'a Flags, resource: &'a ManagedResource) -> &'a str {
    let given = [&flags.namespace, &resource.metadata.namespace];
    let named = given
        .into_iter()
        .flatten()
        .find(|namespace| !namespace.is_empty());
    named.map_or_else(
        || {
            eprintln!("{NO_NAMESPACE}");
            "default"
        },
        String::as_str,
    )
}
