//! Modes that remember something from call to call.

use std::{
    cell::{Cell, RefCell},
    thread::sleep,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};

use crate::{
    Outcome,
    bindings::espejote::plugin::{
        invocation, state,
        types::{Failure, FailureKind},
    },
    polite::emit,
};

thread_local! {
    static CALLS: Cell<u32> = const { Cell::new(0) };
    static COLLECTION: RefCell<Option<state::Collection>> = const { RefCell::new(None) };
    static HOARD: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

pub fn run(mode: &str, config: &Value) -> Option<Outcome> {
    let outcome = match mode {
        "remember" => remember(config),
        "forget" => {
            count();
            Ok(())
        }
        "stale-kept" => stale(),
        "hoard-kept" => hoard(config),
        _ => return None,
    };
    Some(outcome)
}

fn calls() -> u32 {
    CALLS.with(|calls| {
        calls.set(calls.get() + 1);
        calls.get()
    })
}

/// Says how many calls this instance has served, and what it sees of this one.
fn count() {
    let start = Instant::now();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    println!("call");
    let things = state::open("things").map_or(0, |things| things.len());
    let seen = json!({
        "calls": calls(),
        "clock": now.as_nanos().to_string(),
        "elapsed": start.elapsed().as_nanos().to_string(),
        "things": things,
        "owner": invocation::owner().id.name,
    });
    emit("count", &seen);
}

/// Asks to be kept, then ends as it is told.
fn remember(config: &Value) -> Outcome {
    if let Some(nap) = config["nap"].as_u64() {
        sleep(Duration::from_millis(nap));
    }
    count();
    invocation::keep_instance();
    match config["end"].as_str() {
        None => Ok(()),
        Some("later") if CALLS.get() == 1 => Ok(()),
        Some("failure" | "later") => Err(Failure {
            kind: FailureKind::Internal,
            message: "as told".to_owned(),
        }),
        Some(_) => panic!("as told"),
    }
}

/// Uses the collection of an earlier call, if there was one.
fn stale() -> Outcome {
    let len = COLLECTION.with_borrow_mut(|kept| {
        let kept = kept.get_or_insert_with(|| state::open("things").unwrap());
        kept.len()
    });
    emit("stale", &json!({"calls": calls(), "len": len}));
    invocation::keep_instance();
    Ok(())
}

/// Takes more memory at each call, and never gives it back.
fn hoard(config: &Value) -> Outcome {
    let bytes = usize::try_from(config["bytes"].as_u64().unwrap()).unwrap();
    HOARD.with_borrow_mut(|hoard| hoard.resize(hoard.len() + bytes, 1));
    emit("hoard", &json!({"calls": calls()}));
    invocation::keep_instance();
    Ok(())
}
