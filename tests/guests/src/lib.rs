//! Hostile and small guests for the tests of the engine: one component, its mode chosen by the config `{"mode": "…"}`.
//!
//! Uses the contract's raw bindings, without the SDK, so that it can do what the SDK would not let it.

#![allow(unsafe_code, reason = "the generated exports, and handles made up")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "misbehaving is the purpose"
)]

mod admit;
mod bindings;
mod hostile;
mod kept;
mod polite;
mod provide;
mod wasi;

use bindings::espejote::plugin::{
    invocation,
    types::{Failure, FailureKind},
};
use bindings::exports::espejote::plugin::{admit as admitter, configuration, provide as provider, reconcile};
use serde_json::Value;

struct Guest;

/// What every mode gives.
type Outcome = Result<(), Failure>;

fn failure(kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure {
        kind,
        message: message.into(),
    }
}

/// The mode, and the config it is in.
fn mode() -> (String, Value) {
    let config: Value = serde_json::from_str(&invocation::config()).unwrap();
    (config["mode"].as_str().unwrap_or("echo").to_owned(), config)
}

impl provider::Guest for Guest {
    fn provide() -> Result<String, Failure> {
        let (mode, config) = mode();
        provide::run(&mode, &config)
    }
}

impl admitter::Guest for Guest {
    fn admit(request: String) -> Result<admitter::Decision, Failure> {
        let (mode, config) = mode();
        admit::run(&mode, &config, &request)
    }
}

impl reconcile::Guest for Guest {
    fn reconcile() -> Outcome {
        let (mode, config) = mode();
        hostile::run(&mode, &config)
            .or_else(|| kept::run(&mode, &config))
            .or_else(|| polite::run(&mode, &config))
            .or_else(|| wasi::run(&mode, &config))
            .unwrap_or_else(|| Err(failure(FailureKind::InvalidConfig, format!("no mode {mode:?}"))))
    }
}

impl configuration::Guest for Guest {
    fn schema(role: String) -> Option<String> {
        (role == "reconcile").then(|| r#"{"type":"object"}"#.to_owned())
    }

    fn validate(_role: String, config: String) -> Vec<configuration::Problem> {
        let config: Value = serde_json::from_str(&config).unwrap();
        match config["mode"].as_str() {
            Some("peek") => {
                invocation::owner();
                Vec::new()
            }
            Some("spin") => hostile::spin(),
            Some(_) => Vec::new(),
            None => vec![configuration::Problem {
                path: "/mode".to_owned(),
                message: "has to be a string".to_owned(),
            }],
        }
    }
}

bindings::export!(Guest with_types_in bindings);
