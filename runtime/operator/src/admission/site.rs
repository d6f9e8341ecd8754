//! `/dynamic/{namespace}/{name}` and `/dynamic-cluster/{name}`: where the API server asks.
//!
//! Owns paths, and the time for an answer. Whoever reaches the port can ask: nothing here trusts them. Who cannot be answered by
//! the uid of the question gets an error of HTTP: the API server would hide the words of an answer without one.

use std::{sync::Arc, time::Duration};

use http::{Method, Request, StatusCode};
use hyper::body::Incoming;
use tokio::time::Instant;

use super::{
    decider::Decider,
    definition::Key,
    reading::Reading,
    review::{Answer, BAD_REQUEST},
};
use crate::http_server::{self, Site, content, text};

/// What the API server waits if it does not say.
const WAITS: Duration = Duration::from_secs(10);
/// The longest that it ever waits.
const WAITS_AT_MOST: Duration = Duration::from_secs(30);
/// The answer is ready so long before the API server gives up: at least, and at most.
const AHEAD: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(1));

/// Answers questions.
pub struct AdmissionSite {
    decider: Arc<Decider>,
    reading: Reading,
}

impl AdmissionSite {
    /// By what `decider` decides.
    pub fn new(decider: Arc<Decider>) -> Self {
        Self {
            decider,
            reading: Reading::default(),
        }
    }

    async fn review(&self, key: Option<Key>, request: Request<Incoming>) -> http_server::Answer {
        let until = Instant::now() + time(request.uri().query().unwrap_or_default());
        let (question, place) = match self.reading.read(request.into_body(), until).await {
            Ok(read) => read,
            Err(unread) => return text(unread.status(), format!("{unread}\n")),
        };
        let uid = question.uid.clone();
        let answer = match key {
            Some(key) => self.decider.decide(&key, question, place.clone(), until).await,
            None => Answer::refused(BAD_REQUEST, "missing namespace and name in context"),
        };
        review(&uid, &answer)
    }
}

impl Site for AdmissionSite {
    async fn answer(&self, request: Request<Incoming>) -> http_server::Answer {
        match (key(request.uri().path()), request.method()) {
            (None, _) => text(StatusCode::NOT_FOUND, "not found\n"),
            (Some(key), &Method::POST) => self.review(key, request).await,
            (Some(_), _) => text(StatusCode::METHOD_NOT_ALLOWED, "only POST\n"),
        }
    }
}

/// Whose decision a path asks for: nobody's if it is of another sort, and of an unknown one if it lacks a name.
fn key(path: &str) -> Option<Option<Key>> {
    if let Some(name) = path.strip_prefix("/dynamic-cluster/") {
        return Some(named("", name).filter(|_| !name.is_empty()));
    }
    let rest = path.strip_prefix("/dynamic/")?;
    let parts = rest.split_once('/');
    let complete = parts.filter(|(namespace, name)| !namespace.is_empty() && !name.is_empty());
    Some(complete.and_then(|(namespace, name)| named(namespace, name)))
}

/// Names of Kubernetes need no escapes in a path.
fn named(namespace: &str, name: &str) -> Option<Key> {
    (!name.contains('/')).then(|| (namespace.to_owned(), name.to_owned()))
}

/// The time for an answer: what the API server says in its query, `timeout=10s`, less what the way back may take.
fn time(query: &str) -> Duration {
    let said = query
        .split('&')
        .find_map(|parameter| parameter.strip_prefix("timeout="))
        .and_then(|text| espejote_api::duration::parse(text).ok())
        .filter(|said| !said.is_zero());
    let waits = said.unwrap_or(WAITS).min(WAITS_AT_MOST);
    let (least, most) = AHEAD;
    waits.saturating_sub((waits / 5).clamp(least, most))
}

fn review(uid: &str, answer: &Answer) -> http_server::Answer {
    match answer.to_json(uid) {
        Ok(json) => content(StatusCode::OK, "application/json", json),
        Err(error) => {
            tracing::error!(%error, "an answer cannot be put into JSON");
            text(StatusCode::INTERNAL_SERVER_ERROR, "no answer\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(namespace: &str, name: &str) -> Option<Option<Key>> {
        Some(Some((namespace.into(), name.into())))
    }

    /// E3: the paths.
    #[test]
    fn e3_paths_name_admissions() {
        assert_eq!(key("/dynamic/ns/adm.x"), some("ns", "adm.x"));
        assert_eq!(key("/dynamic-cluster/adm"), some("", "adm"));
        for other in ["/", "/dynamic", "/metrics", "/dynamicx/a/b"] {
            assert_eq!(key(other), None, "{other}");
        }
    }

    /// W15: a path of ours that names nothing.
    #[test]
    fn w15_a_path_without_a_name_is_answered() {
        for path in [
            "/dynamic/",
            "/dynamic/ns",
            "/dynamic/ns/",
            "/dynamic//adm",
            "/dynamic/a/b/c",
            "/dynamic-cluster/",
        ] {
            assert_eq!(key(path), Some(None), "{path}");
        }
    }

    #[test]
    fn answers_are_ready_before_the_api_server_gives_up() {
        let time = |query: &str| time(query).as_millis();
        assert_eq!(time("timeout=10s"), 9_000);
        assert_eq!(time("timeout=1s"), 800);
        assert_eq!(time("a=b&timeout=2s"), 1_600);
        assert_eq!(time("timeout=5m"), 29_000);
        for odd in ["", "timeout=", "timeout=soon", "timeout=0s"] {
            assert_eq!(time(odd), 9_000, "{odd}");
        }
    }
}
