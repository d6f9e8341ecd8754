//! The `espejote` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    espejote_operator::cli::main(std::env::args_os())
}
