//! The custom resources of `espejote.io/v1alpha1`.
//!
//! Owns their fields, defaults and everything about them that can be checked without a cluster. It holds no client.

pub mod admission;
pub mod crds;
pub mod duration;
pub mod jsonnet_library;
pub mod label_selector;
pub mod managed_resource;
pub mod names;
pub mod plan;
pub mod plugin;
pub mod quantity;
pub mod raw_json;
mod schema;

pub use admission::{
    Admission, AdmissionSpec, AdmissionStatus, ClusterAdmission, ClusterAdmissionSpec,
    ClusterWebhookConfiguration, WebhookConfiguration,
};
pub use jsonnet_library::{JsonnetLibrary, JsonnetLibrarySpec};
pub use managed_resource::{
    ApplyOptions, Context, ContextPlugin, FieldValidation, ManagedResource, ManagedResourceSpec,
    ManagedResourceStatus, PluginRef, ServiceAccountRef, Trigger, WatchContextResource, WatchResource,
};
pub use plan::{ContextSource, Plan, PlanError, PlannedContext, PlannedTrigger, Source, Watched};
pub use plugin::{Plugin, PluginSpec, PluginStatus};
pub use raw_json::RawJson;

/// The API group.
pub const GROUP: &str = "espejote.io";
/// The only version so far.
pub const VERSION: &str = "v1alpha1";
/// Group and version, as in `apiVersion`.
pub const API_VERSION: &str = "espejote.io/v1alpha1";
