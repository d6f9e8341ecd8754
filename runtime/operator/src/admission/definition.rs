//! What an Admission or a ClusterAdmission says, whichever of the two it is.

use espejote_api::{
    Admission, AdmissionStatus, ClusterAdmission, ClusterAdmissionSpec, ClusterWebhookConfiguration,
    PluginRef,
};
use espejote_core::{Object, ObjectId, Owner, Reason};
use kube::{Resource, ResourceExt};
use serde::de::DeserializeOwned;

use crate::{
    failure::Failure,
    logic::{Programs, Selected},
};

/// Namespace and name; the namespace of a ClusterAdmission is empty.
pub type Key = (String, String);

/// One of the two kinds.
pub trait Kind:
    Resource<DynamicType = ()> + DeserializeOwned + Clone + PartialEq + Send + Sync + 'static
{
    /// Whether its objects are in namespaces.
    const NAMESPACED: bool;

    /// What it says.
    fn definition(&self) -> Definition;

    /// What it was last said to be.
    fn status(&self) -> Option<&AdmissionStatus>;
}

/// What an Admission or a ClusterAdmission says.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its kind and name.
    pub id: ObjectId,
    /// Its uid.
    pub uid: String,
    /// Its `metadata.generation`.
    pub generation: i64,
    /// Whether it may change objects.
    pub mutating: bool,
    /// Its logic, in Jsonnet.
    pub template: Option<String>,
    /// Its logic, as a plugin.
    pub plugin: Option<PluginRef>,
    /// Which requests it is asked about.
    pub webhook: ClusterWebhookConfiguration,
}

impl Definition {
    /// Its namespace and name.
    pub fn key(&self) -> Key {
        (self.id.namespace.clone(), self.id.name.clone())
    }

    /// Whether it is a ClusterAdmission.
    pub fn is_of_cluster(&self) -> bool {
        self.id.namespace.is_empty()
    }

    /// On whose behalf its logic runs.
    pub fn owner(&self) -> Owner {
        Owner {
            id: self.id.clone(),
            uid: self.uid.clone(),
        }
    }

    /// Whether its plugin can be found.
    pub fn check_plugin_name(&self) -> Result<(), Failure> {
        let name = self.plugin.as_ref().map_or("", |plugin| plugin.name.as_str());
        if self.is_of_cluster() && self.plugin.is_some() && !name.starts_with("lib/") {
            let message = format!(
                "spec.plugin.name is {name:?}: a ClusterAdmission has no namespace to look in, write \"lib/{name}\" for a \
                 Plugin of the operator's library namespace"
            );
            return Err(Failure::new(Reason::InvalidSpec, message));
        }
        Ok(())
    }

    /// Its logic, now and from now on.
    pub fn logic(&self, programs: &Programs) -> Result<Selected, Failure> {
        self.check_plugin_name()?;
        Ok(programs.of(&self.id.namespace, self.template.as_deref(), self.plugin.as_ref()))
    }
}

/// The definition in an object of the kind `K`; an error if it cannot be read.
pub fn read<K: Kind>(object: &Object) -> Result<Definition, serde_json::Error> {
    serde_json::from_str(object.json()).map(|kind: K| kind.definition())
}

fn id<K: Resource<DynamicType = ()>>(of: &K) -> ObjectId {
    ObjectId {
        api_version: K::api_version(&()).into_owned(),
        kind: K::kind(&()).into_owned(),
        namespace: of.namespace().unwrap_or_default(),
        name: of.name_any(),
    }
}

fn defined<K: Kind>(of: &K, spec: ClusterAdmissionSpec) -> Definition {
    Definition {
        id: id(of),
        uid: of.uid().unwrap_or_default(),
        generation: of.meta().generation.unwrap_or_default(),
        mutating: spec.mutating,
        template: spec.template,
        plugin: spec.plugin,
        webhook: spec.webhook_configuration.unwrap_or_default(),
    }
}

impl Kind for Admission {
    const NAMESPACED: bool = true;

    fn definition(&self) -> Definition {
        defined(self, self.spec.clone().into())
    }

    fn status(&self) -> Option<&AdmissionStatus> {
        self.status.as_ref()
    }
}

impl Kind for ClusterAdmission {
    const NAMESPACED: bool = false;

    fn definition(&self) -> Definition {
        defined(self, self.spec.clone())
    }

    fn status(&self) -> Option<&AdmissionStatus> {
        self.status.as_ref()
    }
}
