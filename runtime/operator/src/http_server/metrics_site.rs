//! `/metrics`.

use std::convert::Infallible;

use http::{Method, Request, StatusCode};
use hyper::body::Incoming;
use tracing::error;

use super::{Answer, Authorizer, AuthorizerError, Site, User, authorize::admit, content, text};
use crate::metrics::{CONTENT_TYPE, Metrics};

/// Serves the exposition, to everybody or only to those whom `A` lets in.
#[derive(Debug)]
pub struct MetricsSite<A> {
    metrics: Metrics,
    authorizer: Option<A>,
}

/// Stands for the authorizer where there is none: there is no value of it.
impl Authorizer for Infallible {
    async fn authenticate(&self, _token: &str) -> Result<Option<User>, AuthorizerError> {
        match *self {}
    }

    async fn may_get(&self, _user: &User, _path: &str) -> Result<bool, AuthorizerError> {
        match *self {}
    }
}

impl MetricsSite<Infallible> {
    /// For everybody.
    pub fn open(metrics: Metrics) -> Self {
        Self {
            metrics,
            authorizer: None,
        }
    }
}

impl<A: Authorizer> MetricsSite<A> {
    /// For those who show a token of somebody who may `get` the path.
    pub fn guarded(metrics: Metrics, authorizer: A) -> Self {
        Self {
            metrics,
            authorizer: Some(authorizer),
        }
    }

    async fn refusal(&self, request: &Request<Incoming>) -> Option<Answer> {
        admit(self.authorizer.as_ref()?, request).await.err()
    }

    fn exposition(&self) -> Answer {
        match self.metrics.encode() {
            Ok(exposition) => content(StatusCode::OK, CONTENT_TYPE, exposition),
            Err(_) => {
                error!("the metrics could not be written");
                text(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "the metrics could not be written\n",
                )
            }
        }
    }
}

impl<A: Authorizer> Site for MetricsSite<A> {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        if let Some(refusal) = self.refusal(&request).await {
            return refusal;
        }
        match (request.uri().path(), request.method()) {
            ("/metrics", &Method::GET | &Method::HEAD) => self.exposition(),
            ("/metrics", _) => text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n"),
            _ => text(StatusCode::NOT_FOUND, "not found\n"),
        }
    }
}
