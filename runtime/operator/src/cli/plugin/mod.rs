//! `espejote plugin …`: what authors of plugins need, from an empty folder to a registry.
//!
//! Owns the project's layout, the embedded SDKs, and the commands. Compilers are those of the languages, called by the
//! scripts of the SDKs; what a component does is shown by the engine of the operator. It contacts no cluster.

mod bench;
mod build;
mod cases;
mod componentize;
mod diff;
mod inspect;
mod languages;
mod new;
mod project;
mod pull;
mod push;
mod registry;
mod run;
mod setup;
mod sign;
mod test;
mod toolchain;
mod verify;
mod wit;

use std::process::ExitCode;

use clap::{Args, Subcommand};

pub(super) use self::registry::user_credentials;
use super::EXIT_CODES;

/// The end of `espejote plugin --help`.
pub(super) const EXAMPLES: &str = "\
Example, from nothing to a registry:
  espejote plugin new --lang go team-labels && cd team-labels
  espejote plugin setup --lang go
  espejote plugin build
  espejote plugin test
  espejote plugin push ghcr.io/acme/team-labels:0.1.0";

/// The flags.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Debug, Subcommand)]
enum Command {
    #[command(after_help = help(new::EXAMPLES))]
    New(new::Flags),
    #[command(after_help = help(setup::EXAMPLES))]
    Setup(setup::Flags),
    #[command(after_help = help(build::EXAMPLES))]
    Build(build::Flags),
    #[command(after_help = help(test::EXAMPLES))]
    Test(test::Flags),
    #[command(after_help = help(run::EXAMPLES))]
    Run(run::Flags),
    #[command(after_help = help(bench::EXAMPLES))]
    Bench(bench::Flags),
    #[command(after_help = help(inspect::EXAMPLES))]
    Inspect(inspect::Flags),
    #[command(after_help = help(push::EXAMPLES))]
    Push(push::Flags),
    #[command(after_help = help(push::WIT_EXAMPLES))]
    PushWit(push::WitFlags),
    #[command(after_help = help(pull::EXAMPLES))]
    Pull(pull::Flags),
    #[command(after_help = help(verify::EXAMPLES))]
    Verify(verify::Flags),
    #[command(hide = true, after_help = help(sign::EXAMPLES))]
    Sign(sign::Flags),
    #[command(hide = true, after_help = help(componentize::EXAMPLES))]
    Componentize(componentize::Flags),
}

fn help(examples: &str) -> String {
    format!("{examples}\n\n{EXIT_CODES}")
}

/// Runs one command.
pub(super) fn run(flags: Flags) -> anyhow::Result<ExitCode> {
    match flags.command {
        Command::New(flags) => new::run(flags),
        Command::Setup(flags) => setup::run(&flags),
        Command::Build(flags) => build::run(&flags),
        Command::Test(flags) => test::run(&flags),
        Command::Run(flags) => run::run(flags),
        Command::Bench(flags) => bench::run(&flags),
        Command::Inspect(flags) => inspect::run(flags),
        Command::Push(flags) => push::run(flags),
        Command::PushWit(flags) => push::run_wit(flags),
        Command::Pull(flags) => pull::run(flags),
        Command::Verify(flags) => verify::run(flags),
        Command::Sign(flags) => sign::run(flags),
        Command::Componentize(flags) => componentize::run(&flags),
    }
}
