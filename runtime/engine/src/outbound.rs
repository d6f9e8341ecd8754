//! Sends requests of guests that are granted: resolving, connecting, TLS, and the bounds around each.
//!
//! Knows nothing of plugins. A request goes where its grant says or nowhere; redirects are not followed, proxies not used.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, OnceLock},
    time::Duration,
};

use http::{Request, Response, Uri, uri::PathAndQuery};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpStream, lookup_host},
    task::JoinSet,
    time::timeout,
};
use tokio_rustls::TlsConnector;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody};

use crate::{address, config::TlsRoots};

/// Time for resolving, connecting and shaking hands. A guest may ask for less.
const CONNECT: Duration = Duration::from_secs(10);
/// Time until the head of the answer is there.
const FIRST_BYTE: Duration = Duration::from_secs(30);
/// Time between two parts of the answer's body.
const BETWEEN_BYTES: Duration = Duration::from_secs(30);
/// What is read ahead of an answer, its head included.
const BUFFER: usize = 64 * 1024;

/// Where a request goes.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    pub tls: bool,
    /// A name, or an address as it is in a URL.
    pub host: String,
    pub port: u16,
    /// The one address that a grant names, if it names one: it may be a prohibited one.
    pub address: Option<IpAddr>,
}

/// The bounds on time of one request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    connect: Duration,
    first_byte: Duration,
    pub between_bytes: Duration,
}

impl Times {
    /// What the guest asks for, where it is less than what is allowed.
    pub fn new(options: Option<RequestOptions>) -> Self {
        let least =
            |asked: Option<Duration>, allowed: Duration| asked.map_or(allowed, |asked| asked.min(allowed));
        let options = options.unwrap_or_default();
        Self {
            connect: least(options.connect_timeout, CONNECT),
            first_byte: least(options.first_byte_timeout, FIRST_BYTE),
            between_bytes: least(options.between_bytes_timeout, BETWEEN_BYTES),
        }
    }
}

/// An answer whose body is still to come. Where this is dropped, the connection ends.
pub(crate) struct Answer {
    pub response: Response<Incoming>,
    pub connection: JoinSet<()>,
}

/// How servers are known: made at the first request that needs it.
pub(crate) struct Tls {
    roots: TlsRoots,
    config: OnceLock<Result<Arc<ClientConfig>, String>>,
}

impl Tls {
    pub fn new(roots: TlsRoots) -> Self {
        Self {
            roots,
            config: OnceLock::new(),
        }
    }

    fn config(&self) -> Result<Arc<ClientConfig>, Error> {
        let made = self.config.get_or_init(|| client(&self.roots));
        made.clone().map_err(|problem| {
            tracing::error!(%problem, "requests of plugins cannot use TLS");
            Error::ConfigurationError
        })
    }
}

fn client(roots: &TlsRoots) -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| error.to_string())?;
    let store = store(certificates(roots)?)?;
    Ok(Arc::new(
        builder.with_root_certificates(store).with_no_client_auth(),
    ))
}

fn certificates(roots: &TlsRoots) -> Result<Vec<CertificateDer<'static>>, String> {
    match roots {
        TlsRoots::Pem(pem) => {
            let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
            read.map_err(|error| format!("the given roots are no PEM certificates: {error}"))
        }
        TlsRoots::System => Ok(rustls_native_certs::load_native_certs().certs),
    }
}

fn store(certificates: Vec<CertificateDer<'static>>) -> Result<RootCertStore, String> {
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(certificates);
    match store.is_empty() {
        true => Err("there are no root certificates".to_owned()),
        false => Ok(store),
    }
}

/// Sends a request and waits for the head of the answer.
pub(crate) async fn send(
    tls: &Tls,
    to: &Destination,
    mut request: Request<WasiBody>,
    times: Times,
) -> Result<Answer, Error> {
    let stream = timeout(times.connect, connect(tls, to));
    let stream = stream.await.map_err(|_| Error::ConnectionTimeout)??;
    let mut builder = http1::Builder::new();
    builder.max_buf_size(BUFFER);
    let (mut sender, connection) = builder
        .handshake(TokioIo::new(stream))
        .await
        .map_err(Error::from)?;
    let mut driver = JoinSet::new();
    driver.spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection of a plugin ended");
        }
    });
    *request.uri_mut() = in_origin_form(request.uri());
    let response = timeout(times.first_byte, sender.send_request(request));
    let response = response.await.map_err(|_| Error::HttpResponseTimeout)?;
    Ok(Answer {
        response: response?,
        connection: driver,
    })
}

