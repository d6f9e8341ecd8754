//! How many watches the API server holds open.

use crate::{Cluster, metrics::Metrics};

/// Open watches of a resource, by its plural name, within single namespaces.
pub fn in_namespaces(admin: &Cluster, group: &str, resource: &str) -> f64 {
    let text = admin.read("/metrics").expect("the API server's metrics");
    let labels = [
        ("group", group),
        ("resource", resource),
        ("verb", "WATCH"),
        ("scope", "namespace"),
    ];
    let metrics = Metrics::parse(&text).expect("metrics in the text format");
    metrics
        .sum("apiserver_longrunning_requests", &labels)
        .unwrap_or_default()
}
