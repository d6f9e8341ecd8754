//! What a kept instance remembers from call to call: parsed objects, recognised by their revision. A cache only: a call
//! without it gives the same result.
//!
//! It never keeps a handle of the host: those end with the call.

use std::cell::RefCell;
use std::rc::Rc;

use jrsonnet_evaluator::rustc_hash::FxHashMap;
use jrsonnet_evaluator::{Result, Val};

use crate::host::{Objects, Revision};

/// Parsed objects of the contexts that the last call touched.
#[derive(Default)]
pub(crate) struct Kept {
    contexts: FxHashMap<String, Rc<Slots>>,
    touched: FxHashMap<String, Rc<Slots>>,
}

impl Kept {
    /// The objects of a context: those whose revision is known are there already.
    pub(crate) fn open(&mut self, name: &str, objects: &Rc<dyn Objects>) -> Rc<Slots> {
        if let Some(open) = self.touched.get(name) {
            return Rc::clone(open);
        }
        let slots = Rc::new(match self.contexts.get(name) {
            Some(old) => old.renewed(objects),
            None => Slots::new(objects, objects.revisions().into()),
        });
        self.touched.insert(name.to_owned(), Rc::clone(&slots));
        slots
    }

    /// Ends a call: lets go of the host's handles and of the contexts that were not touched.
    pub(crate) fn end_call(&mut self) {
        self.contexts = std::mem::take(&mut self.touched);
        for slots in self.contexts.values() {
            slots.close();
        }
    }
}

/// The objects of one collection, by index, read or not.
pub(crate) struct Slots {
    revision: Revision,
    revisions: Rc<[Revision]>,
    values: RefCell<Vec<Option<Val>>>,
    source: RefCell<Option<Rc<dyn Objects>>>,
}

impl Slots {
    fn new(objects: &Rc<dyn Objects>, revisions: Rc<[Revision]>) -> Self {
        Self {
            revision: objects.revision(),
            values: RefCell::new(vec![None; objects.len() as usize]),
            revisions,
            source: RefCell::new(Some(Rc::clone(objects))),
        }
    }

    /// The same context in a later call. Nobody asks the old slots any more.
    fn renewed(&self, objects: &Rc<dyn Objects>) -> Self {
        if self.revision == objects.revision() {
            return Self {
                revision: self.revision,
                revisions: Rc::clone(&self.revisions),
                values: RefCell::new(self.values.take()),
                source: RefCell::new(Some(Rc::clone(objects))),
            };
        }
        let slots = Self::new(objects, objects.revisions().into());
        let mut known: FxHashMap<Revision, Val> = self
            .revisions
            .iter()
            .copied()
            .zip(self.values.take())
            .filter_map(|(at, value)| Some((at, value?)))
            .collect();
        for (revision, slot) in slots.revisions.iter().zip(slots.values.borrow_mut().iter_mut()) {
            *slot = known.remove(revision);
        }
        slots
    }

    fn close(&self) {
        self.source.borrow_mut().take();
    }

    pub(crate) fn source(&self) -> Option<Rc<dyn Objects>> {
        self.source.borrow().clone()
    }

    pub(crate) fn len(&self) -> usize {
        self.values.borrow().len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<Val> {
        self.values.borrow().get(index).cloned().flatten()
    }

    /// How many objects from `index` on are not read, as far as `limit`.
    pub(crate) fn unread_from(&self, index: usize, limit: usize) -> usize {
        self.values
            .borrow()
            .iter()
            .skip(index)
            .take(limit)
            .take_while(|value| value.is_none())
            .count()
    }

    /// Fills a slot that is empty.
    pub(crate) fn fill(&self, index: usize, value: impl FnOnce() -> Result<Val>) -> Result<()> {
        let empty = self.values.borrow().get(index).is_some_and(Option::is_none);
        if empty {
            let value = value()?;
            if let Some(slot) = self.values.borrow_mut().get_mut(index) {
                *slot = Some(value);
            }
        }
        Ok(())
    }
}
