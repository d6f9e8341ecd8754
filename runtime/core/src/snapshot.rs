//! Cluster state at one instant, as a call may read it.
//!
//! Owns the order of objects and the difference between "empty" and "cannot be had". It never fetches anything.

use std::sync::Arc;

use crate::{computed::Compute, object::Object};

/// Stands for a content: two equal revisions mean equal bytes, for as long as this process lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Revision(pub u64);

/// Why a context cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnavailableReason {
    /// The manifest defines nothing of this name.
    UnknownName,
    /// Not filled yet, or no longer kept up to date.
    NotSynced,
    /// The ServiceAccount may not read it.
    Forbidden,
    /// Anything else, such as a kind that the cluster does not know.
    Failed,
}

/// "Cannot be had", as opposed to "there is none".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unavailable {
    /// The sort of trouble, for programs.
    pub reason: UnavailableReason,
    /// The words of the API server where there are any.
    pub message: String,
}

impl Unavailable {
    /// An unavailable context with a message for people.
    pub fn new(reason: UnavailableReason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
        }
    }
}

/// The objects of one context, ordered by namespace, then name; each is named by its index.
#[derive(Clone, Debug)]
pub struct Collection {
    objects: Vec<Arc<Object>>,
    revision: Revision,
}

impl Collection {
    /// Takes objects in any order. `revision` stands for exactly these objects in this order.
    pub fn new(mut objects: Vec<Arc<Object>>, revision: Revision) -> Self {
        objects.sort_by(|a, b| a.key().cmp(&b.key()));
        Self { objects, revision }
    }

    /// Takes objects that are ordered by namespace, then name, already.
    pub fn from_sorted(objects: Vec<Arc<Object>>, revision: Revision) -> Self {
        debug_assert!(objects.is_sorted_by_key(|o| (o.namespace().to_owned(), o.name().to_owned())));
        Self { objects, revision }
    }

    /// All objects, in order.
    pub fn objects(&self) -> &[Arc<Object>] {
        &self.objects
    }

    /// The object at an index.
    pub fn get(&self, index: u32) -> Option<&Arc<Object>> {
        self.objects.get(index as usize)
    }

    /// How many objects there are. Never more than `u32::MAX`.
    pub fn len(&self) -> u32 {
        u32::try_from(self.objects.len()).unwrap_or(u32::MAX)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Stands for the whole collection.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// One object; `namespace` is empty for cluster-scoped kinds.
    pub fn object(&self, namespace: &str, name: &str) -> Option<&Arc<Object>> {
        self.get(self.find(namespace, name)?)
    }

    /// The index of one object; `namespace` is empty for cluster-scoped kinds.
    pub fn find(&self, namespace: &str, name: &str) -> Option<u32> {
        let found = self
            .objects
            .binary_search_by(|o| o.key().cmp(&(namespace, name)))
            .ok()?;
        u32::try_from(found).ok()
    }
}

/// What an entry of `context` gives.
#[derive(Clone, Debug)]
pub enum ContextValue {
    /// Objects, read by `state`.
    Objects(Result<Arc<Collection>, Unavailable>),
    /// A JSON value that was computed before the call, or recorded; read by `provided`.
    Provided(Result<Arc<str>, Unavailable>),
    /// A JSON value that is computed when `provided` is asked for it.
    Computed(Arc<dyn Compute>),
}

impl ContextValue {
    fn holds_objects(&self) -> bool {
        matches!(self, Self::Objects(_))
    }
}

/// Where the value of a computed context comes from.
#[derive(Clone, Debug)]
pub enum Provided {
    /// It is there.
    Value(Arc<str>),
    /// It has to be computed.
    Computed(Arc<dyn Compute>),
}

/// One named entry of `context`.
#[derive(Clone, Debug)]
pub struct Context {
    /// The name in the manifest.
    pub name: String,
    /// Its value at the instant of the snapshot.
    pub value: ContextValue,
}

/// All contexts of a call, in the order of the manifest, taken at one instant.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The entries.
    pub contexts: Vec<Context>,
}

impl Snapshot {
    /// The names of the contexts that hold objects.
    pub fn object_names(&self) -> Vec<String> {
        self.names(true)
    }

    /// The names of the computed contexts.
    pub fn provided_names(&self) -> Vec<String> {
        self.names(false)
    }

    fn names(&self, of_objects: bool) -> Vec<String> {
        self.contexts
            .iter()
            .filter(|context| context.value.holds_objects() == of_objects)
            .map(|context| context.name.clone())
            .collect()
    }

    /// The same contexts without those that are, or were, computed.
    #[must_use]
    pub fn without_computed(&self) -> Self {
        let contexts = self.contexts.iter();
        Self {
            contexts: contexts
                .filter(|context| context.value.holds_objects())
                .cloned()
                .collect(),
        }
    }

    /// The objects of a context.
    pub fn objects(&self, name: &str) -> Result<Arc<Collection>, Unavailable> {
        match self.value(name) {
            Some(ContextValue::Objects(value)) => value.clone(),
            _ => Err(unknown(name)),
        }
    }

    /// The value of a computed context, or the one who computes it.
    pub fn provided(&self, name: &str) -> Result<Provided, Unavailable> {
        match self.value(name) {
            Some(ContextValue::Provided(value)) => value.clone().map(Provided::Value),
            Some(ContextValue::Computed(compute)) => Ok(Provided::Computed(compute.clone())),
            _ => Err(unknown(name)),
        }
    }

    fn value(&self, name: &str) -> Option<&ContextValue> {
        self.contexts.iter().find(|c| c.name == name).map(|c| &c.value)
    }
}

fn unknown(name: &str) -> Unavailable {
    Unavailable::new(
        UnavailableReason::UnknownName,
        format!("context {name:?} is not defined"),
    )
}
