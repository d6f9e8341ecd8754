//! The plugin {{name}}: each namespace with the label `greet=yes` gets a ConfigMap with a greeting.

use std::time::Duration;

use espejote_sdk::desired::ApplyOptions;
use espejote_sdk::{
    Configurable, Failure, Problem, Reconciler, desired, export, invocation, logging, report, state,
};
use serde::Deserialize;
use serde_json::json;

/// What a manifest gives this plugin.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    #[serde(default = "hello")]
    greeting: String,
}

fn hello() -> String {
    "Hello".to_owned()
}

/// The plugin.
pub struct Plugin;

impl Reconciler for Plugin {
    fn reconcile() -> Result<(), Failure> {
        // Without config, `invocation::config` is null: an Option takes that.
        let config: Option<Config> = invocation::config()?;
        let greeting = config.map_or_else(hello, |config| config.greeting);
        let namespaces = state::context("namespaces")?;
        // The host's index of labels answers; no object is read.
        let greeted = namespaces.select(None, "greet=yes")?;
        if greeted.is_empty() {
            report::requeue_after(Duration::from_secs(60));
            return Err(Failure::not_ready("no namespace has the label greet=yes"));
        }
        for id in namespaces.ids(&greeted) {
            logging::debug("greeting", &[("namespace", &id.name)]);
            let config_map = json!({
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "greeting", "namespace": id.name},
                "data": {"text": format!("{greeting}, {}!", id.name)},
            });
            desired::apply_with(&config_map, &ApplyOptions::new().force(true))?;
        }
        Ok(())
    }
}

impl Configurable for Plugin {
    fn validate(_role: &str, config: &str) -> Vec<Problem> {
        let problem = |error: serde_json::Error| Problem {
            path: String::new(),
            message: error.to_string(),
        };
        serde_json::from_str::<Option<Config>>(config)
            .map_err(problem)
            .err()
            .into_iter()
            .collect()
    }
}

export!(Plugin: reconcile, configuration);

#[cfg(test)]
mod tests {
    use espejote_sdk::FailureKind;
    use espejote_sdk::testing::Host;
    use serde_json::Value;

    use super::*;

    fn namespace(name: &str, labels: Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
    }

    #[test]
    fn each_labelled_namespace_is_greeted() {
        let namespaces = [
            namespace("shop", json!({"greet": "yes"})),
            namespace("lab", json!({})),
        ];
        let host = Host::new()
            .config(json!({"greeting": "Hi"}))
            .context("namespaces", namespaces);
        let outcome = host.reconcile::<Plugin>();
        assert_eq!(outcome.result, Ok(()));
        assert_eq!(outcome.applied().len(), 1);
        assert_eq!(
            outcome.object("ConfigMap", "greeting").unwrap()["data"]["text"],
            "Hi, shop!"
        );
    }

    #[test]
    fn without_such_a_namespace_it_waits() {
        let outcome = Host::new()
            .context("namespaces", [namespace("lab", json!({}))])
            .reconcile::<Plugin>();
        assert_eq!(outcome.result.unwrap_err().kind, FailureKind::NotReady);
        assert_eq!(outcome.report.requeue_after, Some(Duration::from_secs(60)));
    }

    #[test]
    fn an_unknown_field_of_the_config_is_a_problem() {
        assert!(Plugin::validate("reconcile", r#"{"greeting":"Hi"}"#).is_empty());
        assert_eq!(
            Plugin::validate("reconcile", r#"{"greting":"Hi"}"#).len(),
            1
        );
    }
}
