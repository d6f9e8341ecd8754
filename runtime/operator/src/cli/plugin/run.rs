//! `espejote plugin run`: what the plugin makes of an input: `espejote render` with what the project says.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Parser};

use super::{cases, project::Project};
use crate::cli::render;

/// The end of `--help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  The inputs of all tests in tests/:
    espejote plugin run

  One input, and what each call was told and took:
    espejote plugin run -I tests/greeting/input.yaml --explain

  Another manifest and config:
    espejote plugin run other.yaml -I input.yaml --config '{\"greeting\": \"hello\"}'";

/// Shows what the plugin makes of inputs, as `espejote render` does.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The manifest of the ManagedResource. Default: manifest.yaml of the plugin.
    manifest: Option<PathBuf>,
    /// What the cluster holds. May be repeated. Default: the input of every test in tests/.
    #[arg(short = 'I', long, value_name = "FILE")]
    input: Vec<PathBuf>,
    /// The namespace of the ManagedResource, instead of the manifest's.
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// The config of the plugin, instead of the manifest's: a file, or JSON.
    #[arg(long, value_name = "FILE|JSON")]
    config: Option<String>,
    /// Tell on standard error what started each call, what it could read, what it emitted and what it took.
    #[arg(long)]
    explain: bool,
    /// Exit with 1 if a result breaks a rule.
    #[arg(long)]
    strict: bool,
    /// The folder of the plugin.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// Where compiled plugins are kept.
    #[arg(long, value_name = "DIR")]
    plugin_cache_dir: Option<PathBuf>,
}

/// `render` with its own flags.
#[derive(Parser)]
#[command(name = "espejote render")]
struct Render {
    #[command(flatten)]
    flags: render::Flags,
}

/// Runs the command.
pub(super) fn run(flags: Flags) -> anyhow::Result<ExitCode> {
    let project = Project::read(&flags.project)?;
    let component = built(&project)?;
    let inputs = match flags.input.is_empty() {
        true => cases::inputs(&project)?,
        false => flags.input.clone(),
    };
    let arguments = arguments(&flags, &project, component, &inputs);
    render::run(Render::try_parse_from(arguments)?.flags)
}

/// The component of a project, which has to be there.
pub(super) fn built(project: &Project) -> anyhow::Result<&Path> {
    if project.component.is_file() {
        return Ok(&project.component);
    }
    anyhow::bail!(
        "there is no {}: build it first with `espejote plugin build`",
        Project::shown(&project.component)
    )
}

fn arguments(flags: &Flags, project: &Project, component: &Path, inputs: &[PathBuf]) -> Vec<OsString> {
    let manifest = flags.manifest.clone().unwrap_or_else(|| project.manifest());
    let mut arguments = vec![OsString::from("render"), manifest.into()];
    let mut add = |flag: &str, value: Option<OsString>| {
        arguments.extend(value.map(|value| [flag.into(), value]).into_iter().flatten());
    };
    add("--plugin", Some(component.into()));
    add("--namespace", flags.namespace.clone().map(Into::into));
    add("--config", flags.config.clone().map(Into::into));
    add(
        "--plugin-cache-dir",
        flags.plugin_cache_dir.clone().map(Into::into),
    );
    for input in inputs {
        add("--input", Some(input.into()));
    }
    let switches = [
        ("--show-log", true),
        ("--explain", flags.explain),
        ("--strict", flags.strict),
    ];
    arguments.extend(
        switches
            .into_iter()
            .filter(|(_, on)| *on)
            .map(|(name, _)| name.into()),
    );
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn render_takes_what_is_handed_to_it() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(
            dir.path().join("plugin.toml"),
            "name = \"p\"\nversion = \"1\"\nlanguage = \"c\"\nroles = [\"reconcile\"]\n",
        )
        .unwrap();
        let project = Project::read(dir.path()).unwrap();
        let flags = Flags {
            manifest: None,
            input: Vec::new(),
            namespace: Some("ns".to_owned()),
            config: Some("{}".to_owned()),
            explain: true,
            strict: true,
            project: dir.path().to_owned(),
            plugin_cache_dir: Some("cache".into()),
        };
        let inputs = ["a.yaml".into(), "b.yaml".into()];
        let arguments = arguments(&flags, &project, Path::new("p.wasm"), &inputs);
        assert!(Render::try_parse_from(arguments).is_ok());
        assert!(
            built(&project)
                .unwrap_err()
                .to_string()
                .contains("espejote plugin build")
        );
    }
}
