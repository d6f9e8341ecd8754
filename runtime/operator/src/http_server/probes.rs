//! `/healthz` and `/readyz`.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use http::{Method, Request, StatusCode};
use hyper::body::Incoming;

use super::{Answer, Site, text};

/// What has to be well before the process is ready. Clones are handles of the same state.
///
/// With no check at all it is ready, so those that matter are registered before the server starts.
#[derive(Clone, Debug, Default)]
pub struct Readiness {
    checks: Arc<Mutex<BTreeMap<&'static str, Result<(), String>>>>,
}

impl Readiness {
    /// Says that `check` is well.
    pub fn ready(&self, check: &'static str) {
        self.lock().insert(check, Ok(()));
    }

    /// Says why `check` is not well. The reason is shown to whoever asks: no secrets.
    pub fn unready(&self, check: &'static str, reason: impl Into<String>) {
        self.lock().insert(check, Err(reason.into()));
    }

    /// Whether every check is well.
    pub fn is_ready(&self) -> bool {
        self.lock().values().all(Result::is_ok)
    }

    /// The checks line by line; without `all`, only those that are not well.
    fn report(&self, all: bool) -> String {
        let mut report = String::new();
        for (check, state) in self.lock().iter() {
            // Writing to a string cannot fail.
            let _ = match state {
                Ok(()) if !all => Ok(()),
                Ok(()) => writeln!(report, "[+]{check} ok"),
                Err(reason) => writeln!(report, "[-]{check} failed: {reason}"),
            };
        }
        report
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, Result<(), String>>> {
        self.checks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves the probes of the kubelet: `/healthz` is well as long as it is answered, `/readyz` as [`Readiness`] says.
/// With `?verbose`, every check is listed.
#[derive(Clone, Debug)]
pub struct Probes {
    readiness: Readiness,
}

impl Probes {
    /// Probes of `readiness`.
    pub fn new(readiness: Readiness) -> Self {
        Self { readiness }
    }

    fn readyz(&self, verbose: bool) -> Answer {
        let report = self.readiness.report(verbose);
        match (self.readiness.is_ready(), verbose) {
            (true, false) => text(StatusCode::OK, "ok"),
            (true, true) => text(StatusCode::OK, report + "readyz check passed\n"),
            (false, _) => text(StatusCode::SERVICE_UNAVAILABLE, report + "readyz check failed\n"),
        }
    }
}

impl Site for Probes {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n");
        }
        let query = request.uri().query().unwrap_or_default();
        let verbose = query
            .split('&')
            .any(|part| part.split('=').next() == Some("verbose"));
        match request.uri().path().trim_end_matches('/') {
            "/healthz" => text(StatusCode::OK, "ok"),
            "/readyz" => self.readyz(verbose),
            _ => text(StatusCode::NOT_FOUND, "not found\n"),
        }
    }
}
