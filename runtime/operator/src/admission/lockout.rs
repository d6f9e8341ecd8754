//! What keeps a webhook from locking out the operator, and those who own the webhook.
//!
//! A webhook fails closed unless its failure policy is `Ignore`: while no operator runs, every request that it matches is
//! refused. So it must match nothing that the operator needs to come up, nor what a person needs to mend it. And whoever denies
//! everything in a namespace must be able to take that back. All this is said by one more match condition; selectors, rules and
//! the conditions that are given stay as they are.

use k8s_openapi::api::admissionregistration::v1::MatchCondition;

use super::definition::Definition;

/// The name of the condition.
pub const CONDITION: &str = "espejote.io/not-the-operator-itself";
/// An Admission is mended by changing it.
const ADMISSIONS: &str = r#"(request.resource.group == "espejote.io" && request.resource.resource in ["admissions", "clusteradmissions"])"#;
/// Who empties a namespace that is deleted; only then does it delete anything.
const NAMESPACE_CONTROLLER: &str = r#"(request.operation == "DELETE" && has(request.userInfo.username) && request.userInfo.username == "system:serviceaccount:kube-system:namespace-controller")"#;

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

    fn condition(&self, definition: &Definition) -> Option<MatchCondition> {
        let exempt = self.exempt(definition);
        (!exempt.is_empty()).then(|| MatchCondition {
            name: CONDITION.to_owned(),
            expression: format!("!({})", exempt.join(" || ")),
        })
    }

    /// What a definition is not asked about. A ClusterAdmission that fails open is its administrator's business.
    fn exempt(&self, definition: &Definition) -> Vec<String> {
        let of_cluster = definition.is_of_cluster();
        if of_cluster && !fails_closed(definition) {
            return Vec::new();
        }
        let user = self.user.as_deref().map(by_user);
        // An Admission of another namespace sees none of the operator's objects.
        let sees_own = fails_closed(definition) && (of_cluster || self.is_own(definition));
        let namespace = self.namespace.as_deref().filter(|_| sees_own).map(in_namespace);
        let emptied = (!of_cluster).then(|| NAMESPACE_CONTROLLER.to_owned());
        [Some(ADMISSIONS.to_owned()), user, namespace, emptied]
            .into_iter()
            .flatten()
            .collect()
    }
}

fn by_user(user: &str) -> String {
    let user = quoted(user);
    format!("(has(request.userInfo.username) && request.userInfo.username == {user})")
}

fn in_namespace(namespace: &str) -> String {
    let namespace = quoted(namespace);
    format!("(has(request.namespace) && request.namespace == {namespace})")
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

    fn of_namespace(namespace: &str, configuration: Value) -> Definition {
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
    fn a_cluster_admission_that_fails_open_stays_as_it_is() {
        let open = of_cluster(json!({"failurePolicy": "Ignore"}));
        assert_eq!(own().conditions(&open), None);
        assert!(!own().silences(&open));
    }

    /// A denial is an answer, so the failure policy does not matter.
    #[test]
    fn an_admission_that_denies_everything_can_be_taken_back_and_its_namespace_deleted() {
        let open = json!({"failurePolicy": "Ignore"});
        for definition in [
            of_namespace("other", json!({})),
            of_namespace("other", open.clone()),
            of_namespace("espejote-system", open),
        ] {
            assert!(!own().silences(&definition));
            let conditions = own().conditions(&definition).unwrap();
            assert_eq!(
                conditions[0].expression,
                r#"!((request.resource.group == "espejote.io" && request.resource.resource in ["admissions", "clusteradmissions"]) || (has(request.userInfo.username) && request.userInfo.username == "system:serviceaccount:espejote-system:op") || (request.operation == "DELETE" && has(request.userInfo.username) && request.userInfo.username == "system:serviceaccount:kube-system:namespace-controller"))"#
            );
        }
        let given = json!({"matchConditions": [{"name": "c", "expression": "true"}]});
        let conditions = own().conditions(&of_namespace("other", given)).unwrap();
        let names: Vec<_> = conditions.iter().map(|condition| &condition.name).collect();
        assert_eq!(names, ["c", CONDITION]);
    }

    #[test]
    fn what_fails_closed_in_the_operators_namespace_is_never_asked_there() {
        let definition = of_namespace("espejote-system", json!({}));
        assert!(own().silences(&definition));
        assert!(own().conditions(&definition).is_some());
        let outside = Lockout {
            namespace: None,
            ..own()
        };
        assert!(!outside.silences(&definition));
    }
}
