//! From what a decision wants changed to a JSON patch that the API server can apply.
//!
//! Owns that no patch leaves that does not fit its object, and that finding out costs little: whoever wrote the logic, or sent
//! the object, may mean harm.

use std::time::Instant;

use espejote_engine::Mutation;
use json_patch::{AddOperation, Patch, PatchOperation, RemoveOperation, jsonptr::PointerBuf};
use serde_json::{Map, Value};

use super::{
    fitting::{self, Misfit},
    weight::{self, Weight},
};

/// The longest object and the longest change: as long as the longest request.
pub const LONGEST: usize = 8 << 20;
/// An object, and what is to become of it, are of so many values at most. Each takes some hundred bytes of memory, however short
/// its text is.
pub const VALUES: usize = 1 << 18;
/// So much may the paths of a patch that leads from one object to another take, if all of it changes.
const PATHS: usize = 8 << 20;

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
    /// The object or the change is too long to be looked at.
    #[error("{what} is too large: expected at most {LONGEST} bytes and {VALUES} values")]
    TooLarge {
        /// Which of them.
        what: &'static str,
    },
    /// The patch does not fit the object, or does too much to it.
    #[error(transparent)]
    Misfit(#[from] Misfit),
}

/// The patch that a mutation is, for the object of the request; none if it changes nothing. May take until `until`: call it where
/// that holds up nobody.
pub fn patch(
    mutation: &Mutation,
    object: Option<&str>,
    until: Instant,
) -> Result<Option<String>, ChangeError> {
    let object = object.ok_or(ChangeError::NoObject)?;
    let object: Value = parse(object, "the object of the request")?;
    match mutation {
        Mutation::Patch(text) => {
            let Patch(operations) = parse(text, "the patch")?;
            fitting::check(object, &operations, until)?;
            Ok((!operations.is_empty()).then(|| text.to_string()))
        }
        Mutation::Object(wanted) => {
            let wanted: Value = parse(wanted, "the changed object")?;
            let patch = leading(&object, &wanted);
            Ok((!patch.0.is_empty()).then(|| patch.to_string()))
        }
    }
}

fn parse<T: serde::de::DeserializeOwned>(json: &str, what: &'static str) -> Result<T, ChangeError> {
    if json.len() > LONGEST || weight::values(json) > VALUES {
        return Err(ChangeError::TooLarge { what });
    }
    serde_json::from_str(json).map_err(|source| ChangeError::Json { what, source })
}

/// The patch that leads from one to the other. No finer than is worth it: each of its operations has a whole path.
fn leading(object: &Value, wanted: &Value) -> Patch {
    match (object, wanted) {
        (Value::Object(of), Value::Object(to)) if paths(object).saturating_add(paths(wanted)) > PATHS => {
            coarse(of, to)
        }
        _ => json_patch::diff(object, wanted),
    }
}

/// The paths to all values take no more.
fn paths(value: &Value) -> usize {
    let weight = Weight::of(value, Weight::ANY).unwrap_or(Weight::ANY);
    weight.values.saturating_mul(weight.path)
}

/// Whole members of the object.
fn coarse(object: &Map<String, Value>, wanted: &Map<String, Value>) -> Patch {
    let path = |key: &str| {
        let mut path = PointerBuf::new();
        path.push_back(key);
        path
    };
    let gone = object.keys().filter(|key| !wanted.contains_key(*key));
    let gone = gone.map(|key| PatchOperation::Remove(RemoveOperation { path: path(key) }));
    let news = wanted
        .iter()
        .filter(|(key, value)| object.get(*key) != Some(value));
    let news = news.map(|(key, value)| {
        PatchOperation::Add(AddOperation {
            path: path(key),
            value: value.clone(),
        })
    });
    Patch(gone.chain(news).collect())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    const OBJECT: &str = r#"{"metadata":{"name":"a"},"spec":{"replicas":3,"big":9007199254740993}}"#;

    fn patched(operations: &str) -> Result<Option<String>, String> {
        patch(&Mutation::Patch(operations.into()), Some(OBJECT), soon()).map_err(|error| error.to_string())
    }

    fn changed(object: &str) -> Option<String> {
        patch(&Mutation::Object(object.into()), Some(OBJECT), soon()).unwrap()
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    /// W13: a patch leaves as it was written.
    #[test]
    fn w13_a_patch_that_fits_stays_as_it_is() {
        let fitting = r#"[{"op":"add","path":"/metadata/annotations","value":{}},{"op":"add","path":"/metadata/annotations/request-user","value":"testuser"}]"#;
        assert_eq!(patched(fitting).unwrap().as_deref(), Some(fitting));
        assert_eq!(patched("[]"), Ok(None));
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
        let error = patch(&Mutation::Object("{}".into()), None, soon()).unwrap_err();
        assert!(matches!(error, ChangeError::NoObject));
    }

    /// The path of each change is the long name, and there are as many changes as numbers.
    #[test]
    fn a_whole_object_is_not_told_in_more_words_than_it_has() {
        let name = "x".repeat(100_000);
        let of = |number: u8| json!({"gone": 1, "same": {}, &name: vec![number; 10_000]});
        let (object, mut wanted) = (of(1), of(2));
        wanted.as_object_mut().unwrap().remove("gone");
        let mutation = Mutation::Object(wanted.to_string().into());
        let text = patch(&mutation, Some(&object.to_string()), soon())
            .unwrap()
            .unwrap();
        assert!(text.len() < 200_000, "{}", text.len());
        let operations: Patch = serde_json::from_str(&text).unwrap();
        let mut patched = object;
        json_patch::patch(&mut patched, &operations).unwrap();
        assert_eq!(patched, wanted);
    }

    #[test]
    fn what_is_too_large_is_not_looked_at() {
        let values = format!("[{}0]", "0,".repeat(VALUES));
        let long = format!("\"{}\"", "x".repeat(LONGEST));
        for large in [&values, &long] {
            let object = format!("{{\"a\":{large}}}");
            let operations = format!(r#"[{{"op":"add","path":"/a","value":{large}}}]"#);
            for (mutation, object) in [
                (Mutation::Patch(operations.into()), OBJECT),
                (Mutation::Object(object.as_str().into()), OBJECT),
                (Mutation::Object("{}".into()), &object),
            ] {
                let error = patch(&mutation, Some(object), soon()).unwrap_err();
                assert!(matches!(error, ChangeError::TooLarge { .. }), "{error}");
            }
        }
    }

    #[test]
    fn what_is_too_deep_is_not_looked_at() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        for (mutation, object) in [(deep.as_str(), OBJECT), ("{}", &deep)] {
            let error = patch(&Mutation::Object(mutation.into()), Some(object), soon()).unwrap_err();
            assert!(matches!(error, ChangeError::Json { .. }), "{error}");
        }
    }
}
