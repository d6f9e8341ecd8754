//! A fake host: runs a plugin on the machine at hand, without WebAssembly and without a cluster.
//!
//! ```
//! use espejote_sdk::testing::Host;
//! use espejote_sdk::{Failure, Reconciler, desired, state};
//! use serde_json::{Value, json};
//!
//! struct Teams;
//!
//! impl Reconciler for Teams {
//!     fn reconcile() -> Result<(), Failure> {
//!         for namespace in state::context("namespaces")?.iter::<Value>() {
//!             let name = &namespace?["metadata"]["name"];
//!             desired::apply(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "team", "namespace": name}}))?;
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let shop = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}});
//! let outcome = Host::new().context("namespaces", [shop]).reconcile::<Teams>();
//! assert_eq!(outcome.result, Ok(()));
//! assert_eq!(outcome.applied()[0]["metadata"]["namespace"], "shop");
//! ```
//!
//! What is well-formed and what is not is judged as by the real host. It has no limits, and a panic is a panic. Label
//! selectors, pointers, revisions and the order of objects are as they are there. Each thread has its own: tests may run
//! side by side.

pub(crate) mod collection;
mod selector;
pub(crate) mod state;
mod tree;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use crate::bindings::imports::espejote::plugin::report::Condition;
use crate::invocation::Owner;
use crate::logging::Level;
use crate::report::ConditionStatus;
use crate::{Admitter, Failure, ObjectId, Provider, Reconciler, Unavailable, UnavailableReason};
use state::State;
pub use tree::Item;

/// What a call sees, put together step by step; then one call.
#[derive(Debug)]
pub struct Host(State);

/// What came of a reconcile.
#[derive(Debug)]
pub struct Outcome {
    /// As the plugin returned it; `invalid-output` if it succeeded and something that it emitted is not well-formed.
    pub result: Result<(), Failure>,
    /// What it emitted, in order; also if it failed, though the real host writes nothing then.
    pub items: Vec<Item>,
    /// What it reported.
    pub report: Report,
    /// What it logged.
    pub log: Vec<Line>,
    /// Whether it asked to be kept.
    pub kept: bool,
}

/// What came of a request for admission.
#[derive(Debug)]
pub struct Admission {
    /// As the plugin returned it.
    pub result: Result<crate::admission::Decision, Failure>,
    /// For the user.
    pub warnings: Vec<String>,
    /// For the audit event.
    pub annotations: BTreeMap<String, String>,
    /// What it logged.
    pub log: Vec<Line>,
}

/// What a reconcile reported. The last word counts.
#[derive(Debug, Default)]
pub struct Report {
    /// When to come again.
    pub requeue_after: Option<Duration>,
    /// One sentence.
    pub message: Option<String>,
    /// By type: status, reason and message.
    pub conditions: BTreeMap<String, (ConditionStatus, String, String)>,
    /// Reason and message.
    pub waiting: Option<(String, String)>,
    /// JSON.
    pub document: Option<String>,
}

/// A line in the log.
#[derive(Debug, Clone)]
pub struct Line {
    /// How much it matters.
    pub level: Level,
    /// The constant text.
    pub message: String,
    /// What varies.
    pub fields: Vec<(String, String)>,
}

impl Report {
    pub(crate) fn set(&mut self, condition: &Condition) {
        let value = (
            condition.status,
            condition.reason.clone(),
            condition.message.clone(),
        );
        self.conditions.insert(condition.type_.clone(), value);
    }
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

impl Host {
    /// A general reconcile of the ManagedResource `test` in the namespace `default`, without config, contexts and files.
    #[must_use]
    pub fn new() -> Self {
        let id = ObjectId {
            api_version: "espejote.io/v1alpha1".to_owned(),
            kind: "ManagedResource".to_owned(),
            namespace: "default".to_owned(),
            name: "test".to_owned(),
        };
        Self(State::new(Owner {
            id,
            uid: "00000000-0000-0000-0000-000000000000".to_owned(),
        }))
    }

    /// On whose behalf the call runs.
    #[must_use]
    pub fn owner(mut self, owner: Owner) -> Self {
        self.0.owner = owner;
        self
    }

    /// The config.
    ///
    /// # Panics
    /// If it is not serialisable.
    #[must_use]
    pub fn config(mut self, config: impl Serialize) -> Self {
        self.0.config = text(&config);
        self
    }

    /// A context with these objects, in any order.
    ///
    /// # Panics
    /// If one of them is not serialisable, or has no kind or name.
    #[must_use]
    pub fn context<T: Serialize>(mut self, name: &str, objects: impl IntoIterator<Item = T>) -> Self {
        let texts = objects.into_iter().map(|object| text(&object)).collect();
        let collection = collection::Collection::new(texts);
        self.0.contexts.push((name.to_owned(), Ok(collection)));
        self
    }

    /// A context that cannot be had.
    #[must_use]
    pub fn unavailable(mut self, name: &str, reason: UnavailableReason, message: &str) -> Self {
        self.0
            .contexts
            .push((name.to_owned(), Err(unavailable(reason, message))));
        self
    }

