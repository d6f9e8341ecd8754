//! Parts of the CRDs' schemas that the types alone do not say.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use schemars::{Schema, json_schema};
use serde_json::{Value, json};

/// A Go duration.
pub(crate) fn duration(_: &mut schemars::SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "format": "duration", "nullable": true})
}

/// Conditions, each type once.
pub(crate) fn conditions(generator: &mut schemars::SchemaGenerator) -> Schema {
    let item = generator.subschema_for::<Condition>();
    json_schema!({
        "type": "array",
        "items": item,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
    })
}

/// A CEL rule: of two fields of the object at most one is set.
pub(crate) fn exclusive(one: &str, other: &str) -> Value {
    json!([{
        "rule": format!("!(has(self.{one}) && has(self.{other}))"),
        "message": format!("{one} and {other} cannot both be set"),
    }])
}
