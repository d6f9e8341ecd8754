//! The command line: one module for each command.
//!
//! Owns the commands, their flags, what they print, and the exit codes, and the formats of files that commands read and
//! print. It never holds logic that the operator needs too: commands put together what the other modules offer.

mod cluster;
mod collect_input;
mod color;
pub(crate) mod compile;
mod completion;
mod component_flags;
pub mod controller;
pub mod crds;
mod flag;
mod folder;
mod guest_log;
pub mod input;
mod limit_flags;
mod log_flags;
pub mod manifest;
mod plugin;
pub mod plugin_flags;
pub(crate) mod render;
mod strict;

/// YAML as manifests, inputs and policies are written in it.
pub use espejote_yaml as yaml;

use std::{ffi::OsString, io::Write as _, process::ExitCode};

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

/// The end of every `--help`.
const EXIT_CODES: &str = "Exit codes:\n  0  done\n  1  failed; what failed is told on standard error\n  \
                          2  the command line is wrong";

/// Runs Jsonnet templates and WebAssembly plugins against a cluster, and on files.
#[derive(Debug, Parser)]
#[command(name = "espejote", version, after_help = EXIT_CODES, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(after_help = format!("{}\n\n{EXIT_CODES}", controller::EXAMPLES))]
    Controller(Box<controller::Flags>),
    #[command(about = color::alpha("Prints what a ManagedResource would emit, from a cluster or from files"),
              after_help = format!("{}\n\n{EXIT_CODES}", render::EXAMPLES))]
    Render(Box<render::Flags>),
    #[command(about = color::alpha("Prints what the cluster holds for a ManagedResource, as an input of render"),
              after_help = format!("{}\n\n{EXIT_CODES}", collect_input::EXAMPLES))]
    CollectInput(Box<collect_input::Flags>),
    #[command(about = color::alpha("Makes, tests and publishes plugins"),
              after_help = format!("{}\n\n{EXIT_CODES}", plugin::EXAMPLES))]
    Plugin(Box<plugin::Flags>),
    /// Prints espejote.libsonnet, for editors and other Jsonnet tools.
    #[command(after_help = format!("Example:\n  espejote libsonnet >vendor/espejote.libsonnet\n\n{EXIT_CODES}"))]
    Libsonnet,
    /// Prints a script that completes this command's arguments in a shell.
    #[command(after_help = format!("{}\n\n{EXIT_CODES}", completion::EXAMPLES))]
    Completion(completion::Flags),
    #[command(hide = true)]
    Crds(crds::Flags),
    #[command(hide = true, name = compile::NAME)]
    Compile(compile::Flags),
    /// Prints the version.
    #[command(after_help = format!("Example:\n  espejote version\n\n{EXIT_CODES}"))]
    Version,
}

/// Runs one command line, the program's name included, and tells the exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match parse(arguments).map_err(anyhow::Error::from).and_then(run) {
        Ok(code) => code,
        Err(error) => report(&error),
    }
}

fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let command = Cli::command().color(color::choice());
    Cli::from_arg_matches(&command.try_get_matches_from(arguments)?)
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        Command::Controller(flags) => controller::run(*flags),
        Command::Render(flags) => render::run(*flags),
        Command::CollectInput(flags) => collect_input::run(&flags),
        Command::Plugin(flags) => plugin::run(*flags),
        Command::Completion(flags) => print(&completion::script(flags, &mut Cli::command())?),
        Command::Libsonnet => print(crate::builtin::LIBSONNET),
        Command::Crds(flags) => print(&crds::run(flags)?),
        Command::Compile(flags) => Ok(compile::run(flags)),
        Command::Version => print(concat!("espejote ", env!("CARGO_PKG_VERSION"), "\n")),
    }
}

fn print(text: &str) -> anyhow::Result<ExitCode> {
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Errors go to standard error; those of the command line have an exit code of their own.
fn report(error: &anyhow::Error) -> ExitCode {
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        let printed = usage.print();
        let code = u8::try_from(usage.exit_code()).unwrap_or(1);
        return if printed.is_ok() {
            ExitCode::from(code)
        } else {
            ExitCode::FAILURE
        };
    }
    eprintln!("{} {error:#}", color::red("Error:"));
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    /// E6: a wrong command line and a failing command both exit non-zero.
    #[test]
    fn e6_failures_exit_non_zero() {
        let code = |line: &str| format!("{:?}", main(line.split(' ').map(OsString::from)));
        assert_eq!(code("espejote version"), format!("{:?}", ExitCode::SUCCESS));
        assert_eq!(code("espejote --version"), format!("{:?}", ExitCode::from(0)));
        assert_eq!(code("espejote nonsense"), format!("{:?}", ExitCode::from(2)));
        assert_eq!(
            code("espejote controller --no-such-flag"),
            format!("{:?}", ExitCode::from(2))
        );
    }
}
