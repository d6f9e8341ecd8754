//! The input that makes calls come out the same.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use espejote_core::{
    Collection, ContextValue, Invocation, Libraries, Object, ObjectId, Snapshot, Trigger, Unavailable,
};
use espejote_engine::Computed;
use k8s_openapi::jiff::Timestamp;

use super::file::{Context, Event, InputFile, Owner, Reason, Trigger as InputTrigger};
use crate::cli::yaml::Node;

/// A value that is no JSON. Never quotes it.
#[derive(Debug, thiserror::Error)]
#[error("{what} is no JSON")]
pub struct RecordError {
    what: String,
    #[source]
    source: serde_json::Error,
}

/// What a call was given beside its trigger. Every object and value as the logic saw it; of the libraries the files in `read`.
pub fn of_call(
    invocation: &Invocation,
    computed: &Computed,
    read: &BTreeSet<String>,
) -> Result<InputFile, RecordError> {
    let mut input = InputFile {
        triggers: Some(vec![trigger(&invocation.trigger)?]),
        context: contexts(&invocation.snapshot)?,
        libraries: libraries(&invocation.libraries, read),
        owner: Some(Owner {
            api_version: Some(invocation.owner.id.api_version.clone()),
            kind: Some(invocation.owner.id.kind.clone()),
            namespace: Some(invocation.owner.id.namespace.clone()),
            name: Some(invocation.owner.id.name.clone()),
            uid: Some(invocation.owner.uid.clone()),
        }),
        clock: clock(invocation.clock),
        seed: invocation.seed,
        ..InputFile::default()
    };
    for context in &invocation.snapshot.contexts {
        match &context.value {
            ContextValue::Provided(value) => provide(&mut input, &context.name, value)?,
            ContextValue::Computed(_) | ContextValue::Objects(_) => {}
        }
    }
    for (name, value) in computed {
        provide(&mut input, name, value)?;
    }
    Ok(input)
}

/// What started a call.
pub fn trigger(trigger: &Trigger) -> Result<InputTrigger, RecordError> {
    let object = trigger.object.as_ref().map(|object| object_node(object));
    let gone = trigger.event.as_ref().filter(|_| trigger.object.is_none());
    Ok(InputTrigger {
        name: trigger.name.clone().unwrap_or_default(),
        watch_resource: object.transpose()?,
        event: gone.cloned().map(Event::from),
    })
}

fn contexts(snapshot: &Snapshot) -> Result<Vec<Context>, RecordError> {
    let objects = snapshot
        .contexts
        .iter()
        .filter_map(|context| match &context.value {
            ContextValue::Objects(Ok(collection)) => Some((&context.name, collection)),
            _ => None,
        });
    objects
        .map(|(name, collection)| {
            Ok(Context {
                name: name.clone(),
                resources: resources(collection)?,
            })
        })
        .collect()
}

fn resources(collection: &Collection) -> Result<Vec<Node>, RecordError> {
    collection
        .objects()
        .iter()
        .map(|object| object_node(object))
        .collect()
}

fn object_node(object: &Object) -> Result<Node, RecordError> {
    node(object.json(), || format!("object {}", object.id()))
}

fn node(json: &str, what: impl Fn() -> String) -> Result<Node, RecordError> {
    Node::parse(json).map_err(|source| RecordError { what: what(), source })
}

fn provide(
    input: &mut InputFile,
    name: &str,
    value: &Result<Arc<str>, Unavailable>,
) -> Result<(), RecordError> {
    match value {
        Ok(json) => {
            let value = node(json, || format!("the value of context {name:?}"))?;
            input.provided.insert(name.to_owned(), value);
        }
        Err(why) => {
            let reason = Reason {
                reason: why.reason,
                message: why.message.clone(),
            };
            input.unavailable.insert(name.to_owned(), reason);
        }
    }
    Ok(())
}

fn libraries(libraries: &Libraries, read: &BTreeSet<String>) -> BTreeMap<String, String> {
    let files = read.iter().filter_map(|path| {
        let file = libraries.read(path).ok()?;
        Some((path.clone(), file.text.to_string()))
    });
    files.collect()
}

/// None: beyond what a calendar has.
fn clock(nanoseconds: u64) -> Option<String> {
    let time = Timestamp::from_nanosecond(nanoseconds.into()).ok()?;
    Some(time.to_string())
}

impl From<ObjectId> for Event {
    fn from(id: ObjectId) -> Self {
        Self {
            api_version: id.api_version,
            kind: id.kind,
            namespace: id.namespace,
            name: id.name,
        }
    }
}
