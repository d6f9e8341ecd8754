//! What a call emitted, as a document for people: for logic that gives no document of its own.

use espejote_core::{Apply, Delete, Desired, ErrorPolicy, Group, Item};
use serde_json::{Map, Value, json};

/// The items, in order: objects as they are, deletions as `{$delete: …}`, groups with a policy as `{$group: …}`.
pub fn of(desired: &Desired) -> Value {
    items(&desired.root)
}

fn items(group: &Group) -> Value {
    group.items.iter().map(item).collect()
}

fn item(item: &Item) -> Value {
    match item {
        Item::Apply(apply) => object(apply),
        Item::Delete(delete) => json!({ "$delete": deletion(delete) }),
        Item::Group(group) => match group.on_error {
            None => items(group),
            Some(policy) => json!({"$group": {"onError": word(policy), "items": items(group)}}),
        },
    }
}

/// The host has read it as JSON before.
fn object(apply: &Apply) -> Value {
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

const fn word(policy: ErrorPolicy) -> &'static str {
    match policy {
        ErrorPolicy::Continue => "Continue",
        ErrorPolicy::Abort => "Abort",
    }
}

#[cfg(test)]
mod tests {
    use espejote_core::{ApplyOptions, DeleteOptions, DesiredBuilder, ObjectId, PropagationPolicy};

    use super::*;

    #[test]
    fn items_deletions_and_groups_are_shown_in_order() {
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
        let expected = json!([
            {"kind": "A", "n": 9_007_199_254_740_993_u64},
            {"$group": {"onError": "Abort", "items": [{"$delete": deletion}]}},
            [],
        ]);
        assert_eq!(of(&builder.finish().unwrap()), expected);
    }
}
