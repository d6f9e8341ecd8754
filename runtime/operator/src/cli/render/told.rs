//! What a call tells beside its result, as comments of the printed document: how `espejote plugin test` keeps it.
//!
//! Owns the form of these lines, both ways: one line for each thing that is told, after the line of the trigger.

use espejote_core::{Condition, FailureKind, Report, Waiting};
use espejote_engine::CallError;
use serde_json::{Value, json};

const FAILURE: &str = "# Failure: ";
const MESSAGE: &str = "# Message: ";
const WAITING: &str = "# Waiting: ";
const REQUEUE: &str = "# RequeueAfter: ";
const CONDITION: &str = "# Condition: ";
const ALL: [&str; 5] = [FAILURE, MESSAGE, WAITING, REQUEUE, CONDITION];

/// The lines of a call. None: it ended in a way that nobody can expect, by a trap, a limit or the host.
pub fn lines(failure: Option<&CallError>, report: &Report) -> Option<String> {
    let failure = match failure {
        None => None,
        Some(CallError::Guest { kind, message }) => Some(failed(*kind, message)),
        Some(CallError::InvalidOutput(why)) => Some(failed(FailureKind::InvalidOutput, &why.to_string())),
        Some(CallError::Trap { .. } | CallError::Limit { .. } | CallError::Host { .. }) => return None,
    };
    let message = report.message.as_ref().map(|text| line(MESSAGE, &json!(text)));
    let waiting = report.waiting.as_ref().map(waiting);
    let requeue = report
        .requeue_after
        .map(|millis| line(REQUEUE, &json!(format!("{millis}ms"))));
    let told = [failure, message, waiting, requeue].into_iter().flatten();
    Some(told.chain(report.conditions.iter().map(condition)).collect())
}

/// The line of a failure.
pub fn failed(kind: FailureKind, message: &str) -> String {
    line(FAILURE, &json!({"kind": word(kind), "message": message}))
}

/// Whether a text that was printed or expected tells anything in this form.
pub fn tells(text: &str) -> bool {
    text.lines().any(is_told)
}

/// Whether a call of a printed text gave no result.
pub fn fails(text: &str) -> bool {
    let kind = format!("{FAILURE}{{\"kind\":\"{}\"", word(FailureKind::InvalidOutput));
    let breaks_a_rule = |line: &str| line.starts_with(&kind);
    text.lines()
        .any(|line| line.starts_with(FAILURE) && !breaks_a_rule(line))
}

/// The text as it is printed when nothing of this is asked for: a call without a document is not there.
pub fn without(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut head = String::new();
    for line in text.split_inclusive('\n') {
        if line == "---\n" {
            head = line.to_owned();
        } else if !head.is_empty() && line.starts_with("# Trigger: ") {
            head.push_str(line);
        } else if !is_told(line) {
            kept.push_str(&std::mem::take(&mut head));
            kept.push_str(line);
        }
    }
    kept
}

fn is_told(line: &str) -> bool {
    ALL.iter().any(|prefix| line.starts_with(prefix))
}

fn waiting(waiting: &Waiting) -> String {
    let Waiting { reason, message } = waiting;
    line(WAITING, &json!({"reason": reason, "message": message}))
}

fn condition(condition: &Condition) -> String {
    let Condition {
        kind,
        status,
        reason,
        message,
    } = condition;
    let told = json!({"type": kind, "status": status.word(), "reason": reason, "message": message});
    line(CONDITION, &told)
}

/// JSON has no line breaks in it.
fn line(prefix: &str, value: &Value) -> String {
    format!("{prefix}{value}\n")
}

/// As the contract names it.
const fn word(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::InvalidConfig => "invalid-config",
        FailureKind::InvalidInput => "invalid-input",
        FailureKind::InvalidOutput => "invalid-output",
        FailureKind::NotReady => "not-ready",
        FailureKind::Internal => "internal",
    }
}

#[cfg(test)]
mod tests {
    use espejote_core::ConditionStatus;

    use super::*;

    fn report() -> Report {
        Report {
            requeue_after: Some(1500),
            message: Some("two\nlines".to_owned()),
            conditions: vec![Condition {
                kind: "Synced".to_owned(),
                status: ConditionStatus::Unknown,
                reason: "Half".to_owned(),
                message: "some".to_owned(),
            }],
            waiting: Some(Waiting {
                reason: "Copying".to_owned(),
                message: "three to go".to_owned(),
            }),
            document: None,
        }
    }

    #[test]
    fn each_thing_that_is_told_is_a_line() {
        let failure = CallError::Guest {
            kind: FailureKind::NotReady,
            message: "\"soon\"".to_owned(),
        };
        let expected = r##"# Failure: {"kind":"not-ready","message":"\"soon\""}
# Message: "two\nlines"
# Waiting: {"reason":"Copying","message":"three to go"}
# RequeueAfter: "1500ms"
# Condition: {"type":"Synced","status":"Unknown","reason":"Half","message":"some"}
"##;
        let told = lines(Some(&failure), &report()).unwrap();
        assert_eq!(told, expected);
        assert!(fails(&told) && tells(&told) && without(&told).is_empty());
        assert_eq!(lines(None, &Report::default()).as_deref(), Some(""));
    }

    #[test]
    fn a_trap_cannot_be_expected() {
        let trap = CallError::Trap {
            plugin: "p".to_owned(),
            message: "unreachable".to_owned(),
        };
        assert_eq!(lines(Some(&trap), &report()), None);
    }

    #[test]
    fn without_what_is_told_a_text_is_as_it_was_printed() {
        let told = failed(FailureKind::InvalidOutput, "no kind");
        let text =
            format!("---\n# Trigger: {{}}\n{told}- a: '# Failure: '\n---\n{told}---\n{MESSAGE}1\nnull\n");
        assert_eq!(
            without(&text),
            "---\n# Trigger: {}\n- a: '# Failure: '\n---\nnull\n"
        );
        assert!(!fails(&text), "it is shown all the same");
        assert_eq!(without("---\n[]\n"), "---\n[]\n");
    }
}
