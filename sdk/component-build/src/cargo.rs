//! Runs cargo for a guest, with an environment of its own.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::guest::write_if_new;
use crate::toolchain::{DEBIAN_CARGO, DEBIAN_LINKER, DEBIAN_REACTOR, DEBIAN_RUSTC, DEBIAN_WASI};
use crate::{Error, Guest, Result, Toolchain, realpath};

pub(crate) const TARGET: &str = "wasm32-wasip1";
pub(crate) const PROFILE: &str = "guest";

/// As many lines of a failed build as are of use to a reader.
const STDERR_LINES: usize = 60;

pub(crate) fn build(guest: &Guest, toolchain: Toolchain) -> Result<()> {
    let mut command = command(guest, toolchain)?;
    let output = command.output().map_err(|source| Error::Start {
        guest: guest.to_string(),
        command: written(&command),
        source,
    })?;
    check(guest, toolchain, &command, &output)
}

fn command(guest: &Guest, toolchain: Toolchain) -> Result<Command> {
    let mut command = Command::new(program(toolchain));
    clean(&mut command);
    command.current_dir(guest.workspace()).arg("build").arg("--quiet");
    command.args([
        "--profile",
        PROFILE,
        "--target",
        TARGET,
        "--package",
        guest.package(),
        "--target-dir",
    ]);
    command.arg(guest.target_dir());
    match guest.example_name() {
        Some(example) => command.args(["--example", example]),
        None => command.arg("--lib"),
    };
    let mut flags = no_paths_of_this_machine();
    if toolchain == Toolchain::Debian {
        flags.extend(debian(&mut command, guest)?);
    }
    command.env("CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS", flags.join(" "));
    Ok(command)
}

fn program(toolchain: Toolchain) -> OsString {
    match toolchain {
        Toolchain::Rustup => std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()),
        Toolchain::Debian => DEBIAN_CARGO.into(),
    }
}

/// Equal sources give an equal component wherever they lie, and its messages tell nobody where. Members of the workspace
/// are compiled by relative paths already; naming the workspace here would compile every dependency anew for each checkout.
fn no_paths_of_this_machine() -> Vec<String> {
    cargo_home()
        .map(|home| format!("--remap-path-prefix={}=cargo", home.display()))
        .into_iter()
        .collect()
}

fn cargo_home() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo"));
    std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home)
}

/// Debian ships the library as source only, and a libc for WASI that lacks one symbol.
fn debian(command: &mut Command, guest: &Guest) -> Result<Vec<String>> {
    let stub = guest.target_dir().join("realpath.o");
    std::fs::create_dir_all(guest.target_dir()).map_err(Error::file("write", guest.target_dir()))?;
    write_if_new(&stub, &realpath::object())?;
    command.arg("-Zbuild-std=std,panic_abort");
    command
        .env_remove("RUSTUP_TOOLCHAIN")
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", DEBIAN_RUSTC);
    command.env("CARGO_TARGET_WASM32_WASIP1_LINKER", DEBIAN_LINKER);
    Ok(vec![
        "-Clink-self-contained=no".to_owned(),
        format!("-L{DEBIAN_WASI}"),
        format!("-Clink-arg={DEBIAN_REACTOR}"),
        format!("-Clink-arg={}", stub.display()),
    ])
}

/// A build script inherits what the outer cargo means for itself: flags, wrappers, a compiler, another target.
fn clean(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(belongs_to_outer_build) {
            command.env_remove(name);
        }
    }
}

fn belongs_to_outer_build(name: &str) -> bool {
    const OWN: [&str; 9] = [
        "TARGET",
        "HOST",
        "PROFILE",
        "OPT_LEVEL",
        "DEBUG",
        "NUM_JOBS",
        "OUT_DIR",
        "RUSTFLAGS",
        "RUSTDOCFLAGS",
    ];
    const KEPT: [&str; 7] = [
        "HOME",
        "NET_",
        "HTTP_",
        "REGISTR",
        "SOURCE_",
        "TERM_",
        "MAKEFLAGS",
    ];
    match name.strip_prefix("CARGO_") {
        Some(rest) => !KEPT.iter().any(|kept| rest.starts_with(kept)),
        None => OWN.contains(&name) || name.starts_with("RUSTC") || name.starts_with("CLIPPY_"),
    }
}

fn check(guest: &Guest, toolchain: Toolchain, command: &Command, output: &Output) -> Result<()> {
    if output.status.success() {
        return Ok(());
    }
    Err(Error::Cargo {
        guest: guest.to_string(),
        toolchain: toolchain.name(),
        command: written(command),
        status: output.status,
        stderr: tail(&String::from_utf8_lossy(&output.stderr)),
    })
}

fn written(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines
        .get(lines.len().saturating_sub(STDERR_LINES)..)
        .unwrap_or_default()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_wrappers_of_the_outer_build_stay_outside() {
        for name in [
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "RUSTC",
            "RUSTC_WRAPPER",
            "RUSTC_WORKSPACE_WRAPPER",
            "RUSTC_BOOTSTRAP",
            "CARGO_BUILD_TARGET",
            "CARGO_TARGET_DIR",
            "CARGO_PKG_NAME",
            "CARGO_FEATURE_X",
            "CARGO_PROFILE_GUEST_OPT_LEVEL",
            "CLIPPY_ARGS",
            "TARGET",
            "OUT_DIR",
        ] {
            assert!(belongs_to_outer_build(name), "{name}");
        }
    }

    #[test]
    fn the_way_to_the_registry_stays_open() {
        for name in [
            "CARGO_HOME",
            "CARGO_NET_OFFLINE",
            "CARGO_HTTP_PROXY",
            "CARGO_MAKEFLAGS",
            "PATH",
            "RUSTUP_HOME",
        ] {
            assert!(!belongs_to_outer_build(name), "{name}");
        }
    }

    #[test]
    fn a_failure_names_crate_command_and_the_last_words() {
        let dir = tempfile::tempdir().unwrap();
        let guest = Guest::new(dir.path(), "nobody", dir.path().join("target"));
        let error = build(&guest, Toolchain::Rustup).unwrap_err().to_string();
        assert!(error.contains("guest crate `nobody`"), "{error}");
        assert!(
            error.contains("--profile guest --target wasm32-wasip1 --package nobody"),
            "{error}"
        );
        assert!(error.contains("Cargo.toml"), "{error}");
    }

    #[test]
    fn only_the_tail_of_a_long_text_is_kept() {
        let text: String = (0..100).map(|n| format!("{n}\n")).collect();
        assert!(tail(&text).starts_with("40\n"));
        assert!(tail(&text).ends_with("99"));
        assert_eq!(tail("one"), "one");
    }
}
