//! The form of an Event: its name, its JSON, its limits.

use espejote_core::text::cut;
use k8s_openapi::{
    api::{
        core::v1::ObjectReference,
        events::v1::{Event, EventSeries},
    },
    apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta},
    jiff::Timestamp,
};
use serde_json::json;

use super::{Occurrence, Reference, Severity};

/// Limits of the API server, in bytes.
const NOTE: usize = 1024;
const WORD: usize = 128;
const NAME: usize = 253;

/// Who reports.
const CONTROLLER: &str = "espejote.io/managed-resource-controller";

/// The namespace of an event about `object`.
pub(super) fn namespace(object: &Reference) -> &str {
    match object.namespace.as_str() {
        "" => "default",
        namespace => namespace,
    }
}

/// The object's name, a dot, and `id` in 16 hexadecimal digits.
pub(super) fn name(object: &Reference, id: u64) -> String {
    let hash = format!("{id:016x}");
    match subdomain(&object.name, NAME - hash.len() - 1) {
        stem if stem.is_empty() => hash,
        stem => format!("{stem}.{hash}"),
    }
}

/// `name` as a DNS subdomain of at most `limit` bytes: names of some kinds hold colons or capital letters.
fn subdomain(name: &str, limit: usize) -> String {
    let allowed = |c: char| match c.to_ascii_lowercase() {
        lower @ ('a'..='z' | '0'..='9' | '.' | '-') => lower,
        _ => '-',
    };
    let name: String = name.chars().take(limit).map(allowed).collect();
    let labels = name.split('.').map(|label| label.trim_matches('-'));
    let labels: Vec<_> = labels.filter(|label| !label.is_empty()).collect();
    labels.join(".")
}

/// The document of a new event.
pub(super) fn create(
    occurrence: &Occurrence,
    name: &str,
    instance: &str,
) -> Result<Vec<u8>, serde_json::Error> {
    let event = Event {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            namespace: Some(namespace(&occurrence.regarding).to_owned()),
            ..ObjectMeta::default()
        },
        event_time: Some(MicroTime(Timestamp::now())),
        reporting_controller: Some(CONTROLLER.to_owned()),
        reporting_instance: Some(cut(instance, WORD).to_owned()),
        action: Some(cut(&occurrence.action, WORD).to_owned()),
        reason: Some(cut(&occurrence.reason, WORD).to_owned()),
        regarding: Some(reference(&occurrence.regarding)),
        related: occurrence.related.as_ref().map(reference),
        note: Some(note(occurrence.note.clone())),
        type_: Some(severity(occurrence.severity).to_owned()),
        ..Event::default()
    };
    serde_json::to_vec(&event)
}

/// The merge patch that says that an event has happened `count` times by now.
pub(super) fn repeat(count: u32) -> Result<Vec<u8>, serde_json::Error> {
    let series = EventSeries {
        count: i32::try_from(count).unwrap_or(i32::MAX),
        last_observed_time: MicroTime(Timestamp::now()),
    };
    serde_json::to_vec(&json!({ "series": series }))
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Normal => "Normal",
        Severity::Warning => "Warning",
    }
}

fn reference(object: &Reference) -> ObjectReference {
    let some = |text: &String| (!text.is_empty()).then(|| text.clone());
    ObjectReference {
        api_version: some(&object.api_version),
        kind: some(&object.kind),
        namespace: some(&object.namespace),
        name: some(&object.name),
        uid: some(&object.uid),
        resource_version: some(&object.resource_version),
        field_path: None,
    }
}

/// The note, cut to what the API server takes; an ellipsis stands for what is missing.
pub(super) fn note(text: String) -> String {
    const ELLIPSIS: &str = "…";
    if text.len() <= NOTE {
        return text;
    }
    format!("{}{ELLIPSIS}", cut(&text, NOTE - ELLIPSIS.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_for(object: &str) -> String {
        let object = Reference {
            name: object.into(),
            ..Reference::default()
        };
        name(&object, 0xab)
    }

    #[test]
    fn names_start_with_the_name_of_the_object() {
        assert_eq!(name_for("test"), "test.00000000000000ab");
        assert_eq!(name_for("a.b-c"), "a.b-c.00000000000000ab");
    }

    #[test]
    fn names_of_objects_that_are_no_subdomain_are_made_one() {
        assert_eq!(name_for("system:node"), "system-node.00000000000000ab");
        assert_eq!(name_for(":Node:."), "node.00000000000000ab");
        assert_eq!(name_for("a..-b"), "a.b.00000000000000ab");
        assert_eq!(name_for("::"), "00000000000000ab");
    }

    #[test]
    fn names_are_never_too_long() {
        assert_eq!(name_for(&"x".repeat(253)).len(), 253);
        assert_eq!(name_for(&"ä".repeat(253)).len(), 16);
        let dotted = name_for(&"x.".repeat(126));
        assert!(dotted.len() <= 253 && !dotted.contains(".."));
    }

    /// S5: cut on a character boundary, never lost, never changed if it fits.
    #[test]
    fn s5_long_notes_are_cut_on_a_character_boundary() {
        assert_eq!(note("x".repeat(1024)), "x".repeat(1024));
        assert_eq!(note("x".repeat(1025)), format!("{}…", "x".repeat(1021)));
        for shift in 0..4 {
            let text = "x".repeat(shift) + &"𝕏".repeat(300);
            let note = note(text.clone());
            assert!(note.len() <= 1024 && note.len() > 1016);
            assert!(text.starts_with(note.trim_end_matches('…')));
        }
    }

    #[test]
    fn events_about_cluster_scoped_objects_go_to_the_default_namespace() {
        assert_eq!(namespace(&Reference::default()), "default");
    }
}
