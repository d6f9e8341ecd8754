//! Which names count: one exactly, or all that a regular expression describes as a whole.

use std::fmt;

use regex::Regex;

/// A name, or a regular expression for whole names.
#[derive(Clone, Debug)]
pub struct Pattern(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Exactly(String),
    Matching { expression: Regex, written: String },
}

/// Why a regular expression cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[error("`{written}` is no regular expression: {reason}")]
pub struct PatternError {
    written: String,
    reason: String,
}

impl Pattern {
    /// This name.
    pub fn exactly(name: impl Into<String>) -> Self {
        Self(Kind::Exactly(name.into()))
    }

    /// All names that the expression describes from beginning to end, unlike cosign's, which may match any part of a name.
    pub fn matching(expression: &str) -> Result<Self, PatternError> {
        let wrong = |error: regex::Error| PatternError {
            written: expression.to_owned(),
            reason: error.to_string(),
        };
        // By itself first: `a)|(b` must not reach out of the group.
        Regex::new(expression).map_err(wrong)?;
        let anchored = Regex::new(&format!("^(?:{expression})$")).map_err(wrong)?;
        Ok(Self(Kind::Matching {
            expression: anchored,
            written: expression.to_owned(),
        }))
    }

    /// Whether a name counts.
    pub fn matches(&self, name: &str) -> bool {
        match &self.0 {
            Kind::Exactly(expected) => expected == name,
            Kind::Matching { expression, .. } => expression.is_match(name),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Exactly(name) => out.write_str(name),
            Kind::Matching { written, .. } => write!(out, "/{written}/"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_matches_only_as_a_whole() {
        let exactly = Pattern::exactly("me@acme.example");
        assert!(exactly.matches("me@acme.example") && !exactly.matches("me@acmexexample"));
        let matching = Pattern::matching("https://ci.example/acme/.*|me@acme.example").unwrap();
        assert!(matching.matches("https://ci.example/acme/x"));
        for other in [
            "https://evil.example/?https://ci.example/acme/x",
            "me@acme.example.evil",
            "me@acme.example\n",
        ] {
            assert!(!matching.matches(other), "{other}");
        }
        assert!(!Pattern::matching("acme").unwrap().matches("acme-evil"));
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for wrong in ["(", "a)|(b"] {
            assert!(
                Pattern::matching(wrong)
                    .unwrap_err()
                    .to_string()
                    .contains("no regular expression"),
                "{wrong}"
            );
        }
    }
}
