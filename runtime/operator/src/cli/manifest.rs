//! A ManagedResource from a file, or an admission.
//!
//! Strict: a field that the type does not have is an error. Nulls say nothing, as in Go, but in the config of a plugin.

use std::{io, path::Path};

use espejote_api::{API_VERSION, Admission, ClusterAdmission, ManagedResource, PluginRef};
use serde_json::{Map, Value};

use super::{
    strict::{self, DecodeError},
    yaml,
};
use crate::admission::definition::{Definition, Kind};

const KIND: &str = "ManagedResource";
const ADMISSION: &str = "Admission";
const CLUSTER_ADMISSION: &str = "ClusterAdmission";

/// A file that holds no ManagedResource.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It cannot be read.
    #[error("cannot read the manifest")]
    Read(#[source] io::Error),
    /// It is no YAML.
    #[error("the manifest is no YAML")]
    Yaml(#[source] yaml::ReadError),
    /// Not exactly one ManagedResource is in it.
    #[error("expected one {API_VERSION} {KIND}, found {0}")]
    NotOne(String),
    /// The object is not well-formed.
    #[error("the manifest is no {kind}")]
    Decode {
        /// What it should be.
        kind: &'static str,
        /// What is wrong.
        #[source]
        source: DecodeError,
    },
}

/// What a manifest says.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The resource.
    pub resource: ManagedResource,
    /// `spec.plugin`: the logic, in place of a template.
    pub plugin: Option<PluginRef>,
}

/// What a file is about.
#[derive(Clone, Debug)]
pub enum AnyManifest {
    /// A ManagedResource.
    ManagedResource(Box<Manifest>),
    /// An Admission or a ClusterAdmission.
    Admission(Box<Definition>),
}

/// Reads the file at a path, or standard input for `-`: the one ManagedResource in it; if there is none, the one admission.
pub fn read_any(path: &Path) -> Result<AnyManifest, ManifestError> {
    let text = super::input::text_of(path).map_err(ManifestError::Read)?;
    match admission(&text)? {
        Some(definition) => Ok(AnyManifest::Admission(Box::new(definition))),
        None => parse(&text).map(|manifest| AnyManifest::ManagedResource(Box::new(manifest))),
    }
}

/// The one admission of a text without a ManagedResource.
fn admission(text: &str) -> Result<Option<Definition>, ManifestError> {
    let documents = yaml::read_all(text).map_err(ManifestError::Yaml)?;
    if documents.iter().any(is_resource) {
        return Ok(None);
    }
    let is_admission = |document: &&Value| is(document, ADMISSION) || is(document, CLUSTER_ADMISSION);
    let mut found = documents.iter().filter(is_admission);
    match (found.next(), found.next()) {
        (None, _) => Ok(None),
        (Some(one), None) if is(one, ADMISSION) => definition::<Admission>(ADMISSION, one).map(Some),
        (Some(one), None) => definition::<ClusterAdmission>(CLUSTER_ADMISSION, one).map(Some),
        (Some(one), Some(other)) => Err(ManifestError::NotOne(format!(
            "{}, {}",
            kind_of(one),
            kind_of(other)
        ))),
    }
}

fn definition<K: Kind>(kind: &'static str, document: &Value) -> Result<Definition, ManifestError> {
    let mut kept = strict::without_nulls(document.clone());
    let plugin = document.pointer("/spec/plugin");
    if let (Some(plugin), Some(place)) = (plugin, kept.pointer_mut("/spec/plugin")) {
        place.clone_from(plugin);
    }
    let decoded = strict::decode::<K>(fields(kept));
    let decoded = decoded.map_err(|source| ManifestError::Decode { kind, source })?;
    Ok(decoded.definition())
}

/// Reads the file at a path, or standard input for `-`.
pub fn read(path: &Path) -> Result<Manifest, ManifestError> {
    parse(&super::input::text_of(path).map_err(ManifestError::Read)?)
}

/// Reads a text. There may be documents of other kinds beside the one ManagedResource.
pub fn parse(text: &str) -> Result<Manifest, ManifestError> {
    let documents = yaml::read_all(text).map_err(ManifestError::Yaml)?;
    let mut document = only_resource(documents)?;
    let plugin = document.pointer_mut("/spec/plugin").map(Value::take);
    let plugin = plugin
        .filter(|plugin| !plugin.is_null())
        .map(|plugin| strict::decode_at("spec.plugin", plugin));
    let wrong = |source| ManifestError::Decode { kind: KIND, source };
    Ok(Manifest {
        plugin: plugin.transpose().map_err(wrong)?,
        resource: strict::decode(fields(strict::without_nulls(document))).map_err(wrong)?,
    })
}

