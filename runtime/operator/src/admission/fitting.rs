//! Whether a patch fits an object, and does not do too much to it.
//!
//! Owns the bounds: some are those of the API server (operations, copies), others keep the process alive (depth, length, time).
//! Each operation is weighed before it is made, so what cannot be dropped or copied is never there.

use std::{borrow::Cow, slice, time::Instant};

use json_patch::{PatchOperation, TestOperation, jsonptr::Pointer};
use serde_json::{Number, Value};

use super::{
    change::{LONGEST, VALUES},
    weight::{Excess, Weight},
};

/// Operations of a patch, as many as the API server takes of a client.
pub const OPERATIONS: usize = 10_000;
/// What the copies of a patch add at most, in bytes: as much as the API server lets them.
const COPIED: usize = 3 << 20;
/// Levels of an object while it is changed. The API server takes less; the stack of a thread takes some thousands.
const LEVELS: usize = 512;
/// So much of a path is told.
const PATH_SHOWN: usize = 256;

/// A patch that cannot be applied.
#[derive(Debug, thiserror::Error)]
pub enum Misfit {
    /// An operation does not fit the object.
    #[error("the patch cannot be applied to the object: operation {operation} at {path:?}: {problem}")]
    Operation {
        /// Its position, from 0.
        operation: usize,
        /// Its path, or how it begins.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// There are too many.
    #[error("the patch has {0} operations: expected at most {OPERATIONS}")]
    TooMany(usize),
    /// What comes of it is too large.
    #[error("the patch makes the object too large: {0}")]
    Result(String),
}

/// Applies the operations one after the other. An error: they do not fit, do too much, or it took until `until`.
pub fn check(mut object: Value, operations: &[PatchOperation], until: Instant) -> Result<(), Misfit> {
    if operations.len() > OPERATIONS {
        return Err(Misfit::TooMany(operations.len()));
    }
    let mut copies = Weight {
        bytes: COPIED,
        values: VALUES,
        ..Weight::default()
    };
    for (operation, of) in operations.iter().enumerate() {
        apply(&mut object, of, &mut copies, until).map_err(|problem| Misfit::Operation {
            operation,
            path: espejote_core::text::cut(of.path().as_str(), PATH_SHOWN).to_owned(),
            problem,
        })?;
    }
    let most = Weight {
        bytes: LONGEST,
        ..Weight::ANY
    };
    Weight::of(&object, most)
        .map(drop)
        .map_err(|excess| Misfit::Result(excess.to_string()))
}

/// `copies` is what they may still add.
fn apply(
    object: &mut Value,
    operation: &PatchOperation,
    copies: &mut Weight,
    until: Instant,
) -> Result<(), String> {
    if Instant::now() >= until {
        return Err("it takes too long".to_owned());
    }
    match operation {
        PatchOperation::Test(test) => return holds(object, test),
        PatchOperation::Remove(_) => {}
        PatchOperation::Add(add) => fits_below(&add.path, Some(&add.value))?,
        PatchOperation::Replace(replace) => fits_below(&replace.path, Some(&replace.value))?,
        PatchOperation::Move(moved) => fits_below(&moved.path, object.pointer(moved.from.as_str()))?,
        PatchOperation::Copy(copy) => {
            if let Some(value) = object.pointer(copy.from.as_str()) {
                take(copies, &copy.path, value)?;
            }
        }
    }
    // What does not fit is dropped as a whole: there is nothing to undo.
    json_patch::patch_unsafe(object, slice::from_ref(operation)).map_err(|error| error.kind.to_string())
}

/// An error if a value would be too deep at a path.
fn fits_below(path: &Pointer, value: Option<&Value>) -> Result<(), String> {
    let weighed = value.map(|value| placed(value, path, Weight::ANY));
    weighed.transpose().map(drop).map_err(|excess| excess.to_string())
}

/// Takes a copy from what copies may still add.
fn take(copies: &mut Weight, path: &Pointer, value: &Value) -> Result<(), String> {
    let copy = placed(value, path, *copies).map_err(|excess| match excess {
        Excess::Depth(_) => excess.to_string(),
        _ => format!("the copies add too much: expected at most {COPIED} bytes and {VALUES} values"),
    })?;
    copies.bytes -= copy.bytes;
    copies.values -= copy.values;
    Ok(())
}

/// What a value weighs that is put at a path, if it is not too much there.
fn placed(value: &Value, path: &Pointer, most: Weight) -> Result<Weight, Excess> {
    let above = path.as_str().bytes().filter(|byte| *byte == b'/').count();
    let depth = LEVELS.checked_sub(above).ok_or(Excess::Depth(LEVELS))?;
    let weighed = Weight::of(value, Weight { depth, ..most });
    weighed.map_err(|excess| match excess {
        Excess::Depth(_) => Excess::Depth(LEVELS),
        other => other,
    })
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
    use std::time::Duration;

    use json_patch::Patch;

    use super::*;

    const OBJECT: &str = r#"{"metadata":{"name":"a"},"spec":{"replicas":3,"big":9007199254740993}}"#;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    fn fits(operations: &str) -> Result<(), String> {
        fit(OBJECT, operations, soon())
    }

