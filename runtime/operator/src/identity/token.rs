//! Where tokens come from.
//!
//! Owns the TokenRequest. Keeps no token.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;
use k8s_openapi::{apimachinery::pkg::apis::meta::v1::Time, jiff::Timestamp};
use serde::Deserialize;

use crate::client::{Accept, ApiError, BoxFuture, Client, Resource};

/// What is asked for: a day. Servers may grant less.
const ASKED_SECONDS: u64 = 24 * 60 * 60;

/// A token as it was granted.
#[derive(Debug, Clone)]
pub struct Grant {
    /// `Bearer …`, marked as sensitive.
    pub header: HeaderValue,
    /// How long it is good for, by the server's word.
    pub lifetime: Duration,
    /// The uid of the ServiceAccount; a ServiceAccount that was deleted and created again has another.
    pub uid: String,
}

/// Gives tokens for ServiceAccounts.
pub trait TokenSource: Send + Sync {
    /// Asks for one token.
    fn request<'a>(&'a self, namespace: &'a str, name: &'a str) -> BoxFuture<'a, Result<Grant, ApiError>>;
}

/// Asks the API server.
pub(super) struct TokenRequests {
    client: Client,
    service_accounts: Resource,
}

impl TokenRequests {
    pub(super) fn new(client: Client) -> Self {
        let service_accounts = Resource::known("v1", "ServiceAccount", "serviceaccounts", true);
        Self {
            client,
            service_accounts,
        }
    }

    async fn ask(&self, namespace: &str, name: &str) -> Result<Grant, ApiError> {
        let body = serde_json::json!({
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": ASKED_SECONDS},
        });
        let body = Bytes::from(body.to_string());
        let accounts = &self.service_accounts;
        let answer = self.client.token(accounts, Some(namespace), name, body).await?;
        let wire: TokenWire = parse(&answer)?;
        let uid = match wire.metadata.uid {
            Some(uid) if !uid.is_empty() => uid,
            _ => self.uid(namespace, name).await?,
        };
        let lifetime = wire
            .status
            .lifetime(wire.spec.expiration_seconds, Timestamp::now());
        Ok(Grant {
            header: bearer(&wire.status.token)?,
            lifetime,
            uid,
        })
    }

    /// For API servers that do not say the uid with the token (before 1.31).
    async fn uid(&self, namespace: &str, name: &str) -> Result<String, ApiError> {
        let accounts = &self.service_accounts;
        let answer = self
            .client
            .get(accounts, Some(namespace), name, Accept::Metadata)
            .await?;
        let wire: AccountWire = serde_json::from_slice(&answer)
            .map_err(|error| ApiError::malformed("a ServiceAccount", &error))?;
        Ok(wire.metadata.uid.unwrap_or_default())
    }
}

impl TokenSource for TokenRequests {
    fn request<'a>(&'a self, namespace: &'a str, name: &'a str) -> BoxFuture<'a, Result<Grant, ApiError>> {
        Box::pin(self.ask(namespace, name))
    }
}

pub(super) fn bearer(token: &str) -> Result<HeaderValue, ApiError> {
    let malformed = |_| ApiError::Malformed {
        what: "a token",
        detail: "not fit for a header".to_owned(),
    };
    let mut header = HeaderValue::from_str(&format!("Bearer {token}")).map_err(malformed)?;
    header.set_sensitive(true);
    Ok(header)
}

fn parse(answer: &[u8]) -> Result<TokenWire, ApiError> {
    serde_json::from_slice(answer).map_err(|error| ApiError::malformed("a token", &error))
}

#[derive(Deserialize)]
struct TokenWire {
    #[serde(default)]
    metadata: MetadataWire,
    #[serde(default)]
    spec: SpecWire,
    status: TokenStatusWire,
}

#[derive(Deserialize)]
struct AccountWire {
    metadata: MetadataWire,
}

#[derive(Deserialize, Default)]
struct MetadataWire {
    uid: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct SpecWire {
    expiration_seconds: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TokenStatusWire {
    token: String,
    expiration_timestamp: Time,
}

impl TokenStatusWire {
    /// The lifetime that is left. A clock that differs from the server's must not make it longer than what the server
    /// says it granted.
    fn lifetime(&self, granted_seconds: Option<u64>, now: Timestamp) -> Duration {
        let left = self.expiration_timestamp.0.as_second() - now.as_second();
        let left = u64::try_from(left).unwrap_or(0).max(10);
        Duration::from_secs(granted_seconds.map_or(left, |granted| granted.min(left)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lifetime(granted: Option<u64>, now: &str) -> u64 {
        let text = r#"{"metadata":{},"status":{"token":"t","expirationTimestamp":"2026-11-30T10:00:00Z"}}"#;
        parse(text.as_bytes())
            .unwrap()
            .status
            .lifetime(granted, now.parse().unwrap())
            .as_secs()
    }

    #[test]
    fn sa4_the_lifetime_is_what_the_server_granted() {
        assert_eq!(lifetime(Some(86_400), "2026-11-30T09:58:30Z"), 90);
        assert_eq!(
            lifetime(Some(600), "2026-11-29T09:58:30Z"),
            600,
            "our clock is behind"
        );
        assert_eq!(
            lifetime(Some(600), "2026-12-29T09:58:30Z"),
            10,
            "our clock is ahead"
        );
    }

    #[test]
    fn a_token_shows_nowhere() {
        let header = bearer("hunter2").unwrap();
        let grant = Grant {
            header,
            lifetime: Duration::from_secs(1),
            uid: "u".to_owned(),
        };
        assert!(!format!("{grant:?}").contains("hunter2"));
        let error = parse(br#"{"status":{"token":"hunter2","expirationTimestamp":"hunter2"}}"#)
            .err()
            .unwrap();
        assert!(!format!("{error} {error:?}").contains("hunter2"));
        assert!(!format!("{:?}", bearer("hunter2\n").unwrap_err()).contains("hunter2"));
    }
}
