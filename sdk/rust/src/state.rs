//! The cluster state that the manifest lists under `context`.
//!
//! All collections of a call are of one instant and do not change while it runs. They come from watches, so they may lag
//! behind the cluster, also behind the last writes of this plugin.

use std::marker::PhantomData;
use std::ops::Range;

use serde::de::DeserializeOwned;

use crate::failure::{Failure, FailureKind, Unavailable};
use crate::host::state as wit;
use crate::object::{ObjectId, Revision, parse, written};

/// How much [`Collection::iter`] asks for at a time.
const PAGE_BYTES: u32 = 256 * 1024;

/// The names of all contexts that hold objects, in the order of the manifest; available or not.
#[must_use]
pub fn names() -> Vec<String> {
    wit::names()
}

/// The objects of one context.
///
/// # Errors
/// [`Unavailable`] is never the same as "there are none"; as a [`Failure`] (by `?`) it is `not-ready` while the context
/// is being filled, `invalid-input` otherwise.
///
/// ```no_run
/// # use espejote_sdk::{Failure, state};
/// # fn f() -> Result<(), Failure> {
/// let pods = state::context("pods")?;
/// let web = pods.select(Some("shop"), "app=web,tier!=cache")?;
/// let phases: Vec<Option<String>> = pods.values(&web, "/status/phase")?;
/// # Ok(())
/// # }
/// ```
pub fn context(name: &str) -> Result<Collection, Unavailable> {
    wit::open(name).map(|inner| Collection {
        inner,
        name: name.to_owned(),
    })
}

/// Objects, ordered by namespace, then name. An object is named by its index, which is good for this collection only.
///
/// Ends with the call: a collection that a kept instance uses in a later call traps. So does an index out of range.
#[derive(Debug)]
pub struct Collection {
    inner: wit::Collection,
    name: String,
}

impl Collection {
    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.inner.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All indices.
    #[must_use]
    pub fn indices(&self) -> Range<u32> {
        0..self.len()
    }

