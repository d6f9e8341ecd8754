//! One registry, one repository, one login: requests that are logged in as the registry wants it.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};
use reqwest::Response;
use serde::Deserialize;
use url::Url;

use crate::{
    challenge::Challenge,
    credentials::{Login, Secret},
    error::{Error, Result, Subject},
    fetch,
    refusal::{self, Asked, Manner},
    tokens::{Grant, Key, Tokens},
    transport::{Request, Transport, authority},
};

/// What a token server's answer may have at most.
const LARGEST_TOKEN: u64 = 1 << 20;

/// How long a token holds if the server does not say so: what the specification of the token flow sets.
const DEFAULT_LIFETIME: u64 = 60;

/// How long a registry is taken to want name and password.
const BASIC_LIFETIME: Duration = Duration::from_secs(3600);

/// A conversation with a registry.
pub(crate) struct Session<'a> {
    pub(crate) transport: &'a Transport,
    pub(crate) tokens: &'a Tokens,
    pub(crate) subject: Subject,
    /// `https://host/v2/`.
    pub(crate) base: Url,
    /// `pull` or `push`.
    pub(crate) access: &'static str,
    pub(crate) login: Login,
}

impl Session<'_> {
    /// An address of the repository.
    pub(crate) fn url(&self, path: &str) -> Result<Url> {
        let path = format!("{}/{path}", self.subject.repository);
        self.base
            .join(&path)
            .map_err(|error| Error::Settings(format!("the address of {path}: {error}")))
    }

    /// Sends a request, logged in if need be, and gives the answer if it is a success.
    pub(crate) async fn send(&self, request: Request) -> Result<Response> {
        let response = self.send_logged_in(&request).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(self.refusal(&request.url, request.what, response, None).await)
    }

    /// Sends with what has been granted before, and if that does not do, with what the registry asks for.
    async fn send_logged_in(&self, request: &Request) -> Result<Response> {
        // An address elsewhere, such as that of an upload at a storage service, must not see who we are.
        if request.url.origin() != self.base.origin() {
            return self.transport.send(&self.subject, request.clone()).await;
        }
        let known = self.tokens.get(&self.key());
        let response = self
            .transport
            .send(&self.subject, self.authorized(request, known.as_ref()))
            .await?;
        // After a redirection, the refusal is another server's.
        let own = response.url().origin() == self.base.origin();
        if response.status() != StatusCode::UNAUTHORIZED || !own {
            return Ok(response);
        }
        self.tokens.forget(&self.key());
        let Some(grant) = self.grant(&response).await? else {
            return Ok(response);
        };
        self.transport
            .send(&self.subject, self.authorized(request, Some(&grant)))
            .await
    }

    /// What the registry's challenge leads to; none if there is nothing to answer it with.
    async fn grant(&self, response: &Response) -> Result<Option<Grant>> {
        let (grant, lifetime) = match (Challenge::of(response.headers()), &self.login) {
            (Some(Challenge::Basic), Login::Basic { .. }) => (Grant::Basic, BASIC_LIFETIME),
            (
                Some(Challenge::Bearer {
                    realm,
                    service,
                    scope,
                }),
                login,
            ) if !matches!(login, Login::Bearer(_)) => self.token(&realm, service.as_deref(), scope).await?,
            _ => return Ok(None),
        };
        self.tokens.put(self.key(), grant.clone(), lifetime);
        Ok(Some(grant))
    }

    /// Fetches a token.
    async fn token(
        &self,
        realm: &str,
        service: Option<&str>,
        scope: Option<String>,
    ) -> Result<(Grant, Duration)> {
        let realm = self.realm(realm)?;
        let scope = scope
            .filter(|_| self.access == "pull")
            .unwrap_or_else(|| self.scope());
        let request = match &self.login {
            Login::Identity(secret) => exchange(realm.clone(), service, &scope, secret),
            login => ask(realm.clone(), service, &scope, login),
        };
        let mut response = self.transport.send(&self.subject, request).await?;
        if !response.status().is_success() {
            let status = response.status();
            let server = authority(response.url());
            return Err(self
                .refusal(&realm, "token", response, Some((status, server)))
                .await);
        }
        let body = fetch::whole(
            self.transport,
            &self.subject,
            "token",
            LARGEST_TOKEN,
            &mut response,
        )
        .await?;
        parse_token(&body)
            .ok_or_else(|| self.login_error("the token server's answer has no token".to_owned()))
    }

    /// The token server's address, if it may be told a password.
    fn realm(&self, realm: &str) -> Result<Url> {
        let url = Url::parse(realm).map_err(|error| {
            self.login_error(format!(
                "it names the token server `{realm}`, which is no address: {error}"
            ))
        })?;
        if url.scheme() == "https" || (url.scheme() == "http" && self.base.scheme() == "http") {
            return Ok(url);
        }
        Err(self.login_error(format!(
            "it names a token server without TLS ({}://{}), expected https://: no password is sent there",
            url.scheme(),
            authority(&url)
        )))
    }

    /// The request with an `Authorization` header, if there is one to send.
    fn authorized(&self, request: &Request, grant: Option<&Grant>) -> Request {
        let mut request = request.clone();
        let value = match (grant, &self.login) {
            (_, Login::Bearer(token)) => Some(bearer(token)),
            (Some(Grant::Token(token)), _) => Some(bearer(token)),
            (Some(Grant::Basic), login) => basic(login),
            (None, _) => None,
        };
        if let Some(value) = value {
            request.headers.insert(header::AUTHORIZATION, value);
        }
        request
    }

    async fn refusal(
        &self,
        asked: &Url,
        what: &'static str,
        response: Response,
        token_server: Option<(StatusCode, String)>,
    ) -> Error {
        let granted = match self.tokens.get(&self.key()) {
            Some(Grant::Token(token)) => Some(token),
            _ => None,
        };
        let encoded = basic(&self.login)
            .map(|value| encoded(&value))
            .unwrap_or_default();
        let mut secrets = vec![secret_of(&self.login), &encoded];
        secrets.extend(granted.as_ref().map(Secret::reveal));
        let manner = Manner {
            with: how(&self.login),
            access: self.access,
        };
        let error = refusal::refusal(
            self.transport,
            &self.subject,
            Asked { url: asked, what },
            manner,
            &secrets,
            response,
        )
        .await;
        match (error, token_server) {
            // 404 of the token server is not that there is no such module.
            (Error::NotFound { said, .. }, Some((_, server))) => {
                self.login_error(format!("its token server {server} answered 404 Not Found{said}"))
            }
            (Error::Status { said, status, .. }, Some((_, server))) => {
                self.login_error(format!("its token server {server} answered {status}{said}"))
            }
            (error, _) => error,
        }
    }

    fn login_error(&self, reason: String) -> Error {
        Error::Login {
            subject: Box::new(self.subject.clone()),
            reason,
        }
    }

    /// What to ask a token for. A push asks for all that it will need: the registry names only what one request does.
    fn scope(&self) -> String {
        let actions = if self.access == "push" {
            "pull,push"
        } else {
            "pull"
        };
        format!("repository:{}:{actions}", self.subject.repository)
    }

    fn key(&self) -> Key {
        Key {
            origin: self.base.origin().ascii_serialization(),
            repository: self.subject.repository.clone(),
            access: self.access,
            login: self.login.clone(),
        }
    }
}

