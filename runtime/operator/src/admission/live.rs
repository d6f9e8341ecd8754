//! A configuration as the cluster has it.

use bytes::Bytes;
use k8s_openapi::api::admissionregistration::v1::MutatingWebhook;
use serde::Deserialize;
use serde_json::{Value, json};

/// What is looked at.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Live {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    webhooks: Option<Vec<Value>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    resource_version: String,
}

impl Live {
    /// Reads an object, or what the API server sent back of one.
    pub fn read(json: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(json)
    }

    /// `metadata.resourceVersion`.
    pub fn version(&self) -> &str {
        &self.metadata.resource_version
    }

    /// The webhook of a name, as far as both sorts have the same fields.
    pub fn webhook(&self, name: &str) -> Option<MutatingWebhook> {
        let found = self
            .webhooks
            .iter()
            .flatten()
            .find(|webhook| webhook["name"] == name)?;
        serde_json::from_value(found.clone()).ok()
    }

    /// A JSON patch that takes out every webhook whose name is not wanted; none if there is no such.
    ///
    /// Server-side apply alone would leave a rest of those that others have written to.
    pub fn removal(&self, wanted: impl Fn(&str) -> bool) -> Option<Bytes> {
        let unwanted = |webhook: &Value| !webhook["name"].as_str().is_some_and(&wanted);
        let positions = self.webhooks.iter().flatten().enumerate();
        let removals: Vec<Value> = positions
            .filter(|(_, webhook)| unwanted(webhook))
            .map(|(position, _)| json!({"op": "remove", "path": format!("/webhooks/{position}")}))
            .collect();
        if removals.is_empty() {
            return None;
        }
        let same = json!({"op": "test", "path": "/metadata/resourceVersion", "value": self.version()});
        let operations: Vec<Value> = [same].into_iter().chain(removals.into_iter().rev()).collect();
        Some(Bytes::from(Value::from(operations).to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIVE: &str = r#"{"metadata":{"resourceVersion":"7"},"webhooks":[
        {"name":"a","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{},"timeoutSeconds":10},
        {"name":"b"},{"name":"c"}]}"#;

    #[test]
    fn what_is_not_wanted_is_taken_out_from_the_end() {
        let live = Live::read(LIVE.as_bytes()).unwrap();
        let patch: Value = serde_json::from_slice(&live.removal(|name| name == "b").unwrap()).unwrap();
        assert_eq!(
            patch,
            json!([
                {"op": "test", "path": "/metadata/resourceVersion", "value": "7"},
                {"op": "remove", "path": "/webhooks/2"},
                {"op": "remove", "path": "/webhooks/0"},
            ])
        );
        assert_eq!(live.removal(|_| true), None);
        assert_eq!(
            Live::read(b"{\"webhooks\":null}").unwrap().removal(|_| false),
            None
        );
    }

    #[test]
    fn a_webhook_is_found_by_its_name() {
        let live = Live::read(LIVE.as_bytes()).unwrap();
        assert_eq!(live.webhook("a").unwrap().timeout_seconds, Some(10));
        assert!(live.webhook("x").is_none());
    }
}
