//! One connection, from its handshake to its end.

use std::{convert::Infallible, sync::Arc};

use http::{Request, StatusCode};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::{Answer, Limits, Site, text};

/// How many requests one HTTP/2 connection may have open.
const STREAMS: u32 = 16;
/// The largest head of a request.
const HEAD: usize = 16 * 1024;

/// Serves one connection. What goes wrong is the client's business and only logged in detail.
pub(super) async fn serve<S: Site>(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    site: Arc<S>,
    limits: Limits,
    cancel: CancellationToken,
) {
    let Some(tls) = tls else {
        return exchange(stream, site, limits, cancel).await;
    };
    match timeout(limits.handshake, tls.accept(stream)).await {
        Ok(Ok(stream)) => exchange(stream, site, limits, cancel).await,
        Ok(Err(error)) => debug!(%error, "a TLS handshake failed"),
        Err(_) => debug!("a TLS handshake took too long"),
    }
}

async fn exchange<S: Site>(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    site: Arc<S>,
    limits: Limits,
    cancel: CancellationToken,
) {
    let builder = builder(limits);
    let service = service_fn(move |request| answer(Arc::clone(&site), request, limits));
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        ended = connection.as_mut() => return log(ended),
        () = cancel.cancelled() => {}
        () = sleep(limits.connection) => {}
    }
    connection.as_mut().graceful_shutdown();
    if let Ok(ended) = timeout(limits.drain, connection).await {
        log(ended);
    }
}

fn builder(limits: Limits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(limits.head)
        .keep_alive_timeout(limits.head)
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(HEAD as u32);
    builder
}

async fn answer<S: Site>(
    site: Arc<S>,
    request: Request<Incoming>,
    limits: Limits,
) -> Result<Answer, Infallible> {
    let answer = timeout(limits.answer, site.answer(request)).await;
    Ok(answer.unwrap_or_else(|_| text(StatusCode::SERVICE_UNAVAILABLE, "the answer took too long\n")))
}

fn log<E: std::fmt::Display>(ended: Result<(), E>) {
    if let Err(error) = ended {
        debug!(%error, "a connection broke off");
    }
}
