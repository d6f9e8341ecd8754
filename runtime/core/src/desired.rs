//! What the cluster should look like, as one call emitted it.
//!
//! Owns the shape of the desired tree and its well-formedness: an item is a JSON object with a `kind`, its names fit into
//! a path of the API server, groups are closed. Whether a kind exists is not known here. All bad items are reported together; nothing is dropped silently.

use std::{fmt, sync::Arc};

use crate::{
    head::{self, kind_missing, misnamed, name_missing},
    object_id::ObjectId,
};

/// What becomes of the rest of a group after an error at one of its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorPolicy {
    /// Carry on; report all errors at the end.
    Continue,
    /// Leave out the rest of this group.
    Abort,
}

/// How the API server treats unknown and duplicate fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValidation {
    /// Drop them.
    Ignore,
    /// Drop them and say so.
    Warn,
    /// Refuse the object.
    Strict,
}

impl FieldValidation {
    /// The word in a query.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ignore => "Ignore",
            Self::Warn => "Warn",
            Self::Strict => "Strict",
        }
    }
}

/// Options of an apply; what is left out comes from the owner, then from the defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApplyOptions {
    /// The field manager.
    pub field_manager: Option<String>,
    /// Appended to the field manager, whichever it is.
    pub field_manager_suffix: Option<String>,
    /// Take fields over from other managers.
    pub force: Option<bool>,
    /// Treatment of unknown fields.
    pub field_validation: Option<FieldValidation>,
    /// Apply to this subresource instead.
    pub subresource: Option<String>,
}

/// What becomes of an object's dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropagationPolicy {
    /// Deleted afterwards.
    Background,
    /// Deleted before.
    Foreground,
    /// Left alone.
    Orphan,
}

impl PropagationPolicy {
    /// The word in DeleteOptions.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Background => "Background",
            Self::Foreground => "Foreground",
            Self::Orphan => "Orphan",
        }
    }
}

/// Options of a deletion; what is left out is up to the API server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// Seconds until the object is removed.
    pub grace_period_seconds: Option<u32>,
    /// What becomes of dependents.
    pub propagation_policy: Option<PropagationPolicy>,
    /// Delete only the object with this uid.
    pub precondition_uid: Option<String>,
    /// Delete only this version.
    pub precondition_resource_version: Option<String>,
}

/// An object to apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apply {
    /// Its type and name, as in `json`.
    pub id: ObjectId,
    /// The fields to own: one JSON object, as emitted.
    pub json: Arc<str>,
    /// The guest's own options.
    pub options: ApplyOptions,
}

/// An object to delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delete {
    /// Its type and name.
    pub id: ObjectId,
    /// The guest's own options.
    pub options: DeleteOptions,
}

/// One step of the desired tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// Apply an object.
    Apply(Apply),
    /// Delete an object.
    Delete(Delete),
    /// Items that share an error policy.
    Group(Group),
}

/// Items in the order of emission.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// None: the policy of the group around it; outside of all groups that is [`ErrorPolicy::Continue`].
    pub on_error: Option<ErrorPolicy>,
    /// The items.
    pub items: Vec<Item>,
}

/// All that one call emitted: the group around everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Desired {
    /// The outermost group.
    pub root: Group,
}

impl Desired {
    /// How many objects are applied or deleted.
    pub fn len(&self) -> usize {
        count(&self.root)
    }

    /// Whether nothing was emitted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn count(group: &Group) -> usize {
    group
        .items
        .iter()
        .map(|item| {
            if let Item::Group(inner) = item {
                count(inner)
            } else {
                1
            }
        })
        .sum()
}

/// One item that is not well-formed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidItem {
    /// Its position in the order of emission, from 0, groups not counted.
    pub position: usize,
    /// Kind and name as far as they can be told.
    pub name: String,
    /// What is wrong.
    pub problem: String,
}

/// All items that are not well-formed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidItems(pub Vec<InvalidItem>);

