//! Which webhooks the API server refuses, by its own words.
//!
//! One that is refused must not keep the others from being written.

use std::collections::BTreeMap;

use crate::client::ApiStatus;

/// How a fault begins that the API server has found.
const REFUSED: &str = "the API server refuses spec.webhookConfiguration";

/// The webhooks at fault, by their position, each with what is wrong with it; empty if it is none of them.
pub fn at_fault(status: &ApiStatus) -> BTreeMap<usize, String> {
    let mut faults: BTreeMap<usize, String> = BTreeMap::new();
    if status.code != 422 {
        return faults;
    }
    for cause in &status.causes {
        let Some((position, field)) = position(&cause.field) else {
            continue;
        };
        let fault = match faults.contains_key(&position) {
            false => format!("{REFUSED}: {field}: {}", cause.message),
            true => format!("{field}: {}", cause.message),
        };
        faults
            .entry(position)
            .and_modify(|known| {
                known.push_str("; ");
                known.push_str(&fault);
            })
            .or_insert(fault);
    }
    faults
}

/// What the API server says, if it may be about the webhooks, or some of them: not that it has no time, or that somebody else
/// was quicker.
pub fn refusal(status: &ApiStatus) -> Option<String> {
    let about = matches!(status.code, 400 | 403 | 413 | 422 | 500);
    about.then(|| format!("{REFUSED}: {}", status.message))
}

/// `webhooks[3].rules[0].operations` is the field `rules[0].operations` of webhook 3.
fn position(field: &str) -> Option<(usize, &str)> {
    let (number, rest) = field.strip_prefix("webhooks[")?.split_once(']')?;
    Some((number.parse().ok()?, rest.trim_start_matches('.')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::ApiCause;

    fn status(code: u16, causes: &[(&str, &str)]) -> ApiStatus {
        let cause = |(field, message): &(&str, &str)| ApiCause {
            reason: "FieldValueInvalid".into(),
            field: (*field).into(),
            message: (*message).into(),
        };
        ApiStatus {
            code,
            causes: causes.iter().map(cause).collect(),
            ..ApiStatus::default()
        }
    }

    #[test]
    fn the_fields_of_the_causes_tell_which_webhooks_are_at_fault() {
        let causes = [
            ("webhooks[3].rules[0].operations", "Required value"),
            ("webhooks[3].matchPolicy", "Unsupported value"),
            ("webhooks[10]", "odd"),
            ("metadata.name", "Invalid value"),
        ];
        let faults: Vec<_> = at_fault(&status(422, &causes)).into_iter().collect();
        assert_eq!(
            faults,
            [
                (
                    3,
                    format!("{REFUSED}: rules[0].operations: Required value; matchPolicy: Unsupported value")
                ),
                (10, format!("{REFUSED}: : odd")),
            ]
        );
    }

    #[test]
    fn a_server_in_trouble_refuses_nobody() {
        let said = ApiStatus {
            message: "duplicate entries".into(),
            ..status(500, &[])
        };
        assert_eq!(refusal(&said), Some(format!("{REFUSED}: duplicate entries")));
        for code in [401, 409, 429, 503, 504] {
            assert_eq!(refusal(&status(code, &[])), None, "{code}");
        }
    }

    #[test]
    fn other_refusals_are_nobodys_fault() {
        assert!(at_fault(&status(403, &[("webhooks[0].rules", "no")])).is_empty());
        assert!(at_fault(&status(422, &[("metadata.name", "no")])).is_empty());
    }
}
