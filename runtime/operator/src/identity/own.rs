//! The operator's own credentials.
//!
//! Owns the reading of what a kubeconfig or the Pod gives: a token, a token file (read again every minute), a
//! password, or a program that prints a token. A client certificate belongs to the connection, not here.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header::AUTHORIZATION};
use http_body_util::Empty;
use kube::{client::ConfigExt, config::AuthInfo};
use tower::{BoxError, Layer, ServiceExt, service_fn, util::BoxCloneSyncService};

use crate::client::{ApiError, BoxFuture, Identity};

/// The credentials of the kubeconfig cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("credentials of the kubeconfig: {source}")]
pub struct OwnIdentityError {
    /// What was wrong.
    #[source]
    source: Box<kube::Error>,
}

type Nothing = Request<Empty<Bytes>>;

/// The operator itself.
pub struct OwnIdentity {
    /// Puts the header on a request and gives it back in an answer; none: there is no header to put.
    authorize: Option<BoxCloneSyncService<Nothing, Response<()>, BoxError>>,
}

impl OwnIdentity {
    /// Takes the credentials from a configuration.
    pub fn new(config: &kube::Config) -> Result<Self, OwnIdentityError> {
        let layer = config.auth_layer().map_err(|source| OwnIdentityError {
            source: Box::new(source),
        })?;
        let echo = service_fn(|request: Nothing| async move {
            let mut answer = Response::new(());
            *answer.headers_mut() = request.into_parts().0.headers;
            Ok::<_, BoxError>(answer)
        });
        let authorize = layer.map(|layer| BoxCloneSyncService::new(layer.layer(echo)));
        Ok(Self { authorize })
    }

    async fn header(&self) -> Result<Option<HeaderValue>, ApiError> {
        let Some(authorize) = self.authorize.clone() else {
            return Ok(None);
        };
        let answer = authorize.oneshot(Request::new(Empty::new())).await;
        let mut answer = answer.map_err(|source| ApiError::Credentials {
            source: Arc::from(source),
            transient: true,
        })?;
        let mut header = answer.headers_mut().remove(AUTHORIZATION);
        if let Some(header) = &mut header {
            header.set_sensitive(true);
        }
        Ok(header)
    }
}

impl Identity for OwnIdentity {
    fn authorization(&self) -> BoxFuture<'_, Result<Option<HeaderValue>, ApiError>> {
        Box::pin(self.header())
    }

    /// The next one, if it was read anew in between.
    fn renew<'a>(
        &'a self,
        rejected: &'a HeaderValue,
    ) -> BoxFuture<'a, Result<Option<HeaderValue>, ApiError>> {
        Box::pin(async move { Ok(self.header().await?.filter(|header| header != rejected)) })
    }
}

/// Whether connections made with these credentials may present a client certificate.
pub(super) fn may_show_certificate(auth: &AuthInfo) -> bool {
    auth.client_certificate.is_some() || auth.client_certificate_data.is_some() || auth.exec.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_token_of_the_kubeconfig_becomes_a_header_that_does_not_show() {
        let mut config = kube::Config::new(http::Uri::from_static("https://127.0.0.1:1"));
        config.auth_info.token = Some("hunter2".to_owned().into());
        let own = OwnIdentity::new(&config).unwrap();
        let header = own.authorization().await.unwrap().unwrap();
        assert_eq!(header.to_str().unwrap(), "Bearer hunter2");
        assert!(!format!("{header:?}").contains("hunter2"));
        assert!(own.renew(&header).await.unwrap().is_none());
    }

    #[tokio::test]
    async fn without_credentials_there_is_no_header() {
        let config = kube::Config::new(http::Uri::from_static("https://127.0.0.1:1"));
        assert!(
            OwnIdentity::new(&config)
                .unwrap()
                .authorization()
                .await
                .unwrap()
                .is_none()
        );
    }
}
