//! From what a decision wants changed to a JSON patch that the API server can apply.
//!
//! Owns that no patch leaves that does not fit its object.

use std::borrow::Cow;

use espejote_engine::Mutation;
use json_patch::{Patch, PatchOperation, TestOperation};
use serde_json::{Number, Value};

/// A change that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// There is nothing to change, as in a deletion.
    #[error("the object is to be changed, and the request has none")]
    NoObject,
    /// The object or the change is no JSON; only a bug can say so.
    #[error("{what} is no JSON: {source}")]
    Json {
        /// Which of them.
        what: &'static str,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// An operation does not fit the object.
    #[error("the patch cannot be applied to the object: operation {operation} at {path:?}: {problem}")]
    Misfit {
        /// Its position, from 0.
        operation: usize,
        /// Its path.
        path: String,
        /// What is wrong.
        problem: String,
    },
}

/// The patch that a mutation is, for the object of the request; none if it changes nothing.
pub fn patch(mutation: &Mutation, object: Option<&str>) -> Result<Option<String>, ChangeError> {
    let object = object.ok_or(ChangeError::NoObject)?;
    let object: Value = parse(object, "the object of the request")?;
    match mutation {
        Mutation::Patch(text) => {
            let Patch(operations) = parse(text, "the patch")?;
            check(object, &operations)?;
            Ok((!operations.is_empty()).then(|| text.to_string()))
        }
        Mutation::Object(wanted) => {
            let wanted: Value = parse(wanted, "the changed object")?;
            let patch = json_patch::diff(&object, &wanted);
            Ok((!patch.0.is_empty()).then(|| patch.to_string()))
        }
    }
}

fn parse<T: serde::de::DeserializeOwned>(json: &str, what: &'static str) -> Result<T, ChangeError> {
    serde_json::from_str(json).map_err(|source| ChangeError::Json { what, source })
}

fn check(mut object: Value, operations: &[PatchOperation]) -> Result<(), ChangeError> {
    for (operation, of) in operations.iter().enumerate() {
        let applied = match of {
            PatchOperation::Test(test) => holds(&object, test),
            other => json_patch::patch(&mut object, std::slice::from_ref(other))
                .map_err(|error| error.kind.to_string()),
        };
        applied.map_err(|problem| ChangeError::Misfit {
            operation,
            path: of.path().to_string(),
            problem,
        })?;
    }
    Ok(())
}

/// As the API server tests: what is not there is null, and 3 equals 3.0.
fn holds(object: &Value, test: &TestOperation) -> Result<(), String> {
    let found = object.pointer(test.path.as_str()).unwrap_or(&Value::Null);
    match same(found, &test.value) {
        true => Ok(()),
        false => Err("value did not match".to_owned()),
    }
}

fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => number(one) == number(other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}

/// A whole number as such, however it is written.
fn number(number: &Number) -> Cow<'_, Number> {
    let whole = number
        .as_f64()
        .filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15);
    match whole {
        #[allow(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
        Some(float) => Cow::Owned(Number::from(float as i64)),
        None => Cow::Borrowed(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: &str = r#"{"metadata":{"name":"a"},"spec":{"replicas":3,"big":9007199254740993}}"#;

    fn patched(operations: &str) -> Result<Option<String>, String> {
        patch(&Mutation::Patch(operations.into()), Some(OBJECT)).map_err(|error| error.to_string())
    }

    fn changed(object: &str) -> Option<String> {
        patch(&Mutation::Object(object.into()), Some(OBJECT)).unwrap()
    }

    /// W13: a patch leaves as it was written.
    #[test]
    fn w13_a_patch_that_fits_stays_as_it_is() {
        let fitting = r#"[{"op":"add","path":"/metadata/annotations","value":{}},{"op":"add","path":"/metadata/annotations/request-user","value":"testuser"}]"#;
        assert_eq!(patched(fitting).unwrap().as_deref(), Some(fitting));
        assert_eq!(patched("[]"), Ok(None));
    }

    #[test]
    fn a_patch_that_does_not_fit_is_told_by_its_operation() {
        let operations = r#"[{"op":"test","path":"/spec/replicas","value":3},{"op":"add","path":"/metadata/annotations/x","value":"y"}]"#;
        let problem = patched(operations).unwrap_err();
        assert!(
            problem.contains(r#"operation 1 at "/metadata/annotations/x""#),
            "{problem}"
        );
        let problem = patched(r#"[{"op":"test","path":"/spec/replicas","value":4}]"#).unwrap_err();
        assert!(problem.contains("value did not match"), "{problem}");
    }

    #[test]
    fn tests_are_those_of_the_api_server() {
        for operations in [
            r#"[{"op":"test","path":"/spec/replicas","value":3.0}]"#,
            r#"[{"op":"test","path":"/nothing","value":null}]"#,
            r#"[{"op":"test","path":"/spec","value":{"big":9007199254740993,"replicas":3.0}}]"#,
        ] {
            assert!(patched(operations).is_ok(), "{operations}");
        }
        let neighbour = r#"[{"op":"test","path":"/spec/big","value":9007199254740992}]"#;
        assert!(patched(neighbour).is_err());
    }

    #[test]
    fn a_whole_object_becomes_the_patch_that_leads_to_it() {
        let wanted =
            r#"{"metadata":{"name":"a","labels":{"x/y":"z"}},"spec":{"replicas":3,"big":9007199254740994}}"#;
        let text = changed(wanted).unwrap();
        let operations: Patch = serde_json::from_str(&text).unwrap();
        let mut object: Value = serde_json::from_str(OBJECT).unwrap();
        json_patch::patch(&mut object, &operations).unwrap();
        assert_eq!(object, serde_json::from_str::<Value>(wanted).unwrap());
        assert!(text.contains("9007199254740994"), "{text}");
        assert_eq!(changed(OBJECT), None);
    }

    #[test]
    fn without_an_object_there_is_nothing_to_change() {
        let error = patch(&Mutation::Object("{}".into()), None).unwrap_err();
        assert!(matches!(error, ChangeError::NoObject));
    }
}
