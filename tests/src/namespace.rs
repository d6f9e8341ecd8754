//! A namespace for one test, with a ServiceAccount and its rights.
//!
//! When the test fails, everything that explains it is printed: the ManagedResources, events, and the operator's log
//! lines about this namespace.

use std::{thread, time::Duration};

use serde_json::{Value, json};

use crate::{
    Cluster, Managed, Operator, Warning, eventually,
    expect::warnings,
    objects::{self, within},
    run, stays,
    waiting::{equal, holds},
};

/// What an editor may do with a resource.
pub const EDIT: &[&str] = &["get", "list", "watch", "create", "update", "patch", "delete"];
/// What a reader may do.
pub const READ: &[&str] = &["get", "list", "watch"];

/// A namespace of one test. Its ServiceAccount `default` may edit ConfigMaps there, and nothing else.
pub struct Namespace<'a> {
    /// Its name.
    pub name: String,
    /// The administrator.
    pub cluster: &'a Cluster,
    /// The operator that serves it.
    pub operator: &'a Operator,
}

/// Rights that can be taken away again.
pub struct Grant {
    binding: (&'static str, String),
}

impl Namespace<'static> {
    /// A namespace that the shared operator serves.
    pub fn new(stem: &str) -> Self {
        Self::served_by(run::admin(), run::operator(), stem)
    }
}

impl<'a> Namespace<'a> {
    /// A namespace that an operator serves.
    pub fn served_by(cluster: &'a Cluster, operator: &'a Operator, stem: &str) -> Self {
        let namespace = Self {
            name: run::unique(stem),
            cluster,
            operator,
        };
        cluster.ensure(&objects::namespace(&namespace.name));
        namespace.service_account("default");
        namespace.grant("", &["configmaps"], EDIT);
        namespace
    }

    /// Another namespace of the same test, to be written to and read from.
    pub fn neighbour(&self) -> Self {
        Self::served_by(self.cluster, self.operator, &self.name)
    }

    /// Makes a ServiceAccount.
    pub fn service_account(&self, name: &str) {
        self.cluster
            .ensure(&within(&self.name, objects::service_account(name)));
    }

    /// Lets `default` do something with resources of this namespace.
    pub fn grant(&self, group: &str, resources: &[&str], verbs: &[&str]) -> Grant {
        self.grant_to((&self.name, "default"), group, resources, verbs)
    }

    /// Lets anybody's ServiceAccount do something with resources of this namespace.
    pub fn grant_to(&self, who: (&str, &str), group: &str, resources: &[&str], verbs: &[&str]) -> Grant {
        let name = run::unique("grant");
        let rule = json!({"apiGroups": [group], "resources": resources, "verbs": verbs});
        self.bind("Role", &name, rule, who)
    }

    /// Lets `default` do something with resources of the whole cluster.
    pub fn grant_everywhere(&self, group: &str, resources: &[&str], verbs: &[&str]) -> Grant {
        let name = run::unique(&self.name);
        let rule = json!({"apiGroups": [group], "resources": resources, "verbs": verbs});
        self.bind("ClusterRole", &name, rule, (&self.name, "default"))
    }

