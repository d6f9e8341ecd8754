//! `std.parseYaml`: YAML 1.1, as all Go programs of the Kubernetes world read it. A mode of `0644` is octal.

use espejote_yaml::{Duplicates, ReadError};
use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::function::builtin;
use jrsonnet_evaluator::val::ArrValue;
use jrsonnet_evaluator::{Error, IStr, Result, Val};
use serde::Deserialize as _;
use serde_json::Value;

/// A list of documents as soon as one line starts a document, else the one document.
#[builtin]
pub(super) fn std_parse_yaml(str: IStr) -> Result<Val> {
    let (documents, stream) = documents(&str);
    let mut values: Vec<Val> = documents
        .iter()
        .enumerate()
        .map(|(index, text)| document(text).map_err(|error| failed(index, &error)))
        .collect::<Result<_>>()?;
    if stream {
        return Ok(Val::Arr(ArrValue::new(values)));
    }
    Ok(values.pop().unwrap_or_default())
}

/// The texts of the documents, each with the line that starts it, and whether there was such a line.
fn documents(text: &str) -> (Vec<String>, bool) {
    let (mut documents, mut current, mut stream) = (Vec::new(), String::new(), false);
    for line in text.lines() {
        let starts = line
            .strip_prefix("---")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
        stream |= starts;
        if starts && !current.is_empty() {
            documents.push(std::mem::take(&mut current));
        }
        current.push_str(line);
        current.push('\n');
    }
    if !current.is_empty() {
        documents.push(current);
    }
    (documents, stream)
}

fn document(text: &str) -> std::result::Result<Val, ReadError> {
    let first = espejote_yaml::read_with(text, Duplicates::LastWins)?
        .into_iter()
        .next();
    // Every JSON value is one of Jsonnet.
    Ok(first.map_or(Val::Null, |value: Value| {
        Val::deserialize(value).unwrap_or_default()
    }))
}

/// Without the text that cannot be read: it may be that of a Secret.
fn failed(index: usize, error: &ReadError) -> Error {
    let what = match error {
        ReadError::Unspeakable { line, .. } => format!("line {line}: a value that JSON does not have"),
        ReadError::DuplicateKey { line, .. } => format!("line {line}: a key that is there already"),
        other => other.to_string(),
    };
    let place = if index == 0 {
        String::new()
    } else {
        format!("document {}, ", index + 1)
    };
    ErrorKind::RuntimeError(format!("failed to parse YAML: {place}{what}").into()).into()
}
