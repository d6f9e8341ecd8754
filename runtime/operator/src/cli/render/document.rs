//! What a call emitted, as a document for people: for logic that gives no document of its own.

use espejote_core::{Apply, Delete, Desired, Group, Item, Report};

use crate::cli::yaml::Node;

/// What is printed of a call: the document that it gave, or what it emitted.
pub fn of_call(report: &Report, desired: Option<&Desired>) -> Option<Node> {
    let given = report.document.as_deref();
    let given = given.and_then(|json| Node::parse(json).ok());
    given.or_else(|| desired.map(of))
}

/// The objects, in order, whatever groups they are in; deletions as `{$delete: …}`.
pub fn of(desired: &Desired) -> Node {
    let shown = items(desired).into_iter().filter_map(|item| match item {
        Item::Apply(apply) => Some(object(apply)),
        Item::Delete(delete) => Some(Node::object([("$delete", deletion(delete))])),
        Item::Group(_) => None,
    });
    Node::List(shown.collect())
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
pub fn object(apply: &Apply) -> Node {
    Node::parse(&apply.json).unwrap_or(Node::Null)
}

fn deletion(delete: &Delete) -> Node {
    let options = &delete.options;
    let fields = [
        ("apiVersion", text(&delete.id.api_version)),
        ("kind", text(&delete.id.kind)),
        ("namespace", text(&delete.id.namespace)),
        ("name", text(&delete.id.name)),
        (
            "gracePeriodSeconds",
            options
                .grace_period_seconds
                .map(|seconds| Node::Number(seconds.to_string())),
        ),
        (
            "propagationPolicy",
            options.propagation_policy.map(|policy| policy.word().into()),
        ),
        (
            "preconditionUID",
            options.precondition_uid.as_deref().map(Node::from),
        ),
        (
            "preconditionResourceVersion",
            options.precondition_resource_version.as_deref().map(Node::from),
        ),
    ];
    Node::object(
        fields
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?))),
    )
}

fn text(text: &str) -> Option<Node> {
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
        builder.apply(r#"{"n":1e400,"kind":"A"}"#.into(), ApplyOptions::default());
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
        let deletion = r#"{"apiVersion":"v1","kind":"B","name":"b","propagationPolicy":"Orphan"}"#;
        let expected = format!(r#"[{{"n":1e400,"kind":"A"}},{{"$delete":{deletion}}}]"#);
        assert_eq!(of(&builder.finish().unwrap()).to_json(), expected);
    }
}
