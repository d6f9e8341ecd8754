//! The plugin {{name}}: an entry of `context` that says how many namespaces each team has.

use std::collections::BTreeMap;

use espejote_sdk::{Failure, Provider, export, invocation, state};
use serde::Deserialize;
use serde_json::Value;

/// What the entry of a manifest gives this plugin, under `data`.
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

impl Provider for Plugin {
    fn provide() -> Result<String, Failure> {
        // Without data, `invocation::config` is null: an Option takes that.
        let config: Option<Config> = invocation::config()?;
        let label = config.map_or_else(team, |config| config.label);
        let mut teams = BTreeMap::<String, u32>::new();
        // The contexts are those of the ManagedResource that has the entry.
        for namespace in state::context("namespaces")?.iter::<Value>() {
            let namespace = namespace?;
            if let Some(team) = namespace["metadata"]["labels"][&label].as_str() {
                *teams.entry(team.to_owned()).or_default() += 1;
            }
        }
        Ok(serde_json::to_string(&teams)?)
    }
}

export!(Plugin: provide);

#[cfg(test)]
mod tests {
    use espejote_sdk::testing::Host;
    use serde_json::json;

    use super::*;

    fn namespace(name: &str, labels: Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
    }

    #[test]
    fn namespaces_are_counted_by_team() {
        let namespaces = [
            namespace("shop", json!({"team": "a"})),
            namespace("shop-test", json!({"team": "a"})),
            namespace("lab", json!({})),
        ];
        let host = Host::new().context("namespaces", namespaces);
        assert_eq!(host.provide::<Plugin>(), Ok(json!({"a": 2})));
    }

    #[test]
    fn the_label_may_be_another_one() {
        let host = Host::new()
            .config(json!({"label": "owner"}))
            .context("namespaces", [namespace("shop", json!({"owner": "b"}))]);
        assert_eq!(host.provide::<Plugin>(), Ok(json!({"b": 1})));
    }
}
