//! Which webhooks the API server refuses, by its own words.
//!
//! One that is refused must not keep the others from being written.

use std::collections::BTreeMap;

use crate::client::ApiStatus;

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
        let fault = format!("{field}: {}", cause.message);
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
                    "rules[0].operations: Required value; matchPolicy: Unsupported value".to_owned()
                ),
                (10, ": odd".to_owned()),
            ]
        );
    }

    #[test]
    fn other_refusals_are_nobodys_fault() {
        assert!(at_fault(&status(403, &[("webhooks[0].rules", "no")])).is_empty());
        assert!(at_fault(&status(422, &[("metadata.name", "no")])).is_empty());
    }
}
