//! What can go wrong between us and the API server.
//!
//! Owns the classification by HTTP status and the reading of `Status` answers. Never carries any part of a body other
//! than the words of a `Status`: bodies hold Secrets and tokens.

use std::{error::Error, sync::Arc, time::Duration};

use h2::Reason;
use http::{HeaderMap, StatusCode, header::RETRY_AFTER};
use serde::Deserialize;

/// A failed request.
///
/// Cheap to clone, so that one failure can be told to everyone who waited for it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ApiError {
    /// The API server (or a proxy before it) answered with an error status.
    #[error("{0}")]
    Status(Arc<ApiStatus>),
    /// No answer came, or it broke off: no connection, TLS, a reset stream.
    #[error("the API server cannot be reached: {}", chain(.source))]
    Network {
        /// What the HTTP client said.
        #[source]
        source: Arc<dyn Error + Send + Sync>,
    },
    /// This process does not lead, or has ceased to: it has no say in what the cluster is like.
    #[error("this process does not lead: another one writes")]
    NotLeading,
    /// The answer did not come in time.
    #[error("the API server did not answer within {} s", .after.as_secs_f32())]
    Timeout {
        /// How long we waited.
        after: Duration,
    },
    /// The answer is larger than we are willing to hold.
    #[error("the answer of the API server is larger than {limit} bytes")]
    TooLarge {
        /// The limit that was passed.
        limit: usize,
    },
    /// The answer is no such document as was asked for. The document is not quoted.
    #[error("the API server sent {what} that cannot be read ({detail})")]
    Malformed {
        /// What was expected.
        what: &'static str,
        /// Where it went wrong, without its content.
        detail: String,
    },
    /// The request cannot be put into HTTP, such as a name with a control character.
    #[error("the request cannot be built: {source}")]
    Build {
        /// What was refused.
        #[source]
        source: Arc<http::Error>,
    },
    /// A name that would lead to another path than that of its object. Nothing was sent.
    #[error("{field} {text:?} {rule}")]
    Segment {
        /// Which part of the path.
        field: &'static str,
        /// The name.
        text: String,
        /// What it has to be like.
        rule: &'static str,
    },
    /// There are no credentials to send the request with.
    #[error("{source}")]
    Credentials {
        /// Why there are none.
        #[source]
        source: Arc<dyn Error + Send + Sync>,
        /// Whether there may be some later without anybody changing anything.
        transient: bool,
    },
}

/// An error status with the server's own words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiStatus {
    /// The HTTP status code.
    pub code: u16,
    /// The machine-readable reason (`Forbidden`, `Conflict`, `Expired` …); empty if the answer was no `Status`.
    pub reason: String,
    /// The message of the `Status`, or the name of the HTTP status code if the answer was none.
    pub message: String,
    /// How long the server asks us to wait.
    pub retry_after: Option<Duration>,
    /// The causes in the details.
    pub causes: Vec<ApiCause>,
    /// The object that the details are about: its plural and its name, as far as they are given.
    pub about: (String, String),
    /// Whether the answer was a `Status` object. A path that the API server does not serve at all answers in plain
    /// text.
    pub structured: bool,
}

/// One of the causes of an error; what is not said is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ApiCause {
    /// For programs, such as `ResourceVersionTooLarge`.
    pub reason: String,
    /// The field that is at fault, such as `webhooks[0].rules`.
    pub field: String,
    /// For people.
    pub message: String,
}

impl std::fmt::Display for ApiStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl ApiError {
    /// The HTTP status code, if there was an answer.
    pub fn code(&self) -> Option<u16> {
        self.status().map(|status| status.code)
    }

    /// The server's words, if there was an answer.
    pub fn status(&self) -> Option<&ApiStatus> {
        match self {
            Self::Status(status) => Some(status),
            _ => None,
        }
    }

    /// 403: the identity has no right to do this.
    pub fn is_forbidden(&self) -> bool {
        self.code() == Some(403)
    }

    /// 401: the token is not (any more) accepted.
    pub fn is_unauthorized(&self) -> bool {
        self.code() == Some(401)
    }

