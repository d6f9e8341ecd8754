//! Manifests and indexes as registries have them, and which layer of one is the module. Pure: no requests.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// Media types of manifests and indexes.
pub const OCI_MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// An index of manifests.
pub const OCI_INDEX: &str = "application/vnd.oci.image.index.v1+json";
/// Docker's manifest.
pub const DOCKER_MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";
/// Docker's index.
pub const DOCKER_INDEX: &str = "application/vnd.docker.distribution.manifest.list.v2+json";

/// What is asked for.
pub(crate) const ACCEPT: &str = "application/vnd.oci.image.manifest.v1+json, \
    application/vnd.oci.image.index.v1+json, \
    application/vnd.docker.distribution.manifest.v2+json, \
    application/vnd.docker.distribution.manifest.list.v2+json";

/// The CNCF artifact layout's layer and configuration.
pub const WASM_LAYER: &str = "application/wasm";
/// The CNCF artifact layout's configuration.
pub const WASM_CONFIG: &str = "application/vnd.wasm.config.v0+json";

/// Layers that are a module as it is.
const MODULES: [&str; 3] = [
    WASM_LAYER,
    "application/vnd.wasm.content.layer.v1+wasm", // Kubewarden
    "application/vnd.module.wasm.content.layer.v1+wasm", // Istio
];

/// Layers of container images.
const ARCHIVES: [(&str, Format); 4] = [
    ("application/vnd.oci.image.layer.v1.tar", Format::Tar),
    ("application/vnd.oci.image.layer.v1.tar+gzip", Format::TarGzip),
    ("application/vnd.docker.image.rootfs.diff.tar", Format::Tar),
    (
        "application/vnd.docker.image.rootfs.diff.tar.gzip",
        Format::TarGzip,
    ),
];

/// How a layer holds the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// The layer is the module.
    Module,
    /// An archive with the module in it.
    Tar,
    /// A compressed archive with the module in it.
    TarGzip,
}

/// Names a blob or a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// What it is.
    pub media_type: String,
    /// Its digest.
    pub digest: Digest,
    /// Its size in bytes.
    pub size: u64,
    /// For manifests of an index: what kind of artifact it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// For manifests of an index: where it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<Platform>,
    /// What else is said of it.
    #[serde(
        default,
        deserialize_with = "or_null",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub annotations: BTreeMap<String, String>,
}

/// Where an image runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Platform {
    /// Such as `wasm`.
    #[serde(default)]
    pub architecture: String,
    /// Such as `wasip2`.
    #[serde(default)]
    pub os: String,
}

/// A manifest or an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    Manifest(Box<Manifest>),
    Index(Index),
}

/// Layers and a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(crate) schema_version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) media_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) artifact_type: Option<String>,
    pub(crate) config: Descriptor,
    pub(crate) layers: Vec<Descriptor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) subject: Option<Descriptor>,
    #[serde(
        default,
        deserialize_with = "or_null",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub(crate) annotations: BTreeMap<String, String>,
}

/// Manifests to choose from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Index {
    pub(crate) schema_version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) media_type: Option<String>,
    pub(crate) manifests: Vec<Descriptor>,
    #[serde(
        default,
        deserialize_with = "or_null",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub(crate) annotations: BTreeMap<String, String>,
}

/// Go programs write `null` for a map that they have not made.
fn or_null<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// What tells a manifest from an index.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outline {
    media_type: Option<String>,
    manifests: Option<serde::de::IgnoredAny>,
    layers: Option<serde::de::IgnoredAny>,
    config: Option<serde::de::IgnoredAny>,
}

