//! `Plugin`: a WebAssembly component from a registry, and what it may do.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    managed_resource::{ServiceAccountRef, default_service_account},
    schema::{conditions, duration, exclusive},
};

/// The desired state of a Plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq, CustomResource, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "espejote.io",
    version = "v1alpha1",
    kind = "Plugin",
    plural = "plugins",
    namespaced,
    status = "PluginStatus",
    derive = "PartialEq",
    doc = "A WebAssembly component that ManagedResources and Admissions of its namespace run as their logic.",
    printcolumn = r#"{"name":"Status","type":"string","jsonPath":".status.status"}"#,
    printcolumn = r#"{"name":"Ready","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name":"World","type":"string","jsonPath":".status.artifact.world"}"#,
    printcolumn = r#"{"name":"Module","type":"string","jsonPath":".spec.module"}"#,
    printcolumn = r#"{"name":"Digest","type":"string","jsonPath":".status.artifact.manifestDigest","priority":1}"#,
    printcolumn = r#"{"name":"Message","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].message","priority":1}"#,
    printcolumn = r#"{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
pub struct PluginSpec {
    /// Where the component is: `<registry>/<repository>[:tag][@sha256:…]`, also with `oci://` or `registry://` in front;
    /// or `file://<path>` where the operator allows it.
    #[schemars(length(min = 1))]
    pub module: String,
    /// When the registry is asked. Unset: `Always` for the tag `latest` or none, else `IfNotPresent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_pull_policy: Option<ImagePullPolicy>,
    /// Secrets of this namespace with credentials for the registry, of type `kubernetes.io/dockerconfigjson`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_pull_secrets: Option<Vec<SecretRef>>,
    /// The ServiceAccount of this namespace that reads the pull secrets.
    #[serde(default = "default_service_account")]
    pub service_account_ref: ServiceAccountRef,
    /// Whose signature the component has to carry. The operator may ask for more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<Verify>,
    /// What one call may use at most. Never more than the operator allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<PluginLimits>,
    /// What the plugin may reach beside the contract. Nothing if unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grants: Option<Grants>,
}

/// When the registry is asked for an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum ImagePullPolicy {
    /// At every start, and again and again, so that a tag that moves is followed.
    Always,
    /// Only if it is not on disk.
    IfNotPresent,
    /// Never: it has to be on disk.
    Never,
}

/// Names a Secret of the namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct SecretRef {
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
}

/// Whose signatures are trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verify {
    /// The signature of one of these is enough.
    #[schemars(length(min = 1))]
    pub any_of: Vec<Signer>,
}

/// One who signs: the holder of a key, or an identity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = exclusive("key", "keyless")))]
pub struct Signer {
    /// A public key in PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// An identity that a certificate authority has vouched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyless: Option<Keyless>,
}

/// An identity, as the certificate of a signature names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = exclusive("subject", "subjectRegExp")))]
pub struct Keyless {
    /// Who has authenticated the signer: the OIDC issuer.
    #[schemars(length(min = 1))]
    pub issuer: String,
    /// The signer, exactly: an e-mail address or a URI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// A regular expression that the whole signer matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_reg_exp: Option<String>,
}

/// What one call of a plugin may use at most.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct PluginLimits {
    /// Linear memory, such as `64Mi` (the default).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Time from start to end, such as `10s` (the default).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "duration")]
    pub timeout: Option<String>,
    /// CPU time, such as `5s` (the default).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "duration")]
    pub cpu: Option<String>,
    /// Elements of all tables. 20000 if unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    #[schemars(extend("format" = "int64"))]
    pub table_elements: Option<u32>,
    /// Handles that live at the same time. 10000 if unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    #[schemars(extend("format" = "int64"))]
    pub handles: Option<u32>,
    /// Objects, deletions, groups and conditions emitted. 100000 if unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    #[schemars(extend("format" = "int64"))]
    pub items: Option<u32>,
    /// Bytes emitted, such as `64Mi` (the default).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emitted_bytes: Option<String>,
    /// Lines in the log; more are dropped and counted. 1000 if unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "int64"))]
    pub log_lines: Option<u32>,
}

/// What a plugin may reach beside the contract.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Grants {
    /// Directories that are made of ConfigMaps and Secrets, read-only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FilesGrant>>,
    /// Hosts that it may send HTTP requests to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpGrant>,
}

/// A directory with a file for each key of a ConfigMap or Secret. It is read from the namespace of the resource that runs
/// the plugin, with the rights of that resource's ServiceAccount.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = exclusive("configMap", "secret")))]
pub struct FilesGrant {
    /// The directory, as the plugin names it: an absolute path.
    #[schemars(length(min = 1), regex(pattern = "^/"))]
    pub path: String,
    /// The ConfigMap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map: Option<ConfigMapRef>,
    /// The Secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<SecretRef>,
}

/// Names a ConfigMap of the namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct ConfigMapRef {
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
}

/// Hosts that a plugin may send requests to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct HttpGrant {
    /// `api.example.com`, `*.example.com`, with a port if it is not 443; `http://…` for requests without TLS.
    pub hosts: Vec<String>,
}

/// The observed state of a Plugin.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct PluginStatus {
    /// `Registered`, or the reason why it is not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// The generation that this status is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Resolved`, `Verified` and `Compiled` tell about the newest version; `Ready`, whether there is one that runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "conditions")]
    pub conditions: Vec<Condition>,
    /// The component that runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Artifact>,
}

/// A component as it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Artifact {
    /// The digest of the manifest; the same content has the same digest in every registry. Empty for a file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub manifest_digest: String,
    /// The digest of the component.
    pub layer_digest: String,
    /// What the registry calls the layer.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub media_type: String,
    /// Bytes of the component.
    pub size: i64,
    /// What it can be used for: `reconcile`, `admit`, `provide`; several with commas between them.
    pub world: String,
    /// The interfaces that it imports.
    pub imports: Vec<String>,
    /// The interfaces that it exports.
    pub exports: Vec<String>,
    /// Those whose signatures were accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signers: Vec<String>,
}
