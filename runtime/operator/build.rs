//! Puts the Jsonnet renderer into the binary: builds its component, or takes the one that
//! `ESPEJOTE_JSONNET_COMPONENT` names. And the SDKs, for those who write plugins.

#[path = "build/sdk_files.rs"]
mod sdk_files;

use std::{
    env,
    error::Error,
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

/// A component that is there already.
const GIVEN: &str = "ESPEJOTE_JSONNET_COMPONENT";
/// Where `builtin.rs` finds the component.
const FOUND: &str = "JSONNET_COMPONENT";
/// Its digest: computed here, so that no start has to read all of it.
const DIGEST: &str = "JSONNET_DIGEST";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={GIVEN}");
    // 84,000 places that the start fills in take 2 MB of the file, and as much memory, unless they are packed (glibc 2.36).
    println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    let component = match env::var_os(GIVEN) {
        Some(path) => given(path.into())?,
        None => espejote_component_build::in_build_script("espejote-jsonnet")?
            .component()
            .to_owned(),
    };
    println!("cargo::rustc-env={FOUND}={}", component.display());
    let digest = Sha256::digest(std::fs::read(&component)?);
    println!("cargo::rustc-env={DIGEST}=sha256:{digest:x}");
    put_in_sdks()
}

fn put_in_sdks() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build/sdk_files.rs");
    let repository = Path::new(&env::var("CARGO_MANIFEST_DIR")?)
        .join("../..")
        .canonicalize()?;
    sdk_files::write(
        &repository,
        &Path::new(&env::var("OUT_DIR")?).join("sdk_files.rs"),
    )
}

fn given(path: PathBuf) -> Result<PathBuf, Box<dyn Error>> {
    let path = path
        .canonicalize()
        .map_err(|error| format!("{GIVEN}={}: {error}", path.display()))?;
    println!("cargo::rerun-if-changed={}", path.display());
    Ok(path)
}
