//! What the API server says when it does not do what it was asked to.

use std::{fmt, io};

use serde_json::Value;

use crate::connection::Answer;

/// A refusal in the API server's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub code: u16,
    /// The reason, such as `AlreadyExists`.
    pub reason: String,
    /// The sentence.
    pub message: String,
}

impl Refusal {
    /// What a Status says; some answers are plain text.
    pub(crate) fn of(answer: &Answer) -> Self {
        let status: Value = serde_json::from_str(&answer.body).unwrap_or_default();
        let text = |field: &str| status[field].as_str().map(str::to_owned);
        Self {
            code: answer.code,
            reason: text("reason").unwrap_or_default(),
            message: text("message").unwrap_or_else(|| answer.body.clone()),
        }
    }

    pub(crate) fn unreachable(error: &io::Error) -> Self {
        Self {
            code: 0,
            reason: "Unreachable".to_owned(),
            message: error.to_string(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.code, self.reason, self.message)
    }
}