fn only_resource(documents: Vec<Value>) -> Result<Value, ManifestError> {
    let kinds: Vec<String> = documents.iter().filter(|d| !d.is_null()).map(kind_of).collect();
    let mut resources = documents.into_iter().filter(is_resource);
    match (resources.next(), resources.next()) {
        (Some(resource), None) => Ok(resource),
        (None, _) if kinds.is_empty() => Err(ManifestError::NotOne("nothing".to_owned())),
        _ => Err(ManifestError::NotOne(kinds.join(", "))),
    }
}

fn is_resource(document: &Value) -> bool {
    is(document, KIND)
}

fn is(document: &Value, kind: &str) -> bool {
    let has = |field: &str, value: &str| document.get(field).is_some_and(|found| found == value);
    has("apiVersion", API_VERSION) && has("kind", kind)
}

fn kind_of(document: &Value) -> String {
    let field = |name: &str| document.get(name).and_then(Value::as_str).unwrap_or("?");
    format!("{} {}", field("apiVersion"), field("kind"))
}

/// What the Rust type has: no type, which is checked already, but always metadata and a spec.
fn fields(document: Value) -> Value {
    let Value::Object(given) = document else {
        return document;
    };
    let empty = ["metadata", "spec"].map(|name| (name.to_owned(), Value::Object(Map::new())));
    let given = given
        .into_iter()
        .filter(|(key, _)| key != "apiVersion" && key != "kind");
    empty.into_iter().chain(given).collect()
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    const HEAD: &str = "apiVersion: espejote.io/v1alpha1\nkind: ManagedResource\n";

    fn error(rest: &str) -> String {
        let error = parse(&format!("{HEAD}{rest}")).unwrap_err();
        error.source().map_or(error.to_string(), ToString::to_string)
    }

    #[test]
    fn null_annotations_are_accepted() {
        let text =
            format!("{HEAD}metadata:\n  annotations:\n  name: a\nspec:\n  context:\n  template: 'null'\n");
        let resource = parse(&text).unwrap().resource;
        assert_eq!(resource.metadata.name.as_deref(), Some("a"));
        assert_eq!(resource.spec.template.as_deref(), Some("null"));
    }

    /// R3: strict decoding of the manifest.
    #[test]
    fn r3_unknown_fields_of_the_manifest_are_named() {
        let spec =
            "spec:\n  triggers:\n  - name: t\n    watchResource: {apiVersion: v1, knd: Pod}\n  tmplate: ''\n";
        assert_eq!(
            error(spec),
            r#"unknown fields: "spec.triggers[0].watchResource.knd", "spec.tmplate""#
        );
        assert_eq!(
            error("metadata: {nme: a}\nspec: {}\n"),
            r#"unknown field: "metadata.nme""#
        );
        assert_eq!(error("spec: {}\nextra: 1\n"), r#"unknown field: "extra""#);
    }

    #[test]
    fn a_plugin_keeps_the_nulls_of_its_config() {
        let text = format!("{HEAD}spec: {{plugin: {{name: p, config: {{a: null}}}}}}\n");
        let plugin = parse(&text).unwrap().plugin.unwrap();
        assert_eq!(
            (plugin.name.as_str(), plugin.config.unwrap().text()),
            ("p", r#"{"a":null}"#)
        );
        assert_eq!(
            error("spec: {plugin: {name: p, cfg: 1}}\n"),
            r#"unknown field: "spec.plugin.cfg""#
        );
    }

    #[test]
    fn an_admission_is_read_where_there_is_no_managed_resource() {
        let text = "apiVersion: espejote.io/v1alpha1\nkind: ClusterAdmission\nmetadata: {name: a}\n";
        let spec = "spec: {mutating: true, template: , plugin: {name: lib/p, config: {a: null}}}\n";
        let read = admission(&format!("{text}{spec}")).unwrap().unwrap();
        assert!(read.is_of_cluster() && read.mutating && read.template.is_none());
        assert_eq!(read.plugin.unwrap().config_text(), r#"{"a":null}"#);
        let both = format!("{text}{spec}---\n{HEAD}spec: {{}}\n");
        assert_eq!(admission(&both).unwrap(), None);
        let slip = admission(&format!("{text}spec: {{mutatin: true}}\n")).unwrap_err();
        assert_eq!(slip.to_string(), "the manifest is no ClusterAdmission");
        assert!(slip.source().unwrap().to_string().contains("spec.mutatin"));
    }

    #[test]
    fn other_kinds_are_told() {
        let text = "apiVersion: v1\nkind: ConfigMap\n";
        let one = parse(text).unwrap_err().to_string();
        assert_eq!(
            one,
            "expected one espejote.io/v1alpha1 ManagedResource, found v1 ConfigMap"
        );
        let with_neighbour = format!("{text}---\n{HEAD}spec: {{}}\n---\n");
        assert!(parse(&with_neighbour).is_ok());
        let twice = format!("{HEAD}---\n{HEAD}");
        assert!(matches!(parse(&twice), Err(ManifestError::NotOne(_))));
    }
}
