//! What can be one segment of a path of the API server.
//!
//! Owns Kubernetes' rule for it. A server decodes `%2F` before it looks at the path: a name that holds a slash would
//! lead to another object, or to all of a kind.

/// Why `text` cannot be a segment of a path; none if it can. Kubernetes' rule, which each kind may narrow.
pub fn problem(text: &str) -> Option<&'static str> {
    match text {
        "" => Some("must not be empty"),
        "." | ".." => Some("must not be \".\" or \"..\""),
        _ if text.contains('/') => Some("must not contain \"/\""),
        _ if text.contains('%') => Some("must not contain \"%\""),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_elsewhere_is_no_segment() {
        for bad in ["", ".", "..", "/", "a/b", "a%2Fb", "%", "../x"] {
            assert!(problem(bad).is_some(), "{bad:?}");
        }
        for good in ["a", "a.b", "system:node", "...", "a..b", "ä ?"] {
            assert!(problem(good).is_none(), "{good:?}");
        }
    }
}
