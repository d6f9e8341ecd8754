//! `JsonnetLibrary`: files for templates and plugins.

use std::collections::BTreeMap;

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Files that templates and plugins import.
#[derive(Clone, Debug, Default, PartialEq, CustomResource, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "espejote.io",
    version = "v1alpha1",
    kind = "JsonnetLibrary",
    plural = "jsonnetlibraries",
    namespaced,
    derive = "PartialEq",
    doc = "Jsonnet and JSON files that ManagedResources import by `<name>/<key>`, or by `lib/<name>/<key>` from the operator's library namespace."
)]
#[serde(rename_all = "camelCase")]
pub struct JsonnetLibrarySpec {
    /// The files: key to text. A key is what comes after the last slash of an import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<BTreeMap<String, String>>,
}
