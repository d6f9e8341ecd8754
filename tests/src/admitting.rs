//! What a test expects of an Admission or ClusterAdmission.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{
    Cluster, Namespace, Warning, deployment, eventually, expect,
    waiting::{equal, holds},
};

const API: &str = "espejote.io/v1alpha1";
const WEBHOOKS: &str = "admissionregistration.k8s.io/v1";
/// The name of both webhook configurations.
pub const CONFIGURATION: &str = "espejote-dynamic-webhook";
/// The Secret of the operator's own certificate.
pub const SECRET: &str = "espejote-webhook-certificate";

/// An Admission or ClusterAdmission of a test. It is deleted when this is dropped.
pub struct Admitting<'n> {
    namespace: &'n Namespace<'n>,
    kind: &'static str,
    /// Its name.
    pub name: String,
}

impl<'n> Namespace<'n> {
    /// Applies an Admission.
    pub fn admission(&'n self, name: &str, spec: Value) -> Admitting<'n> {
        self.admitting("Admission", name.to_owned(), spec)
    }

    /// Applies a ClusterAdmission, whose name ends with that of the namespace.
    pub fn cluster_admission(&'n self, name: &str, spec: Value) -> Admitting<'n> {
        self.admitting("ClusterAdmission", format!("{name}-{}", self.name), spec)
    }

    fn admitting(&'n self, kind: &'static str, name: String, spec: Value) -> Admitting<'n> {
        let admitting = Admitting {
            namespace: self,
            kind,
            name,
        };
        admitting.update(spec);
        admitting
    }
}

impl Admitting<'_> {
    fn scope(&self) -> &str {
        match self.kind {
            "Admission" => &self.namespace.name,
            _ => "",
        }
    }

    /// Gives it another spec.
    pub fn update(&self, spec: Value) {
        let mut object =
            json!({"apiVersion": API, "kind": self.kind, "metadata": {"name": self.name}, "spec": spec});
        if !self.scope().is_empty() {
            object["metadata"]["namespace"] = json!(self.scope());
        }
        let applied = self.namespace.cluster.apply(&object);
        applied.unwrap_or_else(|refusal| panic!("apply {object}: {refusal}"));
    }

    /// Deletes it.
    pub fn delete(&self) {
        self.namespace
            .cluster
            .delete(API, self.kind, self.scope(), &self.name);
    }

    /// The object.
    pub fn get(&self) -> Value {
        let found = self
            .namespace
            .cluster
            .get(API, self.kind, self.scope(), &self.name);
        found.expect("it is there")
    }

    /// The path at which the operator is asked.
    pub fn path(&self) -> String {
        match self.kind {
            "Admission" => format!("/dynamic/{}/{}", self.namespace.name, self.name),
            _ => format!("/dynamic-cluster/{}", self.name),
        }
    }

    /// The name of its webhook.
    pub fn webhook(&self) -> String {
        match self.kind {
            "Admission" => format!("{}.{}.namespaced.espejote.io", self.name, self.namespace.name),
            _ => format!("{}.cluster.espejote.io", self.name),
        }
    }

    /// Waits until it is ready, in the version that was applied last.
    #[track_caller]
    pub fn is_ready(&self) {
        self.is("True", "Succeeded", &[]);
    }

    /// Waits until it is not ready for this reason, with a message that has all these parts.
    #[track_caller]
    pub fn is_not_ready(&self, reason: &str, parts: &[&str]) {
        self.is("False", reason, parts);
    }

    #[track_caller]
    fn is(&self, status: &str, reason: &str, parts: &[&str]) {
        let what = format!(
            "{} {}: Ready is {status}, {reason} with {parts:?}",
            self.kind, self.name
        );
        eventually(&what, || {
            let object = self.get();
            let conditions = object["status"]["conditions"].as_array().cloned();
            let ready = conditions
                .unwrap_or_default()
                .into_iter()
                .find(|condition| condition["type"] == "Ready")
                .unwrap_or_default();
            let current = ready["observedGeneration"] == object["metadata"]["generation"];
            let message = ready["message"].as_str().unwrap_or_default();
            let same = ready["status"] == status && ready["reason"] == reason;
            holds(current && same && expect::has_all(message, parts), || {
                format!("{:#}", object["status"])
            })
        });
    }

    /// Waits until its column says this.
    #[track_caller]
    pub fn says(&self, status: &str) {
        eventually(&format!("{} says {status}", self.name), || {
            equal(self.get()["status"]["status"].as_str(), Some(status))
        });
    }

    /// All warnings about it.
    pub fn warnings(&self) -> Vec<Warning> {
        self.namespace.warnings(self.kind, &self.name)
    }

    /// How many requests it has answered with a code.
    pub fn answered(&self, code: u16) -> f64 {
        let code = code.to_string();
        let labels = [
            ("admission", self.name.as_str()),
            ("namespace", self.scope()),
            ("code", code.as_str()),
        ];
        self.namespace
            .operator
            .metric("espejote_admission_requests_total", &labels)
    }

    /// Asks the operator about a request, as the API server does; gives the response.
    pub fn ask(&self, request: &Value) -> Value {
        self.namespace.ask(&self.path(), request)
    }
}

impl Namespace<'_> {
    /// Asks the operator about a request at a path; gives the response.
    pub fn ask(&self, path: &str, request: &Value) -> Value {
        let review =
            json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
        let answer = self
            .operator
            .ask(self.cluster, path, review.to_string().as_bytes());
        let (code, body) = answer.expect("the operator answers");
        assert_eq!(code, 200, "{body}");
        let mut review: Value = serde_json::from_str(&body).expect("an AdmissionReview");
        assert_eq!(review["response"]["uid"], request["uid"], "{review}");
        review["response"].take()
    }
}

impl Drop for Admitting<'_> {
    fn drop(&mut self) {
        let path = crate::cluster::object_path(API, self.kind, self.scope(), &self.name);
        self.namespace
            .cluster
            .send("DELETE", &path, "application/json", &[])
            .ok();
    }
}

/// The webhooks of a configuration, `Mutating` or `Validating`.
pub fn webhooks(cluster: &Cluster, sort: &str) -> Vec<Value> {
    let kind = format!("{sort}WebhookConfiguration");
    let found = cluster.get(WEBHOOKS, &kind, "", CONFIGURATION);
    found
        .and_then(|configuration| configuration["webhooks"].as_array().cloned())
        .unwrap_or_default()
}

/// A webhook of a configuration by its name.
pub fn webhook(cluster: &Cluster, sort: &str, name: &str) -> Option<Value> {
    webhooks(cluster, sort)
        .into_iter()
        .find(|webhook| webhook["name"] == name)
}

/// The certificate authority of the operator's own certificate, in PEM; none if there is no such Secret.
pub fn authority(cluster: &Cluster) -> Option<String> {
    let secret = cluster.get("v1", "Secret", deployment::NAMESPACE, SECRET)?;
    let text = secret["data"]["ca.crt"].as_str()?;
    let bytes = STANDARD.decode(text).expect("base64");
    Some(String::from_utf8(bytes).expect("PEM"))
}

/// The patch of a response, as text.
pub fn patch(response: &Value) -> String {
    let text = response["patch"].as_str().unwrap_or_else(|| panic!("{response}"));
    String::from_utf8(STANDARD.decode(text).expect("base64")).expect("JSON")
}
