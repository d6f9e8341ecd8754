//! What the host serves of the contract, and what a component makes of it.
//!
//! Owns the check of imports and exports before anything is linked, so that the texts name what is missing.

use wasmtime::{
    Engine,
    component::types::{Component, ComponentItem},
};

use crate::plugin::Role;

/// The version that this host serves.
pub(crate) const VERSION: &str = "0.1.0";
const PACKAGE: &str = "espejote:plugin/";

/// The imported interfaces with their functions; a test compares them with `wit/`.
const SERVED: [(&str, &[&str]); 10] = [
    ("types", &[]),
    ("invocation", &["owner", "config", "keep-instance"]),
    ("library", &["read", "revision-of"]),
    ("logging", &["enabled", "log"]),
    ("provided", &["names", "get"]),
    ("trigger", &["name", "event", "object"]),
    ("admission", &["warn", "annotate"]),
    ("desired", &["apply", "delete", "open-group", "close-group"]),
    (
        "report",
        &[
            "requeue-after",
            "set-message",
            "set-condition",
            "set-waiting",
            "set-document",
        ],
    ),
    (
        "state",
        &[
            "names",
            "open",
            "[method]collection.len",
            "[method]collection.revision",
            "[method]collection.revisions",
            "[method]collection.find",
            "[method]collection.select",
            "[method]collection.ids",
            "[method]collection.read",
            "[method]collection.scan",
            "[method]collection.values",
        ],
    ),
];

/// Why a component does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MisfitError {
    /// It imports something that is neither WASI's nor ours.
    #[error("it imports {0}, which no contract of this host has")]
    UnknownImport(String),
    /// It was built for a later contract, or for one of another release line.
    #[error(
        "it needs version {version} of the contract, because of {needs}{missing}; this operator serves {VERSION}: build the \
         plugin for {VERSION}, or run it on an operator that serves {version}"
    )]
    NeedsOther {
        /// The version of the contract; empty if the component names none.
        version: String,
        /// The interface with its version.
        needs: String,
        /// The function that is not there, if the interface is: ` (function)`.
        missing: String,
    },
    /// It is no plugin, or one for other roles.
    #[error("it exports {found}; a plugin exports one of {expected}")]
    NoRole {
        /// What it has.
        found: String,
        /// What it should have one of.
        expected: String,
    },
}

/// The names of what a component imports, in its order.
pub(crate) fn imports(engine: &Engine, component: &Component) -> Vec<String> {
    component
        .imports(engine)
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The names of what a component exports, in its order.
pub(crate) fn exports(engine: &Engine, component: &Component) -> Vec<String> {
    component
        .exports(engine)
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// Checks that all imports are served, as far as names tell.
pub(crate) fn check_imports(engine: &Engine, component: &Component) -> Result<(), MisfitError> {
    for (name, import) in component.imports(engine) {
        let ComponentItem::ComponentInstance(instance) = import.ty else {
            return Err(MisfitError::UnknownImport(name.to_owned()));
        };
        let items = instance.exports(engine);
        let functions = items.filter(|(_, item)| matches!(item.ty, ComponentItem::ComponentFunc(_)));
        check_import(name, functions.map(|(name, _)| name))?;
    }
    Ok(())
}

/// Checks that one imported interface is served, with the functions that are imported of it.
pub(crate) fn check_import<'a>(
    name: &str,
    functions: impl Iterator<Item = &'a str>,
) -> Result<(), MisfitError> {
    match name.strip_prefix(PACKAGE) {
        Some(interface) => check_interface(name, interface, functions),
        None if is_wasi(name) => Ok(()),
        None => Err(MisfitError::UnknownImport(name.to_owned())),
    }
}

/// Whether it is an interface of ours, whichever version.
pub(crate) fn is_ours(name: &str) -> bool {
    name.starts_with(PACKAGE)
}

/// Whether it is an interface of WASI. Those that the host does not have are found out when linking.
pub(crate) fn is_wasi(name: &str) -> bool {
    name.starts_with("wasi:")
}

/// The newest version of the contract that any of these names has.
pub(crate) fn newest<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let versions = names
        .filter(|name| is_ours(name))
        .filter_map(|name| name.split_once('@'));
    let numbers =
        |version: &str| -> Vec<u64> { version.split('.').map(|n| n.parse().unwrap_or(0)).collect() };
    versions
        .map(|(_, version)| version)
        .max_by_key(|version| numbers(version))
        .map(str::to_owned)
}

fn check_interface<'a>(
    name: &str,
    interface: &str,
    mut functions: impl Iterator<Item = &'a str>,
) -> Result<(), MisfitError> {
    let (interface, version) = interface.split_once('@').unwrap_or((interface, ""));
    let needs = |missing: String| MisfitError::NeedsOther {
        version: version.to_owned(),
        needs: name.to_owned(),
        missing,
    };
    let served = SERVED.iter().find(|(served, _)| *served == interface);
    let Some((_, served)) = served.filter(|_| same_line(version)) else {
        return Err(needs(String::new()));
    };
    match functions.find(|function| !served.contains(function)) {
        Some(missing) => Err(needs(format!(" ({missing})"))),
        None => Ok(()),
    }
}

