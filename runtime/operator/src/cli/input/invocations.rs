//! One call for each trigger of an input file.

use std::{collections::HashSet, sync::Arc};

use espejote_api::ManagedResource;
use espejote_core::{
    Collection, Context, ContextValue, Invocation, Libraries, Object, ObjectId, Owner, ParseObjectError,
    Revision, Snapshot, Trigger, Unavailable, UnavailableReason,
};
use k8s_openapi::jiff::Timestamp;

use super::{
    file::{self, InputFile},
    libraries,
};
use crate::cli::yaml::Node;

/// The owner's uid where none is given.
const PLACEHOLDER_UID: &str = "00000000-0000-0000-0000-000000000000";

/// An input that does not go with the manifest, or contradicts itself.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The manifest has a context of which the input says nothing.
    #[error("context {0:?} not found")]
    ContextNotFound(String),
    /// Two contexts of one name.
    #[error("duplicate context name: {0}")]
    DuplicateContext(String),
    /// Something that should be an object.
    #[error("{place}: no object")]
    Object {
        /// Where in the input.
        place: String,
        /// What is wrong with it.
        #[source]
        source: ParseObjectError,
    },
    /// An object or event of a trigger that has no name.
    #[error("triggers[{0}]: a trigger with an object needs a name")]
    UnnamedTrigger(usize),
    /// A library whose path no import can name.
    #[error("libraries: {0:?} is not of the form <library>/<key> or lib/<library>/<key>")]
    LibraryPath(String),
    /// A clock that is no time.
    #[error("clock: {text:?} is no time such as 2006-01-02T15:04:05Z")]
    Clock {
        /// What is given.
        text: String,
        /// What is wrong with it.
        #[source]
        source: k8s_openapi::jiff::Error,
    },
}

/// On whose behalf the logic is called, and with which config.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// The manifest.
    pub resource: &'a ManagedResource,
    /// The namespace in which it is rendered.
    pub namespace: &'a str,
    /// The config, a JSON text.
    pub config: Arc<str>,
}

impl Subject<'_> {
    /// The manifest's resource; a placeholder for its uid.
    pub fn owner(&self) -> Owner {
        Owner {
            id: ObjectId {
                api_version: espejote_api::API_VERSION.to_owned(),
                kind: "ManagedResource".to_owned(),
                namespace: self.namespace.to_owned(),
                name: self.resource.metadata.name.clone().unwrap_or_default(),
            },
            uid: PLACEHOLDER_UID.to_owned(),
        }
    }
}

/// One call, and what started it.
#[derive(Clone, Debug)]
pub struct Call {
    /// The trigger's name; none for the general reconcile.
    pub trigger: Option<String>,
    /// The object that starts it.
    pub object: Option<ObjectId>,
    /// What the logic gets.
    pub invocation: Invocation,
}

/// The calls of an input, in the order of its triggers.
pub fn calls(subject: &Subject<'_>, input: InputFile) -> Result<Vec<Call>, InputError> {
    let triggers = input
        .triggers
        .clone()
        .unwrap_or_else(|| vec![file::Trigger::default()]);
    let invocation = Invocation {
        owner: owner(subject, &input),
        config: subject.config.clone(),
        trigger: Trigger::default(),
        libraries: libraries(&input)?,
        clock: clock(&input)?,
        seed: input.seed,
        snapshot: snapshot(subject.resource, input)?,
    };
    let numbered = triggers.into_iter().enumerate();
    numbered.map(|(n, given)| call(n, given, &invocation)).collect()
}

fn call(n: usize, given: file::Trigger, base: &Invocation) -> Result<Call, InputError> {
    let trigger = trigger(n, given)?;
    Ok(Call {
        trigger: trigger.name.clone(),
        object: trigger.event.clone(),
        invocation: Invocation {
            trigger,
            ..base.clone()
        },
    })
}

fn trigger(n: usize, given: file::Trigger) -> Result<Trigger, InputError> {
    let place = || format!("triggers[{n}].watchResource");
    let object = given.object().map(|value| object(value, n, place)).transpose()?;
    let name = Some(given.name).filter(|name| !name.is_empty());
    let event = object
        .as_ref()
        .map(|object| object.id())
        .or_else(|| given.event.map(ObjectId::from));
    if name.is_none() && event.is_some() {
        return Err(InputError::UnnamedTrigger(n));
    }
    Ok(Trigger { name, event, object })
}