    /// 404, of an object or of a whole path.
    pub fn is_not_found(&self) -> bool {
        self.code() == Some(404)
    }

    /// 409.
    pub fn is_conflict(&self) -> bool {
        self.code() == Some(409)
    }

    /// 410: the resource version or the continue token is too old.
    pub fn is_gone(&self) -> bool {
        self.code() == Some(410)
    }

    /// 404 in plain text: the API server serves no such kind (any more).
    pub fn is_unknown_path(&self) -> bool {
        self.status()
            .is_some_and(|status| status.code == 404 && !status.structured)
    }

    /// 404 of one object, by the server's own word: not of its path, its kind or something on the way to it.
    pub fn is_absence_of(&self, plural: &str, name: &str) -> bool {
        self.status().is_some_and(|status| {
            let (kind, of) = &status.about;
            status.code == 404 && status.structured && of == name && (kind.is_empty() || kind == plural)
        })
    }

    /// The server does not know who asks, or there is nothing to say it with: whatever follows fares no better.
    pub fn is_about_credentials(&self) -> bool {
        self.is_unauthorized() || matches!(self, Self::Credentials { .. })
    }

    /// A resource version from the future: the server has not seen it yet, or has lost it.
    pub fn is_version_too_large(&self) -> bool {
        self.status().is_some_and(|status| {
            status
                .causes
                .iter()
                .any(|cause| cause.reason == "ResourceVersionTooLarge")
        })
    }

    /// Whether the same request can succeed later without anybody changing anything: faults of network and server,
    /// time-outs, throttling.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Status(status) => status.code == 429 || status.code >= 500,
            Self::Network { .. } | Self::Timeout { .. } => true,
            Self::Credentials { transient, .. } => *transient,
            _ => false,
        }
    }

    /// The connection was closed before the request was looked at: HTTP says that it may be sent again.
    pub(super) fn is_unprocessed(&self) -> bool {
        let mut cause: Option<&(dyn Error + 'static)> = match self {
            Self::Network { source } => Some(source.as_ref()),
            _ => None,
        };
        while let Some(error) = cause {
            if let Some(error) = error.downcast_ref::<h2::Error>() {
                let (leaving, refused) = (Some(Reason::NO_ERROR), Some(Reason::REFUSED_STREAM));
                let gone_away = error.is_go_away() && error.reason() == leaving;
                return error.is_remote() && (gone_away || error.is_reset() && error.reason() == refused);
            }
            if error.downcast_ref().is_some_and(hyper::Error::is_canceled) {
                return true;
            }
            cause = error.source();
        }
        false
    }

    /// Another process leads.
    pub fn is_not_leading(&self) -> bool {
        matches!(self, Self::NotLeading)
    }

    /// How long the server asks us to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        self.status().and_then(|status| status.retry_after)
    }

    pub(crate) fn network(source: impl Error + Send + Sync + 'static) -> Self {
        Self::Network {
            source: Arc::new(source),
        }
    }

    /// A parse error without the words of serde, which quote what they could not read.
    pub(crate) fn malformed(what: &'static str, source: &serde_json::Error) -> Self {
        let detail = format!(
            "{:?} error at line {} column {}",
            source.classify(),
            source.line(),
            source.column()
        );
        Self::Malformed { what, detail }
    }
}

impl ApiStatus {
    /// Reads an answer that has an error status.
    pub(crate) fn from_answer(code: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let mut status = Self::from_json(body).unwrap_or_else(|| Self::unstructured(code));
        status.code = code.as_u16();
        status.retry_after = retry_after_header(headers).or(status.retry_after);
        status
    }

    /// Reads a `Status` object, as it also comes inside a watch. None if it is anything else.
    pub(crate) fn from_json(json: &[u8]) -> Option<Self> {
        let wire: StatusWire = serde_json::from_slice(json).ok()?;
        if wire.kind != "Status" {
            return None;
        }
        let details = wire.details.unwrap_or_default();
        Some(Self {
            code: wire.code.unwrap_or_default(),
            reason: wire.reason.unwrap_or_default(),
            message: wire.message.unwrap_or_default(),
            retry_after: details
                .retry_after_seconds
                .filter(|s| *s > 0)
                .map(Duration::from_secs),
            causes: details.causes,
            about: (details.kind, details.name),
            structured: true,
        })
    }

