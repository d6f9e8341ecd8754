//! The objects that tests make, as JSON.

use serde_json::{Value, json};

/// A ConfigMap.
pub fn config_map(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

/// A ConfigMap with labels.
pub fn labelled(name: &str, labels: Value, data: Value) -> Value {
    let metadata = json!({"name": name, "labels": labels});
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
}

/// A Secret.
pub fn secret(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": data})
}

/// A Namespace.
pub fn namespace(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
}

/// A ServiceAccount.
pub fn service_account(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}})
}

/// A ManagedResource.
pub fn managed_resource(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "espejote.io/v1alpha1", "kind": "ManagedResource", "metadata": {"name": name}, "spec": spec})
}

/// A JsonnetLibrary.
pub fn library(name: &str, data: Value) -> Value {
    json!({
        "apiVersion": "espejote.io/v1alpha1", "kind": "JsonnetLibrary",
        "metadata": {"name": name}, "spec": {"data": data},
    })
}

/// The same object in a namespace.
pub fn within(namespace: &str, mut object: Value) -> Value {
    object["metadata"]["namespace"] = json!(namespace);
    object
}

/// A context or trigger on the ConfigMaps of the ManagedResource's namespace, with further fields.
pub fn config_maps(further: Value) -> Value {
    watched("v1", "ConfigMap", further)
}

/// What a context or trigger watches, with further fields.
pub fn watched(api_version: &str, kind: &str, further: Value) -> Value {
    let mut watched = json!({"apiVersion": api_version, "kind": kind});
    let fields = further.as_object().expect("further fields are an object");
    watched.as_object_mut().expect("an object").extend(fields.clone());
    watched
}

/// A namespaced custom resource `<plural>.test.espejote.io` whose objects may hold anything, with a version.
pub fn definition(kind: &str, plural: &str, scope: &str, version: &str) -> Value {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    definition_of(kind, plural, scope, version, schema)
}

/// The same with a schema.
pub fn definition_of(kind: &str, plural: &str, scope: &str, version: &str, schema: Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.test.espejote.io")},
        "spec": {
            "group": "test.espejote.io", "scope": scope,
            "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase()},
            "versions": [{
                "name": version, "served": true, "storage": true, "schema": {"openAPIV3Schema": schema},
            }],
        },
    })
}

/// The group of the custom resources of tests.
pub const GROUP: &str = "test.espejote.io";

/// A template with the built-in library at hand as `esp`.
pub fn esp(body: &str) -> String {
    format!("local esp = import 'espejote.libsonnet';\n{body}")
}

/// A template that writes one ConfigMap with one text in `data.text`.
pub fn writes(name: &str, text: &str) -> String {
    esp(&format!(
        "{{apiVersion: 'v1', kind: 'ConfigMap', metadata: {{name: '{name}'}}, data: {{text: {text}}}}}"
    ))
}
