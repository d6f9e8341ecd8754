//! Modes that behave: they show that every import is served.

use serde_json::{Value, json};

use crate::{
    Outcome,
    bindings::espejote::plugin::{
        admission::warn,
        desired, invocation, library, logging, provided, report, state, trigger,
        types::{FailureKind, ObjectId},
    },
    failure,
};

pub fn run(mode: &str, config: &Value) -> Option<Outcome> {
    match mode {
        "echo" => echo(),
        "nothing" => {}
        "state" => read_state(),
        "witness" => witness(),
        "readall" => read_all(config["times"].as_u64().unwrap_or(1)),
        "columns" => columns(),
        "tree" => tree(),
        "ask" => ask(config),
        "foreign" => warn("not asked for"),
        "tell" => tell(),
        "fail" => return Some(fail(config["kind"].as_str().unwrap_or_default())),
        "enabled" => emit(
            "enabled",
            &json!([
                logging::enabled(logging::Level::Error),
                logging::enabled(logging::Level::Trace)
            ]),
        ),
        _ => return None,
    }
    Some(Ok(()))
}

/// Emits one ConfigMap that holds a value.
pub fn emit(name: &str, value: &Value) {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": value});
    desired::apply(&object.to_string(), None);
}

/// A ConfigMap, as the API server takes it, with whatever may differ from call to call, to the byte.
fn witness() {
    let owner = invocation::owner();
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let random = std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), 1);
    let contexts = state::names().into_iter().map(|name| {
        let collection = state::open(&name).unwrap();
        json!([name, collection.scan(0, u32::MAX)])
    });
    let provided = provided::names()
        .into_iter()
        .map(|name| match provided::get(&name) {
            Ok(value) => json!([name, value]),
            Err(why) => json!([name, format!("{:?}", why.reason), why.message]),
        });
    let config: Value = serde_json::from_str(&invocation::config()).unwrap();
    let library = config["library"].as_str().map(|path| match library::read(path) {
        Ok(bytes) => String::from_utf8(bytes).unwrap(),
        Err(error) => error.message,
    });
    let seen = json!({
        "owner": [id(&owner.id), owner.uid],
        "clock": now.as_nanos().to_string(),
        "random": random.to_string(),
        "trigger": [trigger::name(), trigger::event().map(|event| id(&event)), trigger::object()],
        "contexts": contexts.collect::<Vec<_>>(),
        "provided": provided.collect::<Vec<_>>(),
        "library": library,
    });
    let name = config["name"].as_str().unwrap_or("witness");
    emit(name, &json!({"seen": seen.to_string()}));
}

/// Everything about the call itself.
fn echo() {
    let owner = invocation::owner();
    let object = trigger::object().map(|json| serde_json::from_str::<Value>(&json).unwrap());
    let read = |path: &str| match library::read(path) {
        Ok(bytes) => json!([
            String::from_utf8(bytes).unwrap(),
            library::revision_of(path).unwrap()
        ]),
        Err(error) => json!([format!("{:?}", error.reason), error.message]),
    };
    emit(
        "echo",
        &json!({
            "owner": [id(&owner.id), owner.uid],
            "config": invocation::config(),
            "trigger": [trigger::name(), trigger::event().map(|event| id(&event)), object],
            "library": [read("a/x"), read("lib/a/x"), read("a"), read("none/x"), read("a/none")],
            "provided": [provided::names(), get("computed"), get("broken"), get("unknown")],
        }),
    );
    logging::log(
        logging::Level::Info,
        "echoed",
        &[("key".to_owned(), "value".to_owned())],
    );
    invocation::keep_instance();
}

fn id(id: &ObjectId) -> String {
    format!("{} {} {} {}", id.api_version, id.kind, id.namespace, id.name)
}

fn get(name: &str) -> Value {
    match provided::get(name) {
        Ok(value) => json!(value),
        Err(error) => json!([format!("{:?}", error.reason), error.message]),
    }
}

/// Asks for computed contexts, in the order that the config gives.
fn ask(config: &Value) {
    let names = config["names"].as_array().unwrap();
    let values: Vec<Value> = names.iter().map(|name| get(name.as_str().unwrap())).collect();
    emit("ask", &json!(values));
}

