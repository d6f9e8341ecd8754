//! What a test expects of a ManagedResource.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{
    Namespace, eventually, eventually_within, objects, stays,
    waiting::{equal, holds},
};

const API: &str = "espejote.io/v1alpha1";
const KIND: &str = "ManagedResource";

/// A ManagedResource of a test.
pub struct Managed<'n> {
    pub(crate) namespace: &'n Namespace<'n>,
    /// Its name.
    pub name: String,
}

/// A Warning event.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// The error type.
    pub reason: String,
    /// The note.
    pub note: String,
    /// What the operator was about to do.
    pub action: String,
    /// The resourceVersion of the object that it is about.
    pub about_version: String,
}

impl Managed<'_> {
    /// The object.
    pub fn get(&self) -> Value {
        let found = self
            .namespace
            .cluster
            .get(API, KIND, &self.namespace.name, &self.name);
        found.expect("the ManagedResource is there")
    }

    /// Gives it another spec.
    pub fn update(&self, spec: Value) {
        self.namespace.apply(objects::managed_resource(&self.name, spec));
    }

    /// Merges a patch into it.
    pub fn merge(&self, patch: &Value) -> Value {
        self.namespace
            .cluster
            .merge(API, KIND, &self.namespace.name, &self.name, patch)
    }

    /// Deletes it.
    pub fn delete(&self) {
        self.namespace
            .cluster
            .delete(API, KIND, &self.namespace.name, &self.name);
    }

    /// `status.status` for the current spec; empty if there is none yet.
    pub fn status(&self) -> String {
        let object = self.get();
        let current = object["status"]["observedGeneration"] == object["metadata"]["generation"];
        let status = object["status"]["status"].as_str().unwrap_or_default();
        if current { status.to_owned() } else { String::new() }
    }

    /// Waits until the status of the current spec is this one.
    #[track_caller]
    pub fn is(&self, status: &str) {
        eventually(&format!("{} is {status}", self.name), || {
            equal(self.status().as_str(), status)
        });
    }

    /// Waits until it is ready.
    #[track_caller]
    pub fn is_ready(&self) {
        self.is("Ready");
    }

    /// A condition's status, reason and message.
    pub fn condition(&self, kind: &str) -> Option<(String, String, String)> {
        let object = self.get();
        let conditions = object["status"]["conditions"].as_array()?;
        let found = conditions.iter().find(|condition| condition["type"] == kind)?;
        let text = |field: &str| found[field].as_str().unwrap_or_default().to_owned();
        Some((text("status"), text("reason"), text("message")))
    }

    /// Waits until its condition Ready is false for this reason, with a message that has all these parts.
    #[track_caller]
    pub fn is_not_ready(&self, reason: &str, parts: &[&str]) {
        eventually(
            &format!("{} is not ready: {reason} with {parts:?}", self.name),
            || {
                let condition = self.condition("Ready").ok_or("there is no condition")?;
                holds(
                    condition.0 == "False" && condition.1 == reason && has_all(&condition.2, parts),
                    || format!("{condition:?}"),
                )
            },
        );
    }

    /// Waits until there is a warning of this type whose note has all these parts.
    #[track_caller]
    pub fn warns(&self, reason: &str, parts: &[&str]) -> Warning {
        eventually(
            &format!("a warning about {}: {reason} with {parts:?}", self.name),
            || {
                let all = self.warnings();
                let found = all
                    .iter()
                    .find(|warning| warning.reason == reason && has_all(&warning.note, parts));
                found.cloned().ok_or_else(|| format!("{all:#?}"))
            },
        )
    }

    /// The same, and that there is no other.
    #[track_caller]
    pub fn warns_once(&self, reason: &str, parts: &[&str]) -> Warning {
        let warning = self.warns(reason, parts);
        stays(Duration::from_secs(2), "there is one warning", || {
            equal(self.warnings(), vec![warning.clone()])
        });
        warning
    }

    /// All warnings about it.
    pub fn warnings(&self) -> Vec<Warning> {
        self.namespace.warnings(KIND, &self.name)
    }

    /// Waits until nobody writes to it any more: its version stays for two seconds, after eleven at most.
    #[track_caller]
    pub fn settles(&self) {
        let mut known = (self.version(), Instant::now());
        eventually_within(
            Duration::from_secs(13),
            "its resourceVersion stays for two seconds",
            || {
                let version = self.version();
                if version != known.0 {
                    known = (version, Instant::now());
                }
                holds(known.1.elapsed() > Duration::from_secs(2), || {
                    format!("{} is young", known.0)
                })
            },
        );
    }

    /// Its resourceVersion.
    pub fn version(&self) -> String {
        self.get()["metadata"]["resourceVersion"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// How many reconciles a trigger of it has had.
    pub fn reconciles(&self, trigger: &str) -> f64 {
        let labels = [("managedresource", self.name.as_str()), ("trigger", trigger)];
        self.namespace.metric("espejote_reconciles_total", &labels)
    }

    /// How many of them ended with an error of a type.
    pub fn errors(&self, trigger: &str, error_kind: &str) -> f64 {
        let labels = [
            ("managedresource", self.name.as_str()),
            ("trigger", trigger),
            ("error_kind", error_kind),
        ];
        self.namespace.metric("espejote_reconcile_errors_total", &labels)
    }

    /// A label that makes it reconcile again.
    pub fn touch(&self, value: &str) {
        self.merge(&json!({"metadata": {"labels": {"touched": value}}}));
    }
}

/// Whether a text has all parts.
pub fn has_all(text: &str, parts: &[&str]) -> bool {
    parts.iter().all(|part| text.contains(part))
}

pub(crate) fn warnings(namespace: &Namespace<'_>, kind: &str, name: &str) -> Vec<Warning> {
    let events = namespace.cluster.list("v1", "Event", &namespace.name);
    let about = events.iter().filter(|event| {
        let object = &event["involvedObject"];
        event["type"] == "Warning" && object["kind"] == kind && object["name"] == name
    });
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    about
        .map(|event| Warning {
            reason: text(&event["reason"]),
            note: text(&event["message"]),
            action: text(&event["action"]),
            about_version: text(&event["involvedObject"]["resourceVersion"]),
        })
        .collect()
}
