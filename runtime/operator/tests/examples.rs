//! Every folder of `examples/` renders to what its `expected.yaml` says, if its plugin, should it have one, is in Rust.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod espejote;

use std::{
    fs,
    path::{Path, PathBuf},
};

use espejote::{Ran, render, text};

/// Whether the example has a plugin in another language than Rust. Those need toolchains of their own: `sdk/<language>/check`
/// builds and renders them.
fn is_for_another_sdk(folder: &Path) -> bool {
    folder.join("plugin").is_dir() && !folder.join("plugin/Cargo.toml").is_file()
}

/// The crate of an example's plugin is a member of the workspace.
fn plugin_of(folder: &Path) -> Option<PathBuf> {
    let manifest = fs::read_to_string(folder.join("plugin/Cargo.toml")).ok()?;
    let name = manifest
        .lines()
        .find_map(|line| line.strip_prefix("name = "))
        .unwrap()
        .trim_matches('"');
    let built = espejote_component_build::Guest::new(root(), name, guests())
        .build()
        .unwrap();
    Some(built.component().to_owned())
}

/// The folder in which this crate's build script builds guests as well.
fn guests() -> PathBuf {
    std::env::var_os("ESPEJOTE_GUEST_TARGET_DIR").map_or_else(
        || {
            Path::new(env!("CARGO_TARGET_TMPDIR"))
                .parent()
                .unwrap()
                .join("guest")
        },
        PathBuf::from,
    )
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rendered(folder: &Path) -> Ran {
    let plugin = plugin_of(folder);
    let more = plugin
        .iter()
        .flat_map(|file| ["--plugin", text(file)])
        .collect::<Vec<_>>();
    let more = [more.as_slice(), &["--strict"]].concat();
    render(&folder.join("manifest.yaml"), &folder.join("input.yaml"), &more)
}

#[test]
fn every_example_renders_to_what_it_says() {
    let mut count = 0;
    for folder in fs::read_dir(root().join("examples")).unwrap() {
        let folder = folder.unwrap().path();
        if is_for_another_sdk(&folder) {
            continue;
        }
        let Ok(expected) = fs::read_to_string(folder.join("expected.yaml")) else {
            continue;
        };
        let ran = rendered(&folder);
        assert_eq!(ran.stderr, "", "{}", folder.display());
        assert_eq!(ran.stdout, expected, "{}", folder.display());
        assert_eq!(ran.code, Some(0));
        count += 1;
    }
    assert!(count > 0, "no example was found");
}
