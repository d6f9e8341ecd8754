//! Gets the signatures of an artifact out of its repository, as they are.

use std::collections::BTreeMap;

use bytes::BytesMut;
use serde::{Deserialize, Serialize};

use crate::{
    artifact::Resolved,
    client::{Access, Client},
    credentials::Credentials,
    digest::Digest,
    error::{Error, Result, Said},
    manifest::{Descriptor, Document, Manifest, parse},
    reference::Reference,
    session::Session,
};

use super::{Requirements, TrustError, Verified, bundle::BUNDLE, simple::PAYLOAD};

/// More signatures than are looked at, and the largest.
const MOST: usize = 32;
const LARGEST: u64 = 128 << 10;

/// What stands in errors for what is sought here.
const SIGNATURE: &str = "signature";

/// The signatures of an artifact as they were found, unchecked. They can be kept as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signatures {
    pub(super) found: Vec<Found>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "format", rename_all = "kebab-case")]
pub(super) enum Found {
    /// cosign's format of old.
    Simple {
        payload: String,
        annotations: BTreeMap<String, String>,
    },
    /// Sigstore's bundle.
    Bundle { json: String },
    /// Something else.
    Unreadable { reason: String },
}

impl Signatures {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }
}

impl Client {
    /// Whether one of the required signers has signed an artifact.
    pub async fn verify(
        &self,
        reference: &Reference,
        resolved: &Resolved,
        credentials: &Credentials,
        requirements: &Requirements,
    ) -> Result<Verified, TrustError> {
        let signatures = self
            .signatures(reference, resolved, credentials)
            .await
            .map_err(TrustError::Registry)?;
        let digests: Vec<Digest> = resolved.signed_digests().collect();
        requirements.check(&reference.name(), &digests, &signatures)
    }

    /// Fetches the signatures of an artifact: of its manifest, and of the index that led to it. None is no error.
    pub async fn signatures(
        &self,
        reference: &Reference,
        resolved: &Resolved,
        credentials: &Credentials,
    ) -> Result<Signatures> {
        let fetching = async {
            let mut ways = self.ways(reference, credentials, Access::Pull)?;
            loop {
                let session = match ways.next() {
                    Err(Error::NotFound { what: SIGNATURE, .. }) => return Ok(Signatures::default()),
                    session => session?,
                };
                match self.signatures_at(&session, resolved).await {
                    Ok(signatures) if !signatures.is_empty() => return Ok(signatures),
                    // A mirror may lack what the registry has.
                    Ok(_) => ways.failed(&session, none(&session)),
                    Err(error) => ways.failed(&session, error),
                }
            }
        };
        self.within_time(reference, fetching).await
    }

    async fn signatures_at(&self, session: &Session<'_>, resolved: &Resolved) -> Result<Signatures> {
        let mut signatures = Signatures::default();
        for digest in resolved.signed_digests() {
            for entry in self.referrers(session, digest, BUNDLE).await? {
                self.add_manifest(
                    session,
                    &mut signatures,
                    &entry.digest.to_string(),
                    Some(entry.digest),
                )
                .await?;
            }
            self.add_manifest(
                session,
                &mut signatures,
                &format!("sha256-{}.sig", digest.hex()),
                None,
            )
            .await?;
        }
        Ok(signatures)
    }

    /// Adds what is in one manifest; nothing if there is no such manifest.
    async fn add_manifest(
        &self,
        session: &Session<'_>,
        signatures: &mut Signatures,
        version: &str,
        digest: Option<Digest>,
    ) -> Result<()> {
        let document = match self.document(session, version, digest).await {
            Ok(document) => document,
            Err(error) if error.is_not_found() => return Ok(()),
            Err(error) => return Err(error),
        };
        match parse(&document.bytes, document.media_type.as_deref()) {
            Ok(Document::Manifest(manifest)) => self.add_layers(session, signatures, &manifest).await,
            Ok(Document::Index(_)) => {
                signatures
                    .found
                    .push(unreadable("expected a manifest with signatures, found an index"));
                Ok(())
            }
            Err(reason) => {
                signatures.found.push(unreadable(&reason));
                Ok(())
            }
        }
    }

    async fn add_layers(
        &self,
        session: &Session<'_>,
        signatures: &mut Signatures,
        manifest: &Manifest,
    ) -> Result<()> {
        let known = |layer: &&Descriptor| matches!(layer.media_type.as_str(), BUNDLE | PAYLOAD);
        for layer in manifest.layers.iter().filter(known) {
            if signatures.found.len() >= MOST {
                return Ok(());
            }
            let mut bytes = BytesMut::new();
            let fetched = self
                .blob(session, SIGNATURE, layer, LARGEST, &mut bytes, &mut |_, _| {})
                .await;
            let found = match fetched {
                Ok(()) => found(layer, &bytes),
                // One that is broken must not hide one that is good.
                Err(error) if !error.is_transient() => unreadable(&error.to_string()),
                Err(error) => return Err(error),
            };
            signatures.found.push(found);
        }
        Ok(())
    }
}

fn found(layer: &Descriptor, bytes: &[u8]) -> Found {
    match String::from_utf8(bytes.to_vec()) {
        Ok(json) if layer.media_type == BUNDLE => Found::Bundle { json },
        Ok(payload) => Found::Simple {
            payload,
            annotations: layer.annotations.clone(),
        },
        Err(_) => unreadable("it is no text"),
    }
}

fn unreadable(reason: &str) -> Found {
    Found::Unreadable {
        reason: reason.to_owned(),
    }
}

fn none(session: &Session<'_>) -> Error {
    Error::NotFound {
        subject: Box::new(session.subject.clone()),
        what: SIGNATURE,
        said: Said::default(),
    }
}
