//! Modes of the admitter.

use serde_json::{Value, json};

use crate::{
    bindings::{
        espejote::plugin::{
            admission, desired, invocation, provided,
            types::{Failure, FailureKind},
        },
        exports::espejote::plugin::admit::{Decision, Mutation},
    },
    failure, hostile,
};

pub fn run(mode: &str, config: &Value, request: &str) -> Result<Decision, Failure> {
    match mode {
        "allow" => Ok(decision(true, "")),
        "decide" => Ok(decide(config)),
        "echo" => Ok(echo(request)),
        "file" => Ok(decision(
            true,
            &std::fs::read_to_string(config["path"].as_str().unwrap()).unwrap(),
        )),
        "ask" => Ok(decision(true, &provided::get("computed").unwrap())),
        "fail" => {
            admission::warn("about to fail");
            Err(failure(FailureKind::Internal, "out of paper"))
        }
        "warnings" => {
            for _ in 0..10_000_000 {
                admission::warn("again");
            }
            Ok(decision(true, ""))
        }
        "foreign" => {
            desired::apply("{}", None);
            Ok(decision(true, ""))
        }
        mode if hostile::misbehave(mode, config) => Ok(decision(true, "")),
        mode => Err(failure(FailureKind::InvalidConfig, format!("no mode {mode:?}"))),
    }
}

fn decision(allowed: bool, message: &str) -> Decision {
    Decision {
        allowed,
        code: None,
        message: message.to_owned(),
        mutation: None,
    }
}

/// As the config says.
fn decide(config: &Value) -> Decision {
    let text = |key: &str| config[key].as_str().map(str::to_owned);
    let patch = text("patch").map(Mutation::Patch);
    Decision {
        allowed: config["allowed"].as_bool().unwrap(),
        code: config["code"].as_u64().map(|code| code as u16),
        message: text("message").unwrap_or_default(),
        mutation: patch.or_else(|| text("object").map(Mutation::Object)),
    }
}

/// Refuses, with what it was asked.
fn echo(request: &str) -> Decision {
    let request: Value = serde_json::from_str(request).unwrap();
    admission::warn("first");
    admission::warn("second");
    admission::annotate("who", "nobody");
    admission::annotate("who", &invocation::owner().id.name);
    invocation::keep_instance();
    decision(
        false,
        &json!([request["uid"], request["object"]["n"]]).to_string(),
    )
}
