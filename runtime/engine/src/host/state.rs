//! `state`: the objects of the contexts.
//!
//! Linked by hand, since generated bindings would copy every object once more: `read` and `scan` lower shared strings
//! straight into the guest's memory. What a guest asks for is added up before anything is made of it.

use std::{collections::HashMap, sync::Arc};

use espejote_core::{Collection, Object, Selector};
use wasmtime::{
    StoreContextMut,
    component::{Linker, LinkerInstance, Resource, ResourceType},
};

use super::HostState;
use crate::{
    bindings::espejote::plugin::types::{ObjectId, Unavailable},
    limits::{Exceeded, LimitKind},
    pointer::Pointer,
};

/// The type of `collection` handles.
pub(crate) struct Handle;

type This = Resource<Handle>;
type Context<'a> = StoreContextMut<'a, HostState>;

/// The open collections of a store. Numbers are never given twice, so a stale handle names nothing.
#[derive(Default)]
pub(crate) struct Collections {
    open: HashMap<u32, Open>,
    last: u32,
}

impl Collections {
    /// Forgets all that is open; numbers go on.
    pub(super) fn close(&mut self) {
        self.open.clear();
    }
}

#[derive(Clone)]
struct Open {
    name: Arc<str>,
    collection: Arc<Collection>,
}

#[derive(Debug, thiserror::Error)]
enum StateError {
    #[error("the collection is of an earlier call")]
    Stale,
    #[error("index {index} is out of range: context {name:?} has {len} objects")]
    OutOfRange { index: u32, name: Arc<str>, len: u32 },
}

/// What a string or a list takes in the guest beside its bytes.
const POINTER_AND_LENGTH: usize = 8;
const OBJECT_ID: usize = 4 * POINTER_AND_LENGTH;
const OPTIONAL_STRING: usize = 12;

impl Open {
    fn get(&self, index: u32) -> Result<&Arc<Object>, StateError> {
        self.collection.get(index).ok_or_else(|| StateError::OutOfRange {
            index,
            name: self.name.clone(),
            len: self.collection.len(),
        })
    }
}

impl HostState {
    fn collection(&self, handle: &This) -> Result<Open, StateError> {
        self.collections
            .open
            .get(&handle.rep())
            .cloned()
            .ok_or(StateError::Stale)
    }

    /// An error if so many bytes cannot be in the guest's memory.
    pub(super) fn fits(&self, bytes: usize) -> wasmtime::Result<()> {
        match bytes as u64 > self.limits.memory {
            true => Err(Exceeded(LimitKind::Memory).into()),
            false => Ok(()),
        }
    }

    /// Adds up what is going to be in the guest's memory; an error if it cannot fit.
    fn fit(&self, sizes: impl Iterator<Item = Result<usize, StateError>>) -> wasmtime::Result<()> {
        let mut total = 0_u64;
        for size in sizes {
            total = total.saturating_add(size? as u64);
            if total > self.limits.memory {
                return Err(Exceeded(LimitKind::Memory).into());
            }
        }
        Ok(())
    }
}

fn names(mut context: Context<'_>, (): ()) -> wasmtime::Result<(Vec<String>,)> {
    Ok((context.data_mut().call()?.invocation.snapshot.object_names(),))
}

type OpenResult = Result<This, Unavailable>;

fn open(mut context: Context<'_>, (name,): (String,)) -> wasmtime::Result<(OpenResult,)> {
    let state = context.data_mut();
    let collection = match state.call()?.invocation.snapshot.objects(&name) {
        Ok(collection) => collection,
        Err(unavailable) => return Ok((Err(unavailable.into()),)),
    };
    let collections = &mut state.collections;
    let full = collections.open.len() >= state.limits.handles as usize || collections.last == u32::MAX;
    if full {
        return Err(Exceeded(LimitKind::Handles).into());
    }
    collections.last += 1;
    let name = name.into();
    collections
        .open
        .insert(collections.last, Open { name, collection });
    Ok((Ok(Resource::new_own(collections.last)),))
}

/// Finds nothing if the handle is of an earlier call of a kept instance.
fn drop_handle(mut context: Context<'_>, handle: u32) -> wasmtime::Result<()> {
    context.data_mut().collections.open.remove(&handle);
    Ok(())
}

fn len(context: Context<'_>, (this,): (This,)) -> wasmtime::Result<(u32,)> {
    Ok((context.data().collection(&this)?.collection.len(),))
}

fn revision(context: Context<'_>, (this,): (This,)) -> wasmtime::Result<(u64,)> {
    Ok((context.data().collection(&this)?.collection.revision().0,))
}

fn revisions(context: Context<'_>, (this,): (This,)) -> wasmtime::Result<(Vec<u64>,)> {
    let open = context.data().collection(&this)?;
    Ok((open.collection.objects().iter().map(|o| o.revision().0).collect(),))
}

fn find(
    context: Context<'_>,
    (this, namespace, name): (This, String, String),
) -> wasmtime::Result<(Option<u32>,)> {
    Ok((context
        .data()
        .collection(&this)?
        .collection
        .find(&namespace, &name),))
}

