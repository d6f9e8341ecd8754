//! From definitions to the webhooks that the API server calls.
//!
//! Owns names, order, paths and what is forced. It never writes anything.

use k8s_openapi::{
    ByteString,
    api::admissionregistration::v1::{
        MutatingWebhook, MutatingWebhookConfiguration, RuleWithOperations, ServiceReference,
        ValidatingWebhook, ValidatingWebhookConfiguration, WebhookClientConfig,
    },
    apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta},
};
use serde_json::Value;

use super::{
    definition::{Definition, Key},
    lockout::Lockout,
};
use crate::client::Resource;

/// The label that every namespace has, with its name.
const NAMESPACE_LABEL: &str = "kubernetes.io/metadata.name";
const API_VERSION: &str = "admissionregistration.k8s.io/v1";

/// How the API server reaches this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// By a Service.
    Service {
        /// Its namespace: the operator's.
        namespace: String,
        /// Its name.
        name: String,
        /// Its port.
        port: u16,
    },
    /// By a URL, without a path.
    Url(String),
}

/// One of the two configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// Webhooks that may change objects.
    Mutating,
    /// Webhooks that only decide.
    Validating,
}

impl Sort {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Mutating, Self::Validating];

    /// The kind of the configuration.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Mutating => "MutatingWebhookConfiguration",
            Self::Validating => "ValidatingWebhookConfiguration",
        }
    }

    /// How the configuration is addressed.
    pub fn resource(self) -> Resource {
        Resource::known(
            API_VERSION,
            self.kind(),
            &format!("{}s", self.kind().to_lowercase()),
            false,
        )
    }

    /// Whether a definition belongs here.
    pub fn holds(self, definition: &Definition) -> bool {
        definition.mutating == (self == Self::Mutating)
    }
}

/// What all webhooks have in common.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How this process is reached.
    pub address: Address,
    /// Whom the API server is to trust; none: somebody else says so.
    pub ca_bundle: Option<Vec<u8>>,
    /// What keeps the operator from locking itself out.
    pub lockout: Lockout,
}

impl Plan {
    /// The webhook of a definition.
    pub fn webhook(&self, definition: &Definition) -> MutatingWebhook {
        let given = definition.webhook.clone();
        MutatingWebhook {
            name: name(&definition.key()),
            client_config: self.client_config(&definition.key()),
            rules: given.rules.map(|rules| scoped(rules, definition)),
            failure_policy: given.failure_policy,
            match_policy: given.match_policy,
            namespace_selector: match definition.is_of_cluster() {
                true => given.namespace_selector,
                false => Some(only_namespace(&definition.id.namespace)),
            },
            object_selector: given.object_selector,
            reinvocation_policy: given.reinvocation_policy.filter(|_| definition.mutating),
            match_conditions: self.lockout.conditions(definition),
            side_effects: "None".to_owned(),
            admission_review_versions: vec!["v1".to_owned()],
            timeout_seconds: None,
        }
    }

    /// Where the API server asks for a decision.
    pub fn client_config(&self, key: &Key) -> WebhookClientConfig {
        let path = path(key);
        let (service, url) = match &self.address {
            Address::Service {
                namespace,
                name,
                port,
            } => {
                let service = ServiceReference {
                    namespace: namespace.clone(),
                    name: name.clone(),
                    path: Some(path),
                    port: Some(i32::from(*port)),
                };
                (Some(service), None)
            }
            Address::Url(url) => (None, Some(format!("{}{path}", url.trim_end_matches('/')))),
        };
        WebhookClientConfig {
            ca_bundle: self.ca_bundle.clone().map(ByteString),
            service,
            url,
        }
    }
}

/// The name of a webhook.
pub fn name((namespace, name): &Key) -> String {
    match namespace.as_str() {
        "" => format!("{name}.cluster.espejote.io"),
        namespace => format!("{name}.{namespace}.namespaced.espejote.io"),
    }
}

/// The path at which decisions are served.
pub fn path((namespace, name): &Key) -> String {
    match namespace.as_str() {
        "" => format!("/dynamic-cluster/{name}"),
        namespace => format!("/dynamic/{namespace}/{name}"),
    }
}

/// The configuration of a name with these webhooks, as JSON.
pub fn document(sort: Sort, name: &str, webhooks: &[MutatingWebhook]) -> serde_json::Result<Value> {
    let metadata = ObjectMeta {
        name: Some(name.to_owned()),
        ..ObjectMeta::default()
    };
    match sort {
        Sort::Mutating => serde_json::to_value(MutatingWebhookConfiguration {
            metadata,
            webhooks: Some(webhooks.to_vec()),
        }),
        Sort::Validating => serde_json::to_value(ValidatingWebhookConfiguration {
            metadata,
            webhooks: Some(webhooks.iter().cloned().map(validating).collect()),
        }),
    }
}

fn validating(webhook: MutatingWebhook) -> ValidatingWebhook {
    ValidatingWebhook {
        name: webhook.name,
        client_config: webhook.client_config,
        rules: webhook.rules,
        failure_policy: webhook.failure_policy,
        match_policy: webhook.match_policy,
        namespace_selector: webhook.namespace_selector,
        object_selector: webhook.object_selector,
        match_conditions: webhook.match_conditions,
        side_effects: webhook.side_effects,
        admission_review_versions: webhook.admission_review_versions,
        timeout_seconds: webhook.timeout_seconds,
    }
}

