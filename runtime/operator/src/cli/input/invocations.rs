//! One call for each trigger of an input file.

use std::{collections::HashSet, sync::Arc};

use espejote_api::ManagedResource;
use espejote_core::{
    Collection, Context, ContextValue, Invocation, Libraries, Object, ObjectId, Owner, ParseObjectError,
    Revision, Snapshot, Trigger, Unavailable, UnavailableReason,
};
use k8s_openapi::jiff::Timestamp;

use super::{
    file::{self, InputFile, ReasonWord},
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

fn libraries(input: &InputFile) -> Result<Libraries, InputError> {
    libraries::of(&input.libraries).map_err(InputError::LibraryPath)
}

/// Nanoseconds since 1970.
fn clock(input: &InputFile) -> Result<u64, InputError> {
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
        (None, Some(why)) => Err(Unavailable::new(why.reason.into(), why.message.clone())),
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

impl From<ReasonWord> for UnavailableReason {
    fn from(word: ReasonWord) -> Self {
        match word {
            ReasonWord::UnknownName => Self::UnknownName,
            ReasonWord::NotSynced => Self::NotSynced,
            ReasonWord::Forbidden => Self::Forbidden,
            ReasonWord::Failed => Self::Failed,
        }
    }
}

impl From<UnavailableReason> for ReasonWord {
    fn from(reason: UnavailableReason) -> Self {
        match reason {
            UnavailableReason::UnknownName => Self::UnknownName,
            UnavailableReason::NotSynced => Self::NotSynced,
            UnavailableReason::Forbidden => Self::Forbidden,
            UnavailableReason::Failed => Self::Failed,
        }
    }
}

/// No two objects of an input have the same.
fn revision(context: usize, object: usize) -> usize {
    ((context + 1) << 32) + object
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::manifest;

    const TEXT: &str = "
apiVersion: espejote.io/v1alpha1
kind: ManagedResource
metadata: {name: m, namespace: ns}
spec:
  context:
  - {name: b, resource: {apiVersion: v1, kind: Secret}}
  - {name: a, resource: {apiVersion: v1, kind: ConfigMap}}
";

    fn calls_of(input: &str) -> Result<Vec<Call>, InputError> {
        let resource = manifest::parse(TEXT).unwrap().resource;
        let subject = Subject {
            resource: &resource,
            namespace: "ns",
            config: "null".into(),
        };
        calls(&subject, InputFile::parse(input).unwrap())
    }

    fn error(input: &str) -> String {
        calls_of(input).unwrap_err().to_string()
    }

    const CONTEXT: &str = "context: [{name: a}, {name: b, resources: [{kind: B, metadata: {name: z}}, {kind: B, metadata: {name: x}}]}]\n";

    /// R3: an empty trigger is the general reconcile, one with a name only an interval.
    #[test]
    fn r3_each_trigger_is_one_call() {
        let triggers = "triggers: [{}, {name: tick}, {name: o, watchResource: {apiVersion: v1, kind: Pod, metadata: {name: p}}}]";
        let calls = calls_of(&format!("{CONTEXT}{triggers}")).unwrap();
        let names: Vec<Option<&str>> = calls.iter().map(|call| call.trigger.as_deref()).collect();
        assert_eq!(names, [None, Some("tick"), Some("o")]);
        let [_, tick, object] = calls.as_slice() else {
            panic!("{calls:?}")
        };
        assert!(tick.invocation.trigger.event.is_none() && tick.invocation.trigger.object.is_none());
        assert_eq!(object.invocation.trigger.object.as_ref().unwrap().name(), "p");
        assert_eq!(object.object.as_ref().unwrap().kind, "Pod");
    }

    #[test]
    fn without_triggers_there_is_the_general_reconcile_and_with_none_nothing() {
        assert_eq!(calls_of(CONTEXT).unwrap().len(), 1);
        assert_eq!(calls_of(&format!("{CONTEXT}triggers: []")).unwrap().len(), 0);
    }

    /// C15: contexts are in the order of the manifest, objects by namespace and name.
    #[test]
    fn c15_contexts_and_objects_have_a_stable_order() {
        let snapshot = calls_of(CONTEXT).unwrap().remove(0).invocation.snapshot;
        assert_eq!(snapshot.object_names(), ["b", "a"]);
        let names: Vec<String> = snapshot
            .objects("b")
            .unwrap()
            .objects()
            .iter()
            .map(|o| o.name().to_owned())
            .collect();
        assert_eq!(names, ["x", "z"]);
    }

    /// R11: contexts that are missing or given twice.
    #[test]
    fn r11_missing_and_duplicate_contexts_are_named() {
        assert_eq!(error("context: [{name: a}]"), r#"context "b" not found"#);
        assert_eq!(
            error("context: [{name: a}, {name: b}, {name: a}]"),
            "duplicate context name: a"
        );
        assert_eq!(
            error("context: [{name: a}, {name: b}]\nprovided: {b: 1}"),
            "duplicate context name: b"
        );
    }

    #[test]
    fn an_event_without_an_object_is_a_deletion() {
        let triggers = "triggers: [{name: t, event: {apiVersion: v1, kind: Pod, namespace: ns, name: p}}]";
        let call = calls_of(&format!("{CONTEXT}{triggers}")).unwrap().remove(0);
        assert!(call.invocation.trigger.object.is_none());
        assert_eq!(call.invocation.trigger.event.unwrap().to_string(), "ns/p Pod");
        assert_eq!(
            error(&format!("{CONTEXT}triggers: [{{event: {{kind: Pod}}}}]")),
            "triggers[0]: a trigger with an object needs a name"
        );
    }

    #[test]
    fn owner_clock_seed_and_provided_values_are_taken() {
        let rest = "owner: {uid: u}\nclock: 1970-01-01T00:00:01Z\nseed: 7\nprovided: {p: {x: 1}}";
        let invocation = calls_of(&format!("{CONTEXT}{rest}"))
            .unwrap()
            .remove(0)
            .invocation;
        assert_eq!(
            (invocation.owner.uid.as_str(), invocation.owner.id.name.as_str()),
            ("u", "m")
        );
        assert_eq!((invocation.clock, invocation.seed), (1_000_000_000, 7));
        let provided = invocation.snapshot.provided("p");
        assert!(matches!(provided, Ok(espejote_core::Provided::Value(json)) if &*json == r#"{"x":1}"#));
        assert!(error(&format!("{CONTEXT}clock: soon")).starts_with("clock: \"soon\" is no time"));
    }

    #[test]
    fn a_computed_context_may_be_missing_or_unavailable() {
        let text = TEXT.replace("resource: {apiVersion: v1, kind: Secret}", "plugin: {name: p}");
        let resource = manifest::parse(&text).unwrap().resource;
        let subject = Subject {
            resource: &resource,
            namespace: "ns",
            config: "null".into(),
        };
        let why = |input: &str| {
            let input = InputFile::parse(input).unwrap();
            let snapshot = calls(&subject, input).unwrap().remove(0).invocation.snapshot;
            assert_eq!(snapshot.provided_names(), ["b"]);
            snapshot.provided("b").unwrap_err()
        };
        let missing = why("context: [{name: a}]");
        assert!(missing.message.ends_with("give it under provided"), "{missing}");
        let told = why("context: [{name: a}]\nunavailable: {b: {reason: not-synced, message: later}}");
        assert_eq!(told, Unavailable::new(UnavailableReason::NotSynced, "later"));
    }

    #[test]
    fn a_library_path_that_no_import_can_name_is_an_error() {
        assert!(error(&format!("{CONTEXT}libraries: {{x: ''}}")).starts_with("libraries: \"x\""));
    }
}
