//! `espejote completion`: scripts that complete arguments in a shell.

use anyhow::Context as _;
use clap::{Args, Command, ValueEnum};
use clap_complete::Shell;

/// The end of `--help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  For bash, in this session and in those to come:
    source <(espejote completion bash)
    espejote completion bash >~/.local/share/bash-completion/completions/espejote

  For zsh, in a folder of $fpath:
    espejote completion zsh >\"${fpath[1]}/_espejote\"

  For fish:
    espejote completion fish >~/.config/fish/completions/espejote.fish";

/// The flags.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Flags {
    /// The shell.
    shell: Kind,
}

/// The shells that there are scripts for.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    Bash,
    Zsh,
    Fish,
}

/// The script for one shell, of all commands that are shown in `--help`.
pub(super) fn script(flags: Flags, command: &mut Command) -> anyhow::Result<String> {
    let shell = match flags.shell {
        Kind::Bash => Shell::Bash,
        Kind::Zsh => Shell::Zsh,
        Kind::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    let mut shown = shown(command);
    clap_complete::generate(shell, &mut shown, "espejote", &mut script);
    String::from_utf8(script).context("the script is no text")
}

/// Without what is not for people.
fn shown(command: &Command) -> Command {
    let visible = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    let mut shown = Command::new("espejote").arg_required_else_help(true);
    for argument in command.get_arguments() {
        shown = shown.arg(argument.clone());
    }
    for inner in visible {
        shown = shown.subcommand(inner.clone());
    }
    shown
}
