//! From a module reference to a component on disk.
//!
//! Owns when a registry is asked and when what is on disk is enough. What was pulled for one Plugin is used for another only
//! after that one's own credentials have got the manifest.

use std::{path::Path, sync::Arc};

use espejote_api::plugin::{ImagePullPolicy, Signer};
use espejote_core::PluginReason;
use espejote_oci::{Artifact, Credentials, Digest, Error, Reference, Resolved};

use super::{
    host::PluginHost,
    module::Module,
    progress::{Stage, Stop},
    records::Record,
    signatures,
    stages::{Asked, Found},
};
use crate::{
    component_file::{self, ComponentFileError},
    failure::with_sources,
};

/// For whom a component is looked for.
pub(super) struct Seeker<'a> {
    pub host: &'a PluginHost,
    /// The Plugin's uid.
    pub uid: &'a str,
    pub asked: &'a Asked,
    /// For the registry.
    pub credentials: Credentials,
    /// What runs already: its bytes are not needed again.
    pub running: Option<&'a Found>,
}

/// A component, with its bytes unless they are those that run.
pub(super) struct Located {
    pub found: Found,
    pub component: Option<Arc<[u8]>>,
}

impl Seeker<'_> {
    /// Finds the newest component, and checks its signatures.
    pub(super) async fn find(&self) -> Result<Located, Stop> {
        match &self.asked.module {
            Module::File(path) => file(path, &self.asked.required).await,
            Module::Registry(reference) => self.in_registry(reference).await,
        }
    }

    async fn in_registry(&self, reference: &Reference) -> Result<Located, Stop> {
        let record = self.host.records.of(self.uid, &reference.to_string());
        let record =
            record.filter(|record| reference.digest().is_none_or(|digest| digest == record.manifest));
        match self.asked.pull {
            ImagePullPolicy::Always => match self.host.registry()?.resolve(reference, &self.credentials).await {
                Ok(resolved) => self.resolved(reference, resolved).await,
                Err(error) if error.is_transient() => self.on_disk(record).ok_or_else(|| refused(&error)),
                Err(error) => Err(refused(&error)),
            },
            ImagePullPolicy::IfNotPresent => match self.on_disk(record) {
                Some(located) => Ok(located),
                None => {
                    let resolved = self.host.registry()?.resolve(reference, &self.credentials).await;
                    self.resolved(reference, resolved.map_err(|error| refused(&error))?).await
                }
            },
            ImagePullPolicy::Never => self.on_disk(record).ok_or_else(|| {
                let message = format!(
                    "{reference} is not on disk for this Plugin, and spec.imagePullPolicy is Never: set it to IfNotPresent"
                );
                Stop::new(Stage::Resolved, PluginReason::NotOnDisk, message)
            }),
        }
    }

    /// What this very Plugin has pulled before, if its signatures were checked against what is asked for now.
    fn on_disk(&self, record: Option<Record>) -> Option<Located> {
        let record = record.filter(|record| record.required == self.asked.required)?;
        self.host
            .store
            .get(record.manifest)
            .map(|artifact| located(artifact, record.signers))
    }

    async fn resolved(&self, reference: &Reference, resolved: Resolved) -> Result<Located, Stop> {
        let signers = self.verified(reference, &resolved).await?;
        let (digest, layer) = (resolved.manifest_digest, resolved.layer.digest.to_string());
        let running = self
            .running
            .filter(|running| running.manifest_digest == digest.to_string() && running.blob_digest == layer);
        let located = match running {
            Some(running) => Located {
                found: Found {
                    signers: signers.clone(),
                    ..running.clone()
                },
                component: None,
            },
            None => located(self.fetched(reference, resolved).await?, signers.clone()),
        };
        self.remember(reference, digest, signers);
        Ok(located)
    }

    async fn verified(&self, reference: &Reference, resolved: &Resolved) -> Result<Vec<String>, Stop> {
        signatures::check(
            self.host,
            reference,
            resolved,
            &self.credentials,
            &self.asked.required,
        )
        .await
    }

    async fn fetched(&self, reference: &Reference, resolved: Resolved) -> Result<Artifact, Stop> {
        if let Some(artifact) = self.host.store.get(resolved.manifest_digest) {
            return Ok(artifact);
        }
        let pulled = self
            .host
            .registry()?
            .pull(reference, &resolved, &self.credentials, |_, _| {});
        let artifact = pulled.await.map_err(|error| refused(&error))?;
        if let Err(error) = self.host.store.insert(&artifact) {
            let message = with_sources(&error);
            return Err(Stop::new(Stage::Resolved, PluginReason::HostFault, message));
        }
        Ok(artifact)
    }

    /// Without a record the registry is asked again after a restart: no reason not to run.
    fn remember(&self, reference: &Reference, manifest: Digest, signers: Vec<String>) {
        let record = Record {
            uid: self.uid.to_owned(),
            module: reference.to_string(),
            manifest,
            required: self.asked.required.clone(),
            signers,
        };
        if let Err(error) = self.host.records.keep(&record) {
            tracing::warn!(%reference, %error, "cannot note what was pulled");
        }
    }
}

