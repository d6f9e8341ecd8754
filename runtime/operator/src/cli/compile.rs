//! `espejote compile`: the process in which the engine has components compiled. Not for people.

use std::{ffi::OsString, process::ExitCode};

use anyhow::Context as _;
use clap::Args;
use espejote_engine::Compiler;

/// The name of the command.
pub(super) const NAME: &str = "compile";

/// Compiles one component for the engine of another process.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// What the engine says.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// How an engine of this process has components compiled: by this executable, with this command.
pub(crate) fn compiler() -> anyhow::Result<Compiler> {
    let own = std::env::current_exe().context("the program's own file cannot be found")?;
    Ok(Compiler::new(own, [NAME]))
}

pub(super) fn run(flags: Flags) -> ExitCode {
    espejote_engine::compile_child(flags.arguments)
}