    fn unstructured(code: StatusCode) -> Self {
        let name = code.canonical_reason().unwrap_or("unknown status");
        Self {
            message: format!("HTTP {} {name}", code.as_u16()),
            ..Self::default()
        }
    }
}

#[derive(Deserialize)]
struct StatusWire {
    #[serde(default)]
    kind: String,
    code: Option<u16>,
    reason: Option<String>,
    message: Option<String>,
    details: Option<DetailsWire>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct DetailsWire {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    name: String,
    retry_after_seconds: Option<u64>,
    #[serde(default)]
    causes: Vec<ApiCause>,
}

fn retry_after_header(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// The texts of an error and all its sources: HTTP clients say what matters in the last one.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let words = inner.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        source = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_gives_its_own_words() {
        let body = br#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"secrets is forbidden","reason":"Forbidden","details":{"retryAfterSeconds":2,"causes":[{"reason":"X"}]},"code":403}"#;
        let status = ApiStatus::from_answer(StatusCode::FORBIDDEN, &HeaderMap::new(), body);
        assert_eq!((status.code, status.reason.as_str()), (403, "Forbidden"));
        assert_eq!(status.to_string(), "secrets is forbidden");
        assert_eq!(status.retry_after, Some(Duration::from_secs(2)));
        assert_eq!(status.causes[0].reason, "X");
    }

    #[test]
    fn a_body_that_is_no_status_is_not_carried() {
        let secret = br#"{"kind":"Secret","data":{"password":"aHVudGVyMg=="}}"#;
        let error = ApiError::Status(Arc::new(ApiStatus::from_answer(
            StatusCode::BAD_GATEWAY,
            &HeaderMap::new(),
            secret,
        )));
        assert_eq!(error.to_string(), "HTTP 502 Bad Gateway");
        assert!(!format!("{error:?}").contains("aHVudGVyMg"));
    }

    #[test]
    fn a_plain_text_404_is_an_unknown_path() {
        let plain = ApiStatus::from_answer(StatusCode::NOT_FOUND, &HeaderMap::new(), b"404 page not found");
        assert!(ApiError::Status(Arc::new(plain)).is_unknown_path());
        let object = br#"{"kind":"Status","code":404,"reason":"NotFound","message":"cm \"a\" not found"}"#;
        let object = ApiStatus::from_answer(StatusCode::NOT_FOUND, &HeaderMap::new(), object);
        assert!(!ApiError::Status(Arc::new(object)).is_unknown_path());
    }

    #[test]
    fn only_a_status_about_the_object_says_that_it_is_gone() {
        let absent = |code, body: &str| {
            let status = ApiStatus::from_answer(code, &HeaderMap::new(), body.as_bytes());
            ApiError::Status(Arc::new(status)).is_absence_of("configmaps", "a")
        };
        let about = |kind: &str, name: &str| {
            format!(
                r#"{{"kind":"Status","code":404,"reason":"NotFound","details":{{"kind":"{kind}","name":"{name}"}}}}"#
            )
        };
        assert!(absent(StatusCode::NOT_FOUND, &about("configmaps", "a")));
        assert!(absent(StatusCode::NOT_FOUND, &about("", "a")));
        for other in [
            about("configmaps", "b"),
            about("namespaces", "a"),
            "404 page not found".into(),
        ] {
            assert!(!absent(StatusCode::NOT_FOUND, &other), "{other}");
        }
        assert!(!absent(StatusCode::CONFLICT, &about("configmaps", "a")));
    }

    #[test]
    fn a_parse_error_does_not_quote_the_document() {
        let source = serde_json::from_str::<u32>("\"hunter2\"").unwrap_err();
        assert!(source.to_string().contains("hunter2"));
        assert!(
            !ApiError::malformed("a list", &source)
                .to_string()
                .contains("hunter2")
        );
    }
}
