//! What a reference leads to: digests first, then bytes.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::{
    digest::Digest,
    manifest::{Descriptor, Document, Format, Index, parse},
};

/// A manifest that holds a module, and how it was found. Its digests are checked: `manifest` has `manifest_digest`.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The digest of the manifest: what identifies the artifact.
    pub manifest_digest: Digest,
    /// The index that the reference led to, if it was one.
    pub index_digest: Option<Digest>,
    /// The layer with the module.
    pub layer: Descriptor,
    /// The annotations of the manifest.
    pub annotations: BTreeMap<String, String>,
    pub(crate) manifest: Bytes,
    pub(crate) index: Option<Bytes>,
    pub(crate) format: Format,
}

/// A module and where it came from.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// The digest of the manifest: what identifies the artifact, and what is signed.
    pub manifest_digest: Digest,
    /// The digest of the layer.
    pub layer_digest: Digest,
    /// The media type of the layer.
    pub media_type: String,
    /// The size of the layer, as it is stored in the registry.
    pub size: u64,
    /// The module.
    pub bytes: Bytes,
    /// The annotations of the manifest.
    pub annotations: BTreeMap<String, String>,
}

/// A module on disk.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The digest of the module: another than the layer's where that is an archive.
    pub module_digest: Digest,
    /// Bytes of the module.
    pub size: u64,
    pub(crate) resolved: Resolved,
}

impl Stored {
    /// The digest of the manifest.
    pub fn manifest_digest(&self) -> Digest {
        self.resolved.manifest_digest
    }

    /// The layer with the module.
    pub fn layer(&self) -> &Descriptor {
        &self.resolved.layer
    }
}

/// What a file of WebAssembly is, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A component.
    Component,
    /// A core module, which would have to be made a component.
    CoreModule,
    /// No WebAssembly.
    Other,
}

impl Kind {
    /// By the magic number, version and layer.
    pub fn of(bytes: &[u8]) -> Self {
        match bytes.get(..8) {
            Some([0, b'a', b's', b'm', _, _, 1, 0]) => Self::Component,
            Some([0, b'a', b's', b'm', 1, 0, 0, 0]) => Self::CoreModule,
            _ => Self::Other,
        }
    }
}

impl Artifact {
    /// What the module is.
    pub fn kind(&self) -> Kind {
        Kind::of(&self.bytes)
    }
}

impl Resolved {
    /// The digests of which a signature is one of this artifact: the index, whose signature covers all that it names, and
    /// the manifest.
    pub fn signed_digests(&self) -> impl Iterator<Item = Digest> + use<> {
        self.index_digest.into_iter().chain([self.manifest_digest])
    }

    /// From checked bytes of a manifest.
    pub(crate) fn new(
        manifest: Bytes,
        content_type: Option<&str>,
        index: Option<Bytes>,
    ) -> Result<Self, Unfit> {
        let document = match parse(&manifest, content_type).map_err(Unfit::Malformed)? {
            Document::Manifest(document) => document,
            Document::Index(_) => return Err(Unfit::Malformed("an index names another index".to_owned())),
        };
        let (layer, format) = document.module().map_err(Unfit::NotAPlugin)?;
        Ok(Self {
            manifest_digest: Digest::of(&manifest),
            index_digest: index.as_deref().map(Digest::of),
            layer: layer.clone(),
            annotations: document.annotations,
            manifest,
            index,
            format,
        })
    }

    /// The artifact, with the module out of its layer.
    pub(crate) fn with(self, module: Bytes) -> Artifact {
        Artifact {
            manifest_digest: self.manifest_digest,
            layer_digest: self.layer.digest,
            media_type: self.layer.media_type,
            size: self.layer.size,
            bytes: module,
            annotations: self.annotations,
        }
    }
}

/// Why a manifest leads to no module.
#[derive(Debug)]
pub(crate) enum Unfit {
    /// It is not valid.
    Malformed(String),
    /// It holds something else.
    NotAPlugin(String),
    /// It is an index without a module.
    NoVariant(String),
}

/// What checked bytes of a document lead to.
pub(crate) enum Found {
    /// A manifest.
    Manifest,
    /// An index, and its entry for WebAssembly.
    Index(Box<Descriptor>),
}

/// Looks at checked bytes of a document.
pub(crate) fn look(bytes: &[u8], content_type: Option<&str>) -> Result<Found, Unfit> {
    match parse(bytes, content_type).map_err(Unfit::Malformed)? {
        Document::Manifest(_) => Ok(Found::Manifest),
        Document::Index(index) => choose(&index),
    }
}

fn choose(index: &Index) -> Result<Found, Unfit> {
    let entry = index.module().map_err(Unfit::NoVariant)?;
    Ok(Found::Index(Box::new(entry.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell_a_component_from_a_core_module() {
        assert_eq!(Kind::of(b"\0asm\x0d\0\x01\0rest"), Kind::Component);
        assert_eq!(Kind::of(b"\0asm\x01\0\0\0"), Kind::CoreModule);
        assert_eq!(Kind::of(b"\0asm"), Kind::Other);
        assert_eq!(Kind::of(b"#!/bin/sh"), Kind::Other);
    }
}
