//! From a module reference to a component on disk.
//!
//! Owns when a registry is asked and when what is on disk is enough. What was pulled for one Plugin is used for another only
//! after that one's own credentials have got the manifest.

use std::{io, path::Path};

use espejote_api::plugin::{ImagePullPolicy, Signer};
use espejote_core::PluginReason;
use espejote_engine::Source;
use espejote_oci::{Credentials, Digest, Error, Partial, Reference, Resolved, StoreError, Stored};

use super::{
    host::PluginHost,
    module::Module,
    progress::{Stage, Stop},
    records::{Layer, Record},
    room::Taken,
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
    /// The Plugin's namespace.
    pub namespace: &'a str,
    /// The Plugin's uid.
    pub uid: &'a str,
    pub asked: &'a Asked,
    /// For the registry.
    pub credentials: Credentials,
    /// What runs already: its bytes are not needed again.
    pub running: Option<&'a Found>,
}

/// A component, and where its bytes are unless they are those that run. None of them are in memory.
pub(super) struct Located {
    pub found: Found,
    pub component: Option<Source>,
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
        let record = record.filter(|record| reference.digest().is_none_or(|digest| record.is_of(digest)));
        match self.asked.pull {
            ImagePullPolicy::Always => match self.host.registry()?.resolve(reference, &self.credentials).await {
                Ok(resolved) => self.resolved(reference, resolved).await,
                Err(error) if error.is_transient() => {
                    self.on_disk(record).await.ok_or_else(|| refused(&error))
                }
                Err(error) => Err(refused(&error)),
            },
            ImagePullPolicy::IfNotPresent => match self.on_disk(record).await {
                Some(located) => Ok(located),
                None => {
                    let resolved = self.host.registry()?.resolve(reference, &self.credentials).await;
                    self.resolved(reference, resolved.map_err(|error| refused(&error))?).await
                }
            },
            ImagePullPolicy::Never => self.on_disk(record).await.ok_or_else(|| {
                let message = format!(
                    "{reference} is not on disk for this Plugin, and spec.imagePullPolicy is Never: set it to IfNotPresent"
                );
                Stop::new(Stage::Resolved, PluginReason::NotOnDisk, message)
            }),
        }
    }

    /// What this very Plugin has pulled before, if its signatures were checked against what is asked for now.
    async fn on_disk(&self, record: Option<Record>) -> Option<Located> {
        let record = record.filter(|record| record.required == self.asked.required)?;
        let stored = self.stored(record.manifest).await?;
        Some(self.located(stored, record.signers))
    }

    /// What is on disk, digested again.
    async fn stored(&self, manifest: Digest) -> Option<Stored> {
        let store = self.host.store.clone();
        blocking(move || store.get(manifest)).await.unwrap_or_default()
    }

    fn located(&self, stored: Stored, signers: Vec<String>) -> Located {
        let found = Found {
            manifest_digest: stored.manifest_digest().to_string(),
            blob_digest: stored.layer().digest.to_string(),
            media_type: stored.layer().media_type.clone(),
            component_digest: stored.module_digest.to_string(),
            size: stored.size,
            signers,
        };
        let store = self.host.store.clone();
        Located {
            found,
            component: Some(Source::new(move |out| store.write_module(&stored, out))),
        }
    }

    async fn resolved(&self, reference: &Reference, resolved: Resolved) -> Result<Located, Stop> {
        let signers = self.verified(reference, &resolved).await?;
        let (digest, layer) = (
            resolved.manifest_digest.to_string(),
            resolved.layer.digest.to_string(),
        );
        let running = self
            .running
            .filter(|running| running.manifest_digest == digest && running.blob_digest == layer);
        let record = self.record(reference, &resolved, signers.clone());
        let fetched = match running {
            Some(running) => Fetched::Running(running),
            None => self.fetched(reference, &resolved).await?,
        };
        // Until it is noted what they are for, files are nobody's.
        let _not_collected = self.host.collecting.read().await;
        let located = match fetched {
            Fetched::Stored(stored) => self.located(*stored, signers),
            Fetched::Layer(layer) => self.located(self.kept(reference, resolved, layer).await?, signers),
            Fetched::Running(running) => Located {
                found: Found {
                    signers,
                    ..running.clone()
                },
                component: None,
            },
        };
        self.remember(&record);
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

    async fn fetched(&self, reference: &Reference, resolved: &Resolved) -> Result<Fetched<'_>, Stop> {
        if let Some(stored) = self.stored(resolved.manifest_digest).await {
            return Ok(Fetched::Stored(Box::new(stored)));
        }
        let taken = self.taken().await?;
        let _room = self
            .host
            .room
            .reserve(self.namespace, resolved.layer.size, taken)?;
        let layer = self.host.store.begin();
        let mut layer = layer.map_err(|error| unkept(reference, &error))?;
        self.host
            .registry()?
            .download(reference, resolved, &self.credentials, &mut layer)
            .await
            .map_err(|error| refused(&error))?;
        Ok(Fetched::Layer(layer))
    }

    /// What is on disk.
    async fn taken(&self) -> Result<Taken, Stop> {
        let (store, records) = (self.host.store.clone(), self.host.records.clone());
        let namespace = self.namespace.to_owned();
        let counted = blocking(move || -> io::Result<Taken> {
            Ok(Taken {
                of_namespace: records.taken_by(&namespace)?,
                of_all: store.size()?,
            })
        });
        let counted = counted.await?;
        counted.map_err(|error| fault(format!("what was pulled cannot be counted: {error}")))
    }

    async fn kept(&self, reference: &Reference, resolved: Resolved, layer: Partial) -> Result<Stored, Stop> {
        let store = self.host.store.clone();
        let kept = blocking(move || store.keep(resolved, layer)).await?;
        kept.map_err(|error| unkept(reference, &error))
    }

    fn record(&self, reference: &Reference, resolved: &Resolved, signers: Vec<String>) -> Record {
        Record {
            uid: self.uid.to_owned(),
            module: reference.to_string(),
            namespace: self.namespace.to_owned(),
            manifest: resolved.manifest_digest,
            layer: Some(Layer {
                digest: resolved.layer.digest,
                size: resolved.layer.size,
            }),
            index: resolved.index_digest,
            required: self.asked.required.clone(),
            signers,
        }
    }

    /// Without a record the registry is asked again after a restart: no reason not to run.
    fn remember(&self, record: &Record) {
        if let Err(error) = self.host.records.keep(record) {
            tracing::warn!(module = record.module, %error, "cannot note what was pulled");
        }
    }
}

