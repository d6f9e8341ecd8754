//! What can go wrong with a registry. Each kind is its own variant, and each text names the module, the registry, what
//! was expected and what to do, with the server's own words. No text holds a token, a password or a signed address.

use std::{fmt, time::Duration};

use crate::digest::Digest;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What was asked for, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The reference as the user wrote it.
    pub reference: String,
    /// The registry that was asked: a mirror's host if it is not that of the reference.
    pub registry: String,
    /// The repository.
    pub repository: String,
}

impl fmt::Display for Subject {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.reference)?;
        if self.reference.starts_with(&format!("{}/", self.registry)) {
            return Ok(());
        }
        write!(out, " (at the mirror {})", self.registry)
    }
}

/// What a server said about a refusal: cut, on one line, without secrets. Empty if it said nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said(pub(crate) String);

impl fmt::Display for Said {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        write!(out, "; the server said: {}", self.0)
    }
}

/// Why a registry did not give or take what was wanted.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The settings of the client cannot be used.
    #[error("registry settings: {0}")]
    Settings(String),
    /// No connection.
    #[error("{subject}: cannot reach {}: {reason}: check the host name, the network policy and the proxy", subject.registry)]
    Unreachable {
        /// What was asked for.
        subject: Box<Subject>,
        /// The system's words.
        reason: String,
    },
    /// No TLS connection.
    #[error(
        "{subject}: no trusted TLS connection to {}: {reason}: if it has a private certificate authority, give its \
         certificate with --registry-ca-file", subject.registry
    )]
    Tls {
        /// What was asked for.
        subject: Box<Subject>,
        /// The TLS library's words.
        reason: String,
    },
    /// The server speaks HTTP where HTTPS was expected.
    #[error(
        "{subject}: {} answers in plain HTTP, expected HTTPS: if that is meant, allow it with --registry-plain-http {}",
        subject.registry, subject.registry
    )]
    PlainHttp {
        /// What was asked for.
        subject: Box<Subject>,
    },
    /// Nothing came for too long.
    #[error("{subject}: {} is too slow: {what} took longer than {limit:?}", subject.registry)]
    Slow {
        /// What was asked for.
        subject: Box<Subject>,
        /// What was waited for.
        what: &'static str,
        /// How long.
        limit: Duration,
    },
    /// 401.
    #[error(
        "{subject}: {} answered 401 Unauthorized {with}: expected credentials that may {access} {}{said}: \
         check the pull secrets", subject.registry, subject.repository
    )]
    Unauthorized {
        /// What was asked for.
        subject: Box<Subject>,
        /// How was asked: without credentials, or with which kind.
        with: &'static str,
        /// `pull` or `push`.
        access: &'static str,
        /// The registry's words.
        said: Said,
    },
    /// 403.
    #[error(
        "{subject}: {} answered 403 Forbidden {with}: expected the right to {access} {}{said}: \
         grant it there, or use other pull secrets", subject.registry, subject.repository
    )]
    Forbidden {
        /// What was asked for.
        subject: Box<Subject>,
        /// How was asked: without credentials, or with which kind.
        with: &'static str,
        /// `pull` or `push`.
        access: &'static str,
        /// The registry's words.
        said: Said,
    },
    /// 404.
    #[error(
        "{subject}: {} has no such {what} in its repository {}: it answered 404 Not Found{said}: check registry, repository, \
         tag and digest, and whether it was pushed there (some registries hide in this way what one may not read)",
        subject.registry, subject.repository
    )]
    NotFound {
        /// What was asked for.
        subject: Box<Subject>,
        /// `manifest`, `layer` or the like.
        what: &'static str,
        /// The registry's words.
        said: Said,
    },
    /// 429, also after having waited.
    #[error(
        "{subject}: {} answered 429 Too Many Requests{}{said}: pull less often, with credentials, or from a mirror",
        subject.registry, after(retry_after)
    )]
    RateLimited {
        /// What was asked for.
        subject: Box<Subject>,
        /// When the registry wants to be asked again.
        retry_after: Option<Duration>,
        /// The registry's words.
        said: Said,
    },
    /// 5xx, also after having tried again.
    #[error("{subject}: {} failed with {status}{said}: that may pass, try again", subject.registry)]
    Server {
        /// What was asked for.
        subject: Box<Subject>,
        /// The status.
        status: http::StatusCode,
        /// When the registry wants to be asked again.
        retry_after: Option<Duration>,
        /// The registry's words.
        said: Said,
    },
    /// Another status.
    #[error("{subject}: {} answered {status} for the {what}, expected {expected}{said}", subject.registry)]
    Status {
        /// What was asked for.
        subject: Box<Subject>,
        /// `manifest`, `layer` or the like.
        what: &'static str,
        /// The status.
        status: http::StatusCode,
        /// What would have been right.
        expected: &'static str,
        /// The registry's words.
        said: Said,
    },
    /// The registry wants a login that cannot be done, or that must not.
    #[error("{subject}: cannot log in to {}: {reason}", subject.registry)]
    Login {
        /// What was asked for.
        subject: Box<Subject>,
        /// Why.
        reason: String,
    },
    /// A redirection that is not followed.
    #[error("{subject}: {} redirects the {what} {reason}", subject.registry)]
    Redirect {
        /// What was asked for.
        subject: Box<Subject>,
        /// `manifest`, `layer` or the like.
        what: &'static str,
        /// Why not.
        reason: String,
    },
    /// More than is read.
    #[error(
        "{subject}: the {what} has {size} bytes, more than the {limit} that are allowed: make it smaller, or raise the limit"
    )]
    TooLarge {
        /// What was asked for.
        subject: Box<Subject>,
        /// `manifest`, `layer` or the like.
        what: &'static str,
        /// Its size, as far as it is known.
        size: AtLeast,
        /// The bound.
        limit: u64,
    },
    /// Fewer bytes than announced.
    #[error("{subject}: the {what} ended after {got} of {expected} bytes{reason}: that may pass, try again")]
    Truncated {
        /// What was asked for.
        subject: Box<Subject>,
        /// `manifest`, `layer` or the like.
        what: &'static str,
        /// The bytes that came.
        got: u64,
        /// The bytes that were announced.
        expected: Expected,
        /// The connection's words.
        reason: Said,
    },
    /// Other bytes than their digest or size says.
    #[error(
        "{subject}: the {what} that {} sent is not what was asked for: expected {expected}, got {got}: it was altered or \
         damaged on the way; nothing of it is used", subject.registry
    )]
    Altered {
        /// What was asked for.
        subject: Box<Subject>,
        /// `manifest`, `layer` or the like.
        what: &'static str,
        /// What was expected.
        expected: String,
        /// What came.
        got: String,
    },
    /// The disk does not take what came.
    #[error("{subject}: the {what} cannot be kept: {source}: see to the space in the cache folder")]
    Keep {
        /// What was asked for.
        subject: Box<Subject>,
        /// `layer` or the like.
        what: &'static str,
        /// The system's words.
        source: std::io::Error,
    },
    /// A manifest that cannot be read.
    #[error("{subject}: the manifest is not valid: {reason}")]
    Manifest {
        /// What was asked for.
        subject: Box<Subject>,
        /// Why.
        reason: String,
    },
    /// An artifact of another kind.
    #[error(
        "{subject}: this is no plugin: it holds {found}; expected exactly one layer of type application/wasm, as \
         `espejote plugin push` writes it"
    )]
    NotAPlugin {
        /// What was asked for.
        subject: Box<Subject>,
        /// What there is.
        found: String,
    },
    /// An index without a module.
    #[error(
        "{subject}: the index has no entry for WebAssembly (wasm/wasip2, or without a platform): it has {found}"
    )]
    NoVariant {
        /// What was asked for.
        subject: Box<Subject>,
        /// What there is.
        found: String,
    },
    /// A layer that cannot be unpacked, or in which there is no module.
    #[error("{subject}: the layer {layer} holds no module: {reason}")]
    Layer {
        /// What was asked for.
        subject: Box<Subject>,
        /// The layer.
        layer: Digest,
        /// Why.
        reason: String,
    },
}

