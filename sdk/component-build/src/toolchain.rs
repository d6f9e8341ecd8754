//! Which compiler builds for `wasm32-wasip1` on this machine.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cargo::TARGET;
use crate::{Error, Result};

/// Forces one of the two: `rustup` or `debian`.
pub(crate) const ENV: &str = "ESPEJOTE_GUEST_TOOLCHAIN";

/// The packages of Debian 12 (security suite), by what they bring.
pub(crate) const DEBIAN_CARGO: &str = "/usr/bin/cargo";
pub(crate) const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
pub(crate) const DEBIAN_LINKER: &str = "/usr/bin/wasm-ld-22";
pub(crate) const DEBIAN_WASI: &str = "/usr/lib/wasm32-wasi";
pub(crate) const DEBIAN_REACTOR: &str = "/usr/lib/wasm32-wasi/crt1-reactor.o";
const DEBIAN_STD: &str = "/usr/lib/rustlib/src/rust/library/std/Cargo.toml";

/// A way to compile for `wasm32-wasip1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolchain {
    /// The compiler in use has a standard library for the target, as after `rustup target add wasm32-wasip1`.
    Rustup,
    /// Debian's compiler builds the standard library from source, linked with Debian's libc for WASI.
    Debian,
}

impl Toolchain {
    /// Takes what is there: the target of the compiler in use, else Debian's packages, else asks rustup to add the
    /// target. So nothing is downloaded where nothing is missing. `ESPEJOTE_GUEST_TOOLCHAIN` forces one.
    pub fn choose(workspace: &Path) -> Result<Self> {
        match std::env::var(ENV).as_deref() {
            Ok("rustup") => rustup(workspace),
            Ok("debian") => debian(),
            Ok("") | Err(_) => automatic(workspace),
            Ok(other) => Err(Error::UnknownToolchain(other.to_owned())),
        }
    }

    /// `rustup` or `debian`, as in `ESPEJOTE_GUEST_TOOLCHAIN`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rustup => "rustup",
            Self::Debian => "debian",
        }
    }
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn automatic(workspace: &Path) -> Result<Toolchain> {
    if target_installed(workspace) {
        return Ok(Toolchain::Rustup);
    }
    debian().or_else(|no_debian| rustup(workspace).map_err(|no_rustup| both(&no_rustup, &no_debian)))
}

fn both(one: &Error, other: &Error) -> Error {
    let words = |error: &Error| match error {
        Error::NoToolchain { missing } => missing.clone(),
        other => other.to_string(),
    };
    Error::NoToolchain {
        missing: format!("{}; {}", words(one), words(other)),
    }
}

fn rustup(workspace: &Path) -> Result<Toolchain> {
    if target_installed(workspace) || (add_target(workspace) && target_installed(workspace)) {
        return Ok(Toolchain::Rustup);
    }
    Err(Error::NoToolchain {
        missing: format!(
            "`{}` has no library for {TARGET}, and rustup could not add it",
            rustc().display()
        ),
    })
}

fn debian() -> Result<Toolchain> {
    let needed = [
        DEBIAN_CARGO,
        DEBIAN_RUSTC,
        DEBIAN_LINKER,
        DEBIAN_REACTOR,
        DEBIAN_STD,
    ];
    match needed.iter().find(|file| !Path::new(file).exists()) {
        None => Ok(Toolchain::Debian),
        Some(file) => Err(Error::NoToolchain {
            missing: format!("there is no {file}"),
        }),
    }
}

/// In a build script cargo says which compiler it uses; elsewhere it is the one on the path.
fn rustc() -> PathBuf {
    std::env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from)
}

fn target_installed(workspace: &Path) -> bool {
    let output = Command::new(rustc())
        .args(["--print", "target-libdir", "--target", TARGET])
        .current_dir(workspace)
        .stderr(Stdio::null())
        .output();
    output
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .is_some_and(|libdir| holds_std(Path::new(libdir.trim())))
}

fn holds_std(libdir: &Path) -> bool {
    std::fs::read_dir(libdir).is_ok_and(|entries| {
        entries
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
    })
}

fn add_target(workspace: &Path) -> bool {
    Command::new("rustup")
        .args(["target", "add", TARGET])
        .current_dir(workspace)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_std_is_no_target() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!holds_std(dir.path()));
        assert!(!holds_std(&dir.path().join("missing")));
        std::fs::write(dir.path().join("libstd-0123.rlib"), "").unwrap();
        assert!(holds_std(dir.path()));
    }

    #[test]
    fn two_missing_toolchains_are_told_together_with_what_to_install() {
        let one = Error::NoToolchain {
            missing: "no rustup".into(),
        };
        let other = Error::NoToolchain {
            missing: "there is no /usr/bin/rustc".into(),
        };
        let text = both(&one, &other).to_string();
        assert!(text.contains("no rustup; there is no /usr/bin/rustc"), "{text}");
        assert!(text.contains("rustup target add wasm32-wasip1"), "{text}");
        assert!(
            text.contains("apt-get install --no-install-recommends rustc-web"),
            "{text}"
        );
    }
}
