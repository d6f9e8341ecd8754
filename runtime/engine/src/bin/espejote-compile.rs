//! Compiles one component, as the operator's hidden subcommand does. For the tests and the benchmark of the engine.

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    espejote_engine::compile_child(env::args_os().skip(1))
}
