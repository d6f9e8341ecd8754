//! What a guest was built from, so that a build script runs again when any of it changes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// The files in cargo's dep-info beside the artifact, and what it leaves out: the contract, manifests, lock file.
pub(crate) fn of(dep_info: &Path, workspace: &Path) -> Result<Vec<PathBuf>> {
    let text = std::fs::read_to_string(dep_info).map_err(Error::file("read", dep_info))?;
    let mut sources: BTreeSet<PathBuf> = listed(&text).map(|file| workspace.join(file)).collect();
    let manifests: Vec<PathBuf> = sources.iter().filter_map(|file| manifest_of(file)).collect();
    sources.extend(manifests);
    sources.extend(["wit", "Cargo.toml", "Cargo.lock"].map(|name| workspace.join(name)));
    Ok(sources.into_iter().filter(|file| file.exists()).collect())
}

/// `artifact: file file …`, with spaces inside names escaped.
fn listed(text: &str) -> impl Iterator<Item = PathBuf> {
    let files = text
        .lines()
        .next()
        .and_then(|line| line.split_once(": "))
        .map_or("", |(_, files)| files);
    let marked = files.replace("\\ ", "\0");
    let names: Vec<PathBuf> = marked
        .split_whitespace()
        .map(|name| PathBuf::from(name.replace('\0', " ")))
        .collect();
    names.into_iter()
}

fn manifest_of(file: &Path) -> Option<PathBuf> {
    file.ancestors()
        .skip(1)
        .map(|folder| folder.join("Cargo.toml"))
        .find(|manifest| manifest.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_spaces_are_one_name() {
        let names: Vec<PathBuf> = listed("/t/a.wasm: /ws/src/lib.rs /ws/my\\ folder/x.rs\n").collect();
        assert_eq!(
            names,
            [Path::new("/ws/src/lib.rs"), Path::new("/ws/my folder/x.rs")]
        );
    }

    #[test]
    fn manifests_contract_and_lock_file_belong_to_the_sources() {
        let dir = tempfile::tempdir().unwrap();
        let ws = dir.path();
        for folder in ["wit", "plugin/src"] {
            std::fs::create_dir_all(ws.join(folder)).unwrap();
        }
        for file in [
            "Cargo.toml",
            "Cargo.lock",
            "plugin/Cargo.toml",
            "plugin/src/lib.rs",
        ] {
            std::fs::write(ws.join(file), "").unwrap();
        }
        let dep_info = ws.join("plugin.d");
        let line = format!(
            "x.wasm: {} /nowhere/gone.rs\n",
            ws.join("plugin/src/lib.rs").display()
        );
        std::fs::write(&dep_info, line).unwrap();
        let expected: Vec<PathBuf> = [
            "Cargo.lock",
            "Cargo.toml",
            "plugin/Cargo.toml",
            "plugin/src/lib.rs",
            "wit",
        ]
        .map(|name| ws.join(name))
        .into();
        assert_eq!(of(&dep_info, ws).unwrap(), expected);
    }
}
