//! The call being served: on whose behalf it runs, and with which config.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::failure::{Failure, FailureKind};
use crate::host::invocation as wit;
use crate::object::{ObjectId, parse};

/// The ManagedResource, Admission or ClusterAdmission that uses the plugin.
#[derive(Debug, Clone)]
pub struct Owner {
    /// Its name; its namespace is the default for what the call emits.
    pub id: ObjectId,
    /// Its uid.
    pub uid: String,
}

impl Owner {
    /// An entry for `metadata.ownerReferences`, so that what is emitted goes when the owner goes. Good for objects in
    /// the owner's namespace, and for cluster-scoped ones if the owner is cluster-scoped.
    ///
    /// ```no_run
    /// # use espejote_sdk::{Failure, desired, invocation};
    /// # fn f() -> Result<(), Failure> {
    /// let owner = invocation::owner();
    /// desired::apply(&serde_json::json!({
    ///     "apiVersion": "v1",
    ///     "kind": "ConfigMap",
    ///     "metadata": {"name": "report", "ownerReferences": [owner.reference()]},
    /// }))?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn reference(&self) -> Value {
        json!({
            "apiVersion": self.id.api_version,
            "kind": self.id.kind,
            "name": self.id.name,
            "uid": self.uid,
        })
    }
}

/// On whose behalf this call runs.
#[must_use]
pub fn owner() -> Owner {
    let wit::OwnerReference { id, uid } = wit::owner();
    Owner { id, uid }
}

/// The config as a type. Without config it is `null`, which fits `Option<T>` and types with `#[serde(default)]` inside
/// an option only.
///
/// # Errors
/// `invalid-config` if it does not fit.
pub fn config<T: DeserializeOwned>() -> Result<T, Failure> {
    parse(FailureKind::InvalidConfig, &config_json(), || "config".to_owned())
}

/// The config as JSON; `null` if there is none. Does not change while this instance lives.
#[must_use]
pub fn config_json() -> String {
    wit::config()
}

/// Allows the host to use this instance for a later call with the same owner and config. To be called anew in each
/// call; a wish only.
///
/// What is kept (in a `thread_local!`) must be a cache, recognised by [`Revision`](crate::Revision): the result of a call
/// depends on what that call reads, not on the calls before it.
pub fn keep_instance() {
    wit::keep_instance();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_has_the_four_fields_that_kubernetes_demands() {
        let id = ObjectId {
            api_version: "espejote.io/v1alpha1".into(),
            kind: "ManagedResource".into(),
            namespace: "shop".into(),
            name: "labels".into(),
        };
        let owner = Owner {
            id,
            uid: "123".into(),
        };
        assert_eq!(
            owner.reference(),
            json!({"apiVersion": "espejote.io/v1alpha1", "kind": "ManagedResource", "name": "labels", "uid": "123"})
        );
    }
}
