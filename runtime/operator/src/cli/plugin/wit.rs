//! The contract's WIT package in the binary, written to a folder or encoded, and the world of one project.

use std::path::Path;

use wit_parser::{PackageId, Resolve, UnresolvedPackageGroup};

use super::{
    languages::{self, CONTRACT, WriteError},
    project::Export,
};

/// The file of the world that a project's component is of.
const WORLD_FILE: &str = "world.wit";

/// Writes the contract with a world `plugin` that has these exports.
pub(super) fn write(folder: &Path, exports: &[Export]) -> Result<(), WriteError> {
    languages::write_all(CONTRACT, folder)?;
    languages::write(&folder.join(WORLD_FILE), world(exports).as_bytes(), false)
}

fn world(exports: &[Export]) -> String {
    let included: String = exports
        .iter()
        .map(|export| format!("    include {};\n", export.world()))
        .collect();
    format!("package {};\n\nworld plugin {{\n{included}}}\n", package())
}

/// Its name and version: the first line of each file.
pub(super) fn package() -> &'static str {
    let first = CONTRACT
        .first()
        .and_then(|file| std::str::from_utf8(file.bytes).ok());
    first
        .and_then(|text| text.strip_prefix("package "))
        .and_then(|text| text.split(';').next())
        .unwrap_or("espejote:plugin")
}

/// The package as a component, as registries hold packages; and the names of its interfaces.
pub(super) fn encoded() -> anyhow::Result<(Vec<u8>, Vec<String>)> {
    let (resolve, package) = parsed()?;
    let interfaces = resolve
        .packages
        .get(package)
        .into_iter()
        .flat_map(|package| package.interfaces.values());
    let names = interfaces
        .filter_map(|interface| resolve.id_of(*interface))
        .collect();
    Ok((wit_component::encode(&resolve, package)?, names))
}

fn parsed() -> anyhow::Result<(Resolve, PackageId)> {
    let mut map = wit_parser::SourceMap::new();
    for file in CONTRACT {
        map.push_str(file.path, std::str::from_utf8(file.bytes)?);
    }
    let mut resolve = Resolve::default();
    let group: UnresolvedPackageGroup = map.parse().map_err(|(_, error)| anyhow::anyhow!("{error}"))?;
    let package = resolve
        .push_group(group)
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok((resolve, package))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_includes_what_the_project_exports() {
        assert_eq!(
            world(&[Export::Reconcile, Export::Configuration]),
            "package espejote:plugin@0.1.0;\n\nworld plugin {\n    include reconciler;\n    include configurable;\n}\n"
        );
    }

    #[test]
    fn the_folder_parses_with_each_world() {
        for export in [Export::Reconcile, Export::Admit, Export::Provide] {
            let dir = tempfile::tempdir().unwrap();
            write(dir.path(), &[export, Export::Configuration]).unwrap();
            let mut resolve = Resolve::default();
            let (package, _) = resolve.push_dir(dir.path()).unwrap();
            resolve.select_world(&[package], Some("plugin")).unwrap();
        }
    }

    #[test]
    fn the_package_is_encoded_with_all_interfaces() {
        let (bytes, interfaces) = encoded().unwrap();
        assert!(bytes.starts_with(b"\0asm\x0d\0\x01\0"));
        assert!(interfaces.contains(&"espejote:plugin/state@0.1.0".to_owned()));
        let decoded = wit_component::decode(&bytes).unwrap();
        assert!(matches!(decoded, wit_component::DecodedWasm::WitPackage(..)));
    }
}
