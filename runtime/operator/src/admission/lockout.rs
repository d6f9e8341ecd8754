//! What keeps a webhook that nobody answers from locking the operator out.
//!
//! A webhook fails closed unless its failure policy is `Ignore`: while no operator runs, every request that it matches is
//! refused. So it must match nothing that the operator needs to come up, nor what a person needs to mend it. That is said by one
//! more match condition; selectors and rules stay as they are given.

use k8s_openapi::api::admissionregistration::v1::MatchCondition;

use super::definition::Definition;

/// The name of the condition.
pub const CONDITION: &str = "espejote.io/not-the-operator-itself";

/// What belongs to the operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lockout {
    /// The namespace that the process runs in; none: it runs outside of the cluster.
    pub namespace: Option<String>,
    /// Its user; none: it is a person's, or not known.
    pub user: Option<String>,
}

impl Lockout {
    /// The match conditions of a definition's webhook.
    pub fn conditions(&self, definition: &Definition) -> Option<Vec<MatchCondition>> {
        let given = definition.webhook.match_conditions.clone();
        let Some(condition) = self.condition(definition) else {
            return given;
        };
        Some(given.into_iter().flatten().chain([condition]).collect())
    }

    /// Whether a definition is never asked because of where it is.
    pub fn silences(&self, definition: &Definition) -> bool {
        fails_closed(definition) && self.is_own(definition)
    }

    fn is_own(&self, definition: &Definition) -> bool {
        !definition.is_of_cluster() && self.namespace.as_deref() == Some(definition.id.namespace.as_str())
    }

    /// An Admission of another namespace sees none of the operator's objects.
    fn condition(&self, definition: &Definition) -> Option<MatchCondition> {
        if !fails_closed(definition) || !(definition.is_of_cluster() || self.is_own(definition)) {
            return None;
        }
        let mut exempt = vec![
            r#"(request.resource.group == "espejote.io" && request.resource.resource in ["admissions", "clusteradmissions"])"#
                .to_owned(),
        ];
        if let Some(user) = &self.user {
            exempt.push(format!(
                "(has(request.userInfo.username) && request.userInfo.username == {})",
                quoted(user)
            ));
        }
        if let Some(namespace) = &self.namespace {
            exempt.push(format!(
                "(has(request.namespace) && request.namespace == {})",
                quoted(namespace)
            ));
        }
        Some(MatchCondition {
            name: CONDITION.to_owned(),
            expression: format!("!({})", exempt.join(" || ")),
        })
    }
}

fn fails_closed(definition: &Definition) -> bool {
    definition.webhook.failure_policy.as_deref() != Some("Ignore")
}

/// A CEL string. Names and users hold no control characters; a JSON string is a CEL string for all else.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use espejote_api::{Admission, ClusterAdmission};
    use serde_json::{Value, json};

    use super::*;
    use crate::admission::definition::Kind;

    fn of_cluster(configuration: Value) -> Definition {
        let object = json!({"metadata": {"name": "a"}, "spec": {"webhookConfiguration": configuration}});
        serde_json::from_value::<ClusterAdmission>(object)
            .unwrap()
            .definition()
    }

    fn in_namespace(namespace: &str, configuration: Value) -> Definition {
        let object = json!({"metadata": {"name": "a", "namespace": namespace}, "spec": {"webhookConfiguration": configuration}});
        serde_json::from_value::<Admission>(object).unwrap().definition()
    }

    fn own() -> Lockout {
        Lockout {
            namespace: Some("espejote-system".into()),
            user: Some("system:serviceaccount:espejote-system:op".into()),
        }
    }

    #[test]
    fn what_fails_closed_in_the_whole_cluster_spares_the_operator() {
        let given = json!({"matchConditions": [{"name": "c", "expression": "true"}]});
        let conditions = own().conditions(&of_cluster(given)).unwrap();
        assert_eq!(conditions[0].name, "c");
        assert_eq!(conditions[1].name, CONDITION);
        assert_eq!(
            conditions[1].expression,
            r#"!((request.resource.group == "espejote.io" && request.resource.resource in ["admissions", "clusteradmissions"]) || (has(request.userInfo.username) && request.userInfo.username == "system:serviceaccount:espejote-system:op") || (has(request.namespace) && request.namespace == "espejote-system"))"#
        );
        assert_eq!(own().conditions(&of_cluster(json!({}))).unwrap().len(), 1);
    }

    #[test]
    fn what_fails_open_or_sees_another_namespace_stays_as_it_is() {
        let open = json!({"failurePolicy": "Ignore"});
        for definition in [
            of_cluster(open.clone()),
            in_namespace("espejote-system", open),
            in_namespace("other", json!({})),
        ] {
            assert_eq!(own().conditions(&definition), None);
            assert!(!own().silences(&definition));
        }
    }

    #[test]
    fn what_fails_closed_in_the_operators_namespace_is_never_asked_there() {
        let definition = in_namespace("espejote-system", json!({}));
        assert!(own().silences(&definition));
        assert!(own().conditions(&definition).is_some());
        let outside = Lockout {
            namespace: None,
            ..own()
        };
        assert!(!outside.silences(&definition));
    }
}
