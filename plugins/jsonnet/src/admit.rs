//! One request for admission: template and request in, decision out.
//!
//! Owns how a result is read: `{allowed, message, patches}`. What is not said is false, empty, none; what else is said is
//! passed over.

use std::rc::Rc;

use espejote_sdk::Failure;
use espejote_sdk::admission::Decision;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::host::Host;
use crate::render::Renderer;

/// What a template decides.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the request may go on.
    pub allowed: bool,
    /// For the user.
    pub message: String,
    /// A JSON array of operations; none if nothing is to be changed.
    pub patches: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Returned {
    allowed: Option<bool>,
    message: Option<String>,
    patches: Option<Vec<Box<RawValue>>>,
}

impl Renderer {
    /// Evaluates a template about a request.
    ///
    /// # Errors
    /// As of [`render`](Self::render); `invalid-output` if the result is no decision.
    pub fn decide(&self, host: &Rc<dyn Host>, template: &str, request: &str) -> Result<Verdict, Failure> {
        let document = self
            .evaluate_request(host, template, request)
            .map_err(|mut failure| {
                failure.message = format!("failed to evaluate jsonnet: {}", failure.message);
                failure
            })?;
        read(&document)
            .map_err(|problem| Failure::invalid_output(format!("failed to unmarshal response: {problem}")))
    }
}

/// Reads a result; `null` says nothing.
fn read(document: &str) -> Result<Verdict, String> {
    if document.trim_start().starts_with('[') {
        return Err(format!("expected an object {FORM}, got an array"));
    }
    let result: Option<Returned> =
        serde_json::from_str(document).map_err(|error| format!("{error}; expected an object {FORM}"))?;
    let Returned {
        allowed,
        message,
        patches,
    } = result.unwrap_or_default();
    let allowed = allowed.unwrap_or_default();
    let patches = patches.filter(|patches| allowed && !patches.is_empty());
    Ok(Verdict {
        allowed,
        message: message.unwrap_or_default(),
        patches: patches.map(|patches| array(&patches)),
    })
}

const FORM: &str = "{allowed: boolean, message: string, patches: array}";

fn array(items: &[Box<RawValue>]) -> String {
    let items: Vec<_> = items.iter().map(|item| item.get()).collect();
    format!("[{}]", items.join(","))
}

impl Verdict {
    /// As the contract has it.
    ///
    /// # Errors
    /// None that a verdict of a template can have.
    pub(crate) fn decision(self) -> Result<Decision, Failure> {
        let decision = match self.allowed {
            true => Decision::allowed(self.message),
            false => Decision::denied(self.message),
        };
        match self.patches {
            None => Ok(decision),
            Some(patches) => {
                let patches = RawValue::from_string(patches)
                    .map_err(|error| Failure::invalid_output(format!("patches: {error}")))?;
                decision.patch(&patches)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(allowed: bool, message: &str, patches: Option<&str>) -> Verdict {
        Verdict {
            allowed,
            message: message.to_owned(),
            patches: patches.map(str::to_owned),
        }
    }

    /// W15: what is not said is no, and unknown keys are passed over.
    #[test]
    fn w15_a_missing_allowed_is_a_denial() {
        assert_eq!(read("{}").unwrap(), verdict(false, "", None));
        assert_eq!(read("null").unwrap(), verdict(false, "", None));
        assert_eq!(
            read(r#"{"message":"m","more":1}"#).unwrap(),
            verdict(false, "m", None)
        );
        let nulls = r#"{"allowed":true,"message":null,"patches":null}"#;
        assert_eq!(read(nulls).unwrap(), verdict(true, "", None));
    }

    #[test]
    fn patches_count_where_something_is_allowed_and_keep_their_numbers() {
        let patches = r#"[{"op":"add","path":"/a","value":9007199254740993}]"#;
        let allowed = format!(r#"{{"allowed":true,"patches":{patches}}}"#);
        assert_eq!(read(&allowed).unwrap(), verdict(true, "", Some(patches)));
        let denied = format!(r#"{{"allowed":false,"patches":{patches}}}"#);
        assert_eq!(read(&denied).unwrap(), verdict(false, "", None));
        assert_eq!(
            read(r#"{"allowed":true,"patches":[]}"#).unwrap(),
            verdict(true, "", None)
        );
    }

    /// W15: what is no decision.
    #[test]
    fn w15_other_results_are_errors() {
        for result in [
            "true",
            "\"yes\"",
            "[]",
            "[true]",
            r#"{"allowed":"yes"}"#,
            r#"{"message":1}"#,
            r#"{"patches":{}}"#,
        ] {
            let problem = read(result).unwrap_err();
            assert!(
                problem.contains("expected an object {allowed"),
                "{result}: {problem}"
            );
        }
    }
}
