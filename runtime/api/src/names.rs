//! The rules that Kubernetes has for names, label keys and label values.
//!
//! Owns them as far as a spec is checked by them. What they let through means itself wherever it is put: in a path, in a
//! label selector, in a field selector.

/// A text that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no {what}: {rule}")]
pub struct NameError {
    text: String,
    what: &'static str,
    rule: &'static str,
}

type Checked = Result<(), NameError>;

fn check(text: &str, what: &'static str, fits: bool, rule: &'static str) -> Checked {
    if fits {
        return Ok(());
    }
    let text = text.to_owned();
    Err(NameError { text, what, rule })
}

/// The name of a ServiceAccount, a Secret, a Plugin and most others: a DNS subdomain.
pub fn dns_subdomain(text: &str, what: &'static str) -> Checked {
    const RULE: &str = "expected at most 253 lower-case letters, digits, \"-\" and \".\", with a letter or a digit at \
                        both ends and on both sides of each \".\"";
    check(text, what, is_dns_subdomain(text), RULE)
}

/// The name of any object: each kind has a rule of its own, but all names can stand in a path and in a field selector.
pub fn object_name(text: &str) -> Checked {
    const RULE: &str = "expected no \"/\", \"%\", \",\", \"=\" or \"\\\", and not \".\" or \"..\"";
    let fits = !text.is_empty() && !matches!(text, "." | "..") && !text.contains(['/', '%', ',', '=', '\\']);
    check(text, "name of an object", fits, RULE)
}

/// The name of a namespace.
pub fn namespace(text: &str) -> Checked {
    const RULE: &str =
        "expected at most 63 lower-case letters, digits and \"-\", with a letter or a digit at both ends";
    check(text, "namespace", text.len() <= 63 && is_dns_label(text), RULE)
}

/// The key of a label.
pub fn label_key(text: &str) -> Checked {
    const RULE: &str = "expected at most 63 letters, digits, \"-\", \"_\" and \".\", with a letter or a digit at both \
                        ends, after a DNS name and \"/\" if there is a prefix";
    let (prefix, name) = match text.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    let fits = prefix.is_none_or(is_dns_subdomain) && is_qualified(name);
    check(text, "label key", fits, RULE)
}

/// The value of a label; it may be empty.
pub fn label_value(text: &str) -> Checked {
    const RULE: &str = "expected at most 63 letters, digits, \"-\", \"_\" and \".\", with a letter or a digit at both \
                        ends, or nothing";
    check(text, "label value", text.is_empty() || is_qualified(text), RULE)
}

fn is_dns_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_dns_label)
}

fn is_dns_label(text: &str) -> bool {
    let inside = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    ends_well(text) && text.bytes().all(inside)
}

fn is_qualified(text: &str) -> bool {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text.len() <= 63 && ends_well(text) && text.bytes().all(inside)
}

fn ends_well(text: &str) -> bool {
    let ends = [text.bytes().next(), text.bytes().next_back()];
    ends.iter()
        .all(|end| end.is_some_and(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_kubernetes() {
        for good in ["a", "a-b.c", "0", &"a".repeat(253)] {
            assert!(dns_subdomain(good, "name").is_ok(), "{good}");
        }
        for bad in [
            "",
            "../../x",
            "w/",
            "A",
            "-a",
            "a..b",
            ".a",
            "a_b",
            &"a".repeat(254),
        ] {
            assert!(dns_subdomain(bad, "name").is_err(), "{bad}");
        }
        for good in ["system:node", "a.b", "x_y"] {
            assert!(object_name(good).is_ok(), "{good}");
        }
        for bad in ["", "..", "a/b", "a%2fb", "a,metadata.namespace=x", "a=b", r"a\,b"] {
            assert!(object_name(bad).is_err(), "{bad}");
        }
        for bad in ["a.b", "../x", "", &"a".repeat(64)] {
            assert!(namespace(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn labels_follow_kubernetes() {
        for good in ["a", "app.kubernetes.io/name", "A_b.c"] {
            assert!(label_key(good).is_ok(), "{good}");
        }
        for bad in ["", "/a", "a/", "a/b/c", "a=b", "a,b", "A/b", "-a", "a in (b)"] {
            assert!(label_key(bad).is_err(), "{bad}");
        }
        for good in ["", "x", "X_y.z-1"] {
            assert!(label_value(good).is_ok(), "{good}");
        }
        for bad in ["x,b=y", "x y", "-", "(a)", &"a".repeat(64)] {
            assert!(label_value(bad).is_err(), "{bad}");
        }
    }
}
