//! Components that tests run as plugins.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use espejote_component_build::Guest;

use crate::{built, run};

/// The Jsonnet renderer as a plugin like any other: its config is `{"template": "…"}`.
static JSONNET: LazyLock<Vec<u8>> = LazyLock::new(|| build("espejote-jsonnet"));

/// The renderer's bytes.
pub fn jsonnet() -> &'static [u8] {
    &JSONNET
}

/// The guests with many modes.
pub fn guests() -> &'static [u8] {
    espejote_test_components::GUESTS
}

/// Builds a guest of the workspace; a moment if it has been built.
pub fn build(package: &str) -> Vec<u8> {
    let built = Guest::new(built::repository(), package, built::target().join("guest"))
        .build()
        .expect("build a component");
    fs::read(built.component()).expect("read a component")
}

/// Where files are that the operator takes as modules.
fn folder() -> PathBuf {
    run::folder().join("components")
}

/// Puts a component, or anything else, where the operator takes it as a module. Gives its reference.
pub fn put(name: &str, bytes: &[u8]) -> String {
    let file = folder().join(format!("{name}.wasm"));
    let next = file.with_extension("next");
    fs::create_dir_all(folder()).expect("create the folder of components");
    fs::write(&next, bytes).expect("write a component");
    fs::rename(&next, &file).expect("put a component in place");
    format!("file://{}", file.display())
}

/// Writes what the operator allows into a folder.
pub(crate) fn write_policy(into: &Path) -> PathBuf {
    fs::create_dir_all(folder()).expect("create the folder of components");
    fs::create_dir_all(into).expect("create the operator's folder");
    let file = into.join("policy.yaml");
    fs::write(&file, format!("files: [{}]\n", folder().display())).expect("write the policy");
    file
}
