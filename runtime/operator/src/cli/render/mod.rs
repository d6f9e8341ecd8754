//! `espejote render`: what a ManagedResource would emit, from files or from a cluster, with the engine that the operator uses.
//!
//! Owns the command's flags, exit codes and messages. With files it contacts no cluster. It applies nothing, and whether the
//! kinds of what is rendered exist is not looked at.

mod admission;
mod config;
mod document;
mod explain;
mod library;
mod list;
mod live;
mod logic;
mod mistakes;
mod output;
pub(super) mod told;

use std::{
    io::{self, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use anyhow::Context as _;
use clap::{Args, ValueEnum, error::ErrorKind};
use espejote_api::{ManagedResource, Plan};
use espejote_core::{FailureKind, Reason};
use espejote_engine::CallError;

use self::logic::{Logic, Rendered, Source};
pub(super) use self::{
    explain::what as describe,
    live::{Asked, Live, gather},
};
pub(crate) use self::{logic::printed, output::head};
use super::{
    color,
    component_flags::ComponentFlags,
    guest_log,
    input::{self, Call, InputFile, STANDARD_INPUT, Subject},
    manifest::{self, AnyManifest, Manifest},
};
use crate::failure::Failure;

/// The end of `espejote render --help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  Render a ManagedResource, once for each trigger in the input:
    espejote render manifest.yaml --input input.yaml

  Render it with what the cluster holds, as far as your own rights let you read it:
    espejote render manifest.yaml --namespace prod

  Render it with a plugin under development, and show what each call took:
    espejote render manifest.yaml -I input.yaml --plugin plugin.wasm --explain

  Ask an Admission or a ClusterAdmission about a request, an AdmissionReview:
    espejote render admission.yaml -I review.yaml

  Try on the API server what it would apply, as the ManagedResource's ServiceAccount:
    espejote render manifest.yaml -I input.yaml --output list |
      kubectl apply --server-side --dry-run=server --filename - \\
        --as system:serviceaccount:NAMESPACE:NAME --field-manager managed-resource:NAME

What goes wrong:
  A template or plugin that fails ends the command with exit code 1. A result that breaks
  a rule, such as an object without a kind, is printed all the same, with the rule on
  standard error and exit code 0; with --strict, 1. With --explain or --strict, what is
  likely a mistake is told as well: a manifest that the operator refuses, an input that
  does not go with the manifest, an object without a name, a status that is dropped.";

/// Why two files cannot both be read from standard input.
const STDIN_TWICE: &str = "only one of the manifest and the inputs can be read from standard input\n";
/// The namespace of a manifest that names none.
const NO_NAMESPACE: &str = "WARNING: No namespace in --namespace or given managed resource. Using 'default'. This impacts \
                            triggers, context, and library loading.";

/// The flags.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The manifest of the ManagedResource, Admission or ClusterAdmission; - is standard input.
    path: PathBuf,
    /// What the cluster holds, or the AdmissionReview that an admission is asked; - is standard input. May be repeated.
    /// Default: what the cluster of your kubeconfig holds.
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
    /// Tell on standard error what the plugin logs; always with --explain.
    #[arg(long)]
    show_log: bool,
    /// Exit with 1 if a result breaks a rule, or if there is a likely mistake in the manifest, the input or the result.
    #[arg(long)]
    strict: bool,
    /// What is printed of each call: its whole result, or a List of the objects to apply, without options and deletions.
    #[arg(short, long, value_name = "FORM", default_value = "result")]
    output: Form,
    /// Print as comments what each call tells beside its result, and a failure of the logic in place of one.
    #[arg(long, hide = true)]
    told: bool,
    #[command(flatten)]
    component: ComponentFlags,
}

/// What is printed of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// What the template or plugin returns.
    Result,
    /// A v1 List for kubectl apply.
    List,
}

