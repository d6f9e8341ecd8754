//! What a call emitted, as a document for people: for logic that gives no document of its own.

use espejote_core::{Apply, Delete, Desired, Group, Item};
use serde_json::{Map, Value, json};

/// The objects, in order, whatever groups they are in; deletions as `{$delete: …}`.
pub fn of(desired: &Desired) -> Value {
    let shown = items(desired).into_iter().filter_map(|item| match item {
        Item::Apply(apply) => Some(object(apply)),
        Item::Delete(delete) => Some(json!({ "$delete": deletion(delete) })),
        Item::Group(_) => None,
    });
    Value::Array(shown.collect())
}

/// What is applied and deleted, in order, whatever groups it is in.
pub fn items(desired: &Desired) -> Vec<&Item> {
    let mut items = Vec::new();
    add(&desired.root, &mut items);
    items
}

fn add<'a>(group: &'a Group, items: &mut Vec<&'a Item>) {
    for item in &group.items {
        match item {
            Item::Group(inner) => add(inner, items),
            item => items.push(item),
        }
    }
}

/// The host has read it as JSON before.
pub fn object(apply: &Apply) -> Value {
    serde_json::from_str(&apply.json).unwrap_or(Value::Null)
}

fn deletion(delete: &Delete) -> Value {
    let options = &delete.options;
    let fields = [
        ("apiVersion", text(&delete.id.api_version)),
        ("kind", text(&delete.id.kind)),
        ("namespace", text(&delete.id.namespace)),
        ("name", text(&delete.id.name)),
        (
            "gracePeriodSeconds",
            options.grace_period_seconds.map(Value::from),
        ),
        (
            "propagationPolicy",
            options.propagation_policy.map(|policy| policy.word().into()),
        ),
        (
            "preconditionUID",
            options.precondition_uid.clone().map(Value::from),
        ),
        (
            "preconditionResourceVersion",
            options.precondition_resource_version.clone().map(Value::from),
        ),
    ];
    let given = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(given.collect::<Map<String, Value>>())
}

fn text(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| text.into())
}

#[cfg(test)]
mod tests {
    use espejote_core::{
        ApplyOptions, DeleteOptions, DesiredBuilder, ErrorPolicy, ObjectId, PropagationPolicy,
    };

    use super::*;

    #[test]
    fn objects_and_deletions_are_shown_in_order_without_their_groups() {
        let mut builder = DesiredBuilder::default();
        builder.apply(
            r#"{"kind":"A","n":9007199254740993}"#.into(),
            ApplyOptions::default(),
        );
        builder.open_group(Some(ErrorPolicy::Abort));
        let id = ObjectId {
            api_version: "v1".into(),
            kind: "B".into(),
            namespace: String::new(),
            name: "b".into(),
        };
        let options = DeleteOptions {
            propagation_policy: Some(PropagationPolicy::Orphan),
            ..DeleteOptions::default()
        };
        builder.delete(id, options);
        builder.close_group();
        builder.open_group(None);
        builder.close_group();
        let deletion = json!({"apiVersion": "v1", "kind": "B", "name": "b", "propagationPolicy": "Orphan"});
        let expected = json!([{"kind": "A", "n": 9_007_199_254_740_993_u64}, {"$delete": deletion}]);
        assert_eq!(of(&builder.finish().unwrap()), expected);
    }
}
