//! Modes that try to get more than they are allowed, or to break something.

use std::hint::black_box;

use serde_json::Value;

use crate::{
    Outcome,
    bindings::espejote::plugin::{desired, logging, report, state, types::ObjectId},
};

pub fn run(mode: &str, config: &Value) -> Option<Outcome> {
    misbehave(mode, config).then_some(Ok(()))
}

/// Does what the mode says. False: there is no such mode.
pub fn misbehave(mode: &str, config: &Value) -> bool {
    match mode {
        "spin" => spin(),
        "nap" => std::thread::sleep(std::time::Duration::from_secs(3600)),
        "grow" => grow(),
        "chatty" => chatty(),
        "logflood" => logflood(),
        "deep" => {
            black_box(deep(black_box(u64::MAX)));
        }
        "deep-in-memory" => {
            black_box(deep_in_memory(black_box(u64::MAX)));
        }
        "hoard" => hoard(),
        "lend" => lend(config["handles"].as_u64().unwrap()),
        "flood" => flood(),
        "huge" => huge(),
        "nest" => nest(),
        "liar" => liar(config["lie"].as_str().unwrap_or_default()),
        "half" => half(),
        "panic" => panic!("a well-known\n\x1b[31mbug"),
        "exit" => std::process::exit(3),
        "range" => range(config["method"].as_str().unwrap_or_default()),
        "repeat" => repeat(config["method"].as_str().unwrap_or_default()),
        "stale" => stale(),
        _ => return false,
    }
    true
}

pub fn spin() -> ! {
    loop {
        black_box(0);
    }
}

/// Asks for memory until refused, then touches what is not there.
fn grow() {
    let mut kept: Vec<Vec<u8>> = Vec::new();
    loop {
        kept.push(vec![1; 1 << 20]);
        black_box(&kept);
    }
}

fn chatty() {
    let chunk = "x".repeat(1023) + "\n";
    for _ in 0..1 << 20 {
        print!("{chunk}");
    }
}

fn logflood() {
    for n in 0..1_000_000 {
        logging::log(
            logging::Level::Info,
            "flood %s {} \x1b[2J",
            &[("n".to_owned(), n.to_string())],
        );
    }
}

/// Recursion in registers: only the stack of the WebAssembly code grows.
#[inline(never)]
fn deep(n: u64) -> u64 {
    if n == 0 {
        1
    } else {
        deep(n - 1).wrapping_mul(31) ^ n
    }
}

/// Recursion with locals in memory: the component's own stack is used up first.
#[expect(unconditional_recursion, reason = "misbehaving is the purpose")]
fn deep_in_memory(n: u64) -> u64 {
    black_box(deep_in_memory(black_box(n - 1))) + black_box(n)
}

fn hoard() {
    let mut kept = Vec::new();
    for _ in 0..1_000_000 {
        kept.push(state::open("things").unwrap());
    }
}

/// Takes as many handles as it may have, and then uses one.
fn lend(handles: u64) {
    let kept: Vec<_> = (0..handles).map(|_| state::open("things").unwrap()).collect();
    black_box(kept[0].len());
}

fn flood() {
    for n in 0..10_000_000 {
        desired::apply(&format!(r#"{{"kind":"A","metadata":{{"name":"a{n}"}}}}"#), None);
    }
}

/// Few items, many bytes.
fn huge() {
    let padding = "x".repeat(1 << 20);
    let object = format!(r#"{{"kind":"A","metadata":{{"name":"a"}},"data":"{padding}"}}"#);
    for _ in 0..10_000 {
        desired::apply(&object, None);
    }
}

fn nest() {
    for _ in 0..1_000_000 {
        desired::open_group(None);
    }
}

fn liar(lie: &str) {
    match lie {
        "json" => desired::apply("{nope", None),
        "number" => desired::apply("42", None),
        "kind" => desired::apply(r#"{"metadata":{"name":"x"}}"#, None),
        "trailing" => desired::apply(r#"{"kind":"A","metadata":{"name":"x"}} {}"#, None),
        "open" => desired::open_group(None),
        "close" => desired::close_group(),
        "delete" => desired::delete(
            &ObjectId {
                api_version: "v1".to_owned(),
                kind: "ConfigMap".to_owned(),
                namespace: String::new(),
                name: String::new(),
            },
            None,
        ),
        "condition" => set_condition("Ready", "Lie"),
        "condition-type" => set_condition("two words", "Lie"),
        "condition-reason" => set_condition("Lie", ""),
        "conditions" => (0..100).for_each(|n| set_condition(&format!("Lie{n}"), "Lie")),
        "document" => report::set_document("[1,"),
        _ => {
            liar("number");
            liar("kind");
            liar("condition");
        }
    }
}

fn set_condition(type_: &str, reason: &str) {
    report::set_condition(&report::Condition {
        type_: type_.to_owned(),
        status: report::ConditionStatus::True,
        reason: reason.to_owned(),
        message: String::new(),
    });
}

fn half() {
    desired::apply(r#"{"kind":"A","metadata":{"name":"half"}}"#, None);
    report::set_message("half way");
    eprintln!("about to trap");
    std::process::abort();
}

fn range(method: &str) {
    let things = state::open("things").unwrap();
    let beyond = things.len();
    match method {
        "ids" => drop(things.ids(&[0, beyond])),
        "read" => drop(things.read(&[0, beyond])),
        "scan" => drop(things.scan(beyond + 1, 1)),
        _ => drop(things.values(&[0, beyond], "/kind")),
    }
}

/// Asks for the same object so often that the answer cannot fit.
fn repeat(method: &str) {
    let things = state::open("things").unwrap();
    let indices = vec![0; 2_000_000];
    match method {
        "ids" => drop(things.ids(&indices)),
        "read" => drop(things.read(&indices)),
        _ => drop(things.values(&indices, "")),
    }
}

/// Uses a handle that was never given.
fn stale() {
    let made_up = unsafe_handle();
    made_up.len();
    std::mem::forget(made_up);
}

fn unsafe_handle() -> state::Collection {
    // SAFETY: none; the host has to bear it.
    unsafe { state::Collection::from_handle(4711) }
}
