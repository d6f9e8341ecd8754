//! What people are told of a call, beside its result.

use std::fmt::Write as _;

use espejote_core::{Context, ContextValue, Desired, Item, ObjectId, Report};

use super::{document::items, logic::Rendered};
use crate::cli::input::Call;

/// Names a call in messages.
pub fn what(call: &Call) -> String {
    match (&call.trigger, &call.object) {
        (None, _) => "general reconcile".to_owned(),
        (Some(trigger), None) => format!("trigger {trigger:?}"),
        (Some(trigger), Some(object)) => {
            format!("trigger {trigger:?} for {} {}", object.api_version, named(object))
        }
    }
}

/// `namespace/name Kind`; objects of no namespace have no slash.
pub fn named(object: &ObjectId) -> String {
    object.to_string().trim_start_matches('/').to_owned()
}

/// What started it, and what it can read.
pub fn before(call: &Call) -> String {
    let gone = call.object.is_some() && call.invocation.trigger.object.is_none();
    let gone = if gone { ", which is gone" } else { "" };
    let mut text = format!("# {}{gone}\n", what(call));
    let contexts = &call.invocation.snapshot.contexts;
    if !contexts.is_empty() {
        let contexts: Vec<String> = contexts.iter().map(context).collect();
        line(&mut text, "can read", &contexts.join(", "));
    }
    text
}

/// What it emitted, told and took.
pub fn after(rendered: &Rendered) -> String {
    let mut text = String::new();
    let emitted = rendered.desired.as_ref().map(emitted);
    line(
        &mut text,
        "emitted",
        emitted.as_deref().unwrap_or("nothing that counts"),
    );
    for told in report(&rendered.report) {
        line(&mut text, "told", &told);
    }
    let mebibytes = rendered.memory_peak as f64 / f64::from(1 << 20);
    line(
        &mut text,
        "took",
        &format!("{:.1?}, {mebibytes:.1} MiB of memory", rendered.wall),
    );
    text
}

fn emitted(desired: &Desired) -> String {
    let deleted = items(desired)
        .into_iter()
        .filter(|item| matches!(item, Item::Delete(_)))
        .count();
    let applied = desired.len() - deleted;
    match (applied, deleted) {
        (0, 0) => "nothing".to_owned(),
        (applied, 0) => format!("{applied} to apply"),
        (0, deleted) => format!("{deleted} to delete"),
        (applied, deleted) => format!("{applied} to apply, {deleted} to delete"),
    }
}

fn context(context: &Context) -> String {
    let Context { name, value } = context;
    match value {
        ContextValue::Objects(Ok(objects)) if objects.len() == 1 => format!("{name} (1 object)"),
        ContextValue::Objects(Ok(objects)) => format!("{name} ({} objects)", objects.len()),
        ContextValue::Provided(Ok(_)) | ContextValue::Computed(_) => format!("{name} (computed)"),
        ContextValue::Objects(Err(why)) | ContextValue::Provided(Err(why)) => format!("{name} ({why})"),
    }
}

fn report(report: &Report) -> Vec<String> {
    let message = report.message.clone();
    let waiting = report
        .waiting
        .as_ref()
        .map(|w| format!("waiting: {}: {}", w.reason, w.message));
    let requeue = report
        .requeue_after
        .map(|millis| format!("call again after {millis} ms"));
    let conditions = report.conditions.iter();
    let conditions = conditions.map(|c| format!("{} is {:?}: {}: {}", c.kind, c.status, c.reason, c.message));
    message
        .into_iter()
        .chain(waiting)
        .chain(requeue)
        .chain(conditions)
        .collect()
}

fn line(text: &mut String, what: &str, told: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "#   {what}: {told}");
}
