//! `espejote plugin pull`: a component from a registry into a file.

use std::{fs, path::PathBuf, process::ExitCode};

use anyhow::Context as _;
use clap::Args;
use espejote_oci::Reference;

use super::{
    inspect::Description,
    push::module_lines,
    registry::{self, Registry},
};
use crate::cli::plugin_flags::RegistryFlags;

/// The end of `--help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  espejote plugin pull ghcr.io/acme/team-labels:1.2.0
  espejote plugin pull ghcr.io/acme/team-labels:1.2.0 -o /tmp/labels.wasm

Credentials are those of `docker login`. Signatures are not looked at: see `espejote plugin verify`.";

/// Pulls a component from a registry.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// Where it is.
    reference: String,
    /// Where it goes. Default: the last part of its repository, with .wasm.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    registries: RegistryFlags,
}

/// Runs the command.
pub(super) fn run(flags: Flags) -> anyhow::Result<ExitCode> {
    let reference = registry::reference(&flags.reference)?;
    let output = flags.output.unwrap_or_else(|| default_output(&reference));
    let artifact = Registry::new(flags.registries)?.pull(&reference)?;
    // Not half a component under its name.
    let part = output.with_extension("wasm.part");
    fs::write(&part, &artifact.bytes)
        .and_then(|()| fs::rename(&part, &output))
        .with_context(|| format!("cannot write {}", output.display()))?;
    let shown = output.display().to_string();
    let description = Description::new(shown, &artifact.bytes, None)?;
    println!("{}", description.line());
    if description.inspection.misfit.is_none() {
        println!(
            "In a Plugin:\n{}",
            module_lines(&reference, artifact.manifest_digest)
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn default_output(reference: &Reference) -> PathBuf {
    let repository = reference.repository();
    let last = repository.rsplit('/').next().unwrap_or(repository);
    format!("{last}.wasm").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_the_name_of_the_repository() {
        let reference = registry::reference("r.example:5000/acme/team-labels:1").unwrap();
        assert_eq!(default_output(&reference), PathBuf::from("team-labels.wasm"));
    }
}
