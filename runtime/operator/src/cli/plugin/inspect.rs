//! `espejote plugin inspect`: what a component says about itself. It is neither compiled nor run.

use std::{fmt::Write as _, fs, path::Path, process::ExitCode};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use espejote_engine::{Imported, Inspection, Kind, Metadata};
use espejote_oci::Digest;
use serde::Serialize;
use serde_json::{Value, json};

use super::registry::{self, Registry};
use crate::cli::plugin_flags::RegistryFlags;

/// The end of `--help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  espejote plugin inspect build/team-labels.wasm
  espejote plugin inspect ghcr.io/acme/team-labels:1.2.0 --output json";

/// Shows what a component is: roles, contract, imports, exports, metadata, size, digest.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// A file, or a reference such as ghcr.io/acme/team-labels:1.2.0.
    #[arg(value_name = "FILE|REFERENCE")]
    of: String,
    /// How it is shown.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Format,
    #[command(flatten)]
    registries: RegistryFlags,
}

/// How results are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// A component, and what it says about itself.
#[derive(Clone, Debug)]
pub(super) struct Description {
    /// Its file or reference.
    pub of: String,
    /// Its size in bytes.
    pub size: usize,
    /// Its digest.
    pub digest: Digest,
    /// What is in it.
    pub inspection: Inspection,
    /// Of its manifest, if it came from a registry.
    manifest: Option<Digest>,
}

/// Runs the command.
pub(super) fn run(flags: Flags) -> anyhow::Result<ExitCode> {
    let description = match Path::new(&flags.of).exists() {
        true => Description::of_file(Path::new(&flags.of))?,
        false => fetched(&flags.of, flags.registries)?,
    };
    let text = match flags.output {
        Format::Text => description.text(),
        Format::Json => serde_json::to_string_pretty(&description.json())? + "\n",
    };
    print!("{text}");
    Ok(ExitCode::SUCCESS)
}

fn fetched(reference: &str, registries: RegistryFlags) -> anyhow::Result<Description> {
    let reference = registry::reference(reference)
        .with_context(|| format!("{reference:?} is neither a file nor a reference"))?;
    let artifact = Registry::new(registries)?.pull(&reference)?;
    Description::new(
        reference.to_string(),
        &artifact.bytes,
        Some(artifact.manifest_digest),
    )
}

impl Description {
    /// What the component in a file says.
    pub fn of_file(path: &Path) -> anyhow::Result<Self> {
        let shown = super::project::Project::shown(path);
        let bytes = fs::read(path).with_context(|| format!("cannot read {shown}"))?;
        Self::new(shown, &bytes, None)
    }

    /// What a component says. `manifest`: the digest of its manifest in a registry.
    pub fn new(of: String, bytes: &[u8], manifest: Option<Digest>) -> anyhow::Result<Self> {
        Ok(Self {
            inspection: espejote_engine::inspect(bytes).with_context(|| of.clone())?,
            size: bytes.len(),
            digest: Digest::of(bytes),
            manifest,
            of,
        })
    }

    /// What it exports of the contract, by the words of `plugin.toml`.
    pub fn roles(&self) -> Vec<String> {
        let roles = self.inspection.roles.iter().map(ToString::to_string);
        let configuration = self.inspection.configurable.then(|| "configuration".to_owned());
        roles.chain(configuration).collect()
    }

    /// The interfaces that it imports.
    pub fn imports(&self) -> Vec<String> {
        let found = &self.inspection;
        let ours = found.contract.iter().map(|import| &import.interface);
        ours.chain(&found.wasi).chain(&found.other).cloned().collect()
    }

    /// All in one line.
    pub fn line(&self) -> String {
        let found = &self.inspection;
        let other = match found.other.len() {
            0 => String::new(),
            many => format!(", {many} unknown"),
        };
        format!(
            "{}: {}, {}; imports {} of the contract {}, {} of WASI{other}",
            self.of,
            size(self.size as u64),
            list(&self.roles()),
            found.contract.len(),
            found.contract_version.as_deref().unwrap_or("(none)"),
            found.wasi.len(),
        )
    }

    fn text(&self) -> String {
        let found = &self.inspection;
        let mut text = Lines(String::new());
        text.line("what", self.of.as_str());
        text.line("kind", kind(found.kind));
        text.line(
            "size",
            format!("{} ({} bytes)", size(self.size as u64), self.size),
        );
        text.line("digest", self.digest);
        if let Some(manifest) = self.manifest {
            text.line("manifest", manifest);
        }
        text.line("roles", list(&self.roles()));
        text.line("contract", found.contract_version.as_deref().unwrap_or("none"));
        match &found.misfit {
            Some(misfit) => text.line("fits", format!("no: {misfit}")),
            None if found.kind == Kind::Component => text.line("fits", "yes, this version"),
            None => text.line(
                "fits",
                "no: make a component of it, see `espejote plugin componentize`",
            ),
        }
        text.block("imports of the contract", found.contract.iter().map(import));
        text.block(
            "imports of WASI (no right: what a Plugin's spec.grants says is what counts)",
            found.wasi.iter().cloned(),
        );
        text.block("imports that no host has", found.other.iter().cloned());
        text.block("exports", found.exports.iter().cloned());
        text.block("metadata (as its maker says)", metadata(&found.metadata));
        text.0
    }