    fn bind(&self, role: &'static str, name: &str, rule: Value, who: (&str, &str)) -> Grant {
        let binding = if role == "Role" {
            "RoleBinding"
        } else {
            "ClusterRoleBinding"
        };
        let metadata = |kind: &str| match kind {
            "Role" | "RoleBinding" => json!({"name": name, "namespace": self.name}),
            _ => json!({"name": name}),
        };
        let api = "rbac.authorization.k8s.io/v1";
        self.cluster.ensure(&json!({
            "apiVersion": api, "kind": role, "metadata": metadata(role), "rules": [rule],
        }));
        self.cluster.ensure(&json!({
            "apiVersion": api, "kind": binding, "metadata": metadata(binding),
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role, "name": name},
            "subjects": [{"kind": "ServiceAccount", "namespace": who.0, "name": who.1}],
        }));
        Grant {
            binding: (binding, name.to_owned()),
        }
    }

    /// Takes rights away.
    pub fn revoke(&self, grant: Grant) {
        let (kind, name) = grant.binding;
        let namespace = if kind == "RoleBinding" {
            self.name.as_str()
        } else {
            ""
        };
        self.cluster
            .delete("rbac.authorization.k8s.io/v1", kind, namespace, &name);
    }

    /// Applies an object, in this namespace unless it says otherwise.
    pub fn apply(&self, object: Value) -> Value {
        let object = self.placed(object);
        self.cluster
            .apply(&object)
            .unwrap_or_else(|refusal| panic!("apply {object}: {refusal}"))
    }

    /// Creates an object, in this namespace unless it says otherwise.
    pub fn create(&self, object: Value) -> Value {
        let object = self.placed(object);
        self.cluster
            .create(&object)
            .unwrap_or_else(|refusal| panic!("create {object}: {refusal}"))
    }

    fn placed(&self, object: Value) -> Value {
        if object["metadata"]["namespace"].is_null() {
            within(&self.name, object)
        } else {
            object
        }
    }

    /// Applies a ConfigMap.
    pub fn config_map(&self, name: &str, data: Value) -> Value {
        self.apply(objects::config_map(name, data))
    }

    /// Deletes a ConfigMap.
    pub fn delete_config_map(&self, name: &str) {
        self.cluster.delete("v1", "ConfigMap", &self.name, name);
    }

    /// A ConfigMap, if it is there.
    pub fn get_config_map(&self, name: &str) -> Option<Value> {
        self.cluster.get("v1", "ConfigMap", &self.name, name)
    }

    /// The data of a ConfigMap, if it is there.
    pub fn data(&self, name: &str) -> Option<Value> {
        self.get_config_map(name).map(|mut found| found["data"].take())
    }

    /// Waits until a ConfigMap is there, and gives it.
    #[track_caller]
    pub fn has(&self, name: &str) -> Value {
        eventually(&format!("ConfigMap {name} is there"), || {
            self.get_config_map(name)
                .ok_or_else(|| "it is not there".to_owned())
        })
    }

    /// Waits until a ConfigMap has this data.
    #[track_caller]
    pub fn has_data(&self, name: &str, data: Value) {
        eventually(&format!("ConfigMap {name} has {data}"), || {
            equal(self.data(name), Some(data.clone()))
        });
    }

    /// Makes sure that a ConfigMap does not come for some time.
    #[track_caller]
    pub fn stays_without(&self, name: &str, time: Duration) {
        stays(time, &format!("ConfigMap {name} is not there"), || {
            holds(self.get_config_map(name).is_none(), || "it is there".to_owned())
        });
    }

    /// Applies a ManagedResource.
    pub fn managed<'n>(&'n self, name: &str, spec: Value) -> Managed<'n> {
        self.apply(objects::managed_resource(name, spec));
        Managed {
            namespace: self,
            name: name.to_owned(),
        }
    }

    /// The warnings about an object of this namespace.
    pub fn warnings(&self, kind: &str, name: &str) -> Vec<Warning> {
        warnings(self, kind, name)
    }

    /// The sum of one of the operator's metrics, for this namespace and further labels.
    pub fn metric(&self, metric: &str, labels: &[(&str, &str)]) -> f64 {
        let mut all = vec![("namespace", self.name.as_str())];
        all.extend(labels);
        self.operator.metric(metric, &all)
    }

    /// What users can see: ManagedResources and events.
    fn visible(&self) -> String {
        let resources = self
            .cluster
            .list("espejote.io/v1alpha1", "ManagedResource", &self.name);
        let events = self.cluster.list("v1", "Event", &self.name);
        let mut lines: Vec<String> = resources.iter().map(visible_resource).collect();
        lines.extend(events.iter().map(visible_event));
        lines.join("\n")
    }
}

fn visible_resource(resource: &Value) -> String {
    let (name, spec, status) = (
        &resource["metadata"]["name"],
        &resource["spec"],
        &resource["status"],
    );
    format!("ManagedResource {name}\n  spec {spec}\n  status {status:#}")
}

fn visible_event(event: &Value) -> String {
    let object = &event["involvedObject"];
    format!(
        "event {} ({}) about {} {}: {}",
        event["reason"], event["count"], object["kind"], object["name"], event["message"]
    )
}

impl Drop for Namespace<'_> {
    fn drop(&mut self) {
        let visible = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.visible()));
        let visible = visible.unwrap_or_else(|_| "the API server does not answer".to_owned());
        if thread::panicking() {
            let log = self.operator.log_lines(&self.name);
            let last = log.len().saturating_sub(40);
            eprintln!(
                "--- {}\n{visible}\n--- the operator's last lines about it",
                self.name
            );
            eprintln!("{}\n---", log[last..].join("\n"));
        }
        run::keep_visible(&visible);
        let path = crate::cluster::kind_path("espejote.io/v1alpha1", "ManagedResource", &self.name);
        self.cluster.send("DELETE", &path, "application/json", &[]).ok();
    }
}
