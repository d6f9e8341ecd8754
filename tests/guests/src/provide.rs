//! Modes of the provider.

use serde_json::{Value, json};

use crate::{
    bindings::espejote::plugin::{
        desired, invocation, provided, report, state, trigger,
        types::{Failure, FailureKind},
    },
    failure, hostile,
};

pub fn run(mode: &str, config: &Value) -> Result<String, Failure> {
    match mode {
        "text" => Ok(config["text"].as_str().unwrap().to_owned()),
        "large" => Ok(format!(
            "\"{}\"",
            "x".repeat(config["bytes"].as_u64().unwrap() as usize)
        )),
        "look" => Ok(look()),
        "file" => Ok(json!(std::fs::read_to_string(config["path"].as_str().unwrap()).unwrap()).to_string()),
        "fail" => Err(failure(FailureKind::Internal, "out of paper")),
        "wait" => Err(failure(FailureKind::NotReady, "still counting")),
        "foreign" => {
            foreign(config["interface"].as_str().unwrap());
            Ok("null".to_owned())
        }
        mode if hostile::misbehave(mode, config) => Ok("null".to_owned()),
        mode => Err(failure(FailureKind::InvalidConfig, format!("no mode {mode:?}"))),
    }
}

/// What a provider sees.
fn look() -> String {
    let owner = invocation::owner();
    let random = std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), 1);
    json!({
        "owner": [owner.id.name, owner.uid],
        "config": invocation::config(),
        "names": state::names(),
        "things": state::open("things").map(|things| things.len()).unwrap_or_default(),
        "provided": provided::names(),
        "other": provided::get("other").is_ok(),
        "random": random.to_string(),
    })
    .to_string()
}

/// Calls what is no import of the world `provider`.
fn foreign(interface: &str) {
    match interface {
        "desired" => desired::apply("{}", None),
        "report" => report::requeue_after(1),
        _ => drop(trigger::name()),
    }
}
