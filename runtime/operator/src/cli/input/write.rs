//! An input as a file.

use espejote_core::UnavailableReason;

use super::file::{Context, Event, InputFile, Owner, Reason, Trigger};
use crate::cli::yaml::{Node, exact_yaml};

impl InputFile {
    /// A text that [`InputFile::parse`] reads as the same input: objects with their keys in their order and their numbers as
    /// they stand. What says nothing is left out.
    pub fn to_yaml(&self) -> String {
        let triggers = self.triggers.as_ref();
        let triggers = triggers.map(|triggers| Node::List(triggers.iter().map(Trigger::node).collect()));
        let context = some(Node::List(self.context.iter().map(Context::node).collect()));
        let texts = self
            .libraries
            .iter()
            .map(|(path, text)| (path, Node::from(text.as_str())));
        let unavailable = self.unavailable.iter().map(|(name, why)| (name, why.node()));
        let provided = self.provided.iter().map(|(name, value)| (name, value.clone()));
        let fields = [
            ("triggers", triggers),
            ("context", context),
            ("provided", some(Node::object(provided))),
            ("unavailable", some(Node::object(unavailable))),
            ("libraries", some(Node::object(texts))),
            ("owner", self.owner.as_ref().map(Owner::node)),
            ("clock", self.clock.as_deref().map(Node::from)),
            (
                "seed",
                (self.seed != 0).then(|| Node::Number(self.seed.to_string())),
            ),
        ];
        exact_yaml(&present(fields))
    }
}

impl Trigger {
    fn node(&self) -> Node {
        present([
            ("name", text(&self.name)),
            ("watchResource", self.watch_resource.clone()),
            ("event", self.event.as_ref().map(Event::node)),
        ])
    }
}

impl Event {
    fn node(&self) -> Node {
        present([
            ("apiVersion", text(&self.api_version)),
            ("kind", text(&self.kind)),
            ("namespace", text(&self.namespace)),
            ("name", text(&self.name)),
        ])
    }
}

impl Context {
    fn node(&self) -> Node {
        Node::object([
            ("name", self.name.as_str().into()),
            ("resources", Node::List(self.resources.clone())),
        ])
    }
}

impl Owner {
    fn node(&self) -> Node {
        let given = |field: &Option<String>| field.as_deref().map(Node::from);
        present([
            ("apiVersion", given(&self.api_version)),
            ("kind", given(&self.kind)),
            ("namespace", given(&self.namespace)),
            ("name", given(&self.name)),
            ("uid", given(&self.uid)),
        ])
    }
}

impl Reason {
    fn node(&self) -> Node {
        let word = match self.reason {
            UnavailableReason::UnknownName => "unknown-name",
            UnavailableReason::NotSynced => "not-synced",
            UnavailableReason::Forbidden => "forbidden",
            UnavailableReason::Failed => "failed",
        };
        present([("reason", Some(word.into())), ("message", text(&self.message))])
    }
}

fn text(text: &str) -> Option<Node> {
    (!text.is_empty()).then(|| text.into())
}

/// Not what is empty.
fn some(node: Node) -> Option<Node> {
    let empty = matches!(&node, Node::List(items) if items.is_empty())
        || matches!(&node, Node::Fields(fields) if fields.is_empty());
    (!empty).then_some(node)
}

fn present<const N: usize>(fields: [(&str, Option<Node>); N]) -> Node {
    Node::object(
        fields
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_the_same_input() {
        let text = "\
triggers:
- {}
- name: tick
- name: \"yes\"
  watchResource:
    kind: Pod
    apiVersion: v1
    metadata:
      name: p
- name: gone
  event:
    apiVersion: v1
    kind: Pod
    name: q
context:
- name: none
  resources: []
- name: some
  resources:
  - kind: B
    spec:
      ratio: 0.000001
      big: 1e+21
provided:
  p: 9007199254740993
unavailable:
  q:
    reason: not-synced
    message: later
libraries:
  a/x: |
    { a: 1 }
owner:
  uid: u
clock: \"2026-01-02T15:04:05.000000001Z\"
seed: 18446744073709551615
";
        let read = InputFile::parse(text).unwrap();
        assert_eq!(read.to_yaml(), text);
        assert_eq!(InputFile::default().to_yaml(), "{}\n");
    }
}