/// Every method of a collection.
fn read_state() {
    let things = state::open("things").unwrap();
    let again = state::open("things").unwrap();
    let all: Vec<u32> = (0..things.len()).collect();
    let unavailable = |name: &str| match state::open(name) {
        Ok(_) => "open".to_owned(),
        Err(error) => format!("{:?}: {}", error.reason, error.message),
    };
    emit(
        "state",
        &json!({
            "names": state::names(),
            "unavailable": [unavailable("later"), unavailable("unknown"), unavailable("computed")],
            "len": things.len(),
            "revision": [things.revision(), again.revision()],
            "revisions": things.revisions(),
            "find": [things.find("b", "two"), things.find("b", "none"), things.find("", "zero")],
            "select": [
                things.select(None, "").unwrap(),
                things.select(Some("b"), "").unwrap(),
                things.select(None, "app=web").unwrap(),
                things.select(Some("b"), "app notin (web)").unwrap(),
                things.select(Some("none"), "").unwrap(),
            ],
            "bad selector": things.select(None, "a b").unwrap_err(),
            "ids": things.ids(&all).iter().map(id).collect::<Vec<_>>(),
            "read": things.read(&[2, 0, 0]),
            "scan": [things.scan(0, 1), things.scan(1, 1 << 20), things.scan(things.len(), 1)],
            "values": things.values(&all, "/metadata/labels/app").unwrap(),
            "bad pointer": things.values(&all, "kind").unwrap_err(),
            "nothing": [things.read(&[]).len(), things.ids(&[]).len()],
        }),
    );
}

/// Reads all bytes of a context.
fn read_all(times: u64) {
    let things = state::open("things").unwrap();
    let all: Vec<u32> = (0..things.len()).collect();
    let mut bytes = 0;
    for _ in 0..times {
        bytes += things.read(&all).iter().map(String::len).sum::<usize>();
    }
    emit("readall", &json!(bytes));
}

/// Reads one field of every object.
fn columns() {
    let things = state::open("things").unwrap();
    let selected = things.select(None, "app notin (db)").unwrap();
    let names = things.values(&selected, "/metadata/name").unwrap();
    emit(
        "columns",
        &json!([selected.len(), names.len(), things.revisions().len()]),
    );
}

/// Groups and options.
fn tree() {
    emit("first", &json!(1));
    desired::open_group(Some(desired::ErrorPolicy::Abort));
    desired::apply(
        r#"{"kind":"A","metadata":{"name":"a"},"n":9007199254740993}"#,
        Some(&desired::ApplyOptions {
            field_manager: Some("m".to_owned()),
            field_manager_suffix: Some("s".to_owned()),
            force: Some(false),
            field_validation: Some(desired::FieldValidation::Strict),
            subresource: Some("status".to_owned()),
        }),
    );
    desired::open_group(None);
    desired::delete(
        &ObjectId {
            api_version: "apps/v1".to_owned(),
            kind: "Deployment".to_owned(),
            namespace: "n".to_owned(),
            name: "d".to_owned(),
        },
        Some(&desired::DeleteOptions {
            grace_period_seconds: Some(5),
            propagation_policy: Some(desired::PropagationPolicy::Orphan),
            precondition_uid: Some("u".to_owned()),
            precondition_resource_version: Some("7".to_owned()),
        }),
    );
    desired::close_group();
    desired::close_group();
}

fn tell() {
    report::requeue_after(1500);
    report::set_message("first");
    report::set_message("all is well");
    for status in [report::ConditionStatus::False, report::ConditionStatus::Unknown] {
        report::set_condition(&report::Condition {
            type_: "Synced".to_owned(),
            status,
            reason: "Half".to_owned(),
            message: "some".to_owned(),
        });
    }
    report::set_waiting("Copying", "three to go");
    report::set_document(r#"{"n": 9007199254740993}"#);
}

fn fail(kind: &str) -> Outcome {
    tell();
    emit("lost", &json!(1));
    let kind = match kind {
        "invalid-config" => FailureKind::InvalidConfig,
        "invalid-input" => FailureKind::InvalidInput,
        "invalid-output" => FailureKind::InvalidOutput,
        "not-ready" => FailureKind::NotReady,
        _ => FailureKind::Internal,
    };
    Err(failure(kind, format!("because {}", "é".repeat(2000))))
}
