//! `espejote plugin push` and `push-wit`: to a registry, in the layout of the CNCF's Wasm working group.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use clap::Args;
use espejote_engine::Kind;
use espejote_oci::{Digest, Reference, WasmConfig};

use super::{
    inspect::{self, Description},
    project::{Project, annotation},
    registry::{self, Progress, Registry},
    wit,
};
use crate::cli::plugin_flags::RegistryFlags;

/// The end of `--help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  The component of the plugin in this folder:
    espejote plugin push ghcr.io/acme/team-labels:1.2.0

  Any component:
    espejote plugin push labels.wasm ghcr.io/acme/labels:1.2.0 --annotation org.acme.team=platform

Credentials are those of `docker login`. Pushing the same component twice gives the same digest.";

/// The end of `push-wit --help`.
pub(super) const WIT_EXAMPLES: &str = "\
Example:
  espejote plugin push-wit ghcr.io/acme/espejote/plugin:0.1.0

The artifact is what `wkg` fetches as the package espejote:plugin.";

/// Pushes a component to a registry.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The component, if it is not that of the plugin in this folder; and where it goes.
    #[arg(value_names = ["FILE", "REFERENCE"], num_args = 1..=2, required = true)]
    file_and_reference: Vec<String>,
    /// An annotation besides those from plugin.toml and the component's metadata. May be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    annotation: Vec<(String, String)>,
    #[command(flatten)]
    registries: RegistryFlags,
}

/// Pushes the contract's WIT package to a registry.
#[derive(Clone, Debug, Args)]
pub struct WitFlags {
    /// Where it goes.
    reference: String,
    #[command(flatten)]
    registries: RegistryFlags,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected KEY=VALUE, such as org.acme.team=platform".to_owned()),
    }
}

/// Runs `push`.
pub(super) fn run(flags: Flags) -> anyhow::Result<ExitCode> {
    let here = env::current_dir()?;
    let (file, reference) = match flags.file_and_reference.as_slice() {
        [file, reference] => (Some(PathBuf::from(file)), reference),
        [reference] => (None, reference),
        _ => anyhow::bail!("expected [FILE] REFERENCE"),
    };
    let reference = tagged(reference)?;
    let project = match &file {
        None => Some(Project::read(&here)?),
        Some(file) => Project::find(&here)?.filter(|project| project.component == here.join(file)),
    };
    let file = match (file, &project) {
        (Some(file), _) => file,
        (None, Some(project)) => project.component.clone(),
        (None, None) => anyhow::bail!("there is no component to push"),
    };
    let bytes = read(&file)?;
    let description = Description::new(Project::shown(&file), &bytes, None)?;
    check(&description)?;
    let annotations = annotations(&description, project.as_ref(), &flags.annotation);
    let config = config(&description);
    let progress = Progress::waiting("pushing", &reference.to_string(), bytes.len() as u64);
    let registry = Registry::new(flags.registries)?;
    let digest = registry.push(&reference, bytes, &config, annotations);
    progress.end();
    report(&reference, digest?);
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(file).with_context(|| {
        format!(
            "cannot read {}: build it first with `espejote plugin build`",
            Project::shown(file)
        )
    })
}

/// Something is pushed to a tag, else nobody would find it.
fn tagged(text: &str) -> anyhow::Result<Reference> {
    let reference = registry::reference(text)?;
    match reference.tag() {
        Some(_) => Ok(reference),
        None => anyhow::bail!("{text} has no tag: expected host/repository:tag"),
    }
}

/// No registry should hold what no operator would take.
fn check(description: &Description) -> anyhow::Result<()> {
    if description.inspection.kind == Kind::CoreModule {
        anyhow::bail!(
            "{} is a core module, not a component: build it with `espejote plugin build`",
            description.of
        );
    }
    match &description.inspection.misfit {
        Some(misfit) => anyhow::bail!("{} is no plugin: {misfit}", description.of),
        None => Ok(()),
    }
}

/// The caller's before the project's before the component's own.
fn annotations(
    description: &Description,
    project: Option<&Project>,
    given: &[(String, String)],
) -> BTreeMap<String, String> {
    let own = inspect::named(&description.inspection.metadata).into_iter();
    let own = own.filter_map(|(name, value)| Some((annotation(name), value.clone()?)));
    let of_project = project
        .into_iter()
        .flat_map(|project| project.annotations.clone());
    own.chain(of_project).chain(given.iter().cloned()).collect()
}

fn config(description: &Description) -> WasmConfig {
    WasmConfig {
        author: description.inspection.metadata.authors.clone(),
        imports: description.imports(),
        exports: description.inspection.exports.clone(),
        ..WasmConfig::default()
    }
}

fn report(reference: &Reference, digest: Digest) {
    println!("pushed {reference}@{digest}");
    println!("In a Plugin:\n{}", module_lines(reference, digest));
}

/// What belongs into the manifest of a Plugin.
pub(super) fn module_lines(reference: &Reference, digest: Digest) -> String {
    let tag = reference.tag().map(|tag| format!(":{tag}")).unwrap_or_default();
    format!("  spec:\n    module: {}{tag}@{digest}", reference.name())
}

/// Runs `push-wit`.
pub(super) fn run_wit(flags: WitFlags) -> anyhow::Result<ExitCode> {
    let reference = tagged(&flags.reference)?;
    let (bytes, exports) = wit::encoded()?;
    let annotations = wit_annotations();
    let config = WasmConfig {
        exports,
        ..WasmConfig::default()
    };
    let registry = Registry::new(flags.registries)?;
    let digest = registry.push(&reference, bytes, &config, annotations)?;
    println!("pushed {} as {reference}@{digest}", wit::package());
    Ok(ExitCode::SUCCESS)
}

fn wit_annotations() -> BTreeMap<String, String> {
    let (name, version) = wit::package().split_once('@').unwrap_or((wit::package(), ""));
    let description = "The contract between Espejote and its plugins, as a WIT package";
    [
        ("title", name),
        ("version", version),
        ("description", description),
    ]
    .map(|(key, value)| (annotation(key), value.to_owned()))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_is_pushed_to_a_tag() {
        assert!(tagged("r.example/a:1").is_ok());
        let digest = Digest::of(b"");
        let error = tagged(&format!("r.example/a@{digest}")).unwrap_err().to_string();
        assert!(error.contains("has no tag"), "{error}");
    }

    #[test]
    fn a_plugin_names_tag_and_digest() {
        let reference = tagged("oci://r.example/a:1").unwrap();
        let digest = Digest::of(b"");
        assert_eq!(
            module_lines(&reference, digest),
            format!("  spec:\n    module: r.example/a:1@{digest}")
        );
    }

    #[test]
    fn what_no_operator_takes_is_not_pushed() {
        let description = Description::new("x".to_owned(), b"\0asm\x01\0\0\0", None).unwrap();
        assert!(
            check(&description)
                .unwrap_err()
                .to_string()
                .contains("core module")
        );
        let description = Description::new("x".to_owned(), b"\0asm\x0d\0\x01\0", None).unwrap();
        assert!(
            check(&description)
                .unwrap_err()
                .to_string()
                .contains("is no plugin")
        );
    }
}
