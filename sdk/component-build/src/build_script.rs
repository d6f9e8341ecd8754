//! The same build from inside of a build script.

use std::path::{Path, PathBuf};

use crate::{Built, Error, Guest, Result, toolchain};

/// Overrides the target folder for guests.
const TARGET_DIR_ENV: &str = "ESPEJOTE_GUEST_TARGET_DIR";

/// Builds `package` of the workspace that the build script belongs to, and tells cargo when to run the script
/// again: when any source of the guest, the contract or the lock file changes, or the toolchain is forced to another.
///
/// Guests go to the folder `guest` beside the profiles in the target folder, so all build scripts share what they
/// compile; `ESPEJOTE_GUEST_TARGET_DIR` names another.
pub fn in_build_script(package: &str) -> Result<Built> {
    for name in [toolchain::ENV, TARGET_DIR_ENV] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let workspace = workspace_of(&required("CARGO_MANIFEST_DIR")?);
    let built = Guest::new(workspace, package, target_dir(&required("OUT_DIR")?)).build()?;
    for source in built.sources() {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    Ok(built)
}

fn required(name: &'static str) -> Result<PathBuf> {
    std::env::var_os(name)
        .map(PathBuf::from)
        .ok_or(Error::NotInBuildScript(name))
}

/// The outermost folder with a lock file; the manifest's own folder if there is none.
fn workspace_of(manifest_dir: &Path) -> PathBuf {
    manifest_dir
        .ancestors()
        .find(|folder| folder.join("Cargo.lock").is_file())
        .unwrap_or(manifest_dir)
        .to_owned()
}

/// Cargo marks its target folder with `CACHEDIR.TAG`.
fn target_dir(out_dir: &Path) -> PathBuf {
    if let Some(folder) = std::env::var_os(TARGET_DIR_ENV) {
        return folder.into();
    }
    let target = out_dir
        .ancestors()
        .find(|folder| folder.join("CACHEDIR.TAG").is_file());
    target.unwrap_or(out_dir).join("guest")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_share_one_folder_in_the_target_folder() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("release/build/operator-0123/out");
        std::fs::create_dir_all(&out).unwrap();
        assert_eq!(target_dir(&out), out.join("guest"));
        std::fs::write(dir.path().join("CACHEDIR.TAG"), "").unwrap();
        assert_eq!(target_dir(&out), dir.path().join("guest"));
    }

    #[test]
    fn the_workspace_is_where_the_lock_file_is() {
        let dir = tempfile::tempdir().unwrap();
        let member = dir.path().join("runtime/operator");
        std::fs::create_dir_all(&member).unwrap();
        assert_eq!(workspace_of(&member), member);
        std::fs::write(dir.path().join("Cargo.lock"), "").unwrap();
        assert_eq!(workspace_of(&member), dir.path());
    }
}
