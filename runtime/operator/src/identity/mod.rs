//! Who requests are sent as.
//!
//! Owns tokens: one per ServiceAccount that is in use, asked for with the operator's own rights and refreshed before
//! it ends; and the operator's own credentials. A token stands nowhere but in a header value that is marked as
//! sensitive: not in `Debug`, not in an error, not in a log.

mod own;
mod service_account;
mod token;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

pub use self::{
    own::{OwnIdentity, OwnIdentityError},
    service_account::{IdentityError, ServiceAccount},
    token::{Grant, TokenSource},
};
use crate::{
    client::{Bucket, Client, Connections, ConnectorError, Limits, Rate, Throttle, Waited},
    leading::Leading,
};

/// The operator cannot present itself to the API server.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The TLS settings are unusable.
    #[error(transparent)]
    Connector(ConnectorError),
    /// The credentials are unusable.
    #[error(transparent)]
    OwnIdentity(OwnIdentityError),
}

/// All identities of the process.
pub struct Identities {
    own: Client,
    /// Never shows the operator's client certificate: it would outrank the token of a ServiceAccount.
    tenants: Arc<Connections>,
    source: Arc<dyn TokenSource>,
    accounts: Mutex<HashMap<(String, String), Weak<ServiceAccount>>>,
    rate: Rate,
    /// Of all identities together.
    process: Arc<Bucket>,
    waited: Waited,
}

impl Identities {
    /// Prepares the operator's own client, and connections for those it acts as. Sends nothing.
    ///
    /// `limits.rate` holds for each ServiceAccount; twice as much for the process. None of them writes but as `leading` says.
    pub fn new(config: &kube::Config, limits: Limits, leading: &Leading) -> Result<Arc<Self>, ConnectError> {
        let (rate, waited) = (limits.rate, Waited::default());
        let process = Arc::new(Bucket::new(rate.of_the_process()));
        let connect = |config| {
            let connections = Connections::new(config, limits.clone(), leading.clone());
            connections.map_err(ConnectError::Connector)
        };
        let own_connections = Arc::new(connect(config)?);
        let tenants = if own::may_show_certificate(&config.auth_info) {
            let mut anonymous = config.clone();
            anonymous.auth_info = kube::config::AuthInfo::default();
            Arc::new(connect(&anonymous)?)
        } else {
            own_connections.clone()
        };
        let identity = OwnIdentity::new(config).map_err(ConnectError::OwnIdentity)?;
        let throttle = Throttle::new(vec![process.clone()], waited.clone());
        let own = Client::new(own_connections, Arc::new(identity)).throttled(throttle);
        let source = Arc::new(token::TokenRequests::new(own.clone()));
        Ok(Arc::new(Self {
            own,
            tenants,
            source,
            accounts: Mutex::default(),
            rate,
            process,
            waited,
        }))
    }

    /// The client for the operator's own resources.
    pub fn own(&self) -> &Client {
        &self.own
    }

    /// The identity of a ServiceAccount. The same for as long as anybody holds it. Sends nothing.
    pub fn service_account(&self, namespace: &str, name: &str) -> Arc<ServiceAccount> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (namespace.to_owned(), name.to_owned());
        if let Some(account) = accounts.get(&key).and_then(Weak::upgrade) {
            return account;
        }
        accounts.retain(|_, account| account.strong_count() > 0);
        let account = ServiceAccount::new(namespace, name, self.source.clone(), self.rate);
        let account = Arc::new(account);
        accounts.insert(key, Arc::downgrade(&account));
        account
    }

    /// A client that acts as a ServiceAccount.
    pub fn client_as(&self, account: &Arc<ServiceAccount>) -> Client {
        let buckets = vec![account.bucket().clone(), self.process.clone()];
        Client::new(self.tenants.clone(), account.clone())
            .throttled(Throttle::new(buckets, self.waited.clone()))
    }

    /// The time that requests have waited for their turn, for the metrics.
    pub fn waited(&self) -> Waited {
        self.waited.clone()
    }
}

impl std::fmt::Debug for Identities {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Identities")
            .field("own", &self.own)
            .finish_non_exhaustive()
    }
}
