//! Requests to one server after the other: connections, trust, proxies, redirections, and how long is waited. Knows
//! nothing of logins but that an `Authorization` header stays with the server it was made for.

use std::{collections::BTreeMap, error::Error as _, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, Method, header};
use reqwest::{NoProxy, Proxy, Response, redirect};
use rustls::{
    ClientConfig as TlsConfig, RootCertStore, pki_types::CertificateDer, pki_types::pem::PemObject,
};
use tokio::time::timeout;
use url::{Origin, Url};

use crate::{
    config::{Authority, ClientConfig, Proxies},
    error::{Error, Result, Said, Subject},
};

/// How many redirections are followed.
const REDIRECTIONS: usize = 5;

/// A request that can be sent again.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// What the answer is to be, for errors.
    pub(crate) what: &'static str,
}

impl Request {
    /// A request without headers or body.
    pub(crate) fn new(method: Method, url: Url, what: &'static str) -> Self {
        Self {
            method,
            url,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            what,
        }
    }

    /// Only what is read can be asked of another server.
    fn follows_redirections(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD)
    }
}

/// Connections to all servers.
pub(crate) struct Transport {
    everyone: reqwest::Client,
    /// Hosts with authorities of their own.
    hosts: BTreeMap<String, reqwest::Client>,
    idle: Duration,
    /// For requests with a body: the answer begins when all of it is sent.
    total: Duration,
}

impl Transport {
    /// By the settings; fails if a certificate or a proxy of theirs cannot be used.
    pub(crate) fn new(config: &ClientConfig) -> Result<Self> {
        let for_host = |host: Option<&str>| {
            let authorities = config.authorities.iter();
            authorities
                .filter(|authority| authority.host.is_none() || authority.host.as_deref() == host)
                .collect::<Vec<_>>()
        };
        let own = config
            .authorities
            .iter()
            .filter_map(|authority| authority.host.as_deref());
        let hosts = own
            .map(|host| Ok((host.to_owned(), client(config, &for_host(Some(host)))?)))
            .collect::<Result<_>>()?;
        let everyone = client(config, &for_host(None))?;
        Ok(Self {
            everyone,
            hosts,
            idle: config.timeouts.idle,
            total: config.timeouts.total,
        })
    }

    /// Sends a request and waits for the beginning of the answer. Redirections are followed; without the
    /// `Authorization` header from where they leave the server it was meant for, and never from HTTPS to HTTP.
    pub(crate) async fn send(&self, subject: &Subject, mut request: Request) -> Result<Response> {
        for _ in 0..=REDIRECTIONS {
            let response = self.send_once(subject, &request).await?;
            if !request.follows_redirections() || !is_redirection(&response) {
                return Ok(response);
            }
            let next = target(subject, &request, &response)?;
            if next.origin() != request.url.origin() {
                request.headers.remove(header::AUTHORIZATION);
            }
            request.url = next;
        }
        Err(redirect_error(
            subject,
            &request,
            format!("more than {REDIRECTIONS} times"),
        ))
    }

    async fn send_once(&self, subject: &Subject, request: &Request) -> Result<Response> {
        let sending = self
            .client(&request.url)
            .request(request.method.clone(), request.url.clone())
            .headers(request.headers.clone())
            .body(request.body.clone())
            .send();
        let limit = if request.body.is_empty() {
            self.idle
        } else {
            self.total
        };
        let sent = timeout(limit, sending).await.map_err(|_| Error::Slow {
            subject: Box::new(subject.clone()),
            what: "the beginning of an answer",
            limit,
        })?;
        sent.map_err(|error| connection_error(subject, error))
    }

    /// The next piece of an answer's body, none at its end.
    pub(crate) async fn next_piece(&self, subject: &Subject, response: &mut Response) -> Result<Piece> {
        let piece = timeout(self.idle, response.chunk())
            .await
            .map_err(|_| Error::Slow {
                subject: Box::new(subject.clone()),
                what: "the next piece of an answer",
                limit: self.idle,
            })?;
        Ok(match piece {
            Ok(Some(bytes)) => Piece::Bytes(bytes),
            Ok(None) => Piece::End,
            Err(error) => Piece::Broken(Said(words(&error.without_url()))),
        })
    }

    fn client(&self, url: &Url) -> &reqwest::Client {
        let host = authority(url);
        self.hosts.get(&host).unwrap_or(&self.everyone)
    }
}

/// A piece of a body.
pub(crate) enum Piece {
    /// Some bytes.
    Bytes(Bytes),
    /// There is no more.
    End,
    /// The connection ended before the body.
    Broken(Said),
}

