//! Label selectors of a manifest as the text that the API server takes.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

/// A requirement that no selector text can say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "labelSelector.matchExpressions: operator {operator:?} of key {key:?} is not one of In, NotIn, Exists, DoesNotExist, or its values do not fit it"
)]
pub struct SelectorTextError {
    key: String,
    operator: String,
}

/// The selector as `labelSelector=` takes it; equal selectors give equal texts.
pub fn text(selector: &LabelSelector) -> Result<String, SelectorTextError> {
    let labels = selector
        .match_labels
        .iter()
        .flatten()
        .map(|(key, value)| Ok(format!("{key}={value}")));
    let expressions = selector.match_expressions.iter().flatten().map(expression);
    let mut parts = labels.chain(expressions).collect::<Result<Vec<_>, _>>()?;
    parts.sort();
    Ok(parts.join(","))
}

fn expression(requirement: &LabelSelectorRequirement) -> Result<String, SelectorTextError> {
    let LabelSelectorRequirement {
        key,
        operator,
        values,
    } = requirement;
    let mut values: Vec<&str> = values.iter().flatten().map(String::as_str).collect();
    values.sort_unstable();
    match (operator.as_str(), values.is_empty()) {
        ("In", false) => Ok(format!("{key} in ({})", values.join(","))),
        ("NotIn", false) => Ok(format!("{key} notin ({})", values.join(","))),
        ("Exists", true) => Ok(key.clone()),
        ("DoesNotExist", true) => Ok(format!("!{key}")),
        _ => Err(SelectorTextError {
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
}
