//! A request for admission from a file: an AdmissionReview, in JSON or YAML, or its `request` alone, and what else the logic
//! may see.

use std::{collections::BTreeMap, io, path::Path};

use espejote_core::Libraries;
use serde::Deserialize;

use super::{
    InputFile,
    file::text_of,
    invocations::{self, InputError},
};
use crate::{
    admission::review::Question,
    cli::{
        strict::{self, DecodeError},
        yaml::{self, Node},
    },
};

/// A file that holds no request.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// It cannot be read.
    #[error("cannot read it")]
    Read(#[source] io::Error),
    /// It is no YAML.
    #[error("it is no YAML")]
    Yaml(#[source] yaml::ReadError),
    /// It holds something else.
    #[error(
        "it is no request for admission: {0}; allowed are apiVersion, kind, request, libraries, clock, seed"
    )]
    Decode(DecodeError),
    /// It is about something else.
    #[error("it is no request for admission: {0}")]
    Review(String),
    /// What is beside the request cannot be used.
    #[error(transparent)]
    Beside(InputError),
}

/// What the logic is asked, and what else it sees.
#[derive(Debug)]
pub struct Review {
    /// The request.
    pub question: Question,
    /// What it may import.
    pub libraries: Libraries,
    /// Nanoseconds since 1970; now if the file says nothing.
    pub clock: u64,
    /// Of random numbers.
    pub seed: u64,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ReviewFile {
    api_version: Option<String>,
    kind: Option<String>,
    request: Option<Node>,
    libraries: BTreeMap<String, String>,
    clock: Option<String>,
    seed: u64,
}

impl Review {
    /// Reads the file at a path, or standard input for `-`.
    pub fn read(path: &Path) -> Result<Self, ReviewError> {
        Self::parse(&text_of(path).map_err(ReviewError::Read)?)
    }

    fn parse(text: &str) -> Result<Self, ReviewError> {
        let node = yaml::read_exact(text).map_err(ReviewError::Yaml)?;
        let file: ReviewFile = match node {
            Node::Null => ReviewFile::default(),
            node => strict::decode_exact(&node).map_err(ReviewError::Decode)?,
        };
        let question = file.question().map_err(ReviewError::Review)?;
        let beside = InputFile {
            libraries: file.libraries,
            clock: file.clock,
            seed: file.seed,
            ..InputFile::default()
        };
        Ok(Self {
            question,
            libraries: invocations::libraries(&beside).map_err(ReviewError::Beside)?,
            clock: invocations::clock(&beside).map_err(ReviewError::Beside)?,
            seed: beside.seed,
        })
    }
}

impl ReviewFile {
    /// As the server reads it: what is not said of the review is what it has to be.
    fn question(&self) -> Result<Question, String> {
        let text = |given: &Option<String>, default: &str| Node::from(given.as_deref().unwrap_or(default));
        let mut fields = vec![
            ("apiVersion", text(&self.api_version, "admission.k8s.io/v1")),
            ("kind", text(&self.kind, "AdmissionReview")),
        ];
        fields.extend(self.request.clone().map(|request| ("request", request)));
        Question::read(Node::object(fields).to_json().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Review::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_whole_review_and_its_request_alone_are_the_same_question() {
        let request = "request: {uid: u, object: {i: 9007199254740993, f: 3.0}}\n";
        let alone = Review::parse(request).unwrap().question;
        let head = "apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\n";
        let whole = Review::parse(&format!("{head}{request}")).unwrap().question;
        assert_eq!(alone.request, whole.request);
        assert_eq!(alone.object(), Some(r#"{"i":9007199254740993,"f":3.0}"#));
    }

    #[test]
    fn what_is_no_request_is_named() {
        assert!(error("").contains("has no request"));
        assert!(error("kind: Pod\nrequest: {}\n").contains("got \"Pod\""));
        let other = error("context: []\nrequest: {}\n");
        assert!(
            other.contains("\"context\"; allowed are apiVersion, kind, request"),
            "{other}"
        );
    }
}