/// Where the bytes of an artifact are.
enum Fetched<'a> {
    /// They are not needed: this runs.
    Running(&'a Found),
    /// They were there.
    Stored(Box<Stored>),
    /// They have come, and are not kept yet.
    Layer(Partial),
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
    let (digest, size) = digest(path).await?;
    let of = path.to_owned();
    Ok(Located {
        found: Found {
            manifest_digest: String::new(),
            blob_digest: digest.to_string(),
            media_type: String::new(),
            component_digest: digest.to_string(),
            size,
            signers: Vec::new(),
        },
        component: Some(Source::new(move |out| {
            let mut file = component_file::open(&of).map_err(io::Error::other)?;
            io::copy(&mut file, out).map(drop)
        })),
    })
}

async fn digest(path: &Path) -> Result<(Digest, u64), Stop> {
    let file = path.to_owned();
    let digested = blocking(move || component_file::digest(&file)).await?;
    digested.map_err(|error| unreadable(path, &error))
}

/// Does what waits for the disk, on a thread where it holds up nobody.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Stop> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| fault(error.to_string()))
}

fn fault(message: String) -> Stop {
    Stop::new(Stage::Resolved, PluginReason::HostFault, message)
}

fn unkept(reference: &Reference, error: &StoreError) -> Stop {
    let message = format!("{reference}: {}", with_sources(error));
    match error {
        StoreError::NoModule { .. } => Stop::new(Stage::Resolved, PluginReason::InvalidArtifact, message),
        _ => fault(message),
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
        Error::Keep { .. } => PluginReason::HostFault,
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
