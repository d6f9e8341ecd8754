//! What all Admissions and ClusterAdmissions share.

use std::sync::Arc;

use tokio::sync::watch;

use super::{definition::Kind, installed::Installed, lockout::Lockout};
use crate::{
    client::{Client, Resource},
    events::Recorder,
    logic::Programs,
    metrics::Metrics,
};

/// The process's parts, as their tasks use them.
pub struct AdmissionHost {
    /// Plugins.
    pub programs: Arc<Programs>,
    /// The operator's own client.
    pub client: Client,
    /// Writes events.
    pub events: Recorder,
    /// Counts requests.
    pub metrics: Metrics,
    /// What is known of the webhooks.
    pub installed: watch::Sender<Installed>,
    /// Who is never asked.
    pub lockout: Lockout,
}

impl AdmissionHost {
    /// How objects of a kind are addressed.
    pub(super) fn resource<K: Kind>(&self) -> Arc<Resource> {
        Arc::new(resource::<K>())
    }
}

/// How objects of a kind are addressed.
pub(super) fn resource<K: Kind>() -> Resource {
    Resource::known(
        &K::api_version(&()),
        &K::kind(&()),
        &K::plural(&()),
        K::NAMESPACED,
    )
}
