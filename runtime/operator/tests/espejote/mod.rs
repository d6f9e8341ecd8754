//! Runs the `espejote` command.

mod ran;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

pub use ran::Ran;

/// Compiled plugins of all tests.
pub fn plugin_cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugins")
}

/// The command, in an environment without a cluster.
pub fn espejote(arguments: &[&str]) -> Ran {
    Command::new(env!("CARGO_BIN_EXE_espejote"))
        .args(arguments)
        .env_clear()
        .env("HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("KUBECONFIG", "/no/such/kubeconfig")
        .output()
        .unwrap()
        .into()
}

/// `espejote render` of files, with more arguments.
pub fn render(manifest: &Path, input: &Path, more: &[&str]) -> Ran {
    let cache = plugin_cache();
    let fixed = [
        "render",
        text(manifest),
        "--input",
        text(input),
        "--plugin-cache-dir",
        text(&cache),
    ];
    espejote(&[&fixed, more].concat())
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
