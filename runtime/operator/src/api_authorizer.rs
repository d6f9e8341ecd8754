//! Asks the API server who may read the metrics.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;

use crate::{
    client::{Client, Resource},
    http_server::{Authorizer, AuthorizerError, User},
};

/// Judges with TokenReviews and SubjectAccessReviews, sent as the operator.
#[derive(Debug)]
pub struct ApiAuthorizer {
    client: Client,
}

#[derive(Deserialize)]
struct TokenReview {
    #[serde(default)]
    status: TokenStatus,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenStatus {
    authenticated: bool,
    user: UserInfo,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct UserInfo {
    username: String,
    uid: String,
    groups: Vec<String>,
    extra: std::collections::BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct AccessReview {
    #[serde(default)]
    status: AccessStatus,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AccessStatus {
    allowed: bool,
}

impl ApiAuthorizer {
    /// Asks with `client`'s rights.
    pub fn new(client: Client) -> Self {
        Self { client }
    }

    async fn review<T: for<'de> Deserialize<'de>>(
        &self,
        group: &str,
        kind: &str,
        spec: serde_json::Value,
    ) -> Result<T, AuthorizerError> {
        let api_version = format!("{group}/v1");
        let review = json!({"apiVersion": api_version, "kind": kind, "spec": spec});
        let plural = format!("{}s", kind.to_lowercase());
        let resource = Resource::known(&api_version, kind, &plural, false);
        let body = Bytes::from(review.to_string());
        let answer = self.client.review(&resource, body).await;
        let answer = answer.map_err(|error| AuthorizerError(error.to_string()))?;
        // The words of the parser could quote what it read.
        serde_json::from_slice(&answer).map_err(|_| AuthorizerError(format!("the {kind} cannot be read")))
    }
}

impl Authorizer for ApiAuthorizer {
    async fn authenticate(&self, token: &str) -> Result<Option<User>, AuthorizerError> {
        let review: TokenReview = self
            .review("authentication.k8s.io", "TokenReview", json!({"token": token}))
            .await?;
        let TokenStatus { authenticated, user } = review.status;
        let UserInfo {
            username,
            uid,
            groups,
            extra,
        } = user;
        Ok(authenticated.then_some(User {
            username,
            uid,
            groups,
            extra,
        }))
    }

    async fn may_get(&self, user: &User, path: &str) -> Result<bool, AuthorizerError> {
        let spec = json!({
            "user": user.username, "uid": user.uid, "groups": user.groups, "extra": user.extra,
            "nonResourceAttributes": {"path": path, "verb": "get"},
        });
        let review: AccessReview = self
            .review("authorization.k8s.io", "SubjectAccessReview", spec)
            .await?;
        Ok(review.status.allowed)
    }
}
