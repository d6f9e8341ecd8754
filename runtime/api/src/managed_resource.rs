//! `ManagedResource`: what starts a reconcile, what it may read, as whom, and its logic.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, LabelSelector};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    plan::DEFAULT_SERVICE_ACCOUNT,
    raw_json::RawJson,
    schema::{conditions, duration, exclusive},
};

/// The desired state of a ManagedResource.
#[derive(Clone, Debug, Default, PartialEq, CustomResource, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "espejote.io",
    version = "v1alpha1",
    kind = "ManagedResource",
    plural = "managedresources",
    namespaced,
    status = "ManagedResourceStatus",
    derive = "PartialEq",
    doc = "Renders objects from cluster state and applies them, as a ServiceAccount of its namespace.",
    printcolumn = r#"{"name":"Status","type":"string","jsonPath":".status.status"}"#,
    printcolumn = r#"{"name":"Ready","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name":"Reason","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].reason","priority":1}"#,
    printcolumn = r#"{"name":"Message","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].message","priority":1}"#,
    printcolumn = r#"{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}"#
)]
#[serde(default, rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = exclusive("template", "plugin")))]
pub struct ManagedResourceSpec {
    /// The ServiceAccount whose rights every read and write uses.
    #[serde(default = "default_service_account")]
    pub service_account_ref: ServiceAccountRef,
    /// What starts a reconcile, beside a change of this resource itself. Names are unique.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triggers: Option<Vec<Trigger>>,
    /// The cluster state that the logic may read. Names are unique.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Vec<Context>>,
    /// How long a watch may take for its first list, and how long a broken one is still used. A Go duration; 2m if unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "duration")]
    pub cache_sync_timeout: Option<String>,
    /// Options of the server-side apply of all emitted objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apply_options: Option<ApplyOptions>,
    /// The logic, in Jsonnet. Its result is null, an object, or a list of such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The logic, as a plugin; instead of `template`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<PluginRef>,
}

/// Names a Plugin to run, and says with which config.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginRef {
    /// The Plugin of this name in the namespace of the resource, or `lib/<name>` in the operator's library namespace.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What the plugin is told; which fields there are is up to the plugin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<RawJson>,
}

impl PluginRef {
    /// The config as a JSON text; `null` if there is none.
    pub fn config_text(&self) -> &str {
        self.config.as_ref().map_or("null", RawJson::text)
    }
}

/// Names a ServiceAccount in the namespace of the resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default)]
pub struct ServiceAccountRef {
    /// Its name; `default` if empty.
    pub name: String,
}

/// What starts a reconcile. If several sources are given, `interval` wins over `watchContextResource`, and that over
/// `watchResource`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trigger {
    /// The name that the logic sees.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Starts a reconcile again and again, the first time after one interval. A Go duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "duration")]
    pub interval: Option<String>,
    /// Starts a reconcile for each object that is added, changed or deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch_resource: Option<WatchResource>,
    /// The same, for the objects of an entry of `context`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch_context_resource: Option<WatchContextResource>,
}

/// Names an entry of `context`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default)]
pub struct WatchContextResource {
    /// The entry's name.
    pub name: String,
}

/// A named part of the cluster state.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = exclusive("resource", "plugin")))]
pub struct Context {
    /// The name that the logic uses.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<WatchResource>,
    /// A plugin that computes the value, instead of objects. It runs when the logic asks for the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin: Option<ContextPlugin>,
}

/// Names a Plugin that computes an entry of `context`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextPlugin {
    /// The Plugin of this name in the namespace of the resource, or `lib/<name>` in the operator's library namespace.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The plugin's config: names and texts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, String>,
}

/// Which objects of a kind are watched.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WatchResource {
    /// `group/version`, or `v1`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// The kind, in CamelCase.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Only the object of this name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Only this namespace. Unset: that of the resource. Empty: all. Ignored for cluster-scoped kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Only objects with matching labels; evaluated by the API server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
    /// Only objects of these names; evaluated by the operator. Empty: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_names: Option<Vec<String>>,
    /// No objects of these names; evaluated by the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_names: Option<Vec<String>>,
    /// Leave out `metadata.managedFields`. True if unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strip_managed_fields: Option<bool>,
}

/// Options of server-side apply.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ApplyOptions {
    /// The field manager; `managed-resource:<name>` if empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field_manager: String,
    /// Take over fields that other managers own.
    pub force: bool,
    /// What the API server does about unknown and duplicate fields. Server-side apply refuses unknown fields in any case.
    pub field_validation: FieldValidation,
}

/// What the API server does about unknown and duplicate fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum FieldValidation {
    /// Drops them.
    Ignore,
    /// Refuses the object.
    #[default]
    Strict,
}

/// The observed state of a ManagedResource.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ManagedResourceStatus {
    /// `Ready`, `Waiting`, `WaitingForCacheSync`, or the type of the error that keeps it from being ready.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// The generation that this status is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Ready`, `Reconciling`, `Stalled`, and what the logic reports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "conditions")]
    pub conditions: Vec<Condition>,
}

/// What the API server fills in where nothing is said.
pub(crate) fn default_service_account() -> ServiceAccountRef {
    ServiceAccountRef {
        name: DEFAULT_SERVICE_ACCOUNT.to_owned(),
    }
}
