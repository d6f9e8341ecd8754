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
