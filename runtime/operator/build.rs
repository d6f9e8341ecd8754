//! Puts the Jsonnet renderer into the binary: builds its component, or takes the one that
//! `ESPEJOTE_JSONNET_COMPONENT` names.

use std::{env, error::Error, path::PathBuf};

/// A component that is there already.
const GIVEN: &str = "ESPEJOTE_JSONNET_COMPONENT";
/// Where `builtin.rs` finds the component.
const FOUND: &str = "JSONNET_COMPONENT";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={GIVEN}");
    let component = match env::var_os(GIVEN) {
        Some(path) => given(path.into())?,
        None => espejote_component_build::in_build_script("espejote-jsonnet")?
            .component()
            .to_owned(),
    };
    println!("cargo::rustc-env={FOUND}={}", component.display());
    Ok(())
}

fn given(path: PathBuf) -> Result<PathBuf, Box<dyn Error>> {
    let path = path
        .canonicalize()
        .map_err(|error| format!("{GIVEN}={}: {error}", path.display()))?;
    println!("cargo::rerun-if-changed={}", path.display());
    Ok(path)
}
