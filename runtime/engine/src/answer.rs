//! Whether what a provider or an admitter returned keeps the rules.
//!
//! Here only the form is looked at: whether a patch fits its object is found out by whoever applies it.

use serde::{Deserialize, de::IgnoredAny};

use crate::{
    call::{Decision, Mutation},
    limits::{Exceeded, LimitKind, Limits},
};

/// An error unless it is exactly one JSON document.
pub(crate) fn document(json: &str) -> Result<(), String> {
    serde_json::from_str::<IgnoredAny>(json)
        .map(|_| ())
        .map_err(|error| format!("the value is no JSON document: {error}"))
}

/// What is returned counts like what is emitted.
pub(crate) fn within(bytes: usize, limits: &Limits) -> Result<(), Exceeded> {
    match bytes as u64 > limits.emitted_bytes {
        true => Err(Exceeded(LimitKind::EmittedBytes)),
        false => Ok(()),
    }
}

/// An error unless the decision keeps the rules.
pub(crate) fn decision(decision: &Decision) -> Result<(), String> {
    if let Some(code) = decision.code.filter(|code| !(100..600).contains(code)) {
        return Err(format!(
            "the code {code} is no HTTP status: expected one from 100 to 599"
        ));
    }
    match &decision.mutation {
        None => Ok(()),
        Some(_) if !decision.allowed => {
            Err("the request is not allowed, and yet its object is to be changed".to_owned())
        }
        Some(Mutation::Object(json)) => object(json),
        Some(Mutation::Patch(json)) => patch(json),
    }
}

fn object(json: &str) -> Result<(), String> {
    let object: Result<serde::de::IgnoredAny, _> = serde_json::from_str(json);
    match object {
        Ok(_) if json.trim_start().starts_with('{') => Ok(()),
        Ok(_) => Err("the mutation is no JSON object".to_owned()),
        Err(error) => Err(format!("the mutation is no JSON object: {error}")),
    }
}

/// The members of an operation, as far as they matter for its form.
#[derive(Deserialize)]
struct Operation {
    op: String,
    path: String,
    #[serde(default)]
    from: Option<String>,
    #[serde(default, deserialize_with = "present")]
    value: bool,
}

/// `null` is a value too.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| true)
}

fn patch(json: &str) -> Result<(), String> {
    let operations: Vec<Operation> = serde_json::from_str(json)
        .map_err(|error| format!("the patch is no JSON array of operations (RFC 6902): {error}"))?;
    for (n, operation) in operations.iter().enumerate() {
        operation
            .check()
            .map_err(|problem| format!("operation {n} of the patch: {problem}"))?;
    }
    Ok(())
}

impl Operation {
    fn check(&self) -> Result<(), String> {
        pointer("path", &self.path)?;
        match (self.op.as_str(), &self.from, self.value) {
            ("remove", _, _) | ("add" | "replace" | "test", _, true) => Ok(()),
            ("move" | "copy", Some(from), _) => pointer("from", from),
            ("move" | "copy", None, _) => Err(format!("{:?} needs \"from\"", self.op)),
            ("add" | "replace" | "test", _, false) => Err(format!("{:?} needs \"value\"", self.op)),
            (other, _, _) => Err(format!(
                "unknown op {other:?}: expected add, remove, replace, move, copy or test"
            )),
        }
    }
}

fn pointer(member: &str, text: &str) -> Result<(), String> {
    match text.is_empty() || text.starts_with('/') {
        true => Ok(()),
        false => Err(format!(
            "{member:?} is {text:?}: expected a JSON pointer, which begins with \"/\""
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(mutation: Option<Mutation>) -> Decision {
        Decision {
            allowed: true,
            code: None,
            message: String::new(),
            mutation,
        }
    }

    fn patched(json: &str) -> Result<(), String> {
        decision(&with(Some(Mutation::Patch(json.into()))))
    }

    #[test]
    fn every_operation_of_a_patch_is_known() {
        let all = r#"[
            {"op":"add","path":"/a","value":null}, {"op":"remove","path":"/a"},
            {"op":"replace","path":"","value":{}}, {"op":"move","from":"/a","path":"/b"},
            {"op":"copy","from":"/a","path":"/b"}, {"op":"test","path":"/a","value":9007199254740993}
        ]"#;
        assert_eq!(patched(all), Ok(()));
        assert_eq!(patched("[]"), Ok(()));
    }

    #[test]
    fn what_is_no_patch_is_told_by_position() {
        for (json, text) in [
            ("{}", "no JSON array"),
            (
                r#"[{"op":"add","path":"/a"}]"#,
                r#"operation 0 of the patch: "add" needs "value""#,
            ),
            (
                r#"[{"op":"remove","path":"/a"},{"op":"move","path":"/b"}]"#,
                r#"operation 1 of the patch: "move" needs "from""#,
            ),
            (r#"[{"op":"drop","path":"/a"}]"#, r#"unknown op "drop""#),
            (r#"[{"op":"remove","path":"a"}]"#, "JSON pointer"),
            (r#"[{"op":"remove"}]"#, "path"),
        ] {
            let problem = patched(json).unwrap_err();
            assert!(problem.contains(text), "{json}: {problem}");
        }
    }

    #[test]
    fn what_is_not_allowed_is_not_changed() {
        let mut denied = with(Some(Mutation::Object("{}".into())));
        assert_eq!(decision(&denied), Ok(()));
        denied.allowed = false;
        assert!(decision(&denied).is_err());
    }

    #[test]
    fn an_object_is_an_object() {
        for json in ["[]", "1", "{", "{} {}", ""] {
            let problem = decision(&with(Some(Mutation::Object(json.into())))).unwrap_err();
            assert!(problem.contains("no JSON object"), "{json}: {problem}");
        }
    }

    #[test]
    fn codes_are_http_statuses() {
        for (code, valid) in [(99, false), (100, true), (422, true), (599, true), (600, false)] {
            let decided = Decision {
                code: Some(code),
                ..with(None)
            };
            assert_eq!(decision(&decided).is_ok(), valid, "{code}");
        }
    }

    #[test]
    fn a_value_is_one_document() {
        for (json, valid) in [
            ("1", true),
            (" {\"a\":1.0} ", true),
            ("1 2", false),
            ("", false),
            ("\u{feff}1", false),
        ] {
            assert_eq!(document(json).is_ok(), valid, "{json:?}");
        }
    }
}
