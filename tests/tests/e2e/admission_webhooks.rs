//! The two webhook configurations: what is written, and that it stays so.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use espejote_tests::{
    Cluster, Namespace,
    admitting::{self, Admitting, CONFIGURATION},
    eventually, stays,
    waiting::{equal, holds},
};
use serde_json::{Value, json};

use crate::admission::{config_maps, config_maps_of, deciding, is_refused};

const API: &str = "admissionregistration.k8s.io/v1";

/// Both configurations belong to all tests: those that take entries away, or count on one that is there, go one by one.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn allowing(mutating: bool, configuration: Value) -> Value {
    json!({"mutating": mutating, "template": deciding("adm.allowed()"), "webhookConfiguration": configuration})
}

/// The names of the webhooks that are about a namespace, in order.
fn names(cluster: &Cluster, sort: &str, of: &str) -> Vec<String> {
    let webhooks = admitting::webhooks(cluster, sort);
    let names = webhooks
        .iter()
        .map(|webhook| webhook["name"].as_str().unwrap().to_owned());
    names.filter(|name| name.contains(of)).collect()
}

#[track_caller]
fn has(ns: &Namespace<'_>, sort: &str, expected: &[&Admitting<'_>]) {
    let expected: Vec<_> = expected.iter().map(|admission| admission.webhook()).collect();
    eventually(&format!("{sort}: {expected:?}"), || {
        equal(names(ns.cluster, sort, &ns.name), expected.clone())
    });
}

/// Waits until a webhook of a configuration is as a test wants it.
#[track_caller]
fn becomes(ns: &Namespace<'_>, sort: &str, name: &str, what: &str, is: impl Fn(&Value) -> bool) {
    eventually(&format!("{name}: {what}"), || {
        let webhook = admitting::webhook(ns.cluster, sort, name).ok_or("it is not there")?;
        holds(is(&webhook), || webhook.to_string())
    });
}

