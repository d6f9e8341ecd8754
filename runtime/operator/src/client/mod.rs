//! Requests to the API server as bytes.
//!
//! Owns connections, limits on time and rate, credentials in the header, and the reading of errors. Answers are bytes: nothing is
//! parsed, kept or logged here but the words of a `Status`. Knows no kind and no ManagedResource.

mod answer;
mod body;
mod connections;
mod connector;
mod error;
mod fence;
mod request;
mod resource;
mod throttle;

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, ETAG, IF_NONE_MATCH, USER_AGENT},
};
use http_body_util::Full;
use tokio::time::{sleep, timeout};

pub use self::{
    answer::resource_version,
    body::Body,
    connections::{Connections, Lane, Limits, Pings},
    connector::ConnectorError,
    error::{ApiCause, ApiError, ApiStatus},
    request::{Accept, DeleteOptions, ListOptions, Patch, PatchKind, WriteOptions},
    resource::Resource,
    throttle::{Bucket, Rate, Throttle, Waited},
};
pub(crate) use self::{request::Call, resource::Query};
use crate::leading::Leading;

/// A future on the heap.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

const AGENT: &str = concat!("espejote/", env!("CARGO_PKG_VERSION"));

/// Whoever a request is sent as.
pub trait Identity: Send + Sync {
    /// The value of the `Authorization` header; none if the TLS certificate says it all. Marked as sensitive.
    fn authorization(&self) -> BoxFuture<'_, Result<Option<HeaderValue>, ApiError>>;

    /// Called when the API server did not accept `rejected`. Gives a fresh value to try once, if there can be one.
    fn renew<'a>(&'a self, rejected: &'a HeaderValue)
    -> BoxFuture<'a, Result<Option<HeaderValue>, ApiError>>;
}

/// Sends requests as one identity. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    connections: Arc<Connections>,
    identity: Arc<dyn Identity>,
    throttle: Throttle,
}

/// How often a request that was not looked at is sent.
const ATTEMPTS: u32 = 4;
/// The pause before the second attempt; longer before later ones.
const PAUSE: Duration = Duration::from_millis(10);

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    /// The status: a success, or 304.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// The tag to ask with next time whether something changed.
    pub fn etag(&self) -> Option<&HeaderValue> {
        self.headers.get(ETAG)
    }
}

impl Client {
    /// A client over some connections, as fast as they are.
    pub fn new(connections: Arc<Connections>, identity: Arc<dyn Identity>) -> Self {
        Self {
            connections,
            identity,
            throttle: Throttle::default(),
        }
    }

    /// From now on, short requests wait for their turn.
    #[must_use]
    pub fn throttled(self, throttle: Throttle) -> Self {
        Self { throttle, ..self }
    }

    /// The connections it uses.
    pub fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    /// Whether writes are sent.
    pub fn leading(&self) -> &Leading {
        self.connections.leading()
    }

    /// Sends a short request, once it is its turn, and reads the whole answer within the request time-out.
    ///
    /// A write is not sent unless this process leads, and is given up when it ceases to.
    pub(crate) async fn request(&self, call: &Call) -> Result<Answer, ApiError> {
        self.throttle.turn().await;
        if !call.writes {
            return self.answer(Lane::Short, call).await;
        }
        tokio::select! {
            biased;
            answer = self.answer(Lane::Write, call) => answer,
            () = self.leading().ended() => Err(ApiError::NotLeading),
        }
    }

    async fn answer(&self, lane: Lane, call: &Call) -> Result<Answer, ApiError> {
        let limits = self.connections.limits();
        let whole = async {
            let answer = self.send(lane, call).await?;
            let (head, body) = answer.into_parts();
            let body = body.rest(limits.max_answer_bytes).await?;
            Ok(Answer {
                status: head.status,
                headers: head.headers,
                body,
            })
        };
        let after = limits.request_timeout;
        timeout(after, whole)
            .await
            .unwrap_or(Err(ApiError::Timeout { after }))
    }

    /// Opens a watch within the time-out for it. How long the body may take is up to the caller.
    pub(crate) async fn open(&self, call: &Call) -> Result<Body, ApiError> {
        let after = self.connections.limits().open_timeout;
        let opened = timeout(after, self.send(Lane::Watch, call)).await;
        opened
            .unwrap_or(Err(ApiError::Timeout { after }))
            .map(Response::into_body)
    }

    /// Sends; with a fresh header once more if the first was not accepted.
    async fn send(&self, lane: Lane, call: &Call) -> Result<Response<Body>, ApiError> {
        let authorization = self.identity.authorization().await?;
        let answer = self.send_with(lane, call, authorization.as_ref()).await?;
        if answer.status() == StatusCode::UNAUTHORIZED
            && let Some(rejected) = authorization
            && let Some(renewed) = self.identity.renew(&rejected).await?
        {
            drop(answer);
            return succeeded(self.send_with(lane, call, Some(&renewed)).await?).await;
        }
        succeeded(answer).await
    }

    /// Sends; on another connection again if this one was being closed before the request was looked at.
    ///
    /// The server says so (RFC 9113, 8.7: streams above the last one of a GOAWAY, and refused ones, were not processed).
    /// Should it be wrong: reads, server-side apply and patches that set values end in the same state the second time, and
    /// a deletion has its preconditions, or finds nothing. What creates objects is left to the caller.
    async fn send_with(
        &self,
        lane: Lane,
        call: &Call,
        authorization: Option<&HeaderValue>,
    ) -> Result<Response<Body>, ApiError> {
        let mut attempt = 1;
        loop {
            let answer = self.send_once(lane, call, authorization).await;
            let again = attempt < ATTEMPTS && call.method != Method::POST;
            match answer {
                Err(error) if again && error.is_unprocessed() => sleep(PAUSE * attempt).await,
                answer => return answer,
            }
            attempt += 1;
        }
    }

    async fn send_once(
        &self,
        lane: Lane,
        call: &Call,
        authorization: Option<&HeaderValue>,
    ) -> Result<Response<Body>, ApiError> {
        let mut request = call.to_http()?;
        if let Some(authorization) = authorization {
            request.headers_mut().insert(AUTHORIZATION, authorization.clone());
        }
        self.connections.send(lane, request).await
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("connections", &self.connections)
            .finish_non_exhaustive()
    }
}

impl Call {
    fn to_http(&self) -> Result<Request<Full<Bytes>>, ApiError> {
        let mut builder = Request::builder()
            .method(self.method.clone())
            .uri(&self.path)
            .header(USER_AGENT, AGENT)
            .header(ACCEPT, self.accept);
        if self.method != Method::GET {
            builder = builder.header(CONTENT_TYPE, self.content_type);
        }
        if let Some(etag) = &self.if_none_match {
            builder = builder.header(IF_NONE_MATCH, etag);
        }
        let body = Full::new(self.body.clone());
        builder.body(body).map_err(|source| ApiError::Build {
            source: Arc::new(source),
        })
    }
}

/// Turns an error status into an error, with the words of its `Status`.
async fn succeeded(answer: Response<Body>) -> Result<Response<Body>, ApiError> {
    const MAX_STATUS_BYTES: usize = 1 << 20;
    if answer.status().is_success() || answer.status() == StatusCode::NOT_MODIFIED {
        return Ok(answer);
    }
    let (head, body) = answer.into_parts();
    let body = body.rest(MAX_STATUS_BYTES).await.unwrap_or_default();
    Err(ApiError::Status(Arc::new(ApiStatus::from_answer(
        head.status,
        &head.headers,
        &body,
    ))))
}
