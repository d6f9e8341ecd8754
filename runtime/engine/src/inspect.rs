//! What a component says about itself, without compiling it.
//!
//! Reads the outermost sections only, so it costs little whatever the size. That a component is described here does not
//! mean that it is valid: the compiler finds that out.

mod metadata;

use std::thread;

use wasmparser::{
    ComponentAlias, ComponentExport, ComponentExternalKind, ComponentImport, ComponentOuterAliasKind,
    ComponentType, ComponentTypeRef, Encoding, InstanceTypeDeclaration, Parser, Payload, TypeBounds,
};

pub use metadata::Metadata;

use crate::{
    contract::{self, MisfitError},
    plugin::Role,
};

/// Which form of WebAssembly it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A component.
    Component,
    /// A core module: no plugin, but one can be made of it.
    CoreModule,
}

/// What a component says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Which form of WebAssembly it is. Of a core module only the metadata is told.
    pub kind: Kind,
    /// What it can be used for on this host.
    pub roles: Vec<Role>,
    /// Whether it describes or checks its config.
    pub configurable: bool,
    /// The interfaces of the contract that it imports, with their functions.
    pub contract: Vec<Imported>,
    /// The interfaces of WASI that it imports. Languages' runtimes import what they never use.
    pub wasi: Vec<String>,
    /// Whatever else it imports: no host has that.
    pub other: Vec<String>,
    /// All names that it exports.
    pub exports: Vec<String>,
    /// The newest version of the contract that it names. None: it names none.
    pub contract_version: Option<String>,
    /// Why this host will not take it. None: by the names it fits; types are compared when it is loaded.
    pub misfit: Option<MisfitError>,
    /// Who made it, and how.
    pub metadata: Metadata,
}

/// An interface, and what is imported of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// With its version.
    pub interface: String,
    /// The names of its functions and methods.
    pub functions: Vec<String>,
}

/// Why nothing can be said of it.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// Not WebAssembly at all.
    #[error("it is no WebAssembly: it begins with {0}")]
    NotWasm(String),
    /// Cut off or damaged.
    #[error("it is no valid WebAssembly: {0}")]
    Malformed(String),
}

impl From<wasmparser::Error> for InspectError {
    fn from(error: wasmparser::Error) -> Self {
        Self::Malformed(error.to_string())
    }
}

/// The levels of types, at most.
const NESTING: usize = 4096;
/// Enough for so many levels, with much to spare. What is not touched costs nothing.
const STACK: usize = 32 << 20;

/// What a component says about itself.
pub fn inspect(bytes: &[u8]) -> Result<Inspection, InspectError> {
    if !bytes.starts_with(b"\0asm") {
        let begins = bytes.get(..16).unwrap_or(bytes);
        return Err(InspectError::NotWasm(format!(
            "{:?}",
            String::from_utf8_lossy(begins)
        )));
    }
    on_a_deep_stack(|| {
        let mut reader = Reader::default();
        reader.read(bytes)?;
        Ok(reader.conclude())
    })
}

/// Types nest, and their reader recurses: see [`NESTING`].
fn on_a_deep_stack<T: Send>(
    work: impl FnOnce() -> Result<T, InspectError> + Send,
) -> Result<T, InspectError> {
    let failed = |problem: &str| InspectError::Malformed(problem.to_owned());
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| failed(&format!("no thread to read it with: {error}")))?;
        thread.join().unwrap_or_else(|_| Err(failed("its reader failed")))
    })
}

/// An error if the types of a section could nest deeper than the stack of their reader bears: each level has one of two
/// bytes in front. Components of the largest languages have some hundred of those, counted with names and numbers.
fn check_nesting(section: &[u8]) -> Result<(), InspectError> {
    let nesting = section.iter().filter(|byte| matches!(byte, 0x41 | 0x42)).count();
    match nesting > NESTING {
        true => Err(InspectError::Malformed(
            "its types may nest too deeply".to_owned(),
        )),
        false => Ok(()),
    }
}

/// Collects what the outermost sections say.
#[derive(Default)]
struct Reader {
    core: bool,
    /// For each type the functions of an instance type; None for all others.
    types: Vec<Option<Vec<String>>>,
    imports: Vec<Imported>,
    exports: Vec<String>,
    metadata: Metadata,
}