/// Reads a document. `content_type` is what the registry called it; it must not contradict what the document calls
/// itself, else two readers of the same digest could see two things.
pub(crate) fn parse(bytes: &[u8], content_type: Option<&str>) -> Result<Document, String> {
    let outline: Outline = from_json(bytes)?;
    if outline.manifests.is_some() && (outline.layers.is_some() || outline.config.is_some()) {
        return Err("it is a manifest and an index at once".to_owned());
    }
    let own = outline.media_type.as_deref();
    let called = content_type.filter(|called| is_known(called));
    if let (Some(own), Some(called)) = (own, called)
        && own != called
    {
        return Err(format!("the registry calls it {called}, it calls itself {own}"));
    }
    match own.or(called) {
        Some(OCI_MANIFEST | DOCKER_MANIFEST) => from_json(bytes).map(Box::new).map(Document::Manifest),
        Some(OCI_INDEX | DOCKER_INDEX) => from_json(bytes).map(Document::Index),
        Some(other) => Err(format!(
            "its media type is {other}, expected {OCI_MANIFEST} or {OCI_INDEX}"
        )),
        None if outline.manifests.is_some() => from_json(bytes).map(Document::Index),
        None => from_json(bytes).map(Box::new).map(Document::Manifest),
    }
}

fn is_known(media_type: &str) -> bool {
    matches!(
        media_type,
        OCI_MANIFEST | OCI_INDEX | DOCKER_MANIFEST | DOCKER_INDEX
    )
}

fn from_json<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

impl Manifest {
    /// The layer that is or holds the module; else what there is instead.
    pub(crate) fn module(&self) -> Result<(&Descriptor, Format), String> {
        let mut modules = self
            .layers
            .iter()
            .filter(|layer| MODULES.contains(&layer.media_type.as_str()));
        match (modules.next(), modules.next(), self.layers.as_slice()) {
            (Some(module), None, _) => Ok((module, Format::Module)),
            (None, None, [only]) => match archive(&only.media_type) {
                Some(format) => Ok((only, format)),
                None => Err(self.contents()),
            },
            _ => Err(self.contents()),
        }
    }

    fn contents(&self) -> String {
        let mut types: Vec<&str> = self
            .layers
            .iter()
            .map(|layer| layer.media_type.as_str())
            .collect();
        types.truncate(SHOWN);
        let layers = match self.layers.len() {
            0 => "no layers".to_owned(),
            1 => format!("a layer of type {}", types.join(", ")),
            many if many > SHOWN => format!("{many} layers of types {}, …", types.join(", ")),
            many => format!("{many} layers of types {}", types.join(", ")),
        };
        let config = self.artifact_type.as_ref().unwrap_or(&self.config.media_type);
        format!("{layers} (artifact type {config})")
    }
}

/// How many parts of a document an error names.
const SHOWN: usize = 8;

fn archive(media_type: &str) -> Option<Format> {
    let mut archives = ARCHIVES.iter();
    archives
        .find(|(known, _)| *known == media_type)
        .map(|(_, format)| *format)
}

impl Index {
    /// The entry for WebAssembly: for wasip2 before any other system, then one without a platform, if there is only one.
    /// Entries about other entries (signatures, attestations) are none. Else what there is instead.
    pub(crate) fn module(&self) -> Result<&Descriptor, String> {
        let entries = || {
            self.manifests
                .iter()
                .filter(|entry| is_known(&entry.media_type) && !is_attestation(entry))
        };
        let platform = |entry: &&Descriptor, os: Option<&str>| match &entry.platform {
            Some(platform) => platform.architecture == "wasm" && os.is_none_or(|os| platform.os == os),
            None => false,
        };
        let without = || entries().filter(|entry| entry.platform.is_none());
        let chosen = entries()
            .find(|entry| platform(entry, Some("wasip2")))
            .or_else(|| entries().find(|entry| platform(entry, Some("wasi"))))
            .or_else(|| without().next().filter(|_| without().count() == 1));
        chosen.ok_or_else(|| self.contents())
    }

    fn contents(&self) -> String {
        let mut entries: Vec<String> = self.manifests.iter().take(SHOWN).map(name).collect();
        if self.manifests.len() > SHOWN {
            entries.push("…".to_owned());
        }
        if entries.is_empty() {
            "no entries".to_owned()
        } else {
            entries.join(", ")
        }
    }
}

/// BuildKit writes attestations as images of an unknown platform.
fn is_attestation(entry: &Descriptor) -> bool {
    entry.annotations.contains_key("vnd.docker.reference.type")
}