impl fmt::Display for InvalidItems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, item) in self.0.iter().enumerate() {
            let separator = if n == 0 { "" } else { "; " };
            write!(
                f,
                "{separator}item {}{}: {}",
                item.position, item.name, item.problem
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidItems {}

/// Collects what a call emits, in order, and checks it at the end.
#[derive(Debug, Default)]
pub struct DesiredBuilder {
    open: Vec<Group>,
    root: Group,
    count: usize,
    invalid: Vec<InvalidItem>,
}

impl DesiredBuilder {
    /// Emits an object to apply.
    pub fn apply(&mut self, json: Arc<str>, options: ApplyOptions) {
        match head::read(&json) {
            Ok(id) => match misnamed(&id, options.subresource.as_deref()) {
                None => self.push(Item::Apply(Apply { id, json, options })),
                Some(problem) => self.invalid(display_name(&id.kind, &id.name), problem),
            },
            Err(head::Unreadable { name, problem }) => self.invalid(display_name("", &name), problem),
        }
        self.count += 1;
    }

    /// Emits an object to delete.
    pub fn delete(&mut self, id: ObjectId, options: DeleteOptions) {
        let problem = kind_missing(&id)
            .or_else(|| name_missing(&id))
            .or_else(|| misnamed(&id, None));
        match problem {
            None => self.push(Item::Delete(Delete { id, options })),
            Some(problem) => self.invalid(display_name(&id.kind, &id.name), problem),
        }
        self.count += 1;
    }

    /// Starts a group: the next item of the group around it.
    pub fn open_group(&mut self, on_error: Option<ErrorPolicy>) {
        self.open.push(Group {
            on_error,
            items: Vec::new(),
        });
    }

    /// Ends the group that was opened last.
    pub fn close_group(&mut self) {
        match self.open.pop() {
            Some(group) => self.push(Item::Group(group)),
            None => self.invalid(String::new(), "a group is closed that was not opened".to_owned()),
        }
    }

    /// The tree, or everything that is wrong with it.
    pub fn finish(mut self) -> Result<Desired, InvalidItems> {
        if !self.open.is_empty() {
            self.invalid(String::new(), format!("{} groups are left open", self.open.len()));
        }
        if self.invalid.is_empty() {
            Ok(Desired { root: self.root })
        } else {
            Err(InvalidItems(self.invalid))
        }
    }

    fn push(&mut self, item: Item) {
        self.open.last_mut().unwrap_or(&mut self.root).items.push(item);
    }

    fn invalid(&mut self, name: String, problem: String) {
        self.invalid.push(InvalidItem {
            position: self.count,
            name,
            problem,
        });
    }
}

fn display_name(kind: &str, name: &str) -> String {
    match (kind.is_empty(), name.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!(" ({kind})"),
        (true, false) => format!(" ({name:?})"),
        (false, false) => format!(" ({kind} {name:?})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(builder: &mut DesiredBuilder, json: &str) {
        builder.apply(json.into(), ApplyOptions::default());
    }

    #[test]
    fn items_stay_in_the_order_of_emission_and_groups_nest() {
        let mut builder = DesiredBuilder::default();
        apply(&mut builder, r#"{"kind":"A","metadata":{"name":"a"}}"#);
        builder.open_group(Some(ErrorPolicy::Abort));
        apply(&mut builder, r#"{"kind":"B","metadata":{"name":"b"}}"#);
        builder.open_group(None);
        builder.close_group();
        builder.close_group();
        apply(&mut builder, r#"{"kind":"C","metadata":{"name":"c"}}"#);
        let desired = builder.finish().unwrap();
        assert_eq!(desired.len(), 3);
        let [Item::Apply(_), Item::Group(group), Item::Apply(last)] = desired.root.items.as_slice() else {
            panic!("{desired:?}");
        };
        assert_eq!((group.items.len(), last.id.kind.as_str()), (2, "C"));
    }

    /// A3: an object without a kind is refused, one without an apiVersion is not (yet).
    #[test]
    fn a3_a_kind_is_required_and_an_api_version_is_not() {
        let mut builder = DesiredBuilder::default();
        apply(&mut builder, r#"{"kind":"A","metadata":{"name":"a"}}"#);
        apply(&mut builder, r#"{"metadata":{"name":"b"}}"#);
        let error = builder.finish().unwrap_err();
        assert_eq!(error.to_string(), r#"item 1 ("b"): Object 'Kind' is missing"#);
    }

    #[test]
    fn all_bad_items_are_reported_together() {
        let mut builder = DesiredBuilder::default();
        apply(&mut builder, "42");
        apply(&mut builder, r#"{"kind":"A"} trailing"#);
        builder.delete(
            ObjectId {
                kind: "B".into(),
                ..ObjectId::default()
            },
            DeleteOptions::default(),
        );
        builder.open_group(None);
        let InvalidItems(items) = builder.finish().unwrap_err();
        assert_eq!(items.len(), 4);
    }

    /// Percent-encoding is of no help: the API server decodes before it looks.
    #[test]
    fn names_that_lead_to_another_path_are_refused_with_the_rule() {
        let refused = |name: &str, namespace: &str| {
            let mut builder = DesiredBuilder::default();
            let metadata = serde_json::json!({"name": name, "namespace": namespace});
            apply(
                &mut builder,
                &serde_json::json!({"kind": "A", "metadata": metadata}).to_string(),
            );
            let id = ObjectId {
                kind: "A".into(),
                namespace: namespace.into(),
                name: name.into(),
                ..ObjectId::default()
            };
            builder.delete(id, DeleteOptions::default());
            let InvalidItems(items) = builder.finish().unwrap_err();
            assert_eq!(items.len(), 2, "{name:?} {namespace:?}");
            items[0].problem.clone()
        };
        assert_eq!(refused("/", "ns"), r#"metadata.name "/" must not contain "/""#);
        assert_eq!(refused("..", ""), r#"metadata.name ".." must not be "." or "..""#);
        assert_eq!(
            refused("a%2Fb", ""),
            r#"metadata.name "a%2Fb" must not contain "%""#
        );
        assert_eq!(
            refused("a", "../x"),
            r#"metadata.namespace "../x" must not contain "/""#
        );
    }

    #[test]
    fn a_field_of_another_type_is_named_with_what_it_should_be() {
        let refused = |json: &str| {
            let mut builder = DesiredBuilder::default();
            apply(&mut builder, json);
            builder.finish().unwrap_err().0.remove(0).problem
        };
        assert_eq!(
            refused(r#"{"kind":"A","metadata":"x"}"#),
            "metadata must be an object, not a string"
        );
        assert_eq!(
            refused(r#"{"kind":"A","metadata":{"name":7}}"#),
            "metadata.name must be a string, not a number"
        );
    }

    #[test]
    fn a_subresource_is_one_segment_too() {
        let mut builder = DesiredBuilder::default();
        let options = ApplyOptions {
            subresource: Some("status/../../x".into()),
            ..ApplyOptions::default()
        };
        builder.apply(r#"{"kind":"A","metadata":{"name":"a"}}"#.into(), options);
        let error = builder.finish().unwrap_err().to_string();
        assert_eq!(
            error,
            r#"item 0 (A "a"): subresource "status/../../x" must not contain "/""#
        );
    }

    #[test]
    fn closing_what_was_not_opened_is_an_error() {
        let mut builder = DesiredBuilder::default();
        builder.close_group();
        assert!(builder.finish().is_err());
    }
}
