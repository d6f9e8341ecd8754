//! What renders, but is likely a mistake: told with `--explain`, and an error with `--strict`.
//!
//! Each sentence names the place. Nothing here changes what is rendered.

mod delivery;

use espejote_api::{ContextSource, Plan, PlanError, Source};
use espejote_core::{Apply, Desired, Item};

use self::delivery::Seen;
use super::{document, explain::named};
use crate::cli::input::{InputFile, InputTrigger};

/// What the operator refuses of a manifest.
pub fn of_manifest(plan: &Result<Plan, PlanError>) -> Vec<String> {
    let refused = plan.as_ref().err();
    refused
        .map(|error| format!("the operator refuses this spec: {error}"))
        .into_iter()
        .collect()
}

/// What an input says that does not go with the manifest.
pub fn of_input(plan: &Plan, input: &InputFile) -> Vec<String> {
    let triggers = input.triggers.iter().flatten().enumerate();
    let triggers = triggers.flat_map(|(n, trigger)| of_trigger(plan, n, trigger));
    triggers.chain(of_contexts(plan, input)).collect()
}

/// What is emitted and will not do what it looks like.
pub fn of_result(desired: &Desired) -> Vec<String> {
    let items = document::items(desired).into_iter();
    items
        .flat_map(|item| match item {
            Item::Apply(apply) => of_apply(apply),
            Item::Delete(delete) if delete.id.name.is_empty() => vec![nameless(&delete.id.kind)],
            Item::Delete(_) | Item::Group(_) => Vec::new(),
        })
        .collect()
}

fn of_trigger(plan: &Plan, n: usize, given: &InputTrigger) -> Vec<String> {
    if given.name.is_empty() {
        return Vec::new();
    }
    let place = format!("triggers[{n}] {:?}", given.name);
    let Some(trigger) = plan.triggers.iter().find(|known| known.name == given.name) else {
        let known = names(plan.triggers.iter().map(|trigger| trigger.name.as_str()));
        return vec![format!(
            "{place} is no trigger of the manifest, which has {known}"
        )];
    };
    match (&trigger.source, Seen::of_trigger(given)) {
        (Source::Interval(_), None) => Vec::new(),
        (Source::Interval(_), Some(_)) => vec![format!("{place} is an interval: it comes without an object")],
        (Source::Watch(_), None) => vec![format!(
            "{place} watches objects: say with watchResource or event which one it is about"
        )],
        (Source::Watch(watched), Some(object)) => object
            .problems(watched)
            .into_iter()
            .map(|why| format!("{place}: the operator would not call for this object: {why}"))
            .collect(),
    }
}

fn of_contexts(plan: &Plan, input: &InputFile) -> Vec<String> {
    let mut told = Vec::new();
    for (n, given) in input.context.iter().enumerate() {
        let place = format!("context[{n}] {:?}", given.name);
        let known = plan.contexts.iter().find(|known| known.name == given.name);
        match known.map(|known| &known.source) {
            None => told.push(unknown_context(plan, &place)),
            Some(ContextSource::Plugin(_)) => told.push(format!(
                "{place} is computed by a plugin: give its value under provided"
            )),
            Some(ContextSource::Watch(watched)) => {
                for (at, object) in given.resources.iter().enumerate() {
                    let problems = Seen::of_object(object).problems(watched).into_iter();
                    told.extend(problems.map(|why| {
                        format!("{place}, resources[{at}]: the operator would not read this object: {why}")
                    }));
                }
            }
        }
    }
    let provided = input.provided.keys().chain(input.unavailable.keys());
    let unknown = provided.filter(|name| !plan.contexts.iter().any(|known| known.name == **name));
    told.extend(unknown.map(|name| unknown_context(plan, &format!("provided {name:?}"))));
    told
}

fn unknown_context(plan: &Plan, place: &str) -> String {
    let known = names(plan.contexts.iter().map(|context| context.name.as_str()));
    format!("{place} is no context of the manifest, which has {known}")
}

fn of_apply(apply: &Apply) -> Vec<String> {
    let mut told = Vec::new();
    if apply.id.name.is_empty() {
        told.push(nameless(&apply.id.kind));
    }
    let object = document::object(apply);
    let has_status = object.get("status").is_some_and(|status| !status.is_null());
    if has_status && apply.options.subresource.as_deref() != Some("status") {
        told.push(format!(
            "{}: status is dropped by the API server if the kind has the subresource status: apply it on its own, by \
             esp.applyOptions(…, subresource='status')",
            named(&apply.id)
        ));
    }
    told
}

fn nameless(kind: &str) -> String {
    format!("an object of kind {kind:?} has no metadata.name: the operator cannot write it")
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

#[cfg(test)]
mod tests;
