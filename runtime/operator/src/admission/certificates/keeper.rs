//! Keeps the Secret, and what is served and trusted, up to date.
//!
//! Owns that all replicas agree: each reads the Secret again and again and serves what it holds. The one that leads writes it, and
//! only what it has read.

use std::{
    future::Future,
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use k8s_openapi::{api::core::v1::Secret, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use tokio::{sync::watch, time::sleep};
use tokio_util::sync::CancellationToken;

use super::{
    issue::IssueError,
    kept::{Kept, Step},
};
use crate::{
    admission::writer::Trust,
    client::{Accept, ApiError, Client, Resource, WriteOptions},
    http_server::{CertificateError, Certificates},
    leading::Leading,
};

/// The name of the Secret.
pub const SECRET: &str = "espejote-webhook-certificate";
/// How often the Secret is read.
const EVERY: Duration = Duration::from_secs(30);
/// A failure is tried again after this time.
const RETRY: Duration = Duration::from_secs(2);

/// Where the Secret is.
pub trait SecretStore: Send + Sync + 'static {
    /// The Secret; none if there is none.
    fn read(&self) -> impl Future<Output = Result<Option<Secret>, StoreError>> + Send;

    /// Creates or replaces it; [`StoreError::Conflict`] if another one has been faster.
    fn write(&self, secret: &Secret) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// The Secret cannot be read or written. Holds nothing of it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else has written it meanwhile.
    #[error("it has changed meanwhile")]
    Conflict,
    /// The API server did not do it.
    #[error("{0}")]
    Api(#[source] ApiError),
    /// It is no Secret.
    #[error("it cannot be read: {0}")]
    Json(String),
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
enum KeepError {
    #[error("Secret {SECRET} of the operator's namespace: {0}")]
    Store(#[source] StoreError),
    #[error(transparent)]
    Issue(IssueError),
    #[error("the certificate of Secret {SECRET} cannot be used: {0}")]
    Use(#[source] CertificateError),
}

/// Keeps the certificate of the webhook server.
pub struct CertificateKeeper<S> {
    store: S,
    names: Vec<String>,
    certificates: Arc<Certificates>,
    trust: watch::Sender<Trust>,
    held: Option<Kept>,
    leading: Leading,
}

impl<S: SecretStore> CertificateKeeper<S> {
    /// The server of `certificates` has these names. Whom to trust goes to `trust`.
    pub fn new(
        store: S,
        names: Vec<String>,
        certificates: Arc<Certificates>,
        trust: watch::Sender<Trust>,
    ) -> Self {
        Self {
            store,
            names,
            certificates,
            trust,
            held: None,
            leading: Leading::always(),
        }
    }

    /// From now on, steps are left to the process that leads; what it has written is served.
    #[must_use]
    pub fn while_leading(self, leading: Leading) -> Self {
        Self { leading, ..self }
    }

    /// Runs until cancelled.
    pub async fn run(mut self, cancel: CancellationToken) {
        let forever = async {
            loop {
                let wait = self.keep_up().await;
                sleep(wait).await;
            }
        };
        cancel.run_until_cancelled(forever).await;
    }

    /// Takes every step that is due. Gives how long nothing has to be done.
    async fn keep_up(&mut self) -> Duration {
        loop {
            match self.step(SystemTime::now()).await {
                Ok(true) => {}
                Ok(false) if self.held.is_none() => return RETRY,
                Ok(false) => return EVERY,
                Err(KeepError::Store(StoreError::Conflict)) => {}
                Err(error) => {
                    tracing::warn!(%error, "the webhooks' certificate is not up to date");
                    if self.held.is_none() {
                        self.tell(Err(
                            format!("there is no certificate for the webhooks: {error}").into()
                        ));
                    }
                    return RETRY;
                }
            }
        }
    }

    /// Reads, and takes one step if one is due. True: there may be another one.
    async fn step(&mut self, now: SystemTime) -> Result<bool, KeepError> {
        let found = self.store.read().await.map_err(KeepError::Store)?;
        let kept = found.as_ref().and_then(|secret| self.readable(secret));
        let next = match &kept {
            _ if !self.leading.may_write() => None,
            Some(kept) => kept.step(&self.names, now).map_err(KeepError::Issue)?,
            None => {
                let made = Kept::make(&self.names, now, self.held.as_ref()).map_err(KeepError::Issue)?;
                Some((Step::Made, made))
            }
        };
        let Some((step, next)) = next else {
            if let Some(kept) = kept {
                self.hold(kept)?;
            }
            return Ok(false);
        };
        let secret = secret(found, &next);
        self.store.write(&secret).await.map_err(KeepError::Store)?;
        tracing::info!(?step, until = next.until(), "the webhooks' certificate");
        self.hold(next)?;
        Ok(true)
    }

    /// What a Secret holds, unless somebody has spoilt it.
    fn readable(&self, secret: &Secret) -> Option<Kept> {
        let data = secret.data.clone().unwrap_or_default();
        let read = Kept::read(&data).map_err(KeepError::Issue).and_then(|kept| {
            let serving = kept.serving();
            let usable = Certificates::check(serving.certificate.as_bytes(), serving.key.as_bytes());
            usable.map(|()| kept).map_err(KeepError::Use)
        });
        read.inspect_err(|error| tracing::warn!(%error, "Secret {SECRET} is made anew"))
            .ok()
    }

    fn tell(&self, trust: Trust) {
        // What was told before is of no interest.
        let _ = self.trust.send_replace(trust);
    }

    /// From now on it is served and trusted.
    fn hold(&mut self, kept: Kept) -> Result<(), KeepError> {
        if self.held.as_ref() == Some(&kept) {
            return Ok(());
        }
        let serving = kept.serving();
        self.certificates
            .replace(serving.certificate.as_bytes(), serving.key.as_bytes())
            .map_err(KeepError::Use)?;
        let bundle: Arc<[u8]> = kept.bundle().into_bytes().into();
        self.tell(Ok(Some(bundle)));
        self.held = Some(kept);
        Ok(())
    }
}

/// The Secret with other content; its labels and its version stay.
fn secret(found: Option<Secret>, kept: &Kept) -> Secret {
    let of = found.unwrap_or_else(|| Secret {
        metadata: ObjectMeta {
            name: Some(SECRET.to_owned()),
            labels: Some([("app.kubernetes.io/name".to_owned(), "espejote".to_owned())].into()),
            ..ObjectMeta::default()
        },
        type_: Some("Opaque".to_owned()),
        ..Secret::default()
    });
    Secret {
        data: Some(kept.data()),
        ..of
    }
}

/// The Secret of a cluster.
pub struct ApiSecretStore {
    client: Client,
    namespace: String,
}

impl ApiSecretStore {
    /// In the operator's namespace.
    pub fn new(client: Client, namespace: String) -> Self {
        Self { client, namespace }
    }
}

impl SecretStore for ApiSecretStore {
    async fn read(&self) -> Result<Option<Secret>, StoreError> {
        let resource = secrets();
        let found = self
            .client
            .get(&resource, Some(&self.namespace), SECRET, Accept::Whole);
        match found.await {
            Ok(json) => serde_json::from_slice(&json)
                .map(Some)
                // The words of serde quote what they could not read.
                .map_err(|error| StoreError::Json(format!("{:?} error", error.classify()))),
            Err(error) if error.is_absence_of("secrets", SECRET) => Ok(None),
            Err(error) => Err(StoreError::Api(error)),
        }
    }

    async fn write(&self, secret: &Secret) -> Result<(), StoreError> {
        let body = serde_json::to_vec(secret).map_err(|error| StoreError::Json(error.to_string()))?;
        let options = WriteOptions {
            field_manager: Some("espejote-webhook-controller".to_owned()),
            accept: Accept::Metadata,
            ..WriteOptions::default()
        };
        let (resource, namespace, body) = (secrets(), Some(self.namespace.as_str()), Bytes::from(body));
        let written = match &secret.metadata.resource_version {
            Some(_) => {
                self.client
                    .replace(&resource, namespace, SECRET, &options, body)
                    .await
            }
            None => self.client.create(&resource, namespace, &options, body).await,
        };
        match written {
            Ok(_) => Ok(()),
            Err(error) if error.is_conflict() => Err(StoreError::Conflict),
            Err(error) => Err(StoreError::Api(error)),
        }
    }
}

fn secrets() -> Resource {
    Resource::known("v1", "Secret", "secrets", true)
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use k8s_openapi::ByteString;

    use super::*;

    /// One Secret that several replicas share.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<(Option<Secret>, u64)>>);

    impl SecretStore for Shared {
        async fn read(&self) -> Result<Option<Secret>, StoreError> {
            Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).0.clone())
        }

        async fn write(&self, secret: &Secret) -> Result<(), StoreError> {
            let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let known = shared
                .0
                .as_ref()
                .and_then(|secret| secret.metadata.resource_version.clone());
            if known != secret.metadata.resource_version {
                return Err(StoreError::Conflict);
            }
            shared.1 += 1;
            let mut written = secret.clone();
            written.metadata.resource_version = Some(shared.1.to_string());
            shared.0 = Some(written);
            Ok(())
        }
    }

    fn keeper(store: &Shared) -> (CertificateKeeper<Shared>, watch::Receiver<Trust>) {
        let certificates = Certificates::self_signed(vec!["localhost".into()]).unwrap();
        let (trust, trusted) = watch::channel(Err("not yet".into()));
        let names = vec!["svc.ns.svc".to_owned()];
        (
            CertificateKeeper::new(store.clone(), names, Arc::new(certificates), trust),
            trusted,
        )
    }

    fn bundle(trusted: &watch::Receiver<Trust>) -> Vec<u8> {
        trusted.borrow().clone().unwrap().unwrap().to_vec()
    }

    #[tokio::test]
    async fn replicas_agree_on_what_the_first_one_has_made() {
        let store = Shared::default();
        let ((mut one, of_one), (mut other, of_other)) = (keeper(&store), keeper(&store));
        assert_eq!(one.keep_up().await, EVERY);
        assert_eq!(other.keep_up().await, EVERY);
        assert_eq!(bundle(&of_one), bundle(&of_other));
        assert_eq!(one.certificates.chain(), other.certificates.chain());
        assert_eq!(store.0.lock().unwrap().1, 1, "written once");
    }

    #[tokio::test]
    async fn who_does_not_lead_serves_what_the_leader_has_made_and_makes_nothing() {
        let store = Shared::default();
        let ((waiting, of_waiting), (leadership, leading)) = (keeper(&store), Leading::elected());
        let mut waiting = waiting.while_leading(leading);
        assert_eq!(waiting.keep_up().await, RETRY, "it looks again soon");
        assert!(store.0.lock().unwrap().0.is_none());
        let (mut leader, of_leader) = keeper(&store);
        leader.keep_up().await;
        assert_eq!(waiting.keep_up().await, EVERY);
        assert_eq!(bundle(&of_waiting), bundle(&of_leader));
        store.0.lock().unwrap().0 = None;
        leadership.extend(tokio::time::Instant::now() + EVERY);
        waiting.keep_up().await;
        assert!(store.0.lock().unwrap().0.is_some(), "it leads now");
    }

    #[tokio::test]
    async fn a_secret_that_is_gone_or_spoilt_is_made_anew_and_the_old_authority_still_trusted() {
        let store = Shared::default();
        let (mut keeper, trusted) = keeper(&store);
        keeper.keep_up().await;
        let first = String::from_utf8(bundle(&trusted)).unwrap();
        store.0.lock().unwrap().0 = None;
        keeper.keep_up().await;
        let second = String::from_utf8(bundle(&trusted)).unwrap();
        assert!(second != first && second.contains(first.trim_end()), "{second}");
        for (key, text) in [("tls.key", "no key"), ("ca.key", "no key"), ("tls.crt", "")] {
            if let Some(data) = store
                .0
                .lock()
                .unwrap()
                .0
                .as_mut()
                .and_then(|secret| secret.data.as_mut())
            {
                data.insert(key.into(), ByteString(text.into()));
            }
            let before = bundle(&trusted);
            keeper.keep_up().await;
            assert_ne!(bundle(&trusted), before, "{key}");
        }
        assert!(
            store
                .read()
                .await
                .unwrap()
                .unwrap()
                .data
                .unwrap()
                .contains_key("tls.key")
        );
    }

    struct Forbidden;

    impl SecretStore for Forbidden {
        async fn read(&self) -> Result<Option<Secret>, StoreError> {
            Err(StoreError::Json("spoilt".into()))
        }

        async fn write(&self, _secret: &Secret) -> Result<(), StoreError> {
            Err(StoreError::Conflict)
        }
    }

    #[tokio::test]
    async fn without_a_secret_it_is_told_why_nobody_can_be_trusted() {
        let certificates = Certificates::self_signed(vec!["localhost".into()]).unwrap();
        let (trust, trusted) = watch::channel(Ok(None));
        let mut keeper = CertificateKeeper::new(Forbidden, Vec::new(), Arc::new(certificates), trust);
        assert_eq!(keeper.keep_up().await, RETRY);
        let why = trusted.borrow().clone().unwrap_err();
        assert!(why.contains("Secret espejote-webhook-certificate"), "{why}");
    }
}