/// W1, W2, W3, W8: two configurations, their names, their order, and that they follow.
#[test]
fn w1_admissions_become_entries_of_two_configurations_in_order() {
    let ns = Namespace::new("w1");
    let cluster = ns.cluster_admission("a", allowing(false, config_maps_of(&ns)));
    let later = ns.admission("z", allowing(false, config_maps()));
    let earlier = ns.admission("a", allowing(false, config_maps()));
    let mutating = [
        ns.admission("m", allowing(true, config_maps())),
        ns.cluster_admission("m", allowing(true, config_maps_of(&ns))),
    ];
    has(&ns, "Validating", &[&earlier, &later, &cluster]);
    has(&ns, "Mutating", &[&mutating[0], &mutating[1]]);
    assert_eq!(earlier.webhook(), format!("a.{}.namespaced.espejote.io", ns.name));
    let configuration = ns
        .cluster
        .get(API, "ValidatingWebhookConfiguration", "", CONFIGURATION)
        .unwrap();
    let managers: Vec<_> = configuration["metadata"]["managedFields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["manager"].as_str(), entry["operation"].as_str()))
        .collect();
    assert!(
        managers.contains(&(Some("espejote-webhook-controller"), Some("Apply"))),
        "{managers:?}"
    );
    mutating.iter().for_each(Admitting::delete);
    later.delete();
    has(&ns, "Mutating", &[]);
    has(&ns, "Validating", &[&earlier, &cluster]);
    // From one to the other.
    earlier.update(allowing(true, config_maps()));
    has(&ns, "Validating", &[&cluster]);
    has(&ns, "Mutating", &[&earlier]);
}

fn everything() -> Value {
    json!({
        "rules": [{"apiGroups": ["test.espejote.io"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["nothings"], "scope": "*"}],
        "failurePolicy": "Ignore",
        "matchPolicy": "Exact",
        "objectSelector": {"matchLabels": {"a": "b"}},
        "reinvocationPolicy": "IfNeeded",
        "matchConditions": [{"name": "c", "expression": "true"}],
    })
}

/// W5, W7: what an Admission says passes through, but for its namespace and scope.
#[test]
fn w5_an_admission_is_held_to_its_namespace() {
    let ns = Namespace::new("w5");
    let given = everything();
    let admission = ns.admission("adm", allowing(true, given.clone()));
    admission.is_ready();
    let webhook = admitting::webhook(ns.cluster, "Mutating", &admission.webhook()).unwrap();
    for field in [
        "failurePolicy",
        "matchPolicy",
        "objectSelector",
        "reinvocationPolicy",
    ] {
        assert_eq!(webhook[field], given[field], "{field}");
    }
    let conditions = webhook["matchConditions"].as_array().unwrap();
    assert_eq!(conditions[0], given["matchConditions"][0]);
    assert_eq!(conditions[1]["name"], "espejote.io/not-the-operator-itself");
    assert_eq!(conditions.len(), 2);
    assert_eq!(
        webhook["namespaceSelector"],
        json!({"matchLabels": {"kubernetes.io/metadata.name": ns.name}})
    );
    assert_eq!(webhook["rules"][0]["scope"], "Namespaced");
    assert_eq!(webhook["rules"][0]["resources"], given["rules"][0]["resources"]);
    assert_eq!(
        (&webhook["sideEffects"], &webhook["admissionReviewVersions"]),
        (&json!("None"), &json!(["v1"]))
    );
}

/// W6, W7: a ClusterAdmission keeps selector and scope.
#[test]
fn w6_a_cluster_admission_keeps_what_it_says() {
    let ns = Namespace::new("w6");
    let mut given = everything();
    given["namespaceSelector"] =
        json!({"matchExpressions": [{"key": "runlevel", "operator": "NotIn", "values": ["0", "1"]}]});
    let admission = ns.cluster_admission("adm", allowing(false, given.clone()));
    admission.is_ready();
    let webhook = admitting::webhook(ns.cluster, "Validating", &admission.webhook()).unwrap();
    for field in ["rules", "namespaceSelector", "matchConditions", "objectSelector"] {
        assert_eq!(webhook[field], given[field], "{field}");
    }
    assert_eq!(webhook.get("reinvocationPolicy"), None);
}

/// W9: what others change or delete is put back.
#[test]
fn w9_what_others_do_to_the_configurations_is_put_back() {
    let _alone = alone();
    let ns = Namespace::new("w9");
    let admission = ns.admission("adm", allowing(false, config_maps()));
    admission.is_ready();
    let name = admission.webhook();
    let merge = |webhooks: Value| {
        let patch = json!({"webhooks": webhooks});
        ns.cluster
            .merge(API, "ValidatingWebhookConfiguration", "", CONFIGURATION, &patch)
    };
    let mut webhooks = admitting::webhooks(ns.cluster, "Validating");
    for webhook in &mut webhooks {
        if webhook["name"] == *name {
            webhook["failurePolicy"] = json!("Ignore");
            webhook["rules"][0]["operations"] = json!(["DELETE"]);
        }
    }
    merge(json!(webhooks));
    becomes(&ns, "Validating", &name, "its rules are back", |webhook| {
        webhook["rules"][0]["operations"] == json!(["CREATE", "UPDATE"])
    });
    let mut webhooks = admitting::webhooks(ns.cluster, "Validating");
    let mut stranger = webhooks[0].clone();
    stranger["name"] = json!(format!("stranger.{}.example.com", ns.name));
    webhooks.push(stranger);
    merge(json!(webhooks));
    has(&ns, "Validating", &[&admission]);
    merge(json!([]));
    has(&ns, "Validating", &[&admission]);
    ns.cluster
        .delete(API, "ValidatingWebhookConfiguration", "", CONFIGURATION);
    has(&ns, "Validating", &[&admission]);
}

/// W8: an entry that others have written to as well, as cert-manager does, goes all the same.
#[test]
fn w8_an_entry_that_others_have_written_to_can_be_deleted() {
    let _alone = alone();
    let ns = Namespace::new("w8");
    let stays_there = ns.admission("a", allowing(false, config_maps()));
    let goes = ns.admission("b", allowing(false, config_maps()));
    goes.is_ready();
    eventually("somebody writes to the entries", || {
        let mut webhooks = admitting::webhooks(ns.cluster, "Validating");
        for webhook in &mut webhooks {
            webhook["timeoutSeconds"] = json!(7);
        }
        let patch = json!({"webhooks": webhooks});
        ns.cluster
            .merge(API, "ValidatingWebhookConfiguration", "", CONFIGURATION, &patch);
        let of = admitting::webhook(ns.cluster, "Validating", &goes.webhook()).ok_or("it is gone")?;
        equal(&of["timeoutSeconds"], &json!(7))
    });
    goes.delete();
    has(&ns, "Validating", &[&stays_there]);
    stays_there.is_ready();
}

/// One that the API server refuses shows why, keeps what it had, and stops none of its neighbours.
#[test]
fn a_webhook_that_is_refused_stops_no_other() {
    let _alone = alone();
    let ns = Namespace::new("webhook-refused");
    let template = deciding("adm.denied('still here')");
    let of = |configuration: Value| json!({"template": template, "webhookConfiguration": configuration});
    let bad = |configuration: &Value| {
        let mut bad = configuration.clone();
        bad["matchConditions"] = json!([{"name": "c", "expression": "this is no CEL"}]);
        bad
    };
    let before = ns.admission("b", of(config_maps()));
    before.is_ready();
    let never = ns.admission("a", of(bad(&config_maps())));
    never.is_not_ready(
        "WebhookInvalid",
        &["matchConditions[0].expression", "the API server refuses"],
    );
    never.says("WebhookError");
    before.update(of(bad(&config_maps())));
    before.is_not_ready("WebhookInvalid", &["matchConditions[0].expression"]);
    is_refused(&ns, "x");
    let neighbour = ns.admission("c", allowing(false, config_maps()));
    neighbour.is_ready();
    has(&ns, "Validating", &[&before, &neighbour]);
    before.update(of(config_maps()));
    before.is_ready();
    never.update(of(config_maps()));
    never.is_ready();
}

/// Server-side apply does not say whose conditions have two of a name.
#[test]
fn two_conditions_of_a_name_stop_no_other() {
    let _alone = alone();
    let ns = Namespace::new("webhook-twice");
    let mut twice = config_maps();
    let condition = json!({"name": "c", "expression": "true"});
    twice["matchConditions"] = json!([condition, condition]);
    let bad = ns.admission("a", allowing(false, twice));
    bad.is_not_ready("WebhookInvalid", &["two conditions of the name"]);
    let neighbour = ns.admission("b", allowing(false, config_maps()));
    neighbour.is_ready();
    has(&ns, "Validating", &[&neighbour]);
}

/// Whoever denies everything in a namespace can take it back.
#[test]
fn an_admission_that_denies_everything_can_be_deleted() {
    let ns = Namespace::new("denies-all");
    let rules =
        json!([{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}]);
    let template = deciding("adm.denied('nothing at all')");
    let admission = ns.admission(
        "all",
        json!({"template": template, "webhookConfiguration": {"rules": rules}}),
    );
    admission.is_ready();
    admission.update(
        json!({"template": template, "webhookConfiguration": {"rules": rules, "failurePolicy": "Ignore"}}),
    );
    admission.is_ready();
    admission.delete();
    eventually("it is gone", || {
        equal(names(ns.cluster, "Validating", &ns.name), Vec::new())
    });
}

/// Nobody writes to an Admission, or to a configuration, once all is as it should be.
#[test]
fn what_is_ready_is_left_alone() {
    let _alone = alone();
    let ns = Namespace::new("admission-quiet");
    let admission = ns.admission("adm", allowing(false, config_maps()));
    admission.is_ready();
    let version = || admission.get()["metadata"]["resourceVersion"].clone();
    let before = version();
    stays(Duration::from_secs(2), "its version", || {
        equal(version(), before.clone())
    });
}

/// A ClusterAdmission that fails closed cannot keep people from deleting it, nor the operator from working.
#[test]
fn what_fails_closed_can_still_be_deleted() {
    let ns = Namespace::new("lockout");
    let rules = json!([{"apiGroups": ["espejote.io"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}]);
    let template = deciding("adm.denied('nothing of this group')");
    let configuration = json!({"rules": rules, "matchConditions": [
        // Other tests go on beside this one.
        {"name": "ours", "expression": format!("request.name.startsWith('locked-{}') || request.name.endsWith('{}')", ns.name, ns.name)},
    ]});
    let admission = ns.cluster_admission(
        "all",
        json!({"template": template, "webhookConfiguration": configuration}),
    );
    admission.is_ready();
    let library = || {
        let name = format!("locked-{}", ns.name);
        let metadata = json!({"name": name, "namespace": ns.name});
        let object = json!({"apiVersion": "espejote.io/v1alpha1", "kind": "JsonnetLibrary", "metadata": metadata, "spec": {}});
        ns.cluster.create(&object).err()
    };
    eventually("it is asked", || {
        let refusal = library().ok_or_else(|| {
            ns.cluster.delete(
                "espejote.io/v1alpha1",
                "JsonnetLibrary",
                &ns.name,
                &format!("locked-{}", ns.name),
            );
            "it was created".to_owned()
        })?;
        holds(refusal.message.contains("nothing of this group"), || {
            refusal.to_string()
        })
    });
    // Its own object may be changed, by people and by the operator.
    let mut open = json!({"template": template, "webhookConfiguration": {"rules": rules}});
    open["webhookConfiguration"]["failurePolicy"] = json!("Fail");
    open["webhookConfiguration"]["matchConditions"] = json!([{"name": "ours", "expression": "false"}]);
    admission.update(open);
    admission.is_ready();
    admission.delete();
    eventually("it is gone", || {
        equal(names(ns.cluster, "Validating", &ns.name), Vec::new())
    });
}