/// A size, of which at least so much is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtLeast {
    /// Bytes.
    pub bytes: u64,
    /// Whether that is all.
    pub exact: bool,
}

impl fmt::Display for AtLeast {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let qualifier = if self.exact { "" } else { "more than " };
        write!(out, "{qualifier}{}", self.bytes)
    }
}

/// An announced size, if there was one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected(pub Option<u64>);

impl fmt::Display for Expected {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(bytes) => write!(out, "{bytes}"),
            None => out.write_str("an unknown number of"),
        }
    }
}

impl Error {
    /// Whether it may pass by itself: a retry makes sense, and nothing needs to be changed for it.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::Slow { .. }
                | Self::RateLimited { .. }
                | Self::Server { .. }
                | Self::Truncated { .. }
        )
    }

    /// When the registry wants to be asked again, if it said so.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Server { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Whether other credentials might be let in.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Unauthorized { .. } | Self::Forbidden { .. } | Self::NotFound { .. }
        )
    }

    /// The registry that it is about.
    pub(crate) fn registry(&self) -> Option<&str> {
        self.subject().map(|subject| subject.registry.as_str())
    }

    /// What was asked for, and where; none if the client's own settings are wrong.
    pub fn subject(&self) -> Option<&Subject> {
        match self {
            Self::Settings(_) => None,
            Self::Unreachable { subject, .. }
            | Self::Tls { subject, .. }
            | Self::PlainHttp { subject }
            | Self::Slow { subject, .. }
            | Self::Unauthorized { subject, .. }
            | Self::Forbidden { subject, .. }
            | Self::NotFound { subject, .. }
            | Self::RateLimited { subject, .. }
            | Self::Server { subject, .. }
            | Self::Status { subject, .. }
            | Self::Login { subject, .. }
            | Self::Redirect { subject, .. }
            | Self::TooLarge { subject, .. }
            | Self::Truncated { subject, .. }
            | Self::Altered { subject, .. }
            | Self::Keep { subject, .. }
            | Self::Manifest { subject, .. }
            | Self::NotAPlugin { subject, .. }
            | Self::NoVariant { subject, .. }
            | Self::Layer { subject, .. } => Some(subject),
        }
    }

    /// Whether there is no such thing.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }
}

fn after(retry_after: &Option<Duration>) -> String {
    match retry_after {
        Some(after) => format!(" and wants {after:?} of silence"),
        None => String::new(),
    }
}
