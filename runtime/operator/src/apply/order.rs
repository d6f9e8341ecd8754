//! The order of writes of different calls.
//!
//! Owns that each object sees its writes in the order of the calls that want them, so that an older snapshot never
//! overwrites a newer one. Calls that have no object in common do not wait for each other.

use std::collections::HashMap;

use espejote_core::{Desired, Group, Item, ObjectId};
use tokio_util::sync::{CancellationToken, DropGuard};

/// An object, whichever version of the API it is written in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Target {
    group: String,
    kind: String,
    namespace: String,
    name: String,
}

/// A call in the line.
#[derive(Clone, Debug, Default)]
struct Place {
    number: u64,
    /// Cancelled when its writes are over.
    over: CancellationToken,
}

/// The calls of one ManagedResource whose writes are not over.
#[derive(Debug, Default)]
pub struct Order {
    /// The last call that writes an object.
    last: HashMap<Target, Place>,
    number: u64,
}

/// A call's turn. Its writes are over when this is dropped.
#[derive(Debug)]
pub struct Turn {
    before: Vec<Place>,
    _over: DropGuard,
}

impl Order {
    /// Takes the next place. `namespace` is that of objects without one.
    pub fn line_up(&mut self, desired: &Desired, namespace: &str) -> Turn {
        self.last.retain(|_, place| !place.over.is_cancelled());
        self.number += 1;
        let own = Place {
            number: self.number,
            ..Place::default()
        };
        let mut before = Vec::new();
        for_each(&desired.root, &mut |id| {
            before.extend(self.last.insert(target(id, namespace), own.clone()));
        });
        // The same object twice in one result is in the order of the result anyway.
        before.retain(|earlier: &Place| earlier.number != own.number);
        before.dedup_by_key(|earlier| earlier.number);
        Turn {
            before,
            _over: own.over.drop_guard(),
        }
    }
}

impl Turn {
    /// Waits until all earlier calls with an object in common are over.
    pub async fn come(&self) {
        for earlier in &self.before {
            earlier.over.cancelled().await;
        }
    }
}

fn for_each(group: &Group, visit: &mut impl FnMut(&ObjectId)) {
    for item in &group.items {
        match item {
            Item::Group(group) => for_each(group, visit),
            Item::Apply(apply) => visit(&apply.id),
            Item::Delete(delete) => visit(&delete.id),
        }
    }
}

/// A cluster-scoped object gets a namespace here as well: what matters is that the same object gets the same.
fn target(id: &ObjectId, namespace: &str) -> Target {
    let of = match id.namespace.as_str() {
        "" => namespace,
        given => given,
    };
    Target {
        group: id.group().to_owned(),
        kind: id.kind.clone(),
        namespace: of.to_owned(),
        name: id.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use espejote_core::{ApplyOptions, DesiredBuilder};
    use futures_util::FutureExt;

    use super::*;

    fn wants(objects: &[(&str, &str, &str)]) -> Desired {
        let mut desired = DesiredBuilder::default();
        for (api_version, namespace, name) in objects {
            let metadata = serde_json::json!({"namespace": namespace, "name": name});
            let object =
                serde_json::json!({"apiVersion": api_version, "kind": "Thing", "metadata": metadata});
            desired.apply(object.to_string().into(), ApplyOptions::default());
        }
        desired.finish().unwrap()
    }

    fn may_write(turn: &Turn) -> bool {
        turn.come().now_or_never().is_some()
    }

    #[test]
    fn calls_with_an_object_in_common_wait_for_each_other_and_others_do_not() {
        let mut order = Order::default();
        let first = order.line_up(&wants(&[("v1", "ns", "a"), ("v1", "ns", "b")]), "ns");
        let same = order.line_up(&wants(&[("v1", "ns", "b"), ("v1", "ns", "c")]), "ns");
        let other = order.line_up(&wants(&[("v1", "ns", "d")]), "ns");
        assert!(may_write(&first) && !may_write(&same) && may_write(&other));
        let last = order.line_up(&wants(&[("v1", "ns", "b")]), "ns");
        drop(first);
        assert!(
            may_write(&same) && !may_write(&last),
            "only the one before counts"
        );
        drop(same);
        assert!(may_write(&last));
    }

    #[test]
    fn an_object_is_the_same_in_all_versions_and_with_the_default_namespace() {
        let mut order = Order::default();
        let _first = order.line_up(&wants(&[("apps/v1", "", "a")]), "ns");
        assert!(!may_write(
            &order.line_up(&wants(&[("apps/v1beta1", "ns", "a")]), "ns")
        ));
        assert!(may_write(
            &order.line_up(&wants(&[("batch/v1", "ns", "a")]), "ns")
        ));
    }

    #[test]
    fn the_same_object_twice_in_one_result_does_not_wait_for_itself() {
        let mut order = Order::default();
        let twice = order.line_up(&wants(&[("v1", "ns", "a"), ("v1", "ns", "a")]), "ns");
        assert!(may_write(&twice));
    }

    #[test]
    fn what_is_over_is_forgotten() {
        let mut order = Order::default();
        for _ in 0..100 {
            drop(order.line_up(&wants(&[("v1", "ns", "a"), ("v1", "ns", "b")]), "ns"));
        }
        assert!(order.last.len() <= 2);
    }
}
