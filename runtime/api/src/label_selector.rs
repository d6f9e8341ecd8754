//! Label selectors of a manifest as the text that the API server takes.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

use crate::names::{self, NameError};

/// A requirement that no selector text can say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectorTextError {
    /// The operator is unknown, or has values where it takes none, or none where it takes some.
    #[error(
        "matchExpressions: operator {operator:?} of key {key:?} is not one of In, NotIn, Exists, DoesNotExist, or its values do not fit it"
    )]
    Operator {
        /// The label.
        key: String,
        /// What stands there.
        operator: String,
    },
    /// A key or a value that no label has: pasted into a selector, it would mean something else.
    #[error("{part}: {source}")]
    Label {
        /// `matchLabels` or `matchExpressions`.
        part: &'static str,
        /// What is wrong.
        source: NameError,
    },
}

/// The selector as `labelSelector=` takes it; equal selectors give equal texts.
pub fn text(selector: &LabelSelector) -> Result<String, SelectorTextError> {
    let labels = selector
        .match_labels
        .iter()
        .flatten()
        .map(|(key, value)| label(key, value));
    let expressions = selector.match_expressions.iter().flatten().map(expression);
    let mut parts = labels.chain(expressions).collect::<Result<Vec<_>, _>>()?;
    parts.sort();
    Ok(parts.join(","))
}

fn label(key: &str, value: &str) -> Result<String, SelectorTextError> {
    check("matchLabels", key, [value].into_iter())?;
    Ok(format!("{key}={value}"))
}

fn check<'a>(
    part: &'static str,
    key: &str,
    mut values: impl Iterator<Item = &'a str>,
) -> Result<(), SelectorTextError> {
    names::label_key(key)
        .and_then(|()| values.try_for_each(names::label_value))
        .map_err(|source| SelectorTextError::Label { part, source })
}

fn expression(requirement: &LabelSelectorRequirement) -> Result<String, SelectorTextError> {
    let LabelSelectorRequirement {
        key,
        operator,
        values,
    } = requirement;
    let mut values: Vec<&str> = values.iter().flatten().map(String::as_str).collect();
    values.sort_unstable();
    check("matchExpressions", key, values.iter().copied())?;
    match (operator.as_str(), values.is_empty()) {
        ("In", false) => Ok(format!("{key} in ({})", values.join(","))),
        ("NotIn", false) => Ok(format!("{key} notin ({})", values.join(","))),
        ("Exists", true) => Ok(key.clone()),
        ("DoesNotExist", true) => Ok(format!("!{key}")),
        _ => Err(SelectorTextError::Operator {
            key: key.clone(),
            operator: operator.clone(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selector(json: &str) -> LabelSelector {
        serde_json::from_str(json).unwrap()
    }

    /// C7: every operator reaches the API server.
    #[test]
    fn c7_labels_and_expressions_become_one_text() {
        let selector = selector(
            r#"{"matchLabels":{"b":"2","a":"1"},"matchExpressions":[
                {"key":"c","operator":"In","values":["y","x"]},{"key":"d","operator":"NotIn","values":["z"]},
                {"key":"e","operator":"Exists"},{"key":"f","operator":"DoesNotExist"}]}"#,
        );
        assert_eq!(text(&selector).unwrap(), "!f,a=1,b=2,c in (x,y),d notin (z),e");
    }

    #[test]
    fn an_unknown_operator_is_named() {
        let bad = selector(r#"{"matchExpressions":[{"key":"a","operator":"Near"}]}"#);
        assert!(text(&bad).unwrap_err().to_string().contains("\"Near\""));
    }

    #[test]
    fn what_no_label_is_cannot_slip_in_another_requirement() {
        for bad in [
            r#"{"matchLabels":{"a":"x,b=y"}}"#,
            r#"{"matchLabels":{"a=x,b":"y"}}"#,
            r#"{"matchExpressions":[{"key":"a","operator":"In","values":["x),b in (y"]}]}"#,
            r#"{"matchExpressions":[{"key":"a,!b","operator":"Exists"}]}"#,
        ] {
            let error = text(&selector(bad));
            assert!(
                matches!(error, Err(SelectorTextError::Label { .. })),
                "{bad}: {error:?}"
            );
        }
    }
}
