//! Which objects of an input the operator would have been given, with the selection that the manifest makes.

use espejote_api::Watched;
use espejote_core::Selector;

use crate::cli::{input::InputTrigger, yaml::Node};

/// As much of an object as a selection looks at. Fields that an input leaves out are empty.
pub struct Seen<'a> {
    api_version: &'a str,
    kind: &'a str,
    namespace: &'a str,
    name: &'a str,
    /// None: the object is gone, and its labels are not known.
    labels: Option<&'a Node>,
}

impl<'a> Seen<'a> {
    /// An object of a context.
    pub fn of_object(object: &'a Node) -> Self {
        let metadata = object.get("metadata").unwrap_or(&Node::Null);
        Self {
            api_version: text(object, "apiVersion"),
            kind: text(object, "kind"),
            namespace: text(metadata, "namespace"),
            name: text(metadata, "name"),
            labels: Some(metadata.get("labels").unwrap_or(&Node::Null)),
        }
    }

    /// What a trigger is about.
    pub fn of_trigger(trigger: &'a InputTrigger) -> Option<Self> {
        if let Some(object) = trigger.object() {
            return Some(Self::of_object(object));
        }
        let event = trigger.event.as_ref()?;
        Some(Self {
            api_version: &event.api_version,
            kind: &event.kind,
            namespace: &event.namespace,
            name: &event.name,
            labels: None,
        })
    }

    /// Each part of the selection that leaves it out.
    pub fn problems(&self, watched: &Watched) -> Vec<String> {
        [
            self.type_problem(watched),
            self.namespace_problem(watched),
            self.name_problem(watched),
            self.label_problem(watched),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn type_problem(&self, watched: &Watched) -> Option<String> {
        let fits = self.api_version == watched.api_version && self.kind == watched.kind;
        (!fits).then(|| {
            format!(
                "it is a {:?} {:?}, watched is {} {}",
                self.api_version, self.kind, watched.api_version, watched.kind
            )
        })
    }

    /// Kinds without namespaces are not known here: an object without one is let through.
    fn namespace_problem(&self, watched: &Watched) -> Option<String> {
        let only = watched.namespace.as_ref()?;
        let fits = self.namespace.is_empty() || self.namespace == only;
        (!fits).then(|| {
            format!(
                "its namespace is {:?}, watched is {only:?} (namespace: \"\" watches all)",
                self.namespace
            )
        })
    }

    fn name_problem(&self, watched: &Watched) -> Option<String> {
        let name = self.name.to_owned();
        if watched.name.as_ref().is_some_and(|only| *only != name) {
            return Some(format!("its name {name:?} is not the one in name"));
        }
        if !watched.match_names.is_empty() && !watched.match_names.contains(&name) {
            return Some(format!("its name {name:?} is not in matchNames"));
        }
        let ignored = watched.ignore_names.contains(&name);
        ignored.then(|| format!("its name {name:?} is in ignoreNames"))
    }

    fn label_problem(&self, watched: &Watched) -> Option<String> {
        let labels = self.labels?;
        let selector = Selector::parse(&watched.label_selector).ok()?;
        let fits = selector.matches(|label| labels.get(label).and_then(Node::as_str));
        (!fits).then(|| format!("its labels do not match labelSelector {}", watched.label_selector))
    }
}

fn text<'a>(value: &'a Node, field: &str) -> &'a str {
    value.get(field).and_then(Node::as_str).unwrap_or_default()
}
