//! The name of one piece of work.

use std::{fmt, sync::Arc};

use espejote_core::ObjectId;

/// What one reconcile is about. Equal keys collapse in the queue; the event that caused them is not kept.
///
/// | `trigger` | `object` | the reconcile |
/// |---|---|---|
/// | none | none | general: the ManagedResource itself came up or changed |
/// | some | none | a tick of that interval trigger |
/// | some | some | that object came, changed or went, as seen by that trigger |
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TriggerKey {
    /// The trigger's name in the manifest.
    pub trigger: Option<Arc<str>>,
    /// The object whose change is to be handled.
    pub object: Option<ObjectId>,
}

impl TriggerKey {
    /// The key of the general reconcile.
    pub fn general() -> Self {
        Self::default()
    }

    /// The key of an interval trigger's ticks.
    pub fn interval(trigger: impl Into<Arc<str>>) -> Self {
        Self {
            trigger: Some(trigger.into()),
            object: None,
        }
    }

    /// The key of a change of `object`, as seen by `trigger`.
    pub fn object(trigger: impl Into<Arc<str>>, object: ObjectId) -> Self {
        Self {
            trigger: Some(trigger.into()),
            object: Some(object),
        }
    }

    /// The trigger's name as metrics spell it: empty for the general reconcile.
    pub fn label(&self) -> &str {
        self.trigger.as_deref().unwrap_or_default()
    }
}

/// `general`, `<trigger>` or `<trigger>: <namespace>/<name> <Kind>`, for logs.
impl fmt::Display for TriggerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.trigger, &self.object) {
            (None, _) => f.write_str("general"),
            (Some(trigger), None) => f.write_str(trigger),
            (Some(trigger), Some(object)) => {
                let object = object.to_string();
                // Kinds without namespaces have nothing before the slash.
                write!(f, "{trigger}: {}", object.trim_start_matches('/'))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config_map(name: &str) -> ObjectId {
        ObjectId {
            api_version: "v1".into(),
            kind: "ConfigMap".into(),
            namespace: "ns".into(),
            name: name.into(),
        }
    }

    #[test]
    fn t17_keys_differ_in_each_part() {
        let key = TriggerKey::object("t", config_map("a"));
        let other = |change: fn(&mut ObjectId)| {
            let mut id = config_map("a");
            change(&mut id);
            TriggerKey::object("t", id)
        };
        assert_eq!(key, TriggerKey::object("t", config_map("a")));
        assert_ne!(key, TriggerKey::object("u", config_map("a")));
        assert_ne!(key, other(|id| id.name = "b".into()));
        assert_ne!(key, other(|id| id.namespace = "b".into()));
        assert_ne!(key, other(|id| id.kind = "Secret".into()));
        assert_ne!(key, other(|id| id.api_version = "x/v1".into()));
    }

    #[test]
    fn logs_name_the_trigger_and_the_object() {
        assert_eq!(TriggerKey::general().to_string(), "general");
        assert_eq!(TriggerKey::interval("tick").to_string(), "tick");
        assert_eq!(
            TriggerKey::object("t", config_map("a")).to_string(),
            "t: ns/a ConfigMap"
        );
        let namespace = ObjectId {
            namespace: String::new(),
            kind: "Namespace".into(),
            ..config_map("a")
        };
        assert_eq!(TriggerKey::object("t", namespace).to_string(), "t: a Namespace");
    }

    #[test]
    fn the_label_of_the_general_reconcile_is_empty() {
        assert_eq!(TriggerKey::general().label(), "");
        assert_eq!(TriggerKey::interval("tick").label(), "tick");
    }
}
