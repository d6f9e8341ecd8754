//! The HTTP servers of the process: metrics, probes, and whatever else is a [`Site`].
//!
//! Owns connections: how many, how long, TLS or not, and how they end. A [`Site`] owns paths and answers. Never trusts a
//! client to be quick: heads, handshakes, answers and whole connections have time limits, and what is over the number
//! of connections waits in the kernel's backlog.

mod authorize;
mod certificate;
mod connection;
mod metrics_site;
mod probes;

use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tracing::warn;

pub use self::{
    authorize::{Authorizer, AuthorizerError, User},
    certificate::{CertificateError, Certificates},
    metrics_site::MetricsSite,
    probes::{Probes, Readiness},
};

/// An answer, whole in memory.
pub type Answer = Response<Full<Bytes>>;

/// What is served.
pub trait Site: Send + Sync + 'static {
    /// Answers one request. Dropped when the client goes or [`Limits::answer`] is over.
    fn answer(&self, request: Request<Incoming>) -> impl Future<Output = Answer> + Send;
}

/// How much one server gives its clients.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at a time.
    pub connections: usize,
    /// A TLS handshake.
    pub handshake: Duration,
    /// The head of a request; also how long a connection may be idle.
    pub head: Duration,
    /// An answer, until its head is ready.
    pub answer: Duration,
    /// A connection, whatever it does.
    pub connection: Duration,
    /// What runs when the server is told to stop.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 128,
            handshake: Duration::from_secs(10),
            head: Duration::from_secs(30),
            answer: Duration::from_secs(30),
            connection: Duration::from_secs(600),
            drain: Duration::from_secs(5),
        }
    }
}

/// A server that could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum HttpServerError {
    /// None of the addresses could be bound.
    #[error("cannot listen at {addresses:?}")]
    Bind {
        /// What was tried.
        addresses: Vec<SocketAddr>,
        /// What the last one gave.
        #[source]
        source: io::Error,
    },
}

/// One listener and what it serves.
pub struct HttpServer<S> {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    site: Arc<S>,
    limits: Limits,
}

impl<S: Site> HttpServer<S> {
    /// Listens at the first of `addresses` that can be bound. Connections wait until [`HttpServer::serve`] runs.
    pub async fn bind(addresses: &[SocketAddr], site: S, limits: Limits) -> Result<Self, HttpServerError> {
        let listener = TcpListener::bind(addresses).await;
        let listener = listener.map_err(|source| HttpServerError::Bind {
            addresses: addresses.to_vec(),
            source,
        })?;
        Ok(Self {
            listener,
            tls: None,
            site: Arc::new(site),
            limits,
        })
    }

    /// Speaks TLS only, with what `certificates` hold at each handshake.
    #[must_use]
    pub fn with_tls(self, certificates: &Certificates) -> Self {
        let tls = Some(TlsAcceptor::from(certificates.server_config()));
        Self { tls, ..self }
    }

    /// Where it listens: tells the port if any free one was asked for.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `cancel` is cancelled; then lets what runs end, but not for longer than [`Limits::drain`].
    pub async fn serve(self, cancel: CancellationToken) {
        let places = Arc::new(Semaphore::new(self.limits.connections));
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                () = cancel.cancelled() => break,
                // Never empty-handed in a loop: an empty set gives `None`, which disables the branch.
                Some(_) = connections.join_next() => {}
                accepted = self.accept(&places) => {
                    let Some((stream, place)) = accepted else { continue };
                    connections.spawn(self.connection(stream, place, cancel.clone()));
                }
            }
        }
        drop(self.listener);
        let drained = async { while connections.join_next().await.is_some() {} };
        if timeout(self.limits.drain, drained).await.is_err() {
            connections.shutdown().await;
        }
    }

    async fn accept(&self, places: &Arc<Semaphore>) -> Option<(TcpStream, OwnedSemaphorePermit)> {
        let place = Arc::clone(places).acquire_owned().await.ok()?;
        match self.listener.accept().await {
            Ok((stream, _)) => Some((stream, place)),
            Err(error) => {
                // Out of file descriptors, most likely: trying again at once would only burn time.
                warn!(%error, "a connection was not accepted");
                sleep(Duration::from_millis(100)).await;
                None
            }
        }
    }

    fn connection(
        &self,
        stream: TcpStream,
        place: OwnedSemaphorePermit,
        cancel: CancellationToken,
    ) -> impl Future<Output = ()> + Send + use<S> {
        let (tls, site, limits) = (self.tls.clone(), Arc::clone(&self.site), self.limits);
        async move {
            connection::serve(stream, tls, site, limits, cancel).await;
            drop(place);
        }
    }
}

/// A short answer in plain text.
pub fn text(status: StatusCode, body: impl Into<Bytes>) -> Answer {
    content(status, "text/plain; charset=utf-8", body)
}

/// An answer of a content type.
pub fn content(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(body.into()));
    *answer.status_mut() = status;
    let content_type = HeaderValue::from_static(content_type);
    answer.headers_mut().insert(CONTENT_TYPE, content_type);
    answer
}

#[cfg(test)]
mod tests;
