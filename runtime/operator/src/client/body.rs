//! The body of an answer.
//!
//! Owns the stream's place on its connection: it is free again when the body is dropped.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::sync::OwnedSemaphorePermit;

use super::error::ApiError;

/// The body of an answer, read piece by piece. Dropping it ends the stream.
pub struct Body {
    incoming: Incoming,
    _stream: OwnedSemaphorePermit,
}

impl Body {
    pub(super) fn new(incoming: Incoming, stream: OwnedSemaphorePermit) -> Self {
        Self {
            incoming,
            _stream: stream,
        }
    }

    /// The next piece; none at the end.
    ///
    /// Cancel safe.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, ApiError> {
        while let Some(frame) = self.incoming.frame().await {
            if let Ok(data) = frame.map_err(ApiError::network)?.into_data() {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }

    /// All that is left, if it is not more than `limit`.
    pub(super) async fn rest(mut self, limit: usize) -> Result<Bytes, ApiError> {
        let Some(first) = self.chunk().await? else {
            return Ok(Bytes::new());
        };
        let Some(second) = self.chunk().await? else {
            return Ok(first);
        };
        let mut all = BytesMut::from(first);
        all.extend_from_slice(&second);
        while let Some(chunk) = self.chunk().await? {
            if all.len() + chunk.len() > limit {
                return Err(ApiError::TooLarge { limit });
            }
            all.extend_from_slice(&chunk);
        }
        Ok(all.freeze())
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Body")
    }
}
