//! AdmissionReviews: what the API server asks, and the form of the answer.
//!
//! Owns that every answer has the status that people read. It decides nothing.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

const API_VERSION: &str = "admission.k8s.io/v1";
const KIND: &str = "AdmissionReview";

/// Allowed.
pub const OK: u16 = 200;
/// The request for a decision is none.
pub const BAD_REQUEST: u16 = 400;
/// Denied.
pub const FORBIDDEN: u16 = 403;
/// There is no decision.
pub const FAILED: u16 = 500;

/// A question.
#[derive(Clone, Debug)]
pub struct Question {
    /// Names the request; the answer repeats it.
    pub uid: String,
    /// The AdmissionRequest, as it was sent.
    pub request: Arc<str>,
    /// Where in it the object is.
    object: Option<Range<usize>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReviewWire<'a> {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    #[serde(borrow)]
    request: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RequestWire<'a> {
    #[serde(default)]
    uid: String,
    #[serde(borrow, default)]
    object: Option<&'a RawValue>,
}

impl Question {
    /// Reads an AdmissionReview.
    ///
    /// An error says what was expected, and quotes nothing of the request: it may hold a Secret.
    pub fn read(json: &[u8]) -> Result<Self, String> {
        let review: ReviewWire<'_> = serde_json::from_slice(json).map_err(|error| no_review(&error))?;
        if (review.api_version.as_str(), review.kind.as_str()) != (API_VERSION, KIND) {
            return Err(format!(
                "expected an {KIND} of {API_VERSION}, got {:?} of {:?}",
                cut(&review.kind),
                cut(&review.api_version)
            ));
        }
        let request = review.request.ok_or("the AdmissionReview has no request")?;
        let wire: RequestWire<'_> = serde_json::from_str(request.get()).map_err(|error| no_review(&error))?;
        Ok(Self {
            uid: wire.uid,
            request: request.get().into(),
            object: wire.object.and_then(|object| place(request.get(), object.get())),
        })
    }

    /// The object that the request is about, as it would be; none for a deletion, for example. It is not held twice.
    pub fn object(&self) -> Option<&str> {
        self.request.get(self.object.clone()?)
    }
}

/// Where a part of a text is in it.
fn place(whole: &str, part: &str) -> Option<Range<usize>> {
    let from = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
    Some(from..from.checked_add(part.len())?)
}

fn no_review(error: &serde_json::Error) -> String {
    format!(
        "expected an {KIND} of {API_VERSION}: {:?} error at line {} column {}",
        error.classify(),
        error.line(),
        error.column()
    )
}

fn cut(text: &str) -> &str {
    espejote_core::text::cut(text, 64)
}

/// A decision, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Whether the request may go on.
    pub allowed: bool,
    /// An HTTP status.
    pub code: u16,
    /// For the user. Empty: none.
    pub message: String,
    /// A JSON patch to the object.
    pub patch: Option<String>,
    /// For the user.
    pub warnings: Vec<String>,
    /// For the audit event.
    pub audit_annotations: BTreeMap<String, String>,
}

impl Answer {
    /// Lets the request go on.
    pub fn allowed(message: impl Into<String>) -> Self {
        Self {
            allowed: true,
            code: OK,
            message: message.into(),
            ..Self::default()
        }
    }

    /// Refuses the request with a code and the reason.
    pub fn refused(code: u16, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            ..Self::default()
        }
    }

    /// The AdmissionReview that answers a request.
    pub fn to_json(&self, uid: &str) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&AnswerWire {
            api_version: API_VERSION,
            kind: KIND,
            response: ResponseWire {
                uid,
                allowed: self.allowed,
                status: StatusWire {
                    code: self.code,
                    message: &self.message,
                    reason: self.reason(),
                },
                patch: self.patch.as_ref().map(|patch| STANDARD.encode(patch)),
                patch_type: self.patch.as_ref().map(|_| "JSONPatch"),
                warnings: &self.warnings,
                audit_annotations: &self.audit_annotations,
            },
        })
    }

    fn reason(&self) -> &'static str {
        match self.code {
            _ if self.allowed => "",
            BAD_REQUEST => "BadRequest",
            FORBIDDEN => "Forbidden",
            FAILED => "InternalError",
            _ => "",
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnswerWire<'a> {
    api_version: &'a str,
    kind: &'a str,
    response: ResponseWire<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResponseWire<'a> {
    uid: &'a str,
    allowed: bool,
    status: StatusWire<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [String],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    audit_annotations: &'a BTreeMap<String, String>,
}

#[derive(Serialize)]
struct StatusWire<'a> {
    code: u16,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_question_keeps_the_request_as_it_was_sent() {
        let json = br#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u", "object":{"n":9007199254740993, "f":3.0}}}"#;
        let question = Question::read(json).unwrap();
        assert_eq!(question.uid, "u");
        assert_eq!(
            &*question.request,
            r#"{"uid":"u", "object":{"n":9007199254740993, "f":3.0}}"#
        );
        assert_eq!(question.object(), Some(r#"{"n":9007199254740993, "f":3.0}"#));
        let deletion = br#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","object":null}}"#;
        assert_eq!(Question::read(deletion).unwrap().object(), None);
    }

    #[test]
    fn what_is_no_question_is_told_without_its_content() {
        for (json, words) in [
            ("hush", "Syntax error at line 1"),
            ("[]", "expected an AdmissionReview"),
            (
                r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}"#,
                "has no request",
            ),
            (
                r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","request":{}}"#,
                "v1beta1",
            ),
            (r#"{"kind":"Secret","request":{}}"#, "Secret"),
            (
                r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":"hush"}"#,
                "error",
            ),
        ] {
            let problem = Question::read(json.as_bytes()).unwrap_err();
            assert!(
                problem.contains(words) && !problem.contains("hush"),
                "{json}: {problem}"
            );
        }
    }

    fn response(answer: &Answer) -> Value {
        let mut review: Value = serde_json::from_slice(&answer.to_json("u").unwrap()).unwrap();
        assert_eq!(
            (&review["apiVersion"], &review["kind"]),
            (&json!("admission.k8s.io/v1"), &json!("AdmissionReview"))
        );
        review["response"].take()
    }

    /// W11, W12, W13: the form of the answers.
    #[test]
    fn w11_answers_have_a_status_for_people() {
        assert_eq!(
            response(&Answer::allowed("Nice job!")),
            json!({"uid": "u", "allowed": true, "status": {"code": 200, "message": "Nice job!"}})
        );
        assert_eq!(
            response(&Answer::refused(FORBIDDEN, "sod off")),
            json!({"uid": "u", "allowed": false, "status": {"code": 403, "message": "sod off", "reason": "Forbidden"}})
        );
        let patched = Answer {
            patch: Some("[]".into()),
            warnings: vec!["w".into()],
            audit_annotations: [("k".to_owned(), "v".to_owned())].into(),
            ..Answer::allowed("")
        };
        assert_eq!(
            response(&patched),
            json!({
                "uid": "u", "allowed": true, "status": {"code": 200}, "patch": "W10=", "patchType": "JSONPatch",
                "warnings": ["w"], "auditAnnotations": {"k": "v"},
            })
        );
    }
}
