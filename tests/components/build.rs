//! Builds the guests, in a cargo of their own.

use std::process::ExitCode;

fn main() -> ExitCode {
    for (package, variable) in [
        ("espejote-test-guests", "TEST_GUESTS"),
        ("espejote-test-guests-sdk", "TEST_GUESTS_SDK"),
    ] {
        match espejote_component_build::in_build_script(package) {
            Ok(built) => println!("cargo::rustc-env={variable}={}", built.component().display()),
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