/// Within a release line versions only add.
fn same_line(version: &str) -> bool {
    let line = |version: &str| version.rsplit_once('.').map(|(line, _)| line.to_owned());
    line(version) == line(VERSION)
}

/// Whether an interface of ours is exported, in a version of this release line.
pub(crate) fn exported(exports: &[String], interface: &str) -> bool {
    exports.iter().any(|export| {
        let ours = export
            .strip_prefix(PACKAGE)
            .and_then(|export| export.split_once('@'));
        ours.is_some_and(|(name, version)| name == interface && same_line(version))
    })
}

/// What a component can be used for; at least one.
pub(crate) fn roles(exports: &[String]) -> Result<Vec<Role>, MisfitError> {
    let roles: Vec<Role> = Role::ALL
        .into_iter()
        .filter(|role| exported(exports, role.word()))
        .collect();
    if !roles.is_empty() {
        return Ok(roles);
    }
    let other = |export: &&String| {
        let ours = export
            .strip_prefix(PACKAGE)
            .and_then(|export| export.split_once('@'));
        ours.is_some_and(|(name, _)| Role::ALL.iter().any(|role| role.word() == name))
    };
    if let Some(export) = exports.iter().find(other) {
        return Err(MisfitError::NeedsOther {
            version: newest([export.as_str()].into_iter()).unwrap_or_default(),
            needs: export.clone(),
            missing: String::new(),
        });
    }
    Err(MisfitError::NoRole {
        found: match exports.is_empty() {
            true => "nothing".to_owned(),
            false => exports.join(", "),
        },
        expected: Role::ALL
            .map(|role| format!("{PACKAGE}{role}@{VERSION}"))
            .join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(name: &str, functions: &[&str]) -> Result<(), String> {
        let interface = name.strip_prefix(PACKAGE).unwrap();
        check_interface(name, interface, functions.iter().copied()).map_err(|error| error.to_string())
    }

    /// The list here and the files of the contract say the same.
    #[test]
    fn every_function_of_the_contract_is_listed() {
        for (interface, functions) in SERVED {
            let path = format!("{}/../../wit/{interface}.wit", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).unwrap();
            let mut written = Vec::new();
            let mut resource = None;
            for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
                if let Some(name) = line.strip_prefix("resource ") {
                    resource = name.split(' ').next().map(str::to_owned);
                }
                if let Some((name, _)) = line.split_once(": func(") {
                    written.push(match &resource {
                        Some(resource) => format!("[method]{resource}.{name}"),
                        None => name.to_owned(),
                    });
                }
            }
            assert_eq!(functions, written, "{interface}");
        }
    }

    #[test]
    fn later_contracts_fit_as_long_as_nothing_new_is_used() {
        assert_eq!(needs("espejote:plugin/state@0.1.3", &["names"]), Ok(()));
        assert_eq!(
            needs("espejote:plugin/state@0.1.3", &["names", "count"]),
            Err(
                "it needs version 0.1.3 of the contract, because of espejote:plugin/state@0.1.3 (count); this operator \
                 serves 0.1.0: build the plugin for 0.1.0, or run it on an operator that serves 0.1.3"
                    .to_owned()
            )
        );
    }

    #[test]
    fn new_interfaces_and_other_release_lines_do_not_fit() {
        assert!(needs("espejote:plugin/applied@0.1.3", &[]).is_err());
        assert!(needs("espejote:plugin/state@0.2.0", &[]).is_err());
        assert!(needs("espejote:plugin/state", &[]).is_err());
    }

    #[test]
    fn a_role_of_another_release_line_is_told_with_its_version() {
        let error = roles(&["espejote:plugin/reconcile@0.2.0".to_owned()])
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("version 0.2.0") && error.contains("serves 0.1.0"),
            "{error}"
        );
    }

    #[test]
    fn the_newest_version_counts_by_numbers() {
        let names = [
            "espejote:plugin/a@0.1.9",
            "wasi:cli/run@0.2.0",
            "espejote:plugin/b@0.1.10",
        ];
        assert_eq!(newest(names.into_iter()).as_deref(), Some("0.1.10"));
        assert_eq!(newest(["wasi:cli/run@0.2.0"].into_iter()), None);
    }

    #[test]
    fn a_component_without_a_role_is_told_what_it_lacks() {
        let error = roles(&["wasi:cli/run@0.2.0".to_owned()]).unwrap_err().to_string();
        assert!(
            error.contains("wasi:cli/run@0.2.0") && error.contains("espejote:plugin/reconcile@0.1.0"),
            "{error}"
        );
    }
}
