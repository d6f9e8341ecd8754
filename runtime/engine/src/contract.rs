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
    #[error("it needs {needs}{missing}; this host serves {VERSION}")]
    NeedsOther {
        /// The interface with its version.
        needs: String,
        /// The function that is not there, if the interface is.
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
        let ours = name.strip_prefix(PACKAGE);
        match (ours, import.ty) {
            (Some(interface), ComponentItem::ComponentInstance(instance)) => {
                let items = instance.exports(engine);
                let functions = items.filter(|(_, item)| matches!(item.ty, ComponentItem::ComponentFunc(_)));
                check_interface(name, interface, functions.map(|(name, _)| name))?;
            }
            _ if name.starts_with("wasi:") => {}
            _ => return Err(MisfitError::UnknownImport(name.to_owned())),
        }
    }
    Ok(())
}

fn check_interface<'a>(
    name: &str,
    interface: &str,
    mut functions: impl Iterator<Item = &'a str>,
) -> Result<(), MisfitError> {
    let needs = |missing: String| MisfitError::NeedsOther {
        needs: name.to_owned(),
        missing,
    };
    let (interface, version) = interface.split_once('@').unwrap_or((interface, ""));
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
            Err("it needs espejote:plugin/state@0.1.3 (count); this host serves 0.1.0".to_owned())
        );
    }

    #[test]
    fn new_interfaces_and_other_release_lines_do_not_fit() {
        assert!(needs("espejote:plugin/applied@0.1.3", &[]).is_err());
        assert!(needs("espejote:plugin/state@0.2.0", &[]).is_err());
        assert!(needs("espejote:plugin/state", &[]).is_err());
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
