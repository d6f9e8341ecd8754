//! What it means when a call ends without a result: the one place where errors of the runtime are told apart.

use espejote_core::text::cut;
use wasmtime::{FrameInfo, PoolConcurrencyLimitError, Trap, WasmBacktrace};
use wasmtime_wasi::{I32Exit, ResourceTableError};

use crate::{
    call::{CallError, HostError},
    host::HostState,
    invoke::NoSuchExport,
    limits::{Exceeded, LimitKind, bytes},
    log::escaped,
    plugin::Plugin,
    settings,
};

/// What is kept of the text of a trap.
const MESSAGE_BYTES: usize = 1024;

/// How a call ended, if not by returning.
pub(crate) enum Ended {
    /// Stopped by a limit on time.
    Limit(LimitKind),
    /// Stopped by anything else.
    Error(wasmtime::Error),
}

/// The error to report.
pub(crate) fn explain(plugin: &Plugin, state: &HostState, ended: Ended) -> CallError {
    match ended {
        Ended::Limit(limit) => over(plugin, state, limit),
        Ended::Error(error) => explain_error(plugin, state, &error),
    }
}

fn explain_error(plugin: &Plugin, state: &HostState, error: &wasmtime::Error) -> CallError {
    if let Some(NoSuchExport(role)) = error.downcast_ref() {
        return CallError::host(plugin, HostError::MissingExport(role.word().to_owned()));
    }
    if error.is::<PoolConcurrencyLimitError>() {
        return CallError::host(plugin, HostError::Instantiate(format!("{error:#}")));
    }
    match limit_in(error).or(state.meter.refused()) {
        Some(limit) => over(plugin, state, limit),
        None => CallError::Trap {
            plugin: plugin.name().to_owned(),
            message: trap_message(state, error),
        },
    }
}

/// The limit that an error is about. Two of the runtime's have no type to be told by, only a text.
fn limit_in(error: &wasmtime::Error) -> Option<LimitKind> {
    if let Some(Exceeded(limit)) = error.downcast_ref() {
        return Some(*limit);
    }
    if let Some(Trap::StackOverflow) = error.downcast_ref() {
        return Some(LimitKind::Stack);
    }
    if let Some(ResourceTableError::Full) = error.downcast_ref() {
        return Some(LimitKind::Handles);
    }
    match error.root_cause().to_string() {
        text if text.contains("fuel allocated for hostcalls") => Some(LimitKind::HostCallBytes),
        text if text.contains("handle limit exceeded") => Some(LimitKind::Handles),
        _ => None,
    }
}

fn over(plugin: &Plugin, state: &HostState, limit: LimitKind) -> CallError {
    let allowed = match limit {
        LimitKind::Stack => bytes(plugin.engine.stack as u64),
        LimitKind::MemoryOfAll => bytes(plugin.engine.memory.limit()),
        limit => state.limits.allowed(limit),
    };
    CallError::Limit {
        plugin: plugin.name().to_owned(),
        limit,
        allowed,
        note: last_words(state),
    }
}

fn trap_message(state: &HostState, error: &wasmtime::Error) -> String {
    let cause = match error.downcast_ref::<I32Exit>() {
        Some(I32Exit(status)) => format!("it exited with status {status}"),
        None => escaped(&error.root_cause().to_string()),
    };
    let names = error.downcast_ref().map(frames).unwrap_or_default();
    let recursion = match error.downcast_ref() {
        Some(Trap::MemoryOutOfBounds) if same(&names) => "; the recursion used up the component's own stack",
        _ => "",
    };
    let place = match names.is_empty() {
        true => String::new(),
        false => format!("; in {}", names.join(" < ")),
    };
    let words = last_words(state);
    let memory = memory_problem(&words, || state.limits.allowed(LimitKind::Memory));
    let message = format!("{cause}{recursion}{memory}{words}{place}");
    cut(&message, MESSAGE_BYTES).to_owned()
}

/// A collection that is too large for its own count never asks for memory; Rust's words for that name no limit.
fn memory_problem(words: &str, allowed: impl FnOnce() -> String) -> String {
    if words.contains("capacity overflow") {
        format!(
            "; it asked for more memory at once than a component can have (the limit is {})",
            allowed()
        )
    } else {
        String::new()
    }
}

/// The innermost functions, by name as far as they have one.
fn frames(backtrace: &WasmBacktrace) -> Vec<String> {
    let name = |frame: &FrameInfo| match frame.func_name() {
        Some(name) => escaped(name),
        None => format!("function {}", frame.func_index()),
    };
    backtrace.frames().iter().map(name).collect()
}

/// Whether all frames that are shown are of one function.
fn same(names: &[String]) -> bool {
    names.len() >= settings::FRAMES && names.windows(2).all(|pair| matches!(pair, [a, b] if a == b))
}

fn last_words(state: &HostState) -> String {
    match state.log.last_words() {
        words if words.is_empty() => words,
        words => format!("; it printed: {words}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_too_large_for_its_count_is_told_with_the_limit() {
        let allowed = || "64 MiB".to_owned();
        let words = "; it printed: panicked at alloc/src/raw_vec.rs: | capacity overflow";
        assert!(memory_problem(words, allowed).contains("more memory at once"));
        assert!(memory_problem(words, allowed).ends_with("(the limit is 64 MiB)"));
        assert_eq!(memory_problem("; it printed: x", allowed), "");
    }
}
