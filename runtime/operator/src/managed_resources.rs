//! ManagedResources: one instance for each.

use std::sync::Arc;

use espejote_api::ManagedResource;
use kube::ResourceExt;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{environment::Environment, instance::Instance, supervisor::Keeper};

/// Runs an instance for each ManagedResource.
pub struct ManagedResources(pub Arc<Environment>);

impl Keeper for ManagedResources {
    type Resource = ManagedResource;

    fn task(
        &self,
        versions: watch::Receiver<Arc<ManagedResource>>,
        cancel: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static {
        Instance::new(self.0.clone(), versions, cancel).run()
    }

    /// A version that differs in nothing but managedFields or resourceVersion means nothing. One that differs in its status
    /// starts nothing, but the status may be somebody else's.
    fn differs(old: &ManagedResource, new: &ManagedResource) -> bool {
        differs(old, new) || old.status != new.status
    }

    fn seen(&self, version: &ManagedResource) {
        let status = version
            .status
            .as_ref()
            .map_or("", |status| status.status.as_str());
        let namespace = version.namespace().unwrap_or_default();
        let metrics = &self.0.metrics;
        metrics
            .managed_resource(&namespace, &version.name_any())
            .status(status);
    }

    fn gone(&self, namespace: &str, name: &str) {
        self.0.metrics.forget(namespace, name);
    }
}

/// Whether a new version means anything to the work of the instance.
pub(crate) fn differs(old: &ManagedResource, new: &ManagedResource) -> bool {
    let (before, after) = (&old.metadata, &new.metadata);
    old.spec != new.spec
        || before.generation != after.generation
        || before.labels != after.labels
        || before.annotations != after.annotations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(json: &str) -> ManagedResource {
        serde_json::from_str(json).unwrap()
    }

    /// T16: writing a status starts nothing; labels and annotations do.
    #[test]
    fn t16_a_change_of_status_is_no_change_and_one_of_labels_is() {
        let old = resource(r#"{"metadata":{"name":"a","resourceVersion":"1"},"spec":{"template":"1"}}"#);
        let status = resource(
            r#"{"metadata":{"name":"a","resourceVersion":"2"},"spec":{"template":"1"},"status":{"status":"Ready"}}"#,
        );
        assert!(!differs(&old, &status));
        let labels = resource(r#"{"metadata":{"name":"a","labels":{"x":"y"}},"spec":{"template":"1"}}"#);
        assert!(differs(&old, &labels));
        let spec = resource(r#"{"metadata":{"name":"a"},"spec":{"template":"2"}}"#);
        assert!(differs(&old, &spec));
    }
}
