//! The plugin {{name}}: objects without the label `team` are refused.

use espejote_sdk::admission::Decision;
use espejote_sdk::{Admitter, Failure, export, invocation};
use serde::Deserialize;
use serde_json::Value;

/// What a manifest gives this plugin.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    #[serde(default = "team")]
    label: String,
}

fn team() -> String {
    "team".to_owned()
}

/// The plugin.
pub struct Plugin;

impl Admitter for Plugin {
    fn admit(request: &str) -> Result<Decision, Failure> {
        // Without config, `invocation::config` is null: an Option takes that.
        let config: Option<Config> = invocation::config()?;
        let label = config.map_or_else(team, |config| config.label);
        // An AdmissionRequest of admission.k8s.io/v1.
        let request: Value = serde_json::from_str(request)?;
        if request["object"]["metadata"]["labels"][&label].is_string() {
            return Ok(Decision::allowed(""));
        }
        Ok(Decision::denied(format!("the label {label} is missing")).code(422))
    }
}

export!(Plugin: admit);

#[cfg(test)]
mod tests {
    use espejote_sdk::testing::Host;
    use serde_json::json;

    use super::*;

    fn decision(labels: Value) -> Value {
        let object = json!({"kind": "ConfigMap", "metadata": {"name": "a", "labels": labels}});
        let admission = Host::new().admit::<Plugin>(json!({"operation": "CREATE", "object": object}));
        admission.decision().unwrap()
    }

    #[test]
    fn an_object_of_a_team_passes() {
        assert_eq!(decision(json!({"team": "a"}))["allowed"], true);
    }

    #[test]
    fn an_object_of_nobody_is_refused() {
        let refused = decision(json!({}));
        assert_eq!((&refused["allowed"], &refused["message"]), (&json!(false), &json!("the label team is missing")));
    }
}
