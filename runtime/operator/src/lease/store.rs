//! The Lease at the API server.

use std::{future::Future, time::Duration};

use bytes::Bytes;
use k8s_openapi::api::coordination::v1::Lease;

use super::{Timing, election::unborn};
use crate::{
    client::{Accept, ApiError, Client, Connections, ConnectorError, Limits, Pings, Resource, WriteOptions},
    identity::{OwnIdentity, OwnIdentityError},
    leading::Leading,
};

/// Where the Lease is.
pub trait LeaseStore: Send + Sync + 'static {
    /// The Lease; none if there is none.
    fn read(&self) -> impl Future<Output = Result<Option<Lease>, StoreError>> + Send;

    /// Creates it, or replaces the version that it says it was read as. Gives it as it is now.
    fn write(&self, lease: &Lease) -> impl Future<Output = Result<Lease, StoreError>> + Send;
}

/// The Lease cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else has written it meanwhile.
    #[error("another one has written it meanwhile")]
    Conflict,
    /// The API server did not answer in time.
    #[error("the API server did not answer within {} s", .0.as_secs_f32())]
    Timeout(Duration),
    /// The API server did not do it.
    #[error("{0}")]
    Api(#[source] ApiError),
    /// It is no Lease.
    #[error("it cannot be read: {0}")]
    Json(#[source] serde_json::Error),
}

/// The operator cannot ask for the Lease.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The TLS settings are unusable.
    #[error(transparent)]
    Connector(ConnectorError),
    /// The credentials are unusable.
    #[error(transparent)]
    OwnIdentity(OwnIdentityError),
}

/// The Lease of a cluster. Its requests wait for no others: it has a connection of its own.
#[derive(Debug)]
pub struct ApiLeaseStore {
    client: Client,
    resource: Resource,
    namespace: String,
    name: String,
}

impl ApiLeaseStore {
    /// The Lease of this name, with the operator's own rights. Sends nothing.
    pub fn new(
        config: &kube::Config,
        timing: &Timing,
        namespace: &str,
        name: &str,
    ) -> Result<Self, ConnectError> {
        let limits = Limits {
            short_connections: 1,
            request_timeout: timing.request,
            // There is time for another attempt on another connection.
            pings: Pings {
                every: timing.retry,
                patience: timing.retry,
            },
            ..Limits::default()
        };
        // What decides who leads cannot wait for it.
        let connections = Connections::new(config, limits, Leading::always());
        let connections = connections.map_err(ConnectError::Connector)?;
        let identity = OwnIdentity::new(config).map_err(ConnectError::OwnIdentity)?;
        Ok(Self {
            client: Client::new(connections.into(), std::sync::Arc::new(identity)),
            resource: Resource::known("coordination.k8s.io/v1", "Lease", "leases", true),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        })
    }

    async fn send(&self, lease: &Lease) -> Result<Bytes, StoreError> {
        let (client, namespace) = (&self.client, Some(self.namespace.as_str()));
        let options = WriteOptions::default();
        let mut lease = lease.clone();
        let sent = if lease.metadata.resource_version.is_some() {
            let body = body(&lease)?;
            let name = &self.name;
            client
                .replace(&self.resource, namespace, name, &options, body)
                .await
        } else {
            lease.metadata = unborn(&self.namespace, &self.name);
            client
                .create(&self.resource, namespace, &options, body(&lease)?)
                .await
        };
        sent.map_err(|error| match error.is_conflict() {
            true => StoreError::Conflict,
            false => StoreError::Api(error),
        })
    }
}

fn body(lease: &Lease) -> Result<Bytes, StoreError> {
    serde_json::to_vec(lease)
        .map(Bytes::from)
        .map_err(StoreError::Json)
}

impl LeaseStore for ApiLeaseStore {
    async fn read(&self) -> Result<Option<Lease>, StoreError> {
        let namespace = Some(self.namespace.as_str());
        let found = self
            .client
            .get(&self.resource, namespace, &self.name, Accept::Whole);
        match found.await {
            Ok(json) => serde_json::from_slice(&json).map(Some).map_err(StoreError::Json),
            Err(error) if error.is_absence_of(&self.resource.plural, &self.name) => Ok(None),
            Err(error) => Err(StoreError::Api(error)),
        }
    }

    async fn write(&self, lease: &Lease) -> Result<Lease, StoreError> {
        let answer = self.send(lease).await?;
        serde_json::from_slice(&answer).map_err(StoreError::Json)
    }
}