    /// An entry of `context` that another plugin computes.
    ///
    /// # Panics
    /// If it is not serialisable.
    #[must_use]
    pub fn provided(mut self, name: &str, value: impl Serialize) -> Self {
        self.0.provided.push((name.to_owned(), Ok(text(&value))));
        self
    }

    /// An entry of `context` whose provider fails.
    #[must_use]
    pub fn provider_fails(mut self, name: &str, reason: UnavailableReason, message: &str) -> Self {
        self.0
            .provided
            .push((name.to_owned(), Err(unavailable(reason, message))));
        self
    }

    /// A library file: `<library>/<key>` or `lib/<library>/<key>`.
    #[must_use]
    pub fn file(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.0.files.insert(path.to_owned(), bytes.into());
        self
    }

    /// Started by an interval of this name.
    #[must_use]
    pub fn interval(mut self, trigger: &str) -> Self {
        self.0.trigger.name = Some(trigger.to_owned());
        self
    }

    /// Started by a change of this object, which exists.
    ///
    /// # Panics
    /// If it is not serialisable, or has no kind or name.
    #[must_use]
    pub fn changed(mut self, trigger: &str, object: impl Serialize) -> Self {
        let object = text(&object);
        self.0.trigger.name = Some(trigger.to_owned());
        self.0.trigger.event = Some(collection::id(&object));
        self.0.trigger.object = Some(object);
        self
    }

    /// Started by an object that is gone.
    #[must_use]
    pub fn gone(mut self, trigger: &str, id: ObjectId) -> Self {
        self.0.trigger.name = Some(trigger.to_owned());
        self.0.trigger.event = Some(id);
        self
    }

    /// One reconcile.
    #[must_use]
    pub fn reconcile<P: Reconciler>(self) -> Outcome {
        let (returned, state) = state::run(self.0, P::reconcile);
        let (items, problems) = state.tree.finish();
        let result = match (returned, problems.is_empty()) {
            (Ok(()), false) => Err(Failure::invalid_output(problems.join("; "))),
            (returned, _) => returned,
        };
        Outcome {
            result,
            items,
            report: state.report,
            log: state.log,
            kept: state.kept,
        }
    }

    /// One call of a provider; its value as JSON.
    ///
    /// # Errors
    /// The provider's own; `invalid-output` if what it returned is no JSON document.
    pub fn provide<P: Provider>(self) -> Result<Value, Failure> {
        let (returned, _) = state::run(self.0, P::provide);
        serde_json::from_str(&returned?)
            .map_err(|error| Failure::invalid_output(format!("the value is no JSON document: {error}")))
    }

    /// One request for admission.
    ///
    /// # Panics
    /// If the request is not serialisable.
    #[must_use]
    pub fn admit<P: Admitter>(self, request: impl Serialize) -> Admission {
        let request = text(&request);
        let (result, state) = state::run(self.0, || P::admit(&request));
        Admission {
            result,
            warnings: state.warnings,
            annotations: state.annotations,
            log: state.log,
        }
    }
}

impl Outcome {
    /// All objects to apply, in order, whatever groups they are in.
    #[must_use]
    pub fn applied(&self) -> Vec<&Value> {
        let mut found = Vec::new();
        tree::visit(&self.items, &mut |item| {
            if let Item::Apply { object, .. } = item {
                found.push(object);
            }
        });
        found
    }

    /// The first object to apply of that kind and name.
    #[must_use]
    pub fn object(&self, kind: &str, name: &str) -> Option<&Value> {
        let is =
            |object: &Value, pointer, text| object.pointer(pointer).and_then(Value::as_str) == Some(text);
        let named = |object: &&Value| is(object, "/kind", kind) && is(object, "/metadata/name", name);
        self.applied().into_iter().find(named)
    }

    /// All objects to delete, in order.
    #[must_use]
    pub fn deleted(&self) -> Vec<&ObjectId> {
        let mut found = Vec::new();
        tree::visit(&self.items, &mut |item| {
            if let Item::Delete { id, .. } = item {
                found.push(id);
            }
        });
        found
    }
}

impl Admission {
    /// The decision as the API server gets it: `allowed`, and `code`, `message`, `patch` or `object` where there are any.
    ///
    /// # Errors
    /// The plugin's own failure.
    pub fn decision(&self) -> Result<Value, Failure> {
        let decision = self.result.as_ref().map_err(Clone::clone)?;
        let allowed = ("allowed".to_owned(), json!(decision.is_allowed()));
        let members = decision
            .members()
            .into_iter()
            .map(|(key, member)| (key.to_owned(), member));
        Ok(Value::Object([allowed].into_iter().chain(members).collect()))
    }
}

fn unavailable(reason: UnavailableReason, message: &str) -> Unavailable {
    Unavailable {
        reason,
        message: message.to_owned(),
    }
}

#[allow(
    clippy::panic,
    reason = "a test that cannot say what the host has is wrong itself"
)]
fn text(value: &impl Serialize) -> String {
    match serde_json::to_string(value) {
        Ok(text) => text,
        Err(error) => panic!("the fake host takes what is JSON: {error}"),
    }
}

#[cfg(test)]
mod tests;
