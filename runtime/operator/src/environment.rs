//! What all ManagedResources share.

use std::sync::Arc;

use crate::{
    calls::Calls, client::Resource, discovery::Discovery, events, granted::FilesFolder, identity::Identities,
    in_use::InUse, libraries::LibraryReader, logic::Programs, metrics::Metrics, recording::Recordings,
    watch::Watches,
};

/// The process's parts, as an instance uses them.
pub struct Environment {
    /// Tokens and clients.
    pub identities: Arc<Identities>,
    /// Kinds.
    pub discovery: Arc<Discovery>,
    /// Shared watches.
    pub watches: Watches,
    /// JsonnetLibrary objects.
    pub libraries: Arc<LibraryReader>,
    /// Plugins.
    pub programs: Arc<Programs>,
    /// Events on ManagedResources and the objects that triggered them.
    pub events: events::Recorder,
    /// Metrics.
    pub metrics: Metrics,
    /// Which caches are in use.
    pub in_use: Arc<InUse>,
    /// How ManagedResources are addressed.
    pub managed_resources: Arc<Resource>,
    /// Where files are that plugins may read.
    pub files: Arc<FilesFolder>,
    /// Where calls are recorded, if anywhere.
    pub recordings: Option<Recordings>,
    /// Places for guest calls.
    pub calls: Arc<Calls>,
}
