//! `espejote plugin setup`: installs what building plugins in a language needs.

use std::{process::ExitCode, time::Instant};

use clap::Args;

use super::{
    languages::{self, Language},
    toolchain::Toolchain,
};

/// The end of `--help`.
pub(super) const EXAMPLES: &str = "\
Example:
  espejote plugin setup --lang go

What is installed goes to ~/.cache/espejote/toolchains/LANG, or to LANG in the folder that
the variable ESPEJOTE_TOOLCHAIN names; Debian packages, where a language needs them, to their
own places, as root or by sudo. What is there already is not installed again.";

/// Installs what building plugins in a language needs.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The language.
    #[arg(long, value_name = "LANG", value_parser = languages::language, help = format!("The language: {}", languages::names()))]
    lang: &'static Language,
}

/// Runs the command.
pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let toolchain = Toolchain::of(flags.lang)?;
    toolchain.set_up()?;
    println!(
        "{}: ready in {}, after {:.1} s",
        flags.lang.name,
        toolchain.folder.display(),
        started.elapsed().as_secs_f64()
    );
    Ok(ExitCode::SUCCESS)
}
