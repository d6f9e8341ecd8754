//! What bringing up any Plugin needs.

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use espejote_core::PluginReason;
use espejote_engine::{Engine, FairQueue};
use espejote_oci::{
    Client, SizeLimits, Store, StoreError,
    trust::{RootError, TrustRoot},
};
use tokio::sync::RwLock;

use super::{
    Plugins,
    policy::Policy,
    progress::{Stage, Stop},
    records::Records,
    registry::{Registry, RegistryError},
    room::Room,
};
use crate::{
    cache::Reader, cli::plugin_flags::PluginOptions, client::Resource, events::Recorder,
    failure::with_sources, identity::Identities,
};

/// Plugins of one namespace that ask registries at a time.
const PULLS_OF_NAMESPACE: usize = 4;
/// Plugins that do so in all. Each needs memory for manifests and signatures; layers go to disk.
const PULLS: usize = 16;

/// Why no plugin can be brought up.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// Registries cannot be asked.
    #[error(transparent)]
    Registry(RegistryError),
    /// What was pulled cannot be kept.
    #[error("the folder for pulled plugins cannot be used")]
    Store(#[source] StoreError),
    /// What was pulled for whom cannot be kept.
    #[error("the folder for notes about pulled plugins cannot be used")]
    Records(#[source] io::Error),
    /// The trust root cannot be read.
    #[error("--sigstore-trust-root {path}: cannot be read")]
    ReadTrustRoot {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The trust root is none.
    #[error("--sigstore-trust-root {path}")]
    TrustRoot {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: RootError,
    },
}

/// The parts of the process that Plugins use.
pub struct Process {
    /// Where versions that run are told to those who use them.
    pub plugins: Arc<Plugins>,
    /// Compiles.
    pub engine: Engine,
    /// What is allowed.
    pub policy: Policy,
    /// Whose rights are used.
    pub identities: Arc<Identities>,
    /// How Plugins are addressed.
    pub resource: Arc<Resource>,
    /// The Plugins of the cluster.
    pub watched: Reader,
    /// Writes events.
    pub events: Recorder,
}

/// What bringing up a Plugin needs.
pub struct PluginHost {
    pub(super) plugins: Arc<Plugins>,
    pub(super) engine: Engine,
    pub(super) policy: Policy,
    pub(super) identities: Arc<Identities>,
    pub(super) resource: Arc<Resource>,
    pub(super) watched: Reader,
    pub(super) events: Recorder,
    /// Asks registries.
    registry: Registry,
    /// What was pulled.
    pub(super) store: Store,
    /// For whom it was pulled.
    pub(super) records: Records,
    /// Who asks a registry next.
    pub(super) pulling: FairQueue,
    /// What pulled plugins may take of the disk.
    pub(super) room: Room,
    /// Held for writing while what nobody needs is removed from the store.
    pub(super) collecting: RwLock<()>,
    /// Vouches for keyless signatures.
    pub(super) trust_root: Option<Arc<TrustRoot>>,
    /// How often a registry is asked whether a tag has moved.
    pub(super) recheck: Duration,
}

impl PluginHost {
    /// Opens the folders and reads the files that the command line names.
    pub fn new(process: Process, options: &PluginOptions) -> Result<Self, HostError> {
        let registry = Registry::new(options.registries.clone()).map_err(HostError::Registry)?;
        let folder = options.cache_dir.join("pulled");
        let store = Store::open(&folder, SizeLimits::default()).map_err(HostError::Store)?;
        let records = Records::open(&options.cache_dir.join("records")).map_err(HostError::Records)?;
        Ok(Self {
            plugins: process.plugins,
            engine: process.engine,
            policy: process.policy,
            identities: process.identities,
            resource: process.resource,
            watched: process.watched,
            events: process.events,
            registry,
            store,
            records,
            pulling: FairQueue::new(PULLS_OF_NAMESPACE, PULLS),
            room: Room::default(),
            collecting: RwLock::default(),
            trust_root: trust_root(options)?,
            recheck: options.recheck,
        })
    }
}

impl PluginHost {
    /// Asks registries.
    pub(super) fn registry(&self) -> Result<&Client, Stop> {
        let fault =
            |error: RegistryError| Stop::new(Stage::Resolved, PluginReason::HostFault, with_sources(&error));
        self.registry.client().map_err(fault)
    }
}

fn trust_root(options: &PluginOptions) -> Result<Option<Arc<TrustRoot>>, HostError> {
    let Some(path) = &options.trust_root else {
        return Ok(None);
    };
    let json = std::fs::read(path).map_err(|source| HostError::ReadTrustRoot {
        path: path.clone(),
        source,
    })?;
    let root = TrustRoot::from_json(&json).map_err(|source| HostError::TrustRoot {
        path: path.clone(),
        source,
    })?;
    Ok(Some(Arc::new(root)))
}