/// Host, and port if it is not the scheme's own, of an address.
pub(crate) fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

fn is_redirection(response: &Response) -> bool {
    matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Where an answer redirects to.
fn target(subject: &Subject, request: &Request, response: &Response) -> Result<Url> {
    let location = response
        .headers()
        .get(header::LOCATION)
        .and_then(|value| value.to_str().ok());
    let next = location.and_then(|location| request.url.join(location).ok());
    let Some(next) = next else {
        return Err(redirect_error(
            subject,
            request,
            "without a usable Location header".to_owned(),
        ));
    };
    let stays_safe = request.url.scheme() == "http" || next.scheme() == "https";
    if !stays_safe || !matches!(next.origin(), Origin::Tuple(..)) {
        let reason = format!(
            "from HTTPS to {}://{}, which is not followed",
            next.scheme(),
            authority(&next)
        );
        return Err(redirect_error(subject, request, reason));
    }
    Ok(next)
}

fn redirect_error(subject: &Subject, request: &Request, reason: String) -> Error {
    Error::Redirect {
        subject: Box::new(subject.clone()),
        what: request.what,
        reason,
    }
}

/// Tells apart why there was no answer.
fn connection_error(subject: &Subject, error: reqwest::Error) -> Error {
    let subject = Box::new(subject.clone());
    // The address may be signed, which makes it a secret.
    let error = error.without_url();
    let reason = words(&error);
    match tls_error(&error) {
        Some(rustls::Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType)) => {
            Error::PlainHttp { subject }
        }
        Some(_) => Error::Tls { subject, reason },
        None => Error::Unreachable { subject, reason },
    }
}

/// The TLS library's error, if that is where it came from.
fn tls_error(error: &reqwest::Error) -> Option<&rustls::Error> {
    let mut next: Option<&(dyn std::error::Error + 'static)> = error.source();
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref() {
            return Some(error);
        }
        // Errors of input and output hide what they are made of from `source`.
        let inner = error
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::get_ref);
        next = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

/// All of an error's causes on one line, without those that only repeat the one before.
fn words(error: &reqwest::Error) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut source = error.source();
    while let Some(error) = source {
        let text = error.to_string();
        if !words.last().is_some_and(|last| last.contains(&text)) {
            words.push(text);
        }
        source = error.source();
    }
    if words.is_empty() {
        error.to_string()
    } else {
        words.join(": ")
    }
}

fn client(config: &ClientConfig, authorities: &[&Authority]) -> Result<reqwest::Client> {
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls(authorities)?)
        .redirect(redirect::Policy::none())
        .referer(false)
        .connect_timeout(config.timeouts.connect)
        .user_agent(&config.user_agent)
        .no_proxy();
    let proxies = proxies(&config.proxies)?;
    let builder = proxies.into_iter().fold(builder, reqwest::ClientBuilder::proxy);
    builder.build().map_err(|error| Error::Settings(words(&error)))
}

fn proxies(settings: &Proxies) -> Result<Vec<Proxy>> {
    let none = settings.none.as_deref().and_then(NoProxy::from_string);
    let http = settings.http.as_deref().map(|url| (url, Proxy::http(url)));
    let https = settings.https.as_deref().map(|url| (url, Proxy::https(url)));
    let all = http.into_iter().chain(https);
    all.map(|(_, proxy)| match proxy {
        Ok(proxy) => Ok(proxy.no_proxy(none.clone())),
        // The address may hold a password.
        Err(_) => Err(Error::Settings(
            "a proxy's address cannot be used: expected http://host:port".to_owned(),
        )),
    })
    .collect()
}

fn tls(authorities: &[&Authority]) -> Result<TlsConfig> {
    let mut roots = RootCertStore::empty();
    // Those that cannot be read are none; if one is missing, the connection's error says what is not trusted.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for authority in authorities {
        add(&mut roots, authority)?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = TlsConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Settings(error.to_string()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

fn add(roots: &mut RootCertStore, authority: &Authority) -> Result<()> {
    let of = authority.host.as_deref().unwrap_or("all registries");
    let wrong = |reason: &str| {
        Error::Settings(format!(
            "certificate authorities for {of}: {reason}: expected certificates in PEM"
        ))
    };
    let mut some = false;
    for certificate in CertificateDer::pem_slice_iter(&authority.pem) {
        let certificate = certificate.map_err(|error| wrong(&error.to_string()))?;
        roots
            .add(certificate)
            .map_err(|error| wrong(&error.to_string()))?;
        some = true;
    }
    if some {
        Ok(())
    } else {
        Err(wrong("there is no certificate"))
    }
}
