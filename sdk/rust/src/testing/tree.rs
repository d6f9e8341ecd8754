//! What was emitted, and whether it is well-formed.

use serde_json::{Map, Value, json};

use crate::ObjectId;
use crate::bindings::imports::espejote::plugin::desired::{
    ApplyOptions, DeleteOptions, ErrorPolicy, FieldValidation, PropagationPolicy,
};

/// One step of what was emitted.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// An object to apply.
    Apply {
        /// The object.
        object: Value,
        /// The options that were given, by their names in `spec.applyOptions`: `fieldManager`, `fieldManagerSuffix`, `force`,
        /// `fieldValidation`, `subresource`.
        options: Value,
    },
    /// An object to delete.
    Delete {
        /// Which.
        id: ObjectId,
        /// The options that were given, by their names in Kubernetes: `gracePeriodSeconds`, `propagationPolicy`, `preconditions`.
        options: Value,
    },
    /// Items that share an error policy.
    Group {
        /// None: the one of the group around it.
        on_error: Option<ErrorPolicy>,
        /// The items.
        items: Vec<Item>,
    },
}

type Group = (Option<ErrorPolicy>, Vec<Item>);

#[derive(Debug, Default)]
pub(crate) struct Tree {
    root: Vec<Item>,
    open: Vec<Group>,
    problems: Vec<String>,
    count: usize,
}

impl Tree {
    pub fn apply(&mut self, object: &str, options: Option<&ApplyOptions>) {
        match serde_json::from_str::<Value>(object) {
            Ok(object) if !object.is_object() => self.problem("expected a JSON object"),
            Ok(object)
                if object
                    .get("kind")
                    .and_then(Value::as_str)
                    .is_none_or(str::is_empty) =>
            {
                self.problem("Object 'Kind' is missing");
            }
            Ok(object) => {
                let options = options.map_or_else(|| json!({}), apply_options);
                self.push(Item::Apply { object, options });
            }
            Err(error) => self.problem(&error.to_string()),
        }
        self.count += 1;
    }

    pub fn delete(&mut self, id: &ObjectId, options: Option<&DeleteOptions>) {
        match (id.kind.is_empty(), id.name.is_empty()) {
            (true, _) => self.problem("Object 'Kind' is missing"),
            (false, true) => self.problem("'metadata.name' is missing"),
            (false, false) => {
                let options = options.map_or_else(|| json!({}), delete_options);
                self.push(Item::Delete {
                    id: id.clone(),
                    options,
                });
            }
        }
        self.count += 1;
    }

    pub fn open(&mut self, on_error: Option<ErrorPolicy>) {
        self.open.push((on_error, Vec::new()));
    }

    pub fn close(&mut self) {
        match self.open.pop() {
            Some((on_error, items)) => self.push(Item::Group { on_error, items }),
            None => self.problem("a group is closed that was not opened"),
        }
    }

    /// The items, and all that is wrong with them.
    pub fn finish(mut self) -> (Vec<Item>, Vec<String>) {
        if !self.open.is_empty() {
            self.problem(&format!("{} groups are left open", self.open.len()));
        }
        (self.root, self.problems)
    }

    fn push(&mut self, item: Item) {
        let around = self.open.last_mut().map_or(&mut self.root, |(_, items)| items);
        around.push(item);
    }

    fn problem(&mut self, problem: &str) {
        self.problems.push(format!("item {}: {problem}", self.count));
    }
}

/// Every item but the groups, in order.
pub(crate) fn visit<'a>(items: &'a [Item], each: &mut impl FnMut(&'a Item)) {
    for item in items {
        match item {
            Item::Group { items, .. } => visit(items, each),
            item => each(item),
        }
    }
}

fn object(members: impl IntoIterator<Item = (&'static str, Option<Value>)>) -> Value {
    let given = members
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(given.collect::<Map<String, Value>>())
}

fn apply_options(options: &ApplyOptions) -> Value {
    let validation = options.field_validation.map(|validation| match validation {
        FieldValidation::Ignore => "Ignore",
        FieldValidation::Warn => "Warn",
        FieldValidation::Strict => "Strict",
    });
    object([
        ("fieldManager", options.field_manager.clone().map(Value::from)),
        (
            "fieldManagerSuffix",
            options.field_manager_suffix.clone().map(Value::from),
        ),
        ("force", options.force.map(Value::from)),
        ("fieldValidation", validation.map(Value::from)),
        ("subresource", options.subresource.clone().map(Value::from)),
    ])
}

fn delete_options(options: &DeleteOptions) -> Value {
    let policy = options.propagation_policy.map(|policy| match policy {
        PropagationPolicy::Background => "Background",
        PropagationPolicy::Foreground => "Foreground",
        PropagationPolicy::Orphan => "Orphan",
    });
    let preconditions = object([
        ("uid", options.precondition_uid.clone().map(Value::from)),
        (
            "resourceVersion",
            options.precondition_resource_version.clone().map(Value::from),
        ),
    ]);
    let given = preconditions
        .as_object()
        .is_some_and(|members| !members.is_empty());
    object([
        (
            "gracePeriodSeconds",
            options.grace_period_seconds.map(Value::from),
        ),
        ("propagationPolicy", policy.map(Value::from)),
        ("preconditions", given.then_some(preconditions)),
    ])
}
