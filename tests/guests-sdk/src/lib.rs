//! A guest in every role, made with the Rust SDK as plugins are.
//!
//! As a provider it counts the objects of each namespace; as a reconciler it writes down what the provider said; as an admitter
//! it wants a label, and adds it where the config says so.

use std::collections::BTreeMap;

use espejote_sdk::admission::{self, Decision};
use espejote_sdk::{
    Admitter, Configurable, Failure, Problem, Provider, Reconciler, desired, export, invocation, provided,
    state,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// What a manifest gives this guest; each role reads its own.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    /// The context to count.
    count: String,
    /// The label that admitted objects need.
    label: Option<String>,
    /// Its value, added where it is missing.
    add: Option<String>,
}

/// The guest.
pub struct Guest;

impl Provider for Guest {
    fn provide() -> Result<String, Failure> {
        let config: Config = invocation::config()?;
        let mut count = BTreeMap::<String, u32>::new();
        let objects = state::context(&config.count)?;
        let all: Vec<u32> = objects.indices().collect();
        for id in objects.ids(&all) {
            *count.entry(id.namespace).or_default() += 1;
        }
        Ok(serde_json::to_string(&count)?)
    }
}

impl Reconciler for Guest {
    fn reconcile() -> Result<(), Failure> {
        let count: BTreeMap<String, u32> = provided::get("count")?;
        for (namespace, objects) in count {
            desired::apply(&json!({
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "count", "namespace": namespace},
                "data": {"objects": objects.to_string()},
            }))?;
        }
        Ok(())
    }
}

impl Admitter for Guest {
    fn admit(request: &str) -> Result<Decision, Failure> {
        let config: Config = invocation::config()?;
        let Some(label) = config.label else {
            return Err(Failure::invalid_config("config: `label` is missing"));
        };
        let request: Value = serde_json::from_str(request)?;
        let labels = request.pointer("/object/metadata/labels").unwrap_or(&Value::Null);
        admission::annotate("label", &label);
        match (&labels[&label], config.add) {
            (Value::String(_), _) => Ok(Decision::allowed("")),
            (_, None) => Ok(Decision::denied(format!("the label {label} is missing")).code(422)),
            (_, Some(value)) => {
                admission::warn(&format!("the label {label} was added"));
                let path = format!("/metadata/labels/{}", label.replace('/', "~1"));
                let mut patch = vec![json!({"op": "add", "path": path, "value": value})];
                if labels.is_null() {
                    patch.insert(0, json!({"op": "add", "path": "/metadata/labels", "value": {}}));
                }
                Decision::allowed("").patch(&patch)
            }
        }
    }
}

impl Configurable for Guest {
    fn schema(role: &str) -> Option<String> {
        (role == "admit").then(|| json!({"type": "object", "required": ["label"]}).to_string())
    }

    fn validate(role: &str, config: &str) -> Vec<Problem> {
        let parsed = serde_json::from_str::<Config>(config);
        let problem = |error: serde_json::Error| Problem {
            path: String::new(),
            message: format!("{role}: {error}"),
        };
        parsed.map_err(problem).err().into_iter().collect()
    }
}

export!(Guest: reconcile, provide, admit, configuration);
