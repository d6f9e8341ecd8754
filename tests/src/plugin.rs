//! What a test expects of a Plugin.

use serde_json::{Value, json};

use crate::{Namespace, eventually, expect::has_all, waiting::holds};

const API: &str = "espejote.io/v1alpha1";
const KIND: &str = "Plugin";

/// A Plugin of a test.
pub struct Registered<'n> {
    namespace: &'n Namespace<'n>,
    /// Its name.
    pub name: String,
}

impl<'n> Namespace<'n> {
    /// Applies a Plugin.
    pub fn plugin(&'n self, name: &str, spec: Value) -> Registered<'n> {
        let plugin = Registered {
            namespace: self,
            name: name.to_owned(),
        };
        plugin.update(spec);
        plugin
    }
}

impl Registered<'_> {
    /// Gives it another spec.
    pub fn update(&self, spec: Value) {
        self.namespace.apply(json!({
            "apiVersion": API, "kind": KIND, "metadata": {"name": self.name}, "spec": spec,
        }));
    }

    /// Deletes it.
    pub fn delete(&self) {
        self.namespace
            .cluster
            .delete(API, KIND, &self.namespace.name, &self.name);
    }

    /// Its status.
    pub fn status(&self) -> Value {
        let found = self
            .namespace
            .cluster
            .get(API, KIND, &self.namespace.name, &self.name);
        found
            .map(|mut plugin| plugin["status"].take())
            .unwrap_or_default()
    }

    /// Waits until it runs.
    #[track_caller]
    pub fn is_registered(&self) -> Value {
        self.is("Registered", ("Ready", "True", "Registered"), &[])
    }

    /// Waits until its status is this word and it has this condition (type, status, reason), with a message that has
    /// all these parts.
    #[track_caller]
    pub fn is(&self, word: &str, condition: (&str, &str, &str), parts: &[&str]) -> Value {
        eventually(
            &format!("plugin {}: {word}, {condition:?} with {parts:?}", self.name),
            || {
                let status = self.status();
                let conditions = status["conditions"].as_array().cloned().unwrap_or_default();
                let found = conditions.iter().find(|known| known["type"] == condition.0);
                let found = found.cloned().unwrap_or_default();
                let same = found["status"] == condition.1 && found["reason"] == condition.2;
                let message = found["message"].as_str().unwrap_or_default();
                holds(
                    status["status"] == word && same && has_all(message, parts),
                    || format!("{status:#}"),
                )?;
                Ok(status)
            },
        )
    }

    /// The events about it: type, reason, note.
    pub fn events(&self) -> Vec<(String, String, String)> {
        let events = self
            .namespace
            .cluster
            .list("events.k8s.io/v1", "Event", &self.namespace.name);
        let text = |event: &Value, field: &str| event[field].as_str().unwrap_or_default().to_owned();
        events
            .iter()
            .filter(|event| event["regarding"]["kind"] == KIND && event["regarding"]["name"] == *self.name)
            .map(|event| (text(event, "type"), text(event, "reason"), text(event, "note")))
            .collect()
    }
}
