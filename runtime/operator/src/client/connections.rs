//! The connections to the API server.
//!
//! Owns how many streams share one connection. An API server takes 100 streams on a connection and lets more wait
//! without a word, so watches are spread over *shards* of one connection each, and short requests have shards of their
//! own: a GET never waits behind watches. Knows nothing of identities; who asks is in each request's header.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body_util::Full;
use hyper_util::{
    client::legacy::Client as HyperClient,
    rt::{TokioExecutor, TokioTimer},
};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use super::{
    body::Body,
    connector::{self, Connector},
    error::ApiError,
    throttle::Rate,
};
use crate::leading::Leading;

/// How many streams, and how long to wait.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Streams on one connection. API servers take 100 unless told otherwise.
    pub streams_per_connection: usize,
    /// Connections for short requests.
    pub short_connections: usize,
    /// A short request must be answered, to the end, within this time.
    pub request_timeout: Duration,
    /// A watch must be opened within this time.
    pub open_timeout: Duration,
    /// The largest answer to a short request that is read.
    pub max_answer_bytes: usize,
    /// Short requests of one identity.
    pub rate: Rate,
    /// How a connection that has died is found out.
    pub pings: Pings,
}

/// When a silent connection is given up.
#[derive(Debug, Clone, Copy)]
pub struct Pings {
    /// A ping is sent after this time.
    pub every: Duration,
    /// It has to be answered within this time.
    pub patience: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            streams_per_connection: 90,
            short_connections: 2,
            request_timeout: Duration::from_secs(30),
            open_timeout: Duration::from_secs(30),
            max_answer_bytes: 256 << 20,
            rate: Rate::OF_AN_IDENTITY,
            pings: Pings {
                every: Duration::from_secs(30),
                patience: Duration::from_secs(15),
            },
        }
    }
}

/// What a request is, as far as its connection is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Answered at once.
    Short,
    /// Answered at once, and changes what the API server keeps: not sent unless this process leads.
    Write,
    /// Stays open.
    Watch,
}

/// All connections to one API server with one TLS identity.
pub struct Connections {
    server: Server,
    limits: Limits,
    leading: Leading,
    short: Shards,
    watches: Shards,
}

struct Server {
    uri: Uri,
    connector: Connector,
}

struct Shards {
    shards: Mutex<Vec<Arc<Shard>>>,
    /// Shards are opened one after another: an API server that is short of CPU drops handshakes.
    opening: Arc<Semaphore>,
    max: usize,
}

struct Shard {
    http: HyperClient<Connector, Full<Bytes>>,
    streams: Arc<Semaphore>,
}

struct Lease {
    shard: Arc<Shard>,
    stream: OwnedSemaphorePermit,
    /// Held by the first request of a new shard until its connection stands.
    opening: Option<OwnedSemaphorePermit>,
}

impl Connections {
    /// Prepares connections. None is opened before the first request.
    ///
    /// Nothing is written as long as `leading` does not allow it, and nothing is sent at all once it has ended.
    pub fn new(
        config: &kube::Config,
        limits: Limits,
        leading: Leading,
    ) -> Result<Self, connector::ConnectorError> {
        let connector = connector::https_connector(config, leading.clone())?;
        let uri = config.cluster_url.clone();
        let short = Shards::new(limits.short_connections);
        Ok(Self {
            server: Server { uri, connector },
            limits,
            leading,
            short,
            watches: Shards::new(usize::MAX),
        })
    }

    /// The limits that these connections keep.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether they may be used for writing.
    pub fn leading(&self) -> &Leading {
        &self.leading
    }

    /// How many connections are kept for watches.
    pub fn watch_connections(&self) -> usize {
        self.watches.lock().len()
    }