type SelectResult = Result<Vec<u32>, String>;

fn select(
    context: Context<'_>,
    (this, namespace, selector): (This, Option<String>, String),
) -> wasmtime::Result<(SelectResult,)> {
    let open = context.data().collection(&this)?;
    let selected = Selector::parse(&selector)
        .map(|selector| selected(&open.collection, namespace.as_deref(), &selector))
        .map_err(|error| error.to_string());
    Ok((selected,))
}

/// Objects are ordered by namespace, so those of one namespace are neighbours.
fn selected(collection: &Collection, namespace: Option<&str>, selector: &Selector) -> Vec<u32> {
    let objects = collection.objects();
    let range = match namespace {
        None => 0..objects.len(),
        Some(namespace) => {
            let from = objects.partition_point(|o| o.namespace() < namespace);
            let to = objects.partition_point(|o| o.namespace() <= namespace);
            from..to
        }
    };
    (0_u32..)
        .zip(objects)
        .skip(range.start)
        .take(range.len())
        .filter(|(_, object)| selector.matches(|key| object.label(key)))
        .map(|(index, _)| index)
        .collect()
}

fn ids(context: Context<'_>, (this, indices): (This, Vec<u32>)) -> wasmtime::Result<(Vec<ObjectId>,)> {
    let open = context.data().collection(&this)?;
    let size = |o: &Arc<Object>| {
        OBJECT_ID + o.api_version().len() + o.kind().len() + o.namespace().len() + o.name().len()
    };
    context
        .data()
        .fit(indices.iter().map(|&index| open.get(index).map(size)))?;
    let ids: Result<_, _> = indices
        .iter()
        .map(|&index| open.get(index).map(|object| object.id().into()))
        .collect();
    Ok((ids?,))
}

fn read(context: Context<'_>, (this, indices): (This, Vec<u32>)) -> wasmtime::Result<(Vec<Arc<str>>,)> {
    let open = context.data().collection(&this)?;
    let size = |o: &Arc<Object>| POINTER_AND_LENGTH + o.json().len();
    context
        .data()
        .fit(indices.iter().map(|&index| open.get(index).map(size)))?;
    let objects: Result<_, _> = indices
        .iter()
        .map(|&index| open.get(index).map(|object| object.json().clone()))
        .collect();
    Ok((objects?,))
}

fn scan(
    context: Context<'_>,
    (this, start, max_bytes): (This, u32, u32),
) -> wasmtime::Result<(Vec<Arc<str>>,)> {
    let open = context.data().collection(&this)?;
    let mut page = Vec::new();
    let mut bytes = 0;
    for object in open.collection.objects().iter().skip(start as usize) {
        bytes += object.json().len();
        if bytes > max_bytes as usize && !page.is_empty() {
            break;
        }
        page.push(object.json().clone());
    }
    if page.is_empty() && start != open.collection.len() {
        open.get(start)?;
    }
    context
        .data()
        .fit(page.iter().map(|json| Ok(POINTER_AND_LENGTH + json.len())))?;
    Ok((page,))
}

type ValuesResult = Result<Vec<Option<String>>, String>;

fn values(
    context: Context<'_>,
    (this, indices, pointer): (This, Vec<u32>, String),
) -> wasmtime::Result<(ValuesResult,)> {
    let state = context.data();
    let open = state.collection(&this)?;
    let pointer = match Pointer::parse(&pointer) {
        Ok(pointer) => pointer,
        Err(problem) => return Ok((Err(problem),)),
    };
    let mut found = Vec::new();
    let mut bytes = 0_u64;
    for &index in &indices {
        let value = pointer.find(open.get(index)?.json()).map(str::to_owned);
        bytes += (OPTIONAL_STRING + value.as_ref().map_or(0, String::len)) as u64;
        if bytes > state.limits.memory {
            return Err(Exceeded(LimitKind::Memory).into());
        }
        found.push(value);
    }
    Ok((Ok(found),))
}

/// Links the interface.
pub(super) fn link(linker: &mut Linker<HostState>) -> wasmtime::Result<()> {
    let mut instance = linker.instance("espejote:plugin/state@0.1.0")?;
    instance.func_wrap("names", names)?;
    instance.func_wrap("open", open)?;
    link_collection(&mut instance)
}

fn link_collection(instance: &mut LinkerInstance<'_, HostState>) -> wasmtime::Result<()> {
    instance.resource("collection", ResourceType::host::<Handle>(), drop_handle)?;
    instance.func_wrap("[method]collection.len", len)?;
    instance.func_wrap("[method]collection.revision", revision)?;
    instance.func_wrap("[method]collection.revisions", revisions)?;
    instance.func_wrap("[method]collection.find", find)?;
    instance.func_wrap("[method]collection.select", select)?;
    instance.func_wrap("[method]collection.ids", ids)?;
    instance.func_wrap("[method]collection.read", read)?;
    instance.func_wrap("[method]collection.scan", scan)?;
    instance.func_wrap("[method]collection.values", values)
}
