//! Label selectors, as `kubectl -l` writes them.
//!
//! Equality (`a=b`, `a==b`, `a!=b`), sets (`a in (b,c)`, `a notin (b)`), existence (`a`, `!a`), joined by commas. As in
//! Kubernetes, `!=` and `notin` match objects that lack the label.

/// What is wrong with a selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid label selector {text:?}: {problem}")]
pub struct ParseSelectorError {
    text: String,
    problem: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
}

/// A parsed label selector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    requirements: Vec<Requirement>,
}

impl Selector {
    /// Parses a selector; the empty one matches all.
    pub fn parse(text: &str) -> Result<Self, ParseSelectorError> {
        let requirements = split(text)
            .map(|part| requirement(part.trim()))
            .collect::<Result<_, _>>();
        match requirements {
            Ok(requirements) => Ok(Self { requirements }),
            Err(problem) => Err(ParseSelectorError {
                text: text.to_owned(),
                problem,
            }),
        }
    }

    /// Whether an object with these labels matches; `label` looks one up.
    pub fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|requirement| {
            let value = label(&requirement.key);
            match &requirement.operator {
                Operator::In(values) => value.is_some_and(|v| values.iter().any(|w| w == v)),
                Operator::NotIn(values) => value.is_none_or(|v| values.iter().all(|w| w != v)),
                Operator::Exists => value.is_some(),
                Operator::DoesNotExist => value.is_none(),
            }
        })
    }
}

/// Parts between commas that are not inside parentheses; none for an empty text.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    let separator = move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    let empty = text.trim().is_empty();
    text.split(separator).filter(move |_| !empty)
}

fn requirement(part: &str) -> Result<Requirement, String> {
    if let Some(key) = part.strip_prefix('!') {
        return Ok(Requirement {
            key: checked_key(key.trim())?,
            operator: Operator::DoesNotExist,
        });
    }
    if let Some((key, value)) = part.split_once("!=") {
        return equality(key, value, Operator::NotIn);
    }
    if let Some((key, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
        return equality(key, value, Operator::In);
    }
    match part.split_once(char::is_whitespace) {
        None => Ok(Requirement {
            key: checked_key(part)?,
            operator: Operator::Exists,
        }),
        Some((key, rest)) => set(key, rest.trim()),
    }
}

fn equality(key: &str, value: &str, operator: fn(Vec<String>) -> Operator) -> Result<Requirement, String> {
    let value = checked_value(value.trim())?;
    Ok(Requirement {
        key: checked_key(key.trim())?,
        operator: operator(vec![value]),
    })
}

fn set(key: &str, rest: &str) -> Result<Requirement, String> {
    let expected = || format!("expected `in (…)` or `notin (…)` after {key:?}, found {rest:?}");
    let (word, values) = rest.split_once('(').ok_or_else(expected)?;
    let values = values.trim_end().strip_suffix(')').ok_or_else(expected)?;
    let values = values
        .split(',')
        .map(|v| checked_value(v.trim()))
        .collect::<Result<_, _>>()?;
    let operator = match word.trim() {
        "in" => Operator::In(values),
        "notin" => Operator::NotIn(values),
        _ => return Err(expected()),
    };
    Ok(Requirement {
        key: checked_key(key.trim())?,
        operator,
    })
}

fn checked_key(key: &str) -> Result<String, String> {
    let (prefix, name) = key.rsplit_once('/').unwrap_or(("", key));
    let fits = !name.is_empty() && name.len() <= 63 && prefix.len() <= 253;
    if fits
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c))
    {
        Ok(key.to_owned())
    } else {
        Err(format!("{key:?} is no label key"))
    }
}

fn checked_value(value: &str) -> Result<String, String> {
    if value.len() <= 63
        && value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    {
        Ok(value.to_owned())
    } else {
        Err(format!("{value:?} is no label value"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(selector: &str, labels: &[(&str, &'static str)]) -> bool {
        let find = |key: &str| labels.iter().find(|(k, _)| *k == key).map(|(_, v)| *v);
        Selector::parse(selector).unwrap().matches(find)
    }

    #[test]
    fn the_empty_selector_matches_all() {
        assert!(matches("", &[]));
    }

    #[test]
    fn equality_and_sets_and_existence_follow_kubernetes() {
        let labels = [("app", "web"), ("tier", "front")];
        for yes in [
            "app=web",
            "app==web",
            "app",
            "!gone",
            "x!=1",
            "x notin (1)",
            "app in (db, web),tier",
            "app!=db",
        ] {
            assert!(matches(yes, &labels), "{yes}");
        }
        for no in [
            "app=db",
            "gone",
            "!app",
            "app!=web",
            "app notin (web)",
            "app in (db)",
            "app=web,tier=back",
        ] {
            assert!(!matches(no, &labels), "{no}");
        }
    }

    #[test]
    fn what_is_no_selector_is_an_error_that_says_what_is_wrong() {
        for bad in ["a b", "a in b", "=x", "a=b c", "a in (x", ",", "a=é"] {
            assert!(Selector::parse(bad).is_err(), "{bad}");
        }
    }
}
