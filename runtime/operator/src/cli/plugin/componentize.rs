//! `espejote plugin componentize`: a core module becomes a component. For the build scripts of the SDKs.
//!
//! The module is built for WASI preview 1; calls of that are adapted. WASI stays an import of the component: a host that
//! grants nothing still lets panics and clocks work.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata, metadata};
use wit_parser::Resolve;

/// The end of `--help`.
pub(super) const EXAMPLES: &str = "\
Example:
  espejote plugin componentize build/labels.core.wasm --wit wit --world plugin --out build/labels.wasm";

/// What every component begins with.
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";
/// What every core module begins with.
const CORE: &[u8] = b"\0asm\x01\0\0\0";

/// Makes a component of a core module that was built for wasm32-wasip1.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The core module.
    core: PathBuf,
    /// The folder with the WIT package of the world. Not looked at if the module says itself what world it is of.
    #[arg(long, value_name = "DIR")]
    wit: PathBuf,
    /// The world.
    #[arg(long, value_name = "NAME", default_value = "plugin")]
    world: String,
    /// Where the component goes.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Why there is no component.
#[derive(Debug, thiserror::Error)]
pub(super) enum ComponentizeError {
    /// A file cannot be read or written.
    #[error("cannot {action} {path}", path = .path.display())]
    File {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// It is a component already.
    #[error("{} is a component already: use it as it is", .0.display())]
    Already(PathBuf),
    /// It is no WebAssembly.
    #[error("{} is no WebAssembly: expected a core module, built for wasm32-wasip1", .0.display())]
    NotWasm(PathBuf),
    /// The WIT package cannot be used.
    #[error("--wit {path}: {reason}", path = .path.display())]
    Wit { path: PathBuf, reason: String },
    /// The module is not one of the world.
    #[error(
        "{path} does not fit the world {world}: {reason}: expected a core module for wasm32-wasip1, linked as a reactor, \
         with the exports of that world",
        path = .path.display()
    )]
    Misfit {
        path: PathBuf,
        world: String,
        reason: String,
    },
}

/// Runs the command.
pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let module = fs::read(&flags.core).map_err(file("read", &flags.core))?;
    let component = componentize(flags, module)?;
    fs::write(&flags.out, component).map_err(file("write", &flags.out))?;
    Ok(ExitCode::SUCCESS)
}

fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ComponentizeError {
    let path = path.to_owned();
    move |source| ComponentizeError::File { action, path, source }
}

fn componentize(flags: &Flags, mut module: Vec<u8>) -> Result<Vec<u8>, ComponentizeError> {
    check_header(&flags.core, &module)?;
    let misfit = |error: anyhow::Error| ComponentizeError::Misfit {
        path: flags.core.clone(),
        world: flags.world.clone(),
        reason: format!("{error:#}"),
    };
    let (typed, _) = metadata::decode(&module).map_err(misfit)?;
    if typed.is_none() {
        embed_world(flags, &mut module)?;
    }
    let encoder = ComponentEncoder::default().module(&module).map_err(misfit)?;
    encoder
        .adapter(
            WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME,
            WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
        )
        .and_then(|encoder| encoder.validate(true).encode())
        .map_err(misfit)
}

fn check_header(path: &Path, module: &[u8]) -> Result<(), ComponentizeError> {
    match module.get(..8) {
        Some(CORE) => Ok(()),
        Some(COMPONENT) => Err(ComponentizeError::Already(path.to_owned())),
        _ => Err(ComponentizeError::NotWasm(path.to_owned())),
    }
}

/// Says in the module of which world it is.
fn embed_world(flags: &Flags, module: &mut Vec<u8>) -> Result<(), ComponentizeError> {
    let wit = |error: anyhow::Error| ComponentizeError::Wit {
        path: flags.wit.clone(),
        reason: format!("{error:#}"),
    };
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(&flags.wit).map_err(wit)?;
    let world = resolve
        .select_world(&[package], Some(&flags.world))
        .map_err(wit)?;
    embed_component_metadata(module, &resolve, world, StringEncoding::UTF8).map_err(wit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(wit: &Path, world: &str) -> Flags {
        Flags {
            core: "core.wasm".into(),
            wit: wit.to_owned(),
            world: world.to_owned(),
            out: "out.wasm".into(),
        }
    }

    /// An empty module.
    fn core() -> Vec<u8> {
        CORE.to_vec()
    }

    fn error(flags: &Flags, module: &[u8]) -> String {
        componentize(flags, module.to_vec()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_core_module_is_told_apart() {
        let flags = flags(Path::new("/none"), "plugin");
        assert_eq!(
            error(&flags, COMPONENT),
            "core.wasm is a component already: use it as it is"
        );
        assert!(error(&flags, b"#!/bin/sh").contains("core.wasm is no WebAssembly"));
        assert!(error(&flags, b"").contains("core.wasm is no WebAssembly"));
    }

    #[test]
    fn a_missing_folder_and_a_missing_world_are_named() {
        let missing = error(&flags(Path::new("/no/wit"), "plugin"), &core());
        assert!(missing.starts_with("--wit /no/wit: "), "{missing}");
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("w.wit"), "package a:b@0.1.0;\nworld other {}\n").unwrap();
        let missing = error(&flags(dir.path(), "plugin"), &core());
        assert!(missing.contains("plugin"), "{missing}");
    }

    #[test]
    fn a_module_without_the_worlds_exports_does_not_fit() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(
            dir.path().join("w.wit"),
            "package a:b@0.1.0;\nworld plugin { export run: func(); }\n",
        )
        .unwrap();
        let misfit = error(&flags(dir.path(), "plugin"), &core());
        assert!(
            misfit.contains("does not fit the world plugin") && misfit.contains("run"),
            "{misfit}"
        );
    }

    #[test]
    fn an_empty_world_makes_a_component() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("w.wit"), "package a:b@0.1.0;\nworld plugin {}\n").unwrap();
        let component = componentize(&flags(dir.path(), "plugin"), core()).unwrap();
        assert!(component.starts_with(COMPONENT));
    }
}