fn name(entry: &Descriptor) -> String {
    match &entry.platform {
        Some(platform) => format!("{}/{}", platform.architecture, platform.os),
        None => format!("{} without a platform", entry.digest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor(media_type: &str) -> serde_json::Value {
        serde_json::json!({"mediaType": media_type, "digest": Digest::of(media_type.as_bytes()), "size": 1})
    }

    fn manifest(layers: &[&str]) -> Manifest {
        let layers: Vec<_> = layers.iter().map(|layer| descriptor(layer)).collect();
        let json =
            serde_json::json!({"schemaVersion": 2, "config": descriptor(WASM_CONFIG), "layers": layers});
        match parse(json.to_string().as_bytes(), None) {
            Ok(Document::Manifest(manifest)) => *manifest,
            other => panic!("{other:?}"),
        }
    }

    fn index(platforms: &[Option<&str>]) -> Index {
        let entries: Vec<_> = platforms
            .iter()
            .enumerate()
            .map(|(number, platform)| {
                let mut entry = descriptor(OCI_MANIFEST);
                entry["size"] = number.into();
                if let Some((architecture, os)) = platform.and_then(|platform| platform.split_once('/')) {
                    entry["platform"] = serde_json::json!({"architecture": architecture, "os": os});
                }
                entry
            })
            .collect();
        let json = serde_json::json!({"schemaVersion": 2, "manifests": entries});
        match parse(json.to_string().as_bytes(), None) {
            Ok(Document::Index(index)) => index,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_one_module_layer_is_found_in_each_layout() {
        for media_type in MODULES {
            let manifest = manifest(&[media_type]);
            assert_eq!(manifest.module().unwrap().1, Format::Module, "{media_type}");
        }
        assert_eq!(
            manifest(&["text/plain", WASM_LAYER])
                .module()
                .unwrap()
                .0
                .media_type,
            WASM_LAYER
        );
        for (media_type, format) in ARCHIVES {
            assert_eq!(manifest(&[media_type]).module().unwrap().1, format);
        }
    }

    #[test]
    fn an_artifact_of_another_kind_is_described() {
        assert!(manifest(&[]).module().unwrap_err().contains("no layers"));
        assert!(
            manifest(&["text/plain"])
                .module()
                .unwrap_err()
                .contains("a layer of type text/plain")
        );
        let two = manifest(&[WASM_LAYER, WASM_LAYER]).module().unwrap_err();
        assert!(
            two.contains("2 layers of types application/wasm, application/wasm"),
            "{two}"
        );
        assert!(manifest(&[ARCHIVES[0].0, ARCHIVES[1].0]).module().is_err());
    }

    #[test]
    fn an_index_prefers_wasip2_then_what_has_no_platform() {
        assert_eq!(
            index(&[Some("amd64/linux"), Some("wasm/wasi"), Some("wasm/wasip2")])
                .module()
                .unwrap()
                .size,
            2
        );
        assert_eq!(index(&[None, Some("wasm/wasip2")]).module().unwrap().size, 1);
        assert_eq!(index(&[Some("amd64/linux"), None]).module().unwrap().size, 1);
    }

    #[test]
    fn an_index_without_a_module_tells_what_it_has() {
        let found = index(&[Some("amd64/linux"), Some("arm64/linux")])
            .module()
            .unwrap_err();
        assert_eq!(found, "amd64/linux, arm64/linux");
        assert!(index(&[None, None]).module().is_err());
        assert_eq!(index(&[]).module().unwrap_err(), "no entries");
    }

    #[test]
    fn a_document_that_is_two_things_is_refused() {
        let both = serde_json::json!({"schemaVersion": 2, "manifests": [], "layers": []}).to_string();
        assert!(parse(both.as_bytes(), None).unwrap_err().contains("at once"));
        let manifest = serde_json::json!({"schemaVersion": 2, "mediaType": OCI_MANIFEST, "config": descriptor("c"), "layers": []});
        let error = parse(manifest.to_string().as_bytes(), Some(OCI_INDEX)).unwrap_err();
        assert!(error.contains("calls itself"), "{error}");
        assert!(parse(manifest.to_string().as_bytes(), Some("application/json")).is_ok());
    }

    #[test]
    fn null_annotations_are_none() {
        let json = serde_json::json!({"schemaVersion": 2, "config": descriptor("c"), "layers": [], "annotations": null});
        assert!(parse(json.to_string().as_bytes(), None).is_ok());
    }
}
