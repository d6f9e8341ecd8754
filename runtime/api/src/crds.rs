//! The CustomResourceDefinitions, generated from the types.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;

use crate::{Admission, ClusterAdmission, JsonnetLibrary, ManagedResource, Plugin};

/// All definitions, in the order in which they are printed.
pub fn all() -> Vec<CustomResourceDefinition> {
    vec![
        ManagedResource::crd(),
        JsonnetLibrary::crd(),
        Plugin::crd(),
        Admission::crd(),
        ClusterAdmission::crd(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_account_defaults_to_the_object_that_names_default() {
        let crd = serde_json::to_value(ManagedResource::crd()).unwrap();
        let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
        let default = crd
            .pointer(&format!("{spec}/properties/serviceAccountRef/default"))
            .unwrap();
        assert_eq!(default, &serde_json::json!({"name": "default"}));
        assert_eq!(
            crd.pointer(&format!("{spec}/required")),
            None,
            "E5: nothing in the spec is required"
        );
    }

    /// kubectl complains about formats that OpenAPI does not have.
    #[test]
    fn numbers_have_formats_that_openapi_knows() {
        let text = serde_json::to_string(&all()).unwrap();
        assert!(!text.contains("\"uint"), "{text}");
    }

    /// W20: the column is that of a status, which is written apart from the rest.
    #[test]
    fn w20_admissions_have_a_status_subresource_and_columns_for_it() {
        for crd in [Admission::crd(), ClusterAdmission::crd()] {
            let version = serde_json::to_value(&crd.spec.versions[0]).unwrap();
            assert_eq!(version["subresources"]["status"], serde_json::json!({}));
            let columns = version["additionalPrinterColumns"].as_array().unwrap();
            let shown = columns.iter().filter(|column| column.get("priority").is_none());
            let names: Vec<_> = shown.map(|column| column["name"].as_str().unwrap()).collect();
            assert_eq!(names, ["Status", "Ready", "Mutating", "Age"]);
            assert_eq!(columns[0]["jsonPath"], ".status.status");
        }
    }

    /// S10: the column that people and scripts read.
    #[test]
    fn s10_the_first_printer_column_is_the_status() {
        let crd = serde_json::to_value(ManagedResource::crd()).unwrap();
        let column = crd
            .pointer("/spec/versions/0/additionalPrinterColumns/0")
            .unwrap();
        assert_eq!(column["name"], "Status");
        assert_eq!(column["jsonPath"], ".status.status");
    }
}