    fn json(&self) -> Value {
        let found = &self.inspection;
        let import =
            |import: &Imported| json!({"interface": import.interface, "functions": import.functions});
        let contract: Vec<Value> = found.contract.iter().map(import).collect();
        json!({
            "of": self.of,
            "kind": kind(found.kind),
            "size": self.size,
            "digest": self.digest.to_string(),
            "manifestDigest": self.manifest.map(|digest| digest.to_string()),
            "roles": self.roles(),
            "contractVersion": found.contract_version,
            "misfit": found.misfit.as_ref().map(ToString::to_string),
            "imports": {"contract": contract, "wasi": found.wasi, "other": found.other},
            "exports": found.exports,
            "metadata": MetadataJson::from(&found.metadata),
        })
    }
}

#[derive(Serialize)]
struct MetadataJson<'a> {
    name: &'a Option<String>,
    version: &'a Option<String>,
    description: &'a Option<String>,
    authors: &'a Option<String>,
    licenses: &'a Option<String>,
    source: &'a Option<String>,
    homepage: &'a Option<String>,
    revision: &'a Option<String>,
    producers: &'a std::collections::BTreeMap<String, Vec<(String, String)>>,
}

impl<'a> From<&'a Metadata> for MetadataJson<'a> {
    fn from(of: &'a Metadata) -> Self {
        Self {
            name: &of.name,
            version: &of.version,
            description: &of.description,
            authors: &of.authors,
            licenses: &of.licenses,
            source: &of.source,
            homepage: &of.homepage,
            revision: &of.revision,
            producers: &of.producers,
        }
    }
}

/// The fields of the metadata that annotations of the image specification are named after.
pub(super) fn named(of: &Metadata) -> [(&'static str, &Option<String>); 8] {
    [
        ("title", &of.name),
        ("version", &of.version),
        ("description", &of.description),
        ("authors", &of.authors),
        ("licenses", &of.licenses),
        ("source", &of.source),
        ("url", &of.homepage),
        ("revision", &of.revision),
    ]
}

fn metadata(of: &Metadata) -> Vec<String> {
    let named = named(of).into_iter();
    let named = named.filter_map(|(name, value)| Some(format!("{name}: {}", one_line(value.as_ref()?))));
    let producers = of.producers.iter().map(|(field, makers)| {
        let makers: Vec<String> = makers.iter().map(maker).collect();
        format!("{field}: {}", one_line(&makers.join(", ")))
    });
    named.chain(producers).collect()
}

fn maker((name, version): &(String, String)) -> String {
    match version.is_empty() {
        true => name.clone(),
        false => format!("{name} {version}"),
    }
}

/// What others wrote cannot move the terminal's cursor.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

fn import(import: &Imported) -> String {
    match import.functions.as_slice() {
        [] => import.interface.clone(),
        functions => format!("{}: {}", import.interface, functions.join(", ")),
    }
}

const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Component => "component",
        Kind::CoreModule => "core module",
    }
}

fn list(words: &[String]) -> String {
    match words {
        [] => "no role".to_owned(),
        words => words.join(", "),
    }
}

/// A size as people read it.
pub(super) fn size(bytes: u64) -> String {
    const KIB: f64 = 1024.0;
    let bytes = bytes as f64;
    match bytes {
        small if small < KIB => format!("{small} bytes"),
        middle if middle < KIB * KIB => format!("{:.1} KiB", middle / KIB),
        large => format!("{:.1} MiB", large / KIB / KIB),
    }
}

/// A text of lines. Writing to a string cannot fail.
struct Lines(String);

impl Lines {
    fn line(&mut self, name: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{name:<10}{}", one_line(&value.to_string()));
    }

    fn block(&mut self, name: &str, lines: impl IntoIterator<Item = String>) {
        let mut lines = lines.into_iter().peekable();
        if lines.peek().is_some() {
            let _ = writeln!(self.0, "{name}");
        }
        for line in lines {
            let _ = writeln!(self.0, "  {}", one_line(&line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_as_people_read_them() {
        assert_eq!(size(17), "17 bytes");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(3 << 20), "3.0 MiB");
    }

    #[test]
    fn a_core_module_is_told_what_to_do() {
        let description = Description::new("x.wasm".to_owned(), b"\0asm\x01\0\0\0", None).unwrap();
        let text = description.text();
        assert!(
            text.contains("kind      core module") && text.contains("no role"),
            "{text}"
        );
        assert!(text.contains("fits      no: make a component of it"), "{text}");
        assert_eq!(description.json()["kind"], "core module");
    }

    #[test]
    fn what_is_no_webassembly_is_named() {
        let error = Description::new("x.wasm".to_owned(), b"#!/bin/sh", None).unwrap_err();
        assert!(
            format!("{error:#}").starts_with("x.wasm: it is no WebAssembly"),
            "{error:#}"
        );
    }

    #[test]
    fn metadata_cannot_move_the_cursor() {
        let metadata = Metadata {
            name: Some("a\u{1b}[2Jb\nc".to_owned()),
            ..Metadata::default()
        };
        assert_eq!(super::metadata(&metadata), ["title: a [2Jb c"]);
    }
}