/// Renders every trigger of every input.
pub(super) fn run(flags: Flags) -> anyhow::Result<ExitCode> {
    check_sources(&flags)?;
    let subject = manifest::read_any(&flags.path).with_context(|| flags.path.display().to_string())?;
    if flags.show_log || explains(&flags) {
        guest_log::show();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let clean = match subject {
        AnyManifest::ManagedResource(manifest) => {
            let inputs = read_inputs(&flags.input)?;
            runtime.block_on(render_all(&flags, &manifest, inputs))?
        }
        AnyManifest::Admission(definition) => runtime.block_on(admission::render(&flags, *definition))?,
    };
    Ok(if clean || !flags.strict {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn check_sources(flags: &Flags) -> Result<(), clap::Error> {
    let files = [&flags.path].into_iter().chain(&flags.input);
    if files.filter(|path| path.as_os_str() == STANDARD_INPUT).count() > 1 {
        return Err(clap::Error::raw(ErrorKind::ArgumentConflict, STDIN_TWICE));
    }
    Ok(())
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
    let namespace = namespace_of(flags.namespace.as_deref(), &manifest.resource);
    let printing = Printing::of(flags, namespace);
    let plan = Plan::of(&manifest.resource.spec, namespace);
    let clean = printing.warn(&flags.path.display().to_string(), mistakes::of_manifest(&plan));
    let rendered = match inputs.is_empty() {
        true => render_live(flags, manifest, &printing).await?,
        false => render_files(flags, manifest, inputs, plan.ok().as_ref(), &printing).await?,
    };
    Ok(clean & rendered)
}

async fn render_live(flags: &Flags, manifest: &Manifest, printing: &Printing<'_>) -> anyhow::Result<bool> {
    let asked = Asked {
        manifest,
        namespace: printing.namespace,
        library_namespace: &flags.jsonnet_library_namespace,
        component: &flags.component,
    };
    let live = gather(&asked, None).await?;
    if let Some(call) = live.calls.first() {
        check_config(&live.logic, &call.invocation.config).await?;
    }
    let mut clean = true;
    for call in live.calls {
        clean &= render(&live.logic, call, printing).await?;
    }
    Ok(clean)
}

async fn render_files(
    flags: &Flags,
    manifest: &Manifest,
    inputs: Vec<(&Path, InputFile)>,
    plan: Option<&Plan>,
    printing: &Printing<'_>,
) -> anyhow::Result<bool> {
    let subject = Subject {
        resource: &manifest.resource,
        namespace: printing.namespace,
        config: config::of(
            manifest.plugin.as_ref(),
            manifest.resource.spec.template.as_deref(),
            flags.component.config.as_deref(),
            flags.component.plugin.is_some(),
        )?,
    };
    let source = flags
        .component
        .plugin
        .as_deref()
        .map_or(Source::BuiltIn, Source::File);
    let logic = Logic::load(source, &flags.component.cache()).await?;
    if let Err(refused) = check_config(&logic, &subject.config).await {
        return printing.refused(refused);
    }
    let mut clean = true;
    let one_of_many = inputs.len() > 1;
    for (path, input) in inputs {
        let path = path.display().to_string();
        if let Some(plan) = plan {
            clean &= printing.warn(&path, mistakes::of_input(plan, &input));
        }
        let calls = input::calls(&subject, input).with_context(|| path.clone())?;
        if calls.is_empty() {
            eprintln!("{path}: triggers is an empty list: nothing is called");
        }
        for call in calls {
            let rendered = render(&logic, call, printing).await;
            clean &= match one_of_many {
                true => rendered.with_context(|| path.clone())?,
                false => rendered?,
            };
        }
    }
    Ok(clean)
}

/// A config that the operator would not call the logic with.
#[derive(Debug, thiserror::Error)]
#[error("the plugin cannot be called with this config: {}", .0.message)]
struct Refused(Failure);

async fn check_config(logic: &Logic, config: &Arc<str>) -> Result<(), Refused> {
    logic.check(config).await.map_err(Refused)
}

/// Whether each call is explained.
fn explains(flags: &Flags) -> bool {
    flags.explain || io::stderr().is_terminal()
}

/// What is printed, and how much is told beside it.
struct Printing<'a> {
    form: Form,
    /// Tell what each call took.
    explain: bool,
    /// Tell what is likely a mistake.
    mistakes: bool,
    /// Print what is told, and failures.
    told: bool,
    namespace: &'a str,
}

impl<'a> Printing<'a> {
    fn of(flags: &Flags, namespace: &'a str) -> Self {
        let explain = explains(flags);
        Self {
            form: flags.output,
            explain,
            mistakes: explain || flags.strict,
            told: flags.told,
            namespace,
        }
    }

    /// Whether there is nothing to warn of.
    fn warn(&self, place: &str, mistakes: Vec<String>) -> bool {
        if !self.mistakes {
            return true;
        }
        for mistake in &mistakes {
            warn(&format!("{place}: {mistake}"));
        }
        mistakes.is_empty()
    }

    /// Nothing is called: that is an error, unless failures are printed.
    fn refused(&self, refused: Refused) -> anyhow::Result<bool> {
        if !self.told || refused.0.reason != Reason::InvalidConfig {
            return Err(refused.into());
        }
        let told = told::failed(FailureKind::InvalidConfig, &refused.0.message);
        print(&format!("{}{told}", output::head(None, None)))?;
        failed(&refused.into());
        Ok(true)
    }

    fn document(&self, what: &str, rendered: &Rendered) -> Option<super::yaml::Node> {
        match self.form {
            Form::Result => rendered.document.clone(),
            Form::List => {
                let desired = rendered.desired.as_ref()?;
                for delete in list::deletions(desired) {
                    eprintln!("{what}: left out: the deletion of {}", explain::named(&delete.id));
                }
                Some(list::of(desired, self.namespace))
            }
        }
    }
}

async fn render(logic: &Logic, call: Call, printing: &Printing<'_>) -> anyhow::Result<bool> {
    if printing.told {
        return tell(logic, call).await;
    }
    let what = explain::what(&call);
    let before = explain::before(&call);
    let head = output::head(call.trigger.as_deref(), call.object.as_ref());
    let rendered = logic.call(call.invocation).await;
    let rendered = rendered.map_err(|error| call_error(&what, &error))?;
    if let Some(document) = printing.document(&what, &rendered) {
        print(&format!("{head}{}", super::yaml::node_to_yaml(&document)))?;
    }
    if printing.explain {
        eprint!("{before}{}", explain::after(&rendered));
    }
    let mistakes = rendered.desired.as_ref().map(mistakes::of_result);
    Ok(printing.warn(&what, mistakes.unwrap_or_default()) & report_problem(&what, &rendered))
}

/// One call with what it tells. A failure of the logic is printed as well, in place of its document.
async fn tell(logic: &Logic, call: Call) -> anyhow::Result<bool> {
    let what = explain::what(&call);
    let head = output::head(call.trigger.as_deref(), call.object.as_ref());
    let made = logic.run(call.invocation).await;
    let error = made.result.as_ref().err();
    let Some(told) = told::lines(error, &made.report) else {
        return error.map_or(Ok(true), |error| Err(call_error(&what, error)));
    };
    let document = printed(&made.result, &made.report)
        .as_ref()
        .map(super::yaml::node_to_yaml);
    print(&format!("{head}{told}{}", document.unwrap_or_default()))?;
    if let Some(error) = error {
        failed(&call_error(&what, error));
    }
    Ok(error.is_none())
}

fn call_error(what: &str, error: &CallError) -> anyhow::Error {
    let text = error.to_string();
    let advice = library::advice(&text).unwrap_or_default();
    anyhow::anyhow!("{what}: {text}{advice}")
}

fn print(text: &str) -> io::Result<()> {
    io::stdout().write_all(text.as_bytes())
}

/// Tells an error that does not end the command.
fn failed(error: &anyhow::Error) {
    eprintln!("{} {error:#}", color::red("Error:"));
}

fn report_problem(what: &str, rendered: &Rendered) -> bool {
    if let Some(problem) = &rendered.problem {
        warn(&format!("{what}: the result breaks a rule: {problem}"));
    }
    rendered.problem.is_none()
}

fn warn(text: &str) {
    eprintln!("{} {text}", color::yellow("WARNING:"));
}

/// R9: a manifest need not name its namespace.
pub(super) fn namespace_of<'a>(given: Option<&'a str>, resource: &'a ManagedResource) -> &'a str {
    let given = [given, resource.metadata.namespace.as_deref()];
    let named = given
        .into_iter()
        .flatten()
        .find(|namespace| !namespace.is_empty());
    named.unwrap_or_else(|| {
        eprintln!("{NO_NAMESPACE}");
        "default"
    })
}
