//! Where cargo and the control plane's build put things.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// The folder of this repository.
pub fn repository() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests
        .parent()
        .expect("the tests are in a folder of the repository")
        .to_path_buf()
}

/// The folder with the release builds, in which this very program is.
pub fn release() -> PathBuf {
    let program = env::current_exe().expect("this program has a path");
    let folder = program.parent().expect("a program is in a folder");
    let folder = if folder.ends_with("deps") {
        folder.parent()
    } else {
        Some(folder)
    };
    folder.expect("`deps` is in a folder").to_path_buf()
}

/// Cargo's target directory.
pub fn target() -> PathBuf {
    release()
        .parent()
        .expect("`release` is in the target directory")
        .to_path_buf()
}

/// The operator's program: `ESPEJOTE_BIN`, or what cargo has built beside this one.
pub fn espejote() -> PathBuf {
    let path = env::var_os("ESPEJOTE_BIN").map_or_else(|| release().join("espejote"), PathBuf::from);
    assert!(
        path.is_file(),
        "{} is not there: `cargo build --release` first",
        path.display()
    );
    path
}

/// The control plane's program, built if it is not there yet.
pub fn control_plane() -> PathBuf {
    let build = repository().join("tests/controlplane/build");
    let output = Command::new(&build)
        .env("CARGO_TARGET_DIR", target())
        .output()
        .unwrap_or_else(|error| panic!("run {}: {error}", build.display()));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    PathBuf::from(String::from_utf8(output.stdout).expect("a path").trim())
}
