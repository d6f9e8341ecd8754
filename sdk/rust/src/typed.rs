//! Typed objects: those of k8s-openapi, behind the feature `k8s-openapi`.
//!
//! [`desired::apply`](crate::desired::apply), [`Collection::read`](crate::state::Collection::read) and
//! [`trigger::object`](crate::trigger::object) take them as they are: k8s-openapi writes `apiVersion` and `kind` itself, and
//! checks them when it reads. Here is what beside that is known by a type alone.
//!
//! The plugin chooses the version of Kubernetes, by a feature of its own dependency: `k8s-openapi = { version = "0.29",
//! features = ["v1_36"] }`. Numbers in typed objects are those of Rust; what must leave exactly as it came is
//! [`Json`](crate::Json).

use k8s_openapi::{Metadata, Resource, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use serde::de::DeserializeOwned;

use crate::desired;
use crate::failure::Failure;
use crate::object::ObjectId;
use crate::state::Collection;

/// The name of an object of a known type.
///
/// ```
/// # use espejote_sdk::typed;
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// let id = typed::id::<ConfigMap>("shop", "team");
/// assert_eq!((id.api_version.as_str(), id.kind.as_str()), ("v1", "ConfigMap"));
/// ```
#[must_use]
pub fn id<K: Resource>(namespace: &str, name: &str) -> ObjectId {
    ObjectId {
        api_version: K::API_VERSION.to_owned(),
        kind: K::KIND.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    }
}

/// The name of this object.
#[must_use]
pub fn id_of<K: Resource + Metadata<Ty = ObjectMeta>>(object: &K) -> ObjectId {
    let metadata = object.metadata();
    id::<K>(
        metadata.namespace.as_deref().unwrap_or_default(),
        metadata.name.as_deref().unwrap_or_default(),
    )
}

/// Deletes an object of a known type. That it does not exist is no error.
pub fn delete<K: Resource>(namespace: &str, name: &str) {
    desired::delete(&id::<K>(namespace, name));
}

impl Collection {
    /// All objects as a type, in order.
    ///
    /// ```no_run
    /// # use espejote_sdk::{Failure, state};
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # fn f() -> Result<(), Failure> {
    /// for config_map in state::context("config-maps")?.read_as::<ConfigMap>()? {
    ///     let data = config_map.data.unwrap_or_default();
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `invalid-input` that names the first object which is of another type.
    pub fn read_as<K: Resource + DeserializeOwned>(&self) -> Result<Vec<K>, Failure> {
        self.iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    use serde_json::json;

    use super::*;
    use crate::testing::Host;
    use crate::{FailureKind, Reconciler, state};

    struct Copies;

    impl Reconciler for Copies {
        fn reconcile() -> Result<(), Failure> {
            for mut config_map in state::context("config-maps")?.read_as::<ConfigMap>()? {
                delete::<ConfigMap>("n", &id_of(&config_map).name);
                config_map.metadata.namespace = Some("copy".to_owned());
                desired::apply(&config_map)?;
            }
            Ok(())
        }
    }

    #[test]
    fn typed_objects_are_read_and_applied_with_their_type() {
        let object =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}});
        let outcome = Host::new().context("config-maps", [object]).reconcile::<Copies>();
        assert_eq!(outcome.result, Ok(()));
        let expected = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "copy"}, "data": {"k": "v"}});
        assert_eq!(outcome.object("ConfigMap", "a"), Some(&expected));
        assert_eq!(outcome.deleted(), [&id::<ConfigMap>("n", "a")]);
    }

    #[test]
    fn an_object_of_another_type_is_named() {
        let namespace = Namespace {
            metadata: ObjectMeta {
                name: Some("shop".to_owned()),
                ..ObjectMeta::default()
            },
            ..Namespace::default()
        };
        let outcome = Host::new()
            .context("config-maps", [namespace])
            .reconcile::<Copies>();
        let failure = outcome.result.unwrap_err();
        assert_eq!(failure.kind, FailureKind::InvalidInput);
        assert!(failure.message.contains("Namespace shop"), "{}", failure.message);
    }
}
