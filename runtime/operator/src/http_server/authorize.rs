//! Who may read what: bearer tokens, judged by the API server.

use std::{collections::BTreeMap, future::Future};

use http::{HeaderValue, Request, StatusCode, header};
use tracing::warn;

use super::{Answer, text};

/// Somebody, as a TokenReview tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// `status.user.username`.
    pub username: String,
    /// `status.user.uid`.
    pub uid: String,
    /// `status.user.groups`.
    pub groups: Vec<String>,
    /// `status.user.extra`.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// The API server could not be asked. Never holds the token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AuthorizerError(pub String);

/// Judges tokens and users; the operator's own identity asks.
pub trait Authorizer: Send + Sync + 'static {
    /// Whose `token` it is, by a TokenReview; `None` if it is nobody's.
    fn authenticate(&self, token: &str)
    -> impl Future<Output = Result<Option<User>, AuthorizerError>> + Send;

    /// Whether `user` may `get` the non-resource URL `path`, by a SubjectAccessReview.
    fn may_get(&self, user: &User, path: &str) -> impl Future<Output = Result<bool, AuthorizerError>> + Send;
}

/// Lets a request in, or gives the refusal: 401 without a valid token, 403 for a stranger, 500 if nobody can tell.
pub(super) async fn admit<B>(authorizer: &impl Authorizer, request: &Request<B>) -> Result<(), Answer> {
    let token = bearer(request).ok_or_else(unauthorized)?;
    let user = authorizer.authenticate(token).await.map_err(unknown)?;
    let user = user.ok_or_else(unauthorized)?;
    match authorizer.may_get(&user, request.uri().path()).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(text(StatusCode::FORBIDDEN, "forbidden\n")),
        Err(error) => Err(unknown(error)),
    }
}

/// The token of `Authorization: Bearer <token>`; the scheme in any case.
fn bearer<B>(request: &Request<B>) -> Option<&str> {
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

fn unauthorized() -> Answer {
    let mut answer = text(StatusCode::UNAUTHORIZED, "unauthorized\n");
    let scheme = HeaderValue::from_static("Bearer");
    answer.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
    answer
}

fn unknown(error: AuthorizerError) -> Answer {
    warn!(%error, "the API server could not be asked who reads the metrics");
    text(
        StatusCode::INTERNAL_SERVER_ERROR,
        "the request could not be judged\n",
    )
}
