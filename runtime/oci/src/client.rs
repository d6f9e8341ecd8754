//! The client: settings, connections and tokens, and which registries and logins an operation tries in which order.

use std::{sync::Arc, time::Duration};

use url::Url;

use crate::{
    config::ClientConfig,
    credentials::{Credentials, Login},
    error::{Error, Result, Subject},
    reference::Reference,
    session::Session,
    tokens::Tokens,
    transport::Transport,
};

/// Talks to registries. Cheap to clone; clones share connections and tokens.
#[derive(Clone)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
}

/// What clones share.
pub(crate) struct Shared {
    pub(crate) config: ClientConfig,
    transport: Transport,
    tokens: Tokens,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reading, also from mirrors.
    Pull,
    /// Writing, to the registry itself.
    Push,
}

impl Client {
    /// A client by its settings; fails if a certificate, a proxy or a host name in them cannot be used.
    pub fn new(config: ClientConfig) -> Result<Self> {
        let transport = Transport::new(&config)?;
        let shared = Shared {
            config,
            transport,
            tokens: Tokens::default(),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// The settings.
    pub fn config(&self) -> &ClientConfig {
        &self.shared.config
    }

    /// All ways to reach a repository, in the order in which they are tried.
    pub(crate) fn ways(
        &self,
        reference: &Reference,
        credentials: &Credentials,
        access: Access,
    ) -> Result<Ways<'_>> {
        let mut sessions = Vec::new();
        let mirrors = self.shared.config.mirrors.get(reference.registry());
        let mirrors = mirrors.filter(|_| access == Access::Pull).into_iter().flatten();
        for mirror in mirrors {
            self.add(&mut sessions, mirror, reference, credentials, access)?;
        }
        self.add(
            &mut sessions,
            reference.registry(),
            reference,
            credentials,
            access,
        )?;
        sessions.reverse();
        Ok(Ways {
            sessions,
            error: None,
        })
    }

    fn add<'a>(
        &'a self,
        sessions: &mut Vec<Session<'a>>,
        registry: &str,
        reference: &Reference,
        credentials: &Credentials,
        access: Access,
    ) -> Result<()> {
        for login in credentials.logins(registry, reference.repository()) {
            sessions.push(self.session(registry, reference, access, login)?);
        }
        Ok(())
    }

    fn session(
        &self,
        registry: &str,
        reference: &Reference,
        access: Access,
        login: Login,
    ) -> Result<Session<'_>> {
        Ok(Session {
            transport: &self.shared.transport,
            tokens: &self.shared.tokens,
            subject: Subject {
                reference: reference.to_string(),
                registry: registry.to_owned(),
                repository: reference.repository().to_owned(),
            },
            base: self.base(registry)?,
            access: if access == Access::Push { "push" } else { "pull" },
            login,
        })
    }

    /// `https://host/v2/`, or `http://` where that is allowed.
    fn base(&self, registry: &str) -> Result<Url> {
        let scheme = if self.shared.config.is_plain_http(registry) {
            "http"
        } else {
            "https"
        };
        // Docker Hub's registry has another name than its references.
        let host = if registry == "docker.io" {
            "registry-1.docker.io"
        } else {
            registry
        };
        Url::parse(&format!("{scheme}://{host}/v2/")).map_err(|error| {
            Error::Settings(format!("the registry or mirror `{registry}` is no host: {error}"))
        })
    }

    /// Runs an operation within the time that all of it may take.
    pub(crate) async fn within_time<T>(
        &self,
        reference: &Reference,
        operation: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let limit = self.shared.config.timeouts.total;
        match tokio::time::timeout(limit, operation).await {
            Ok(result) => result,
            Err(_) => Err(self.too_slow(reference, limit)),
        }
    }

    fn too_slow(&self, reference: &Reference, limit: Duration) -> Error {
        Error::Slow {
            subject: Box::new(subject(reference)),
            what: "the whole transfer",
            limit,
        }
    }
}

/// A reference as the subject of an error that is no mirror's.
pub(crate) fn subject(reference: &Reference) -> Subject {
    Subject {
        reference: reference.to_string(),
        registry: reference.registry().to_owned(),
        repository: reference.repository().to_owned(),
    }
}

/// Registries and logins that are left to try, the next one last.
pub(crate) struct Ways<'a> {
    sessions: Vec<Session<'a>>,
    error: Option<Error>,
}

impl<'a> Ways<'a> {
    /// The next one, or why none of them led anywhere.
    pub(crate) fn next(&mut self) -> Result<Session<'a>> {
        match self.sessions.pop() {
            Some(session) => Ok(session),
            None => Err(self
                .error
                .take()
                .unwrap_or_else(|| Error::Settings("there is no way left".to_owned()))),
        }
    }

    /// Notes that one led nowhere. Other logins of the same registry are tried only if it refused this one; what is told in
    /// the end is the registry's own first error, not a mirror's.
    pub(crate) fn failed(&mut self, session: &Session<'_>, error: Error) {
        let same = |other: &Session<'_>| other.base == session.base;
        if !error.is_refusal() {
            self.sessions.retain(|other| !same(other));
        }
        if let Some(next) = self.sessions.last() {
            tracing::warn!(%error, next = %next.subject.registry, "trying another registry or login");
        }
        match &self.error {
            Some(earlier) if earlier.registry() == error.registry() => {}
            _ => self.error = Some(error),
        }
    }
}
