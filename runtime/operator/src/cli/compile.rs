//! `espejote compile`: the process in which the engine has components compiled. Not for people.

use std::{ffi::OsString, process::ExitCode};

use clap::Args;

/// The name of the command.
pub(super) const NAME: &str = "compile";

/// Compiles one component for the engine of another process.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// What the engine says.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub(super) fn run(flags: Flags) -> ExitCode {
    espejote_engine::compile_child(flags.arguments)
}