/// Only path and query: host and scheme are said by the connection and the header.
fn in_origin_form(uri: &Uri) -> Uri {
    let path = uri.path_and_query().map_or("/", PathAndQuery::as_str);
    // Parsed before, so it parses.
    path.parse().unwrap_or_default()
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

async fn connect(tls: &Tls, to: &Destination) -> Result<Box<dyn Stream>, Error> {
    let stream = reach(&resolve(to).await?).await?;
    if is_own(&stream) {
        return Err(Error::DestinationIpProhibited);
    }
    if !to.tls {
        return Ok(Box::new(stream));
    }
    let name = match to.address {
        Some(address) => ServerName::from(address),
        None => ServerName::try_from(to.host.clone()).map_err(|_| Error::HttpRequestUriInvalid)?,
    };
    let stream = TlsConnector::from(tls.config()?).connect(name, stream).await;
    Ok(Box::new(stream.map_err(tls_error)?))
}

fn tls_error(error: io::Error) -> Error {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    match inner {
        Some(rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented) => {
            Error::TlsCertificateError
        }
        _ => Error::Tls(error),
    }
}

/// The addresses that may be reached.
async fn resolve(to: &Destination) -> Result<Vec<SocketAddr>, Error> {
    if let Some(address) = to.address {
        return Ok(vec![SocketAddr::new(address, to.port)]);
    }
    let found = lookup_host((to.host.as_str(), to.port))
        .await
        .map_err(|error| Error::DnsError {
            rcode: Some(error.to_string()),
            info_code: None,
        })?;
    let found: Vec<SocketAddr> = found.collect();
    let allowed: Vec<SocketAddr> = found
        .iter()
        .filter(|found| !address::prohibited(found.ip()))
        .copied()
        .collect();
    match (found.is_empty(), allowed.is_empty()) {
        (true, _) => Err(Error::DestinationNotFound),
        (false, true) => Err(Error::DestinationIpProhibited),
        (false, false) => Ok(allowed),
    }
}

/// Whether a connection leads to this machine by an address that it has in its network: metrics, probes and webhooks of
/// this very process are there. (By one of its own it is prohibited before, or granted on purpose.)
fn is_own(stream: &TcpStream) -> bool {
    match (stream.local_addr(), stream.peer_addr()) {
        (Ok(here), Ok(there)) => here.ip() == there.ip() && !address::prohibited(there.ip()),
        _ => false,
    }
}

async fn reach(addresses: &[SocketAddr]) -> Result<TcpStream, Error> {
    let mut last = Error::DestinationNotFound;
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => last = Error::Connect(error),
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(host: &str, address: Option<&str>) -> Destination {
        Destination {
            tls: false,
            host: host.into(),
            port: 1,
            address: address.map(|address| address.parse().unwrap()),
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_to_this_machine_is_not_followed() {
        let error = resolve(&destination("localhost", None)).await.unwrap_err();
        assert!(matches!(error, Error::DestinationIpProhibited), "{error}");
        let error = resolve(&destination("169.254.169.254", None)).await.unwrap_err();
        assert!(matches!(error, Error::DestinationIpProhibited), "{error}");
    }

    #[tokio::test]
    async fn an_address_that_a_grant_names_is_taken() {
        let found = resolve(&destination("127.0.0.1", Some("127.0.0.1")))
            .await
            .unwrap();
        assert_eq!(found, ["127.0.0.1:1".parse().unwrap()]);
    }

    #[test]
    fn roots_that_are_none_are_told() {
        let problem = client(&TlsRoots::Pem(Arc::from(&b"nothing"[..]))).unwrap_err();
        assert!(problem.contains("no root certificates"), "{problem}");
    }

    #[test]
    fn a_guest_may_ask_for_less_time_and_not_for_more() {
        let asked = RequestOptions {
            connect_timeout: Some(Duration::from_millis(5)),
            first_byte_timeout: Some(Duration::from_secs(3600)),
            between_bytes_timeout: None,
        };
        let times = Times::new(Some(asked));
        assert_eq!(
            (times.connect, times.first_byte, times.between_bytes),
            (Duration::from_millis(5), FIRST_BYTE, BETWEEN_BYTES)
        );
    }
}
