//! What a call would apply, as a `v1` `List` that `kubectl apply` takes.

use espejote_core::{Delete, Desired, Item};

use super::document;
use crate::cli::yaml::Node;

/// The objects to apply, in order, whatever groups they are in. One without a namespace gets `namespace`, as from the
/// operator; for kinds that have none, the API server takes it away again.
pub fn of(desired: &Desired, namespace: &str) -> Node {
    let objects = document::items(desired)
        .into_iter()
        .filter_map(|item| match item {
            Item::Apply(apply) => Some(in_namespace(document::object(apply), namespace)),
            Item::Delete(_) | Item::Group(_) => None,
        });
    Node::object([
        ("apiVersion", "v1".into()),
        ("kind", "List".into()),
        ("items", Node::List(objects.collect())),
    ])
}

/// What the list leaves out.
pub fn deletions(desired: &Desired) -> impl Iterator<Item = &Delete> {
    document::items(desired)
        .into_iter()
        .filter_map(|item| match item {
            Item::Delete(delete) => Some(delete),
            Item::Apply(_) | Item::Group(_) => None,
        })
}

fn in_namespace(mut object: Node, namespace: &str) -> Node {
    let named = object
        .get("metadata")
        .and_then(|metadata| metadata.get("namespace"));
    let named = named
        .and_then(Node::as_str)
        .is_some_and(|named| !named.is_empty());
    if let Node::Fields(fields) = &mut object
        && let Some((_, Node::Fields(metadata))) = fields.iter_mut().find(|(key, _)| key == "metadata")
        && !named
    {
        metadata.retain(|(key, _)| key != "namespace");
        metadata.push(("namespace".to_owned(), namespace.into()));
    }
    object
}

#[cfg(test)]
mod tests {
    use espejote_core::{ApplyOptions, DeleteOptions, DesiredBuilder, ErrorPolicy, ObjectId};

    use super::*;

    #[test]
    fn the_list_holds_what_is_applied_with_its_namespace_and_no_deletion() {
        let mut builder = DesiredBuilder::default();
        builder.open_group(Some(ErrorPolicy::Abort));
        let first = r#"{"kind":"A","metadata":{"name":"a"}}"#;
        builder.apply(first.into(), ApplyOptions::default());
        builder.close_group();
        let gone = ObjectId {
            kind: "C".to_owned(),
            name: "c".to_owned(),
            ..ObjectId::default()
        };
        builder.delete(gone, DeleteOptions::default());
        let second = r#"{"kind":"B","metadata":{"name":"b","namespace":"other"}}"#;
        builder.apply(second.into(), ApplyOptions::default());
        let desired = builder.finish().unwrap();
        let items = serde_json::json!([
            {"kind": "A", "metadata": {"name": "a", "namespace": "own"}},
            {"kind": "B", "metadata": {"name": "b", "namespace": "other"}},
        ]);
        assert_eq!(
            of(&desired, "own").to_value(),
            serde_json::json!({"apiVersion": "v1", "kind": "List", "items": items})
        );
        assert_eq!(deletions(&desired).count(), 1);
    }
}