impl Reader {
    fn read(&mut self, bytes: &[u8]) -> Result<(), InspectError> {
        let mut depth = 0_u32;
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
                Payload::End(_) => depth = depth.saturating_sub(1),
                payload if depth == 0 => self.section(bytes, payload)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn section(&mut self, bytes: &[u8], payload: Payload<'_>) -> Result<(), InspectError> {
        match payload {
            Payload::Version { encoding, .. } => self.core = encoding == Encoding::Module,
            Payload::ComponentTypeSection(types) => {
                check_nesting(bytes.get(types.range()).unwrap_or_default())?;
                for ty in types {
                    self.types.push(functions(&ty?));
                }
            }
            Payload::ComponentAliasSection(aliases) => {
                for alias in aliases {
                    self.alias(&alias?);
                }
            }
            Payload::ComponentImportSection(imports) => {
                for import in imports {
                    self.import(&import?);
                }
            }
            Payload::ComponentExportSection(exports) => {
                for export in exports {
                    self.export(&export?);
                }
            }
            Payload::CustomSection(section) => {
                self.metadata
                    .section(section.name(), section.data(), &section.as_known())
            }
            _ => {}
        }
        Ok(())
    }

    /// Keeps count of the types: an alias may be one.
    fn alias(&mut self, alias: &ComponentAlias<'_>) {
        let of_type = matches!(
            alias,
            ComponentAlias::InstanceExport {
                kind: ComponentExternalKind::Type,
                ..
            } | ComponentAlias::Outer {
                kind: ComponentOuterAliasKind::Type,
                ..
            }
        );
        if of_type {
            self.types.push(None);
        }
    }

    fn import(&mut self, import: &ComponentImport<'_>) {
        let functions = match import.ty {
            ComponentTypeRef::Instance(index) => self.types.get(index as usize).cloned().flatten(),
            _ => None,
        };
        if let ComponentTypeRef::Type(bounds) = import.ty {
            self.types.push(self.same(bounds));
        }
        self.imports.push(Imported {
            interface: import.name.name.to_owned(),
            functions: functions.unwrap_or_default(),
        });
    }

    fn same(&self, bounds: TypeBounds) -> Option<Vec<String>> {
        match bounds {
            TypeBounds::Eq(index) => self.types.get(index as usize).cloned().flatten(),
            TypeBounds::SubResource => None,
        }
    }

    fn export(&mut self, export: &ComponentExport<'_>) {
        if export.kind == ComponentExternalKind::Type {
            self.types.push(None);
        }
        self.exports.push(export.name.name.to_owned());
    }

    fn conclude(self) -> Inspection {
        let Self {
            core,
            imports,
            exports,
            metadata,
            ..
        } = self;
        let names = imports.iter().map(|import| import.interface.as_str());
        let contract_version = contract::newest(names.chain(exports.iter().map(String::as_str)));
        let roles = contract::roles(&exports);
        let unserved = imports.iter().find_map(Imported::misfit);
        let misfit = if core {
            None
        } else {
            roles.as_ref().err().cloned().or(unserved)
        };
        let (contract, rest): (Vec<_>, Vec<_>) = imports
            .into_iter()
            .partition(|import| contract::is_ours(&import.interface));
        let (wasi, other) = rest
            .into_iter()
            .map(|import| import.interface)
            .partition(|name| contract::is_wasi(name));
        Inspection {
            kind: if core { Kind::CoreModule } else { Kind::Component },
            roles: roles.unwrap_or_default(),
            configurable: contract::exported(&exports, "configuration"),
            contract,
            wasi,
            other,
            exports,
            contract_version,
            misfit,
            metadata,
        }
    }
}

impl Imported {
    fn misfit(&self) -> Option<MisfitError> {
        contract::check_import(&self.interface, self.functions.iter().map(String::as_str)).err()
    }
}

/// The functions that an instance type exports.
fn functions(ty: &ComponentType<'_>) -> Option<Vec<String>> {
    let ComponentType::Instance(declarations) = ty else {
        return None;
    };
    let function = |declaration: &InstanceTypeDeclaration<'_>| match declaration {
        InstanceTypeDeclaration::Export {
            name,
            ty: ComponentTypeRef::Func(_),
        } => Some(name.name.to_owned()),
        _ => None,
    };
    Some(declarations.iter().filter_map(function).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(wat: &str) -> Inspection {
        inspect(&wat::parse_str(wat).unwrap()).unwrap()
    }

    #[test]
    fn imports_are_grouped_and_their_functions_named() {
        let found = of(r#"(component $teams
                (import "espejote:plugin/state@0.1.0" (instance (export "names" (func)) (export "open" (func))))
                (import "wasi:cli/environment@0.2.0" (instance))
                (import "acme:cloud/launch@1.0.0" (instance))
                (instance $i)
                (export "espejote:plugin/reconcile@0.1.0" (instance $i))
                (export "espejote:plugin/configuration@0.1.0" (instance $i))
                (@custom "version" "1.2.3") (@custom "licenses" "Apache-2.0"))"#);
        assert_eq!(
            (found.kind, &found.roles[..]),
            (Kind::Component, &[Role::Reconcile][..])
        );
        assert!(found.configurable);
        let imported = Imported {
            interface: "espejote:plugin/state@0.1.0".into(),
            functions: vec!["names".into(), "open".into()],
        };
        assert_eq!(found.contract, [imported]);
        assert_eq!(found.wasi, ["wasi:cli/environment@0.2.0"]);
        assert_eq!(found.other, ["acme:cloud/launch@1.0.0"]);
        assert_eq!(found.contract_version.as_deref(), Some("0.1.0"));
        assert_eq!(
            found.misfit,
            Some(MisfitError::UnknownImport("acme:cloud/launch@1.0.0".into()))
        );
        assert_eq!(found.metadata.name.as_deref(), Some("teams"));
        assert_eq!(found.metadata.version.as_deref(), Some("1.2.3"));
        assert_eq!(found.metadata.licenses.as_deref(), Some("Apache-2.0"));
    }

    #[test]
    fn what_is_inside_of_a_component_is_not_its_own() {
        let found = of(r#"(component
                (component (import "acme:inner/thing@1.0.0" (instance)) (@custom "version" "9"))
                (core module (@custom "version" "8"))
                (instance $i)
                (export "espejote:plugin/provide@0.1.0" (instance $i)))"#);
        assert_eq!((found.other.len(), found.metadata.version), (0, None));
        assert_eq!((found.roles, found.misfit), (vec![Role::Provide], None));
    }

    #[test]
    fn a_later_contract_is_told_with_its_version() {
        let found = of(r#"(component
                (import "espejote:plugin/state@0.1.9" (instance (export "changes-since" (func))))
                (instance $i)
                (export "espejote:plugin/reconcile@0.1.9" (instance $i)))"#);
        assert_eq!(found.contract_version.as_deref(), Some("0.1.9"));
        let misfit = found.misfit.unwrap().to_string();
        assert!(
            misfit.contains("changes-since") && misfit.contains("0.1.9"),
            "{misfit}"
        );
    }

    /// A component whose one type has so many levels.
    fn nested(levels: usize) -> Vec<u8> {
        // Each level: an instance type with one declaration, which is a type.
        let mut ty = [0x42, 1, 1].repeat(levels);
        ty.extend([0x42, 0]);
        let mut section = vec![1];
        section.extend(ty);
        let mut bytes = b"\0asm\x0d\0\x01\0\x07".to_vec();
        let mut length = section.len();
        while length >= 0x80 {
            bytes.push((length as u8 & 0x7f) | 0x80);
            length >>= 7;
        }
        bytes.push(length as u8);
        bytes.extend(section);
        bytes
    }

    #[test]
    fn types_that_nest_without_end_do_not_use_up_the_stack() {
        assert!(inspect(&nested(10)).is_ok());
        assert!(inspect(&nested(NESTING - 1)).is_ok());
        let error = inspect(&nested(1_000_000)).unwrap_err().to_string();
        assert!(error.contains("nest too deeply"), "{error}");
    }

    #[test]
    fn a_core_module_is_told_apart_and_other_things_are_refused() {
        assert_eq!(of("(module)").kind, Kind::CoreModule);
        let error = inspect(b"<html>").unwrap_err();
        assert!(matches!(error, InspectError::NotWasm(_)), "{error}");
        let whole = wat::parse_str("(component (core module))").unwrap();
        let error = inspect(&whole[..whole.len() - 1]).unwrap_err();
        assert!(matches!(error, InspectError::Malformed(_)), "{error}");
    }
}