    /// Sends a request whose URI is a path of the API server. The answer's body holds the stream until it is dropped.
    ///
    /// Has no time limit of its own.
    pub(super) async fn send(
        &self,
        lane: Lane,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Body>, ApiError> {
        let request = self.absolute(request)?;
        let shards = match lane {
            Lane::Short | Lane::Write => &self.short,
            Lane::Watch => &self.watches,
        };
        let lease = shards.lease(&self.server, &self.limits).await?;
        if lane == Lane::Write && !self.leading.may_write() {
            return Err(ApiError::NotLeading);
        }
        let answer = lease
            .shard
            .http
            .request(request)
            .await
            .map_err(ApiError::network)?;
        if lease.opening.is_some() {
            shards.lock().push(lease.shard);
        }
        Ok(answer.map(|incoming| Body::new(incoming, lease.stream)))
    }

    fn absolute(&self, mut request: Request<Full<Bytes>>) -> Result<Request<Full<Bytes>>, ApiError> {
        let base = self.server.uri.path().trim_end_matches('/');
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let uri = Uri::builder()
            .scheme(self.server.uri.scheme_str().unwrap_or("https"))
            .authority(
                self.server
                    .uri
                    .authority()
                    .map(|a| a.as_str())
                    .unwrap_or_default(),
            )
            .path_and_query(format!("{base}{path}"))
            .build();
        *request.uri_mut() = uri.map_err(|source| ApiError::Build {
            source: Arc::new(source),
        })?;
        Ok(request)
    }
}

impl std::fmt::Debug for Connections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connections")
            .field("server", &self.server.uri)
            .finish_non_exhaustive()
    }
}

impl Shards {
    fn new(max: usize) -> Self {
        Self {
            shards: Mutex::default(),
            opening: Arc::new(Semaphore::new(1)),
            max: max.max(1),
        }
    }

    async fn lease(&self, server: &Server, limits: &Limits) -> Result<Lease, ApiError> {
        if let Some(lease) = self.free() {
            return Ok(lease);
        }
        let opening = self.opening.clone().acquire_owned().await.map_err(closed)?;
        if let Some(lease) = self.free() {
            return Ok(lease);
        }
        let full = self.busiest_if_full();
        if let Some(shard) = full {
            drop(opening);
            let stream = shard.streams.clone().acquire_owned().await.map_err(closed)?;
            return Ok(Lease {
                shard,
                stream,
                opening: None,
            });
        }
        let shard = Arc::new(Shard::new(server, limits));
        let stream = shard.streams.clone().acquire_owned().await.map_err(closed)?;
        Ok(Lease {
            shard,
            stream,
            opening: Some(opening),
        })
    }

    /// A stream of the first shard that has one: so the last shards run empty, and are closed here.
    fn free(&self) -> Option<Lease> {
        let mut shards = self.lock();
        let lease = shards.iter().find_map(|shard| {
            let stream = shard.streams.clone().try_acquire_owned().ok()?;
            Some(Lease {
                shard: shard.clone(),
                stream,
                opening: None,
            })
        });
        while shards.len() > 1 && shards.last().is_some_and(|shard| Arc::strong_count(shard) == 1) {
            shards.pop();
        }
        lease
    }

    /// The last shard, where waiting is all that is left, if there may be no more of them.
    fn busiest_if_full(&self) -> Option<Arc<Shard>> {
        let shards = self.lock();
        shards.last().filter(|_| shards.len() >= self.max).cloned()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Shard>>> {
        self.shards.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard {
    fn new(server: &Server, limits: &Limits) -> Self {
        let pings = limits.pings;
        let http = HyperClient::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .http2_keep_alive_interval(pings.every)
            .http2_keep_alive_timeout(pings.patience)
            .http2_keep_alive_while_idle(true)
            .http2_initial_stream_window_size(256 << 10)
            .http2_initial_connection_window_size(16 << 20)
            .build(server.connector.clone());
        Self {
            http,
            streams: Arc::new(Semaphore::new(limits.streams_per_connection.max(1))),
        }
    }
}

fn closed(source: AcquireError) -> ApiError {
    ApiError::network(source)
}