    /// Stands for the whole: equal means the same objects, the same bytes and the same indices.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.inner.revision()
    }

    /// The revision of every object, by index. With it a kept instance reads only what changed.
    #[must_use]
    pub fn revisions(&self) -> Vec<Revision> {
        self.inner.revisions()
    }

    /// The index of one object; `namespace` is empty for cluster-scoped kinds.
    #[must_use]
    pub fn find(&self, namespace: &str, name: &str) -> Option<u32> {
        self.inner.find(namespace, name)
    }

    /// The indices, ascending, of the objects in one namespace (`None`: in all) that match a label selector written as
    /// for `kubectl -l` (empty: matches all). The host's index answers; no object is parsed.
    ///
    /// # Errors
    /// `invalid-input` with what is wrong with the selector.
    pub fn select(&self, namespace: Option<&str>, label_selector: &str) -> Result<Vec<u32>, Failure> {
        self.inner.select(namespace, label_selector).map_err(|error| {
            Failure::invalid_input(format!(
                "label selector {label_selector:?} for context {:?}: {error}",
                self.name
            ))
        })
    }

    /// Type, namespace and name of the given objects, in the given order.
    #[must_use]
    pub fn ids(&self, indices: &[u32]) -> Vec<ObjectId> {
        self.inner.ids(indices)
    }

    /// The given objects as a type, in the given order.
    ///
    /// # Errors
    /// `invalid-input` that names the first object which does not fit the type.
    pub fn read<T: DeserializeOwned>(&self, indices: &[u32]) -> Result<Vec<T>, Failure> {
        let texts = self.read_json(indices);
        indices
            .iter()
            .zip(&texts)
            .map(|(&index, text)| self.parse(index, text))
            .collect()
    }

    /// The given objects as JSON, in the given order. Traps if they cannot fit into the memory allowed to the instance.
    #[must_use]
    pub fn read_json(&self, indices: &[u32]) -> Vec<String> {
        self.inner.read(indices)
    }

    /// The objects from `start` on, as JSON: as many as fit into `max_bytes`, but at least one. Empty only at the end.
    #[must_use]
    pub fn scan(&self, start: u32, max_bytes: u32) -> Vec<String> {
        self.inner.scan(start, max_bytes)
    }

    /// All objects as a type, in order, fetched in pages so that no more than a page of text is held at a time. Each item is
    /// a result: one that does not fit the type need not stop the rest.
    #[must_use]
    pub fn iter<T: DeserializeOwned>(&self) -> Objects<'_, T> {
        Objects {
            collection: self,
            pages: Pages::default(),
            item: PhantomData,
        }
    }

    /// The value at a JSON pointer (RFC 6901) in each of the given objects, in the given order; `None` where there is none.
    /// The host finds them, so the rest of the objects is not copied.
    ///
    /// # Errors
    /// `invalid-input` with what is wrong with the pointer, or the first object whose value does not fit the type.
    pub fn values<T: DeserializeOwned>(
        &self,
        indices: &[u32],
        pointer: &str,
    ) -> Result<Vec<Option<T>>, Failure> {
        let texts = self.values_json(indices, pointer)?;
        let value = |(&index, text): (&u32, &Option<String>)| {
            text.as_deref()
                .map(|text| self.parse_at(index, pointer, text))
                .transpose()
        };
        indices.iter().zip(&texts).map(value).collect()
    }

    /// As [`values`](Self::values), as JSON.
    ///
    /// # Errors
    /// `invalid-input` with what is wrong with the pointer.
    pub fn values_json(&self, indices: &[u32], pointer: &str) -> Result<Vec<Option<String>>, Failure> {
        self.inner.values(indices, pointer).map_err(|error| {
            Failure::invalid_input(format!(
                "JSON pointer {pointer:?} for context {:?}: {error}",
                self.name
            ))
        })
    }

    fn parse<T: DeserializeOwned>(&self, index: u32, text: &str) -> Result<T, Failure> {
        parse(FailureKind::InvalidInput, text, || self.written(index))
    }

    fn parse_at<T: DeserializeOwned>(&self, index: u32, pointer: &str, text: &str) -> Result<T, Failure> {
        parse(FailureKind::InvalidInput, text, || {
            format!("{} at {pointer:?}", self.written(index))
        })
    }

    fn written(&self, index: u32) -> String {
        let ids = self.ids(&[index]);
        let object = ids.first().map_or_else(|| format!("object {index}"), written);
        format!("{object} of context {:?}", self.name)
    }
}

/// The objects of a collection in order; see [`Collection::iter`].
#[derive(Debug)]
pub struct Objects<'a, T> {
    collection: &'a Collection,
    pages: Pages,
    item: PhantomData<T>,
}

impl<T: DeserializeOwned> Iterator for Objects<'_, T> {
    type Item = Result<T, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let (index, text) = self.pages.next(|start| self.collection.scan(start, PAGE_BYTES))?;
        Some(self.collection.parse(index, &text))
    }
}

/// Turns pages into single texts with their index.
#[derive(Debug, Default)]
struct Pages {
    next: u32,
    page: std::vec::IntoIter<String>,
}

impl Pages {
    fn next(&mut self, scan: impl FnOnce(u32) -> Vec<String>) -> Option<(u32, String)> {
        if self.page.as_slice().is_empty() {
            self.page = scan(self.next).into_iter();
        }
        let text = self.page.next()?;
        let index = self.next;
        self.next += 1;
        Some((index, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_any_length_give_every_object_once_with_its_index() {
        let all: Vec<String> = (0..7).map(|n| n.to_string()).collect();
        for size in 1..=8 {
            let mut pages = Pages::default();
            let scan = |start: u32| all.iter().skip(start as usize).take(size).cloned().collect();
            let seen: Vec<(u32, String)> = std::iter::from_fn(|| pages.next(scan)).collect();
            assert_eq!(seen.len(), 7, "pages of {size}");
            assert!(seen.iter().all(|(index, text)| index.to_string() == *text));
        }
    }
}
