//! Errors of the evaluation as text, in the form that readers of go-jsonnet know: what is wrong, then where, file, line and
//! columns, innermost first.

use std::fmt::Write as _;

use jrsonnet_evaluator::analyze::{DiagLevel, Diagnostic};
use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::typed::ValType;
use jrsonnet_evaluator::{Error, Span, StackTraceElement};

use crate::import::{TEMPLATE, name};
use crate::nesting::TooDeep;
use crate::words;

/// Frames told, half of them from either end.
const FRAMES: usize = 20;
/// Places told where the right one is not known.
const GUESSES: usize = 3;

/// Where the cause of an error lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The text of the template is no Jsonnet.
    Template,
    /// Anything that evaluation met.
    Evaluation,
}

/// A template that goes too deep to be parsed.
pub(crate) fn too_deep(file: &str, code: &str, deep: TooDeep) -> String {
    let (line, column) = position(code, deep.byte);
    format!("{file}:{line}:{column} {}", deep.message)
}

/// What to tell where a field of null was read and the run has no trigger object.
pub(crate) const NO_TRIGGER_DATA: &str =
    "; esp.triggerData() is null in the general reconcile and for an interval";

/// Whether a field of null was read.
pub(crate) fn is_about_null(error: &Error) -> bool {
    matches!(
        error.error(),
        ErrorKind::ValueIndexMustBeTypeGot(ValType::Null, _, _)
    )
}

/// An error for people. `hint` ends its first line.
pub(crate) fn text(error: &Error, template: &str, hint: &str) -> String {
    match error.error() {
        ErrorKind::ImportSyntaxError { error: syntax, .. } => {
            format!("{} {}", place(&syntax.location), syntax.message)
        }
        ErrorKind::StaticAnalysisError(diagnostics) => statics(diagnostics),
        kind => {
            let trace = &error.trace().0;
            format!(
                "RUNTIME ERROR: {}{hint}{}{}",
                words::of(kind),
                guesses(kind, trace, template),
                frames(trace)
            )
        }
    }
}

/// Whether the template itself is broken, before it runs.
pub(crate) fn cause(error: &Error) -> Cause {
    let span = match error.error() {
        ErrorKind::ImportSyntaxError { error, .. } => Some(&error.location),
        ErrorKind::StaticAnalysisError(diagnostics) => {
            errors(diagnostics).find_map(|found| found.span.as_ref())
        }
        _ => None,
    };
    if span.is_some_and(|span| name(span.0.source_path()) == TEMPLATE) {
        Cause::Template
    } else {
        Cause::Evaluation
    }
}

fn errors(diagnostics: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    diagnostics
        .iter()
        .filter(|found| matches!(found.level, DiagLevel::Error))
}

fn static_words(message: &str) -> String {
    for (ours, theirs) in [
        ("undefined local: ", "Unknown variable: "),
        (
            "local is already defined in the current frame: ",
            "Duplicate local var: ",
        ),
    ] {
        if let Some(name) = message.strip_prefix(ours) {
            return format!("{theirs}{name}");
        }
    }
    message.to_owned()
}

fn statics(diagnostics: &[Diagnostic]) -> String {
    let lines = errors(diagnostics).map(|found| {
        let words = static_words(&found.message);
        found
            .span
            .as_ref()
            .map_or_else(|| words.clone(), |span| format!("{} {words}", place(span)))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The evaluator does not say where a field that does not exist was asked for. If the template has few places that can be
/// meant, they are named.
fn guesses(kind: &ErrorKind, trace: &[StackTraceElement], template: &str) -> String {
    let ErrorKind::NoSuchField(name, _) = kind else {
        return String::new();
    };
    if trace.iter().any(|frame| frame.location.is_some()) {
        return String::new();
    }
    let reads: Vec<usize> = reads_of(name, template).take(GUESSES + 1).collect();
    if reads.len() > GUESSES {
        return String::new();
    }
    let lines = reads.into_iter().map(|byte| {
        let (line, column) = position(template, byte);
        format!(
            "\n\t{TEMPLATE}:{line}:{column}-{}\tfield <{name}> is read here",
            column + name.chars().count()
        )
    });
    lines.collect()
}

/// Where `.name`, `['name']` or `["name"]` stands.
fn reads_of<'a>(name: &'a str, template: &'a str) -> impl Iterator<Item = usize> + 'a {
    template
        .match_indices(name)
        .map(|(byte, _)| byte)
        .filter(move |&byte| {
            let before = template.get(..byte).unwrap_or_default();
            let after = template.get(byte + name.len()..).unwrap_or_default();
            let ends = !after.starts_with(|next: char| next.is_alphanumeric() || next == '_');
            (before.ends_with('.') && ends)
                || (before.ends_with(['\'', '"']) && after.starts_with(['\'', '"']))
        })
}

fn frames(trace: &[StackTraceElement]) -> String {
    let mut text = String::new();
    let skipped = trace.len().saturating_sub(FRAMES);
    for (index, frame) in trace.iter().enumerate() {
        if skipped > 0 && index == FRAMES / 2 {
            text.push_str("\n\t...");
        }
        if skipped == 0 || index < FRAMES / 2 || index >= FRAMES / 2 + skipped {
            let place = frame
                .location
                .as_ref()
                .map_or_else(String::new, |span| format!("{}\t", place(span)));
            // Writing to a string cannot fail.
            let _ = write!(text, "\n\t{place}{}", frame.desc);
        }
    }
    text
}

/// `file:line:column-column`, the second one after the end, as go-jsonnet counts.
fn place(span: &Span) -> String {
    let code = span.0.code();
    let (line, column) = position(code, span.1 as usize);
    let (end_line, end) = position(code, span.2.max(span.1) as usize);
    let file = name(span.0.source_path());
    match (end_line == line, end == column) {
        (true, true) => format!("{file}:{line}:{column}"),
        (true, false) => format!("{file}:{line}:{column}-{end}"),
        (false, _) => format!("{file}:({line}:{column})-({end_line}:{end})"),
    }
}

/// Line and column, from 1, of a byte.
fn position(code: &str, byte: usize) -> (usize, usize) {
    let before = code.get(..byte).unwrap_or(code);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let code = "a\n{é: b}";
        assert_eq!(position(code, 0), (1, 1));
        assert_eq!(position(code, 2), (2, 1));
        assert_eq!(position(code, 7), (2, 5));
        assert_eq!(position(code, 99), (2, 7));
    }
}