/// The usual way: a GET, with name and password if there are any.
fn ask(mut realm: Url, service: Option<&str>, scope: &str, login: &Login) -> Request {
    realm
        .query_pairs_mut()
        .extend_pairs(service.map(|service| ("service", service)))
        .append_pair("scope", scope);
    if let Login::Basic { username, .. } = login {
        realm.query_pairs_mut().append_pair("account", username);
    }
    let mut request = Request::new(Method::GET, realm, "token");
    if let Some(value) = basic(login) {
        request.headers.insert(header::AUTHORIZATION, value);
    }
    request
}

/// What `docker login` kept is exchanged by a POST.
fn exchange(realm: Url, service: Option<&str>, scope: &str, secret: &Secret) -> Request {
    let form = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("grant_type", "refresh_token")
        .append_pair("client_id", "espejote")
        .extend_pairs(service.map(|service| ("service", service)))
        .append_pair("scope", scope)
        .append_pair("refresh_token", secret.reveal())
        .finish();
    let mut request = Request::new(Method::POST, realm, "token");
    let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
    request.headers.insert(header::CONTENT_TYPE, kind);
    request.body = Bytes::from(form);
    request
}

#[derive(Deserialize)]
struct Answer {
    token: Option<String>,
    access_token: Option<String>,
    expires_in: Option<u64>,
}

fn parse_token(body: &[u8]) -> Option<(Grant, Duration)> {
    let answer: Answer = serde_json::from_slice(body).ok()?;
    let token = answer
        .token
        .or(answer.access_token)
        .filter(|token| !token.is_empty())?;
    // It must fit into a header.
    HeaderValue::from_str(&token).ok()?;
    let lifetime = Duration::from_secs(answer.expires_in.unwrap_or(DEFAULT_LIFETIME));
    Some((Grant::Token(Secret::new(token)), lifetime))
}

fn bearer(token: &Secret) -> HeaderValue {
    sensitive(format!("Bearer {}", token.reveal()))
}

fn basic(login: &Login) -> Option<HeaderValue> {
    let Login::Basic { username, password } = login else {
        return None;
    };
    let pair = STANDARD.encode(format!("{username}:{}", password.reveal()));
    Some(sensitive(format!("Basic {pair}")))
}

/// A header that is not printed.
fn sensitive(text: String) -> HeaderValue {
    // What cannot stand in a header is sent as none: the registry's refusal says the rest.
    let mut value = HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""));
    value.set_sensitive(true);
    value
}

fn encoded(value: &HeaderValue) -> String {
    let text = value.to_str().unwrap_or_default();
    text.trim_start_matches("Basic ").to_owned()
}

fn secret_of(login: &Login) -> &str {
    match login {
        Login::Anonymous => "",
        Login::Basic { password, .. } => password.reveal(),
        Login::Identity(secret) | Login::Bearer(secret) => secret.reveal(),
    }
}

fn how(login: &Login) -> &'static str {
    match login {
        Login::Anonymous => "without credentials",
        Login::Basic { .. } => "to name and password",
        Login::Identity(_) => "to an identity token",
        Login::Bearer(_) => "to a registry token",
    }
}