    fn fit(object: &str, operations: &str, until: Instant) -> Result<(), String> {
        let Patch(operations) = serde_json::from_str(operations).unwrap();
        check(serde_json::from_str(object).unwrap(), &operations, until).map_err(|error| error.to_string())
    }

    /// On a stack that is as small as one that a thread may have.
    fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
        let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(work);
        thread.unwrap().join().unwrap();
    }

    #[test]
    fn a_patch_that_does_not_fit_is_told_by_its_operation() {
        let operations = r#"[{"op":"test","path":"/spec/replicas","value":3},{"op":"add","path":"/metadata/annotations/x","value":"y"}]"#;
        let problem = fits(operations).unwrap_err();
        assert!(
            problem.contains(r#"operation 1 at "/metadata/annotations/x""#),
            "{problem}"
        );
        let problem = fits(r#"[{"op":"test","path":"/spec/replicas","value":4}]"#).unwrap_err();
        assert!(problem.contains("value did not match"), "{problem}");
    }

    #[test]
    fn tests_are_those_of_the_api_server() {
        for operations in [
            r#"[{"op":"test","path":"/spec/replicas","value":3.0}]"#,
            r#"[{"op":"test","path":"/nothing","value":null}]"#,
            r#"[{"op":"test","path":"/spec","value":{"big":9007199254740993,"replicas":3.0}}]"#,
        ] {
            assert!(fits(operations).is_ok(), "{operations}");
        }
        let neighbour = r#"[{"op":"test","path":"/spec/big","value":9007199254740992}]"#;
        assert!(fits(neighbour).is_err());
    }

    fn nesting(times: usize) -> String {
        let mut operations = vec![r#"{"op":"add","path":"/a","value":{}}"#.to_owned()];
        for _ in 0..times {
            operations.push(r#"{"op":"move","from":"/a","path":"/t"}"#.to_owned());
            operations.push(r#"{"op":"add","path":"/a","value":{}}"#.to_owned());
            operations.push(r#"{"op":"move","from":"/t","path":"/a/b"}"#.to_owned());
        }
        format!("[{}]", operations.join(","))
    }

    #[test]
    fn a_patch_cannot_nest_deeper_than_the_stack() {
        on_a_small_stack(|| {
            assert_eq!(fits(&nesting(400)), Ok(()));
            let problem = fits(&nesting(3_000)).unwrap_err();
            assert!(problem.contains("deeper than 512 levels"), "{problem}");
            let problem = fits(&nesting(40_000)).unwrap_err();
            assert!(problem.contains("expected at most 10000"), "{problem}");
        });
    }

    #[test]
    fn what_is_copied_into_itself_is_no_deeper_either() {
        on_a_small_stack(|| {
            let mut operations = vec![r#"{"op":"add","path":"","value":[0]}"#.to_owned()];
            for n in 0..11 {
                let innermost = "/0".repeat(1 << n);
                operations.push(format!(r#"{{"op":"copy","from":"","path":"{innermost}"}}"#));
                operations.push(format!(
                    r#"{{"op":"remove","path":"{}1"}}"#,
                    &innermost[..innermost.len() - 1]
                ));
            }
            let problem = fits(&format!("[{}]", operations.join(","))).unwrap_err();
            assert!(problem.contains("levels"), "{problem}");
        });
    }

    #[test]
    fn copies_add_no_more_than_the_api_server_lets_them() {
        let doubling: Vec<_> = (0..40)
            .map(|n| format!(r#"{{"op":"copy","from":"","path":"/x{n}"}}"#))
            .collect();
        let problem = fits(&format!("[{}]", doubling.join(","))).unwrap_err();
        assert!(
            problem.contains(r#"operation 15 at "/x15": the copies add too much"#),
            "{problem}"
        );
        assert!(fits(&format!("[{}]", doubling[..10].join(","))).is_ok());
    }

    #[test]
    fn no_object_becomes_longer_than_the_longest_request() {
        let half = "x".repeat(LONGEST / 2);
        let add = |key: &str| format!(r#"{{"op":"add","path":"/{key}","value":"{half}"}}"#);
        assert_eq!(fits(&format!("[{}]", add("a"))), Ok(()));
        let problem = fits(&format!("[{},{}]", add("a"), add("b"))).unwrap_err();
        assert!(
            problem.contains("too large: it would be longer than 8388608 bytes"),
            "{problem}"
        );
    }

    #[test]
    fn a_patch_has_its_time() {
        let problem = fit(OBJECT, r#"[{"op":"remove","path":"/spec"}]"#, Instant::now()).unwrap_err();
        assert!(problem.contains("takes too long"), "{problem}");
    }
}