fn scoped(mut rules: Vec<RuleWithOperations>, definition: &Definition) -> Vec<RuleWithOperations> {
    if !definition.is_of_cluster() {
        for rule in &mut rules {
            rule.scope = Some("Namespaced".to_owned());
        }
    }
    rules
}

fn only_namespace(namespace: &str) -> LabelSelector {
    LabelSelector {
        match_labels: Some([(NAMESPACE_LABEL.to_owned(), namespace.to_owned())].into()),
        match_expressions: None,
    }
}

#[cfg(test)]
mod tests {
    use espejote_api::{Admission, ClusterAdmission};
    use serde_json::json;

    use super::*;
    use crate::admission::{definition::Kind, lockout};

    fn plan(ca_bundle: Option<Vec<u8>>) -> Plan {
        Plan {
            address: Address::Service {
                namespace: "espejote-system".into(),
                name: "espejote-webhook-service".into(),
                port: 9443,
            },
            ca_bundle,
            lockout: Lockout::default(),
        }
    }

    fn given(mutating: bool) -> Value {
        json!({
            "mutating": mutating,
            "webhookConfiguration": {
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"], "scope": "*"}],
                "failurePolicy": "Ignore",
                "matchPolicy": "Exact",
                "objectSelector": {"matchLabels": {"a": "b"}},
                "namespaceSelector": {"matchExpressions": [{"key": "runlevel", "operator": "NotIn", "values": ["0", "1"]}]},
                "reinvocationPolicy": "IfNeeded",
                "matchConditions": [{"name": "c", "expression": "true"}],
            },
        })
    }

    fn namespaced(mutating: bool) -> Definition {
        let object = json!({"metadata": {"name": "adm", "namespace": "ns"}, "spec": given(mutating)});
        serde_json::from_value::<Admission>(object).unwrap().definition()
    }

    fn of_cluster(mutating: bool) -> Definition {
        let object = json!({"metadata": {"name": "adm"}, "spec": given(mutating)});
        serde_json::from_value::<ClusterAdmission>(object)
            .unwrap()
            .definition()
    }

    fn webhook(sort: Sort, definition: &Definition) -> Value {
        let webhook = plan(None).webhook(definition);
        document(sort, "x", &[webhook]).unwrap()["webhooks"][0].take()
    }

    /// W2, W4, W5, W7: what is forced on an Admission, and what passes through.
    #[test]
    fn w5_an_admission_is_asked_about_its_namespace_only() {
        let expected = json!({
            "name": "adm.ns.namespaced.espejote.io",
            "clientConfig": {"service": {
                "namespace": "espejote-system", "name": "espejote-webhook-service", "path": "/dynamic/ns/adm", "port": 9443,
            }},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"], "scope": "Namespaced"}],
            "failurePolicy": "Ignore",
            "matchPolicy": "Exact",
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ns"}},
            "objectSelector": {"matchLabels": {"a": "b"}},
            "matchConditions": [{"name": "c", "expression": "true"}],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        });
        let mut webhook = webhook(Sort::Validating, &namespaced(false));
        let added = webhook["matchConditions"].as_array_mut().unwrap().pop().unwrap();
        assert_eq!(added["name"], lockout::CONDITION);
        assert_eq!(webhook, expected);
    }

    /// W6, W7: a ClusterAdmission keeps what it says.
    #[test]
    fn w6_a_cluster_admission_keeps_selector_and_scope() {
        let webhook = webhook(Sort::Mutating, &of_cluster(true));
        let given = given(true);
        let given = &given["webhookConfiguration"];
        for field in [
            "rules",
            "failurePolicy",
            "matchPolicy",
            "namespaceSelector",
            "objectSelector",
            "reinvocationPolicy",
            "matchConditions",
        ] {
            assert_eq!(webhook[field], given[field], "{field}");
        }
        assert_eq!(webhook["name"], "adm.cluster.espejote.io");
        assert_eq!(webhook["clientConfig"]["service"]["path"], "/dynamic-cluster/adm");
        assert_eq!(webhook["clientConfig"].get("caBundle"), None);
        assert_eq!(webhook.get("timeoutSeconds"), None);
    }

    /// W3:
    #[test]
    fn w3_each_belongs_to_one_configuration() {
        let (changing, deciding) = (namespaced(true), namespaced(false));
        assert!(Sort::Mutating.holds(&changing) && !Sort::Validating.holds(&changing));
        assert!(Sort::Validating.holds(&deciding) && !Sort::Mutating.holds(&deciding));
    }

    #[test]
    fn a_url_takes_the_place_of_the_service_and_a_bundle_is_written_where_there_is_one() {
        let plan = Plan {
            address: Address::Url("https://127.0.0.1:9443/".into()),
            ..plan(Some(b"pem".to_vec()))
        };
        let config = serde_json::to_value(plan.client_config(&(String::new(), "a".into()))).unwrap();
        assert_eq!(
            config,
            json!({"caBundle": "cGVt", "url": "https://127.0.0.1:9443/dynamic-cluster/a"})
        );
    }
}
