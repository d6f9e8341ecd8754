//! `Admission` and `ClusterAdmission`: logic that decides on requests to the API server.

use k8s_openapi::{
    api::admissionregistration::v1::{MatchCondition, RuleWithOperations},
    apimachinery::pkg::apis::meta::v1::{Condition, LabelSelector},
};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    managed_resource::PluginRef,
    schema::{conditions, exclusive},
};

/// The desired state of an Admission.
#[derive(Clone, Debug, Default, PartialEq, CustomResource, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "espejote.io",
    version = "v1alpha1",
    kind = "Admission",
    plural = "admissions",
    namespaced,
    status = "AdmissionStatus",
    derive = "PartialEq",
    doc = "Decides on requests to the API server about objects of its namespace.",
    printcolumn = r#"{"name":"Status","type":"string","jsonPath":".status.status"}"#,
    printcolumn = r#"{"name":"Ready","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name":"Mutating","type":"boolean","jsonPath":".spec.mutating"}"#,
    printcolumn = r#"{"name":"Reason","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].reason","priority":1}"#,
    printcolumn = r#"{"name":"Message","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].message","priority":1}"#,
    printcolumn = r#"{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}"#
)]
#[serde(default, rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = exclusive("template", "plugin")))]
pub struct AdmissionSpec {
    /// Whether the logic may change the object that a request is about.
    pub mutating: bool,
    /// The logic, in Jsonnet. Its result is a decision, such as `esp.ALPHA.admission.allowed()`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The logic, as a plugin; instead of `template`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<PluginRef>,
    /// Which requests are asked about. Only those of the Admission's namespace are, whatever it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_configuration: Option<WebhookConfiguration>,
}

/// Which requests the API server asks about, in the words of admissionregistration.k8s.io/v1.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WebhookConfiguration {
    /// The operations and resources; a request that matches one of them is asked about. Scopes are `Namespaced`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<RuleWithOperations>>,
    /// What becomes of a request if the operator gives no decision: `Fail` (the default) or `Ignore`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_policy: Option<String>,
    /// Whether rules are about other versions of a resource, too: `Equivalent` (the default) or `Exact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_policy: Option<String>,
    /// Only about objects with matching labels, in their old or new form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_selector: Option<LabelSelector>,
    /// Whether a mutating webhook is asked again after others have changed the object: `Never` (the default) or
    /// `IfNeeded`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reinvocation_policy: Option<String>,
    /// CEL expressions that have to be true of a request, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_conditions: Option<Vec<MatchCondition>>,
}

/// The desired state of a ClusterAdmission.
#[derive(Clone, Debug, Default, PartialEq, CustomResource, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "espejote.io",
    version = "v1alpha1",
    kind = "ClusterAdmission",
    plural = "clusteradmissions",
    status = "AdmissionStatus",
    derive = "PartialEq",
    doc = "Decides on requests to the API server about objects of the whole cluster.",
    printcolumn = r#"{"name":"Status","type":"string","jsonPath":".status.status"}"#,
    printcolumn = r#"{"name":"Ready","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name":"Mutating","type":"boolean","jsonPath":".spec.mutating"}"#,
    printcolumn = r#"{"name":"Reason","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].reason","priority":1}"#,
    printcolumn = r#"{"name":"Message","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].message","priority":1}"#,
    printcolumn = r#"{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}"#
)]
#[serde(default, rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = exclusive("template", "plugin")))]
pub struct ClusterAdmissionSpec {
    /// Whether the logic may change the object that a request is about.
    pub mutating: bool,
    /// The logic, in Jsonnet. Its result is a decision, such as `esp.ALPHA.admission.allowed()`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The logic, as a plugin; instead of `template`. Its name begins with `lib/`: there is no namespace to look in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<PluginRef>,
    /// Which requests are asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_configuration: Option<ClusterWebhookConfiguration>,
}

/// Which requests the API server asks about, in the words of admissionregistration.k8s.io/v1.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ClusterWebhookConfiguration {
    /// The operations and resources; a request that matches one of them is asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<RuleWithOperations>>,
    /// What becomes of a request if the operator gives no decision: `Fail` (the default) or `Ignore`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_policy: Option<String>,
    /// Whether rules are about other versions of a resource, too: `Equivalent` (the default) or `Exact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_policy: Option<String>,
    /// Only about objects of namespaces with matching labels, and objects that have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,
    /// Only about objects with matching labels, in their old or new form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_selector: Option<LabelSelector>,
    /// Whether a mutating webhook is asked again after others have changed the object: `Never` (the default) or
    /// `IfNeeded`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reinvocation_policy: Option<String>,
    /// CEL expressions that have to be true of a request, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_conditions: Option<Vec<MatchCondition>>,
}

impl From<WebhookConfiguration> for ClusterWebhookConfiguration {
    fn from(of: WebhookConfiguration) -> Self {
        Self {
            rules: of.rules,
            failure_policy: of.failure_policy,
            match_policy: of.match_policy,
            namespace_selector: None,
            object_selector: of.object_selector,
            reinvocation_policy: of.reinvocation_policy,
            match_conditions: of.match_conditions,
        }
    }
}

/// The same words about a whole cluster: that an Admission is held to its namespace is not among them.
impl From<AdmissionSpec> for ClusterAdmissionSpec {
    fn from(of: AdmissionSpec) -> Self {
        Self {
            mutating: of.mutating,
            template: of.template,
            plugin: of.plugin,
            webhook_configuration: of.webhook_configuration.map(Into::into),
        }
    }
}

/// The observed state of an Admission or ClusterAdmission.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AdmissionStatus {
    /// `Ready`, or the type of the error that keeps it from being ready.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// The generation that this status is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Ready`, `Reconciling` and `Stalled`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "conditions")]
    pub conditions: Vec<Condition>,
}