fn object(value: &Node, revision: usize, place: impl Fn() -> String) -> Result<Arc<Object>, InputError> {
    let json: Arc<str> = value.to_json().into();
    Object::parse(json, Revision(revision as u64))
        .map(Arc::new)
        .map_err(|source| InputError::Object {
            place: place(),
            source,
        })
}

fn owner(subject: &Subject<'_>, input: &InputFile) -> Owner {
    let given = input.owner.clone().unwrap_or_default();
    let own = subject.owner();
    Owner {
        id: ObjectId {
            api_version: given.api_version.unwrap_or(own.id.api_version),
            kind: given.kind.unwrap_or(own.id.kind),
            namespace: given.namespace.unwrap_or(own.id.namespace),
            name: given.name.unwrap_or(own.id.name),
        },
        uid: given.uid.unwrap_or(own.uid),
    }
}

/// Those of the input.
pub(super) fn libraries(input: &InputFile) -> Result<Libraries, InputError> {
    libraries::of(&input.libraries).map_err(InputError::LibraryPath)
}

/// Nanoseconds since 1970.
pub(super) fn clock(input: &InputFile) -> Result<u64, InputError> {
    let time = match &input.clock {
        None => Timestamp::now(),
        Some(text) => text.parse().map_err(|source| InputError::Clock {
            text: text.clone(),
            source,
        })?,
    };
    Ok(u64::try_from(time.as_nanosecond()).unwrap_or_default())
}

/// As in the operator: contexts that hold objects, then those that are computed, each in the order of the manifest; then what
/// the manifest does not name.
fn snapshot(resource: &ManagedResource, input: InputFile) -> Result<Snapshot, InputError> {
    check_names(&input)?;
    let wanted = resource.spec.context.as_deref().unwrap_or_default();
    let given = |name: &str| input.provided.contains_key(name) || input.unavailable.contains_key(name);
    let (computed, watched): (Vec<_>, Vec<_>) = wanted
        .iter()
        .partition(|context| context.plugin.is_some() || given(&context.name));
    let mut contexts = watched
        .iter()
        .map(|wanted| context(&wanted.name, &input))
        .collect::<Result<Vec<_>, _>>()?;
    contexts.extend(computed.iter().map(|wanted| provided(&wanted.name, &input)));
    let others = input.provided.keys().chain(input.unavailable.keys());
    let others = others.filter(|name| !wanted.iter().any(|context| context.name == **name));
    contexts.extend(others.map(|name| provided(name, &input)));
    Ok(Snapshot { contexts })
}

fn check_names(input: &InputFile) -> Result<(), InputError> {
    let mut seen = HashSet::new();
    let names = input.context.iter().map(|context| &context.name);
    let mut names = names.chain(input.provided.keys()).chain(input.unavailable.keys());
    match names.find(|name| !seen.insert(*name)) {
        Some(twice) => Err(InputError::DuplicateContext(twice.clone())),
        None => Ok(()),
    }
}

/// A value that the input lacks fails only those who ask for it, as in the operator.
fn provided(name: &str, input: &InputFile) -> Context {
    let value = match (input.provided.get(name), input.unavailable.get(name)) {
        (Some(value), _) => Ok(value.to_json().into()),
        (None, Some(why)) => Err(Unavailable::new(why.reason, why.message.clone())),
        (None, None) => {
            let message = format!("the input has no value for context {name:?}: give it under provided");
            Err(Unavailable::new(UnavailableReason::Failed, message))
        }
    };
    Context {
        name: name.to_owned(),
        value: ContextValue::Provided(value),
    }
}

fn context(name: &str, input: &InputFile) -> Result<Context, InputError> {
    let numbered = input.context.iter().enumerate();
    let (at, given) = numbered
        .into_iter()
        .find(|(_, context)| context.name == name)
        .ok_or_else(|| InputError::ContextNotFound(name.to_owned()))?;
    let place = |n: usize| format!("context[{at}].resources[{n}]");
    let resources = given.resources.iter().enumerate();
    let objects = resources
        .map(|(n, value)| object(value, revision(at, n), || place(n)))
        .collect::<Result<Vec<_>, _>>()?;
    let collection = Collection::new(objects, Revision(at as u64));
    Ok(Context {
        name: name.to_owned(),
        value: ContextValue::Objects(Ok(Arc::new(collection))),
    })
}

/// No two objects of an input have the same.
fn revision(context: usize, object: usize) -> usize {
    ((context + 1) << 32) + object
}

#[cfg(test)]
mod tests;
