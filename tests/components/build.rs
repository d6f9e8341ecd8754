//! Builds the guests, in a cargo of their own.

use std::process::ExitCode;

fn main() -> ExitCode {
    match espejote_component_build::in_build_script("espejote-test-guests") {
        Ok(built) => {
            println!("cargo::rustc-env=TEST_GUESTS={}", built.component().display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
