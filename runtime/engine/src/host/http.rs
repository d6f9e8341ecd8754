//! Outbound HTTP: which requests are granted, how many run at a time, and how many bytes of answers a call may take.
//!
//! What is not granted gives the guest WASI's error `HTTP-request-denied`; so does everything while the config is looked at.

use std::{
    future::ready,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{Request, Response, Uri, uri::Scheme};
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::{
    task::JoinSet,
    time::{Instant, Sleep, sleep},
};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

use crate::{
    grants::{self, HostPattern},
    limits::Limits,
    outbound::{self, Answer, Destination, Times, Tls},
};

type Io = Box<dyn Future<Output = Result<(), Error>> + Send>;
type Sent = Box<dyn Future<Output = Result<(Response<WasiBody>, Io), Error>> + Send>;

/// The requests of one call.
pub(super) struct Requests {
    hosts: Vec<HostPattern>,
    tls: Arc<Tls>,
    count: Arc<Count>,
}

/// What the requests of one call use together.
struct Count {
    at_once: AtomicU32,
    most_at_once: u32,
    bytes: AtomicU64,
    most_bytes: u64,
}

/// One of the requests that run at a time.
struct Running(Arc<Count>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.at_once.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Count {
    fn start(self: &Arc<Self>) -> Result<Running, Error> {
        let running = Running(self.clone());
        match self.at_once.fetch_add(1, Ordering::AcqRel) < self.most_at_once {
            true => Ok(running),
            false => Err(Error::ConnectionLimitReached),
        }
    }

    fn received(&self, bytes: u64) -> Result<(), Error> {
        let before = self.bytes.fetch_add(bytes, Ordering::AcqRel);
        match before.saturating_add(bytes) > self.most_bytes {
            true => Err(Error::HttpResponseBodySize(Some(self.most_bytes))),
            false => Ok(()),
        }
    }
}

impl Requests {
    pub fn new(hosts: Vec<HostPattern>, tls: Arc<Tls>, limits: &Limits) -> Self {
        Self {
            hosts,
            tls,
            count: Arc::new(Count {
                at_once: AtomicU32::new(0),
                most_at_once: limits.http_requests,
                bytes: AtomicU64::new(0),
                most_bytes: limits.http_bytes,
            }),
        }
    }

    /// Where the request goes. An error: it goes nowhere.
    fn destination(&self, uri: &Uri) -> Result<Destination, Error> {
        let authority = uri.authority().ok_or(Error::HttpRequestUriInvalid)?;
        if authority.as_str().contains('@') {
            return Err(Error::HttpRequestUriInvalid);
        }
        let tls = uri.scheme() != Some(&Scheme::HTTP);
        let port = authority.port_u16().unwrap_or(if tls { 443 } else { 80 });
        let granted = grants::find(&self.hosts, tls, authority.host(), port);
        let pattern = granted.ok_or(Error::HttpRequestDenied)?;
        Ok(Destination {
            tls,
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port,
            address: pattern.address(),
        })
    }
}

impl WasiHttpHooks for Requests {
    fn send_request(&mut self, request: Request<WasiBody>, options: Option<RequestOptions>, _: Io) -> Sent {
        let started = self
            .destination(request.uri())
            .and_then(|to| Ok((to, self.count.start()?)));
        let (to, running) = match started {
            Ok(started) => started,
            Err(error) => return Box::new(ready(Err(error))),
        };
        let (tls, times) = (self.tls.clone(), Times::new(options));
        Box::new(async move {
            let Answer { response, connection } = outbound::send(&tls, &to, request, times).await?;
            tracing::debug!(host = to.host, port = to.port, status = %response.status(), "a plugin was answered");
            let length = response.body().size_hint().lower();
            if length > running.0.most_bytes {
                return Err(Error::HttpResponseBodySize(Some(length)));
            }
            let response = response.map(|incoming| {
                UnsyncBoxBody::new(Limited {
                    incoming,
                    silence: Box::pin(sleep(times.between_bytes)),
                    times,
                    running,
                    _connection: connection,
                })
            });
            Ok((response, Box::new(ready(Ok(()))) as Io))
        })
    }
}

/// The body of an answer, counted and timed. The connection lives as long as it does.
struct Limited {
    incoming: Incoming,
    silence: Pin<Box<Sleep>>,
    times: Times,
    running: Running,
    _connection: JoinSet<()>,
}

impl Body for Limited {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.incoming).poll_frame(context) else {
            ready!(self.silence.as_mut().poll(context));
            return Poll::Ready(Some(Err(Error::ConnectionReadTimeout)));
        };
        // What is far away is never reached.
        if let Some(end) = Instant::now().checked_add(self.times.between_bytes) {
            self.silence.as_mut().reset(end);
        }
        Poll::Ready(frame.map(|frame| self.count(frame.map_err(Error::from)?)))
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

impl Limited {
    fn count(&self, frame: Frame<Bytes>) -> Result<Frame<Bytes>, Error> {
        let bytes = frame.data_ref().map_or(0, Bytes::len);
        self.running.0.received(bytes as u64)?;
        Ok(frame)
    }
}
