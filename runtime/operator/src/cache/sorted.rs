//! Objects in the order of namespace, then name.
//!
//! Owns the order and the comparison of two states. 8 bytes an object.

use std::{cmp::Ordering, sync::Arc};

use espejote_core::Object;

/// What happened to an object of a list that is still coming in.
pub(crate) enum Staged {
    Applied(Arc<Object>),
    Deleted { namespace: String, name: String },
}

impl Staged {
    fn key(&self) -> (&str, &str) {
        match self {
            Self::Applied(object) => object.key(),
            Self::Deleted { namespace, name } => (namespace, name),
        }
    }
}

#[derive(Default)]
pub(super) struct Sorted {
    objects: Vec<Arc<Object>>,
}

impl Sorted {
    /// Takes what came in, in any order; of each name the last word counts.
    pub(super) fn from_staged(mut staged: Vec<Staged>) -> Self {
        staged.sort_by(|a, b| a.key().cmp(&b.key()));
        let mut kept: Vec<Staged> = Vec::with_capacity(staged.len());
        for entry in staged {
            match kept.last_mut() {
                Some(last) if last.key() == entry.key() => *last = entry,
                _ => kept.push(entry),
            }
        }
        let applied = |entry| match entry {
            Staged::Applied(object) => Some(object),
            Staged::Deleted { .. } => None,
        };
        Self {
            objects: kept.into_iter().filter_map(applied).collect(),
        }
    }

    pub(super) fn objects(&self) -> &[Arc<Object>] {
        &self.objects
    }

    /// The object of a name.
    pub(super) fn get(&self, namespace: &str, name: &str) -> Option<&Arc<Object>> {
        let index = self.find(namespace, name).ok()?;
        self.objects.get(index)
    }

    /// Puts an object into its place and gives the one that was there.
    pub(super) fn insert(&mut self, object: Arc<Object>) -> Option<Arc<Object>> {
        let (namespace, name) = object.key();
        match self.find(namespace, name) {
            Ok(index) => self
                .objects
                .get_mut(index)
                .map(|slot| std::mem::replace(slot, object)),
            Err(index) => {
                self.objects.insert(index, object);
                None
            }
        }
    }

    /// Takes an object out.
    pub(super) fn remove(&mut self, namespace: &str, name: &str) -> Option<Arc<Object>> {
        let index = self.find(namespace, name).ok()?;
        Some(self.objects.remove(index))
    }

    /// Goes through two states side by side; an object of the same name in both comes as a pair.
    pub(super) fn compare(
        before: &Self,
        after: &Self,
        mut visit: impl FnMut(Option<&Arc<Object>>, Option<&Arc<Object>>),
    ) {
        let (mut old, mut new) = (before.objects.iter().peekable(), after.objects.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (Some(old), Some(new)) => old.key().cmp(&new.key()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return,
            };
            match order {
                Ordering::Less => visit(old.next(), None),
                Ordering::Greater => visit(None, new.next()),
                Ordering::Equal => visit(old.next(), new.next()),
            }
        }
    }

    fn find(&self, namespace: &str, name: &str) -> Result<usize, usize> {
        self.objects
            .binary_search_by(|object| object.key().cmp(&(namespace, name)))
    }
}
