//! `esp.context()`: contexts by name. Nothing of a context is read before the template touches it, and of a list only the objects
//! that it touches are parsed.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::val::{ArrValue, ArrayLike, ThunkValue};
use jrsonnet_evaluator::{Error, ObjValueBuilder, Result, Thunk, Val};
use jrsonnet_gcmodule::Trace;

use crate::blame::Blame;
use crate::host::{Host, Unavailable};
use crate::kept::{Kept, Slots};
use crate::lazy;

/// How many bytes are asked for at a time.
const PAGE_BYTES: u32 = 256 * 1024;
/// Fewer unread objects in a row are read one by one.
const PAGE_FROM: usize = 4;

/// What is needed to read contexts.
#[derive(Clone)]
pub(crate) struct Contexts {
    pub(crate) host: Rc<dyn Host>,
    pub(crate) blame: Rc<Blame>,
    pub(crate) kept: Rc<RefCell<Kept>>,
}

impl Contexts {
    /// The object from name to list, or to the value that another plugin computed.
    pub(crate) fn value(&self) -> Val {
        let mut object = ObjValueBuilder::new();
        for name in self.host.contexts() {
            object.field(name.as_str()).thunk(Thunk::new(LazyContext {
                contexts: self.clone(),
                name,
                provided: false,
            }));
        }
        for name in self.host.provided() {
            object.field(name.as_str()).thunk(Thunk::new(LazyContext {
                contexts: self.clone(),
                name,
                provided: true,
            }));
        }
        Val::Obj(object.build())
    }

    fn list(&self, name: &str) -> Result<Val> {
        let objects = self
            .host
            .context(name)
            .map_err(|why| self.unavailable(name, &why))?;
        let slots = self.kept.borrow_mut().open(name, &objects);
        Ok(Val::Arr(ArrValue::new(ObjectList { slots })))
    }

    fn computed(&self, name: &str) -> Result<Val> {
        let json = self
            .host
            .provided_value(name)
            .map_err(|why| self.unavailable(name, &why))?;
        lazy::parse(json)
    }

    fn unavailable(&self, name: &str, why: &Unavailable) -> Error {
        self.blame.unavailable(why.reason);
        ErrorKind::RuntimeError(format!("context \"{name}\" is not available: {}", why.message).into()).into()
    }
}

#[derive(Trace)]
struct LazyContext {
    #[trace(skip)]
    contexts: Contexts,
    name: String,
    provided: bool,
}

impl ThunkValue for LazyContext {
    type Output = Val;

    fn get(&self) -> Result<Val> {
        if self.provided {
            self.contexts.computed(&self.name)
        } else {
            self.contexts.list(&self.name)
        }
    }
}

/// The objects of one context as a Jsonnet array.
#[derive(Trace)]
struct ObjectList {
    #[trace(skip)]
    slots: Rc<Slots>,
}

impl fmt::Debug for ObjectList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} objects", self.slots.len())
    }
}

impl ObjectList {
    fn fill(&self, index: usize) -> Result<Val> {
        let source = self.slots.source().ok_or_else(ended)?;
        let texts = if self.slots.unread_from(index, PAGE_FROM) < PAGE_FROM {
            source.read(number(index)).into_iter().collect()
        } else {
            source.scan(number(index), PAGE_BYTES)
        };
        for (at, text) in (index..).zip(texts) {
            self.slots.fill(at, || lazy::parse(text))?;
        }
        self.slots.get(index).ok_or_else(ended)
    }
}

/// A list that outlived its call. Nothing keeps one, so this is a bug of ours.
fn ended() -> Error {
    ErrorKind::RuntimeError("this context belongs to a call that has ended".into()).into()
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl ArrayLike for ObjectList {
    fn len(&self) -> u32 {
        number(self.slots.len())
    }

    fn get(&self, index: u32) -> Result<Option<Val>> {
        let index = index as usize;
        if index >= self.slots.len() {
            return Ok(None);
        }
        self.slots
            .get(index)
            .map_or_else(|| self.fill(index), Ok)
            .map(Some)
    }

    fn get_lazy(&self, index: u32) -> Option<Thunk<Val>> {
        ((index as usize) < self.slots.len()).then(|| {
            Thunk::new(LazyObject {
                list: Self {
                    slots: Rc::clone(&self.slots),
                },
                index,
            })
        })
    }
}

#[derive(Trace)]
struct LazyObject {
    list: ObjectList,
    index: u32,
}

impl ThunkValue for LazyObject {
    type Output = Val;

    fn get(&self) -> Result<Val> {
        self.list.get(self.index)?.ok_or_else(ended)
    }
}