fn located(artifact: Artifact, signers: Vec<String>) -> Located {
    let component: Arc<[u8]> = artifact.bytes.as_ref().into();
    Located {
        found: Found {
            manifest_digest: artifact.manifest_digest.to_string(),
            blob_digest: artifact.layer_digest.to_string(),
            media_type: artifact.media_type,
            component_digest: Digest::of(&component).to_string(),
            size: component.len() as u64,
            signers,
        },
        component: Some(component),
    }
}

/// A file carries no signature.
async fn file(path: &Path, required: &[Vec<Signer>]) -> Result<Located, Stop> {
    if !required.is_empty() {
        let message = format!(
            "file://{} cannot carry a signature, and one is asked for",
            path.display()
        );
        return Err(Stop::new(Stage::Verified, PluginReason::NoSignature, message));
    }
    let component = read(path).await?;
    let digest = Digest::of(&component).to_string();
    Ok(Located {
        found: Found {
            manifest_digest: String::new(),
            blob_digest: digest.clone(),
            media_type: String::new(),
            component_digest: digest,
            size: component.len() as u64,
            signers: Vec::new(),
        },
        component: Some(component),
    })
}

async fn read(path: &Path) -> Result<Arc<[u8]>, Stop> {
    let file = path.to_owned();
    let read = tokio::task::spawn_blocking(move || component_file::read(&file)).await;
    match read {
        Ok(Ok(component)) => Ok(component.into()),
        Ok(Err(error)) => Err(unreadable(path, &error)),
        Err(error) => Err(Stop::new(
            Stage::Resolved,
            PluginReason::HostFault,
            error.to_string(),
        )),
    }
}

fn unreadable(path: &Path, error: &ComponentFileError) -> Stop {
    let (reason, what) = match error {
        ComponentFileError::Unreadable { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            (PluginReason::NotFound, source.to_string())
        }
        ComponentFileError::Unreadable { source, .. } => (PluginReason::HostFault, source.to_string()),
        ComponentFileError::NoFile(_) => (PluginReason::InvalidArtifact, "is no regular file".to_owned()),
        ComponentFileError::TooLarge(_) => {
            let most = component_file::LARGEST;
            (
                PluginReason::TooLarge,
                format!("has more than the {most} bytes that are allowed"),
            )
        }
    };
    Stop::new(
        Stage::Resolved,
        reason,
        format!("file://{}: {what}", path.display()),
    )
}

/// A registry's refusal with its reason.
pub(super) fn refused(error: &Error) -> Stop {
    let reason = match error {
        Error::Unauthorized { .. } | Error::Forbidden { .. } | Error::Login { .. } => {
            PluginReason::Unauthorized
        }
        Error::NotFound { .. } => PluginReason::NotFound,
        Error::RateLimited { .. } => PluginReason::RateLimited,
        Error::TooLarge { .. } => PluginReason::TooLarge,
        Error::Altered { .. } => PluginReason::DigestMismatch,
        Error::Manifest { .. } | Error::NotAPlugin { .. } | Error::NoVariant { .. } | Error::Layer { .. } => {
            PluginReason::InvalidArtifact
        }
        Error::Settings(_)
        | Error::Unreachable { .. }
        | Error::Tls { .. }
        | Error::PlainHttp { .. }
        | Error::Slow { .. }
        | Error::Server { .. }
        | Error::Status { .. }
        | Error::Redirect { .. }
        | Error::Truncated { .. } => PluginReason::RegistryUnavailable,
    };
    Stop::new(Stage::Resolved, reason, with_sources(error))
}
