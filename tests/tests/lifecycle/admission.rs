//! The webhooks' own life: reached by the Service, certificates that change, and an operator that is away.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use espejote_tests::{
    Cluster, Namespace,
    admitting::{self, SECRET},
    authority::Authority,
    deployment, eventually, eventually_within, http,
    objects::{config_map, within},
    operator::Webhooks,
    run, stays,
    waiting::{equal, holds},
};
use serde_json::{Value, json};

use crate::Alone;

/// The operator reads its Secret twice in this time.
const SECRET_IS_READ: Duration = Duration::from_secs(75);

/// Once no other operator runs, and without what it has left.
fn by_url(name: &str) -> Alone {
    Alone::with(name, |options| {
        delete_secret(run::admin());
        options.webhooks = Some(Webhooks::Url(http::free_port()));
    })
}

/// A Service without a proxy: the API server follows its external name.
fn service(cluster: &Cluster, port: u16) {
    let metadata = json!({"name": "espejote-webhook-service", "namespace": deployment::NAMESPACE});
    let spec = json!({"type": "ExternalName", "externalName": "localhost", "ports": [{"port": port}]});
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec});
    cluster.apply(&service).expect("apply the Service");
}

fn by_service(name: &str) -> Alone {
    Alone::with(name, |options| {
        let port = http::free_port();
        delete_secret(run::admin());
        service(run::admin(), port);
        options.webhooks = Some(Webhooks::Service(port));
    })
}

/// Denies ConfigMaps whose name begins with `bad`.
fn spec(rules: Value) -> Value {
    let template = "local adm = (import 'espejote.libsonnet').ALPHA.admission;
        local name = std.get(adm.admissionRequest(), 'name', '');
        if std.startsWith(name, 'bad') then adm.denied('sod off') else adm.allowed()";
    json!({"template": template, "webhookConfiguration": {"rules": rules}})
}

fn config_maps() -> Value {
    json!([{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}])
}

fn create(cluster: &Cluster, namespace: &str, stem: &str) -> Result<(), String> {
    let created = cluster.create(&within(namespace, config_map(&run::unique(stem), json!({}))));
    created.map(drop).map_err(|refusal| refusal.to_string())
}

#[track_caller]
fn denies(cluster: &Cluster, namespace: &str) {
    eventually("bad ConfigMaps are denied and others are not", || {
        let denied = create(cluster, namespace, "bad").err().ok_or("it was created")?;
        holds(denied.contains("sod off"), || denied.clone())?;
        create(cluster, namespace, "good")
    });
}

fn secret(cluster: &Cluster) -> Option<Value> {
    cluster.get("v1", "Secret", deployment::NAMESPACE, SECRET)
}

fn has_key(cluster: &Cluster, key: &str) -> Result<(), String> {
    let secret = secret(cluster).ok_or("there is no Secret")?;
    let data = secret["data"].as_object().cloned().unwrap_or_default();
    holds(data.contains_key(key), || {
        format!("{:?}", data.keys().collect::<Vec<_>>())
    })
}

fn delete_secret(cluster: &Cluster) {
    cluster.delete("v1", "Secret", deployment::NAMESPACE, SECRET);
}

/// W4, W7: a Service, and a certificate that the operator has made for it.
#[test]
fn w4_the_api_server_asks_by_the_service_with_the_operators_own_certificate() {
    let cluster = run::admin();
    let alone = by_service("by-service");
    let ns = Namespace::served_by(cluster, alone.operator(), "by-service");
    let admission = ns.admission("guard", spec(config_maps()));
    admission.is_ready();
    denies(cluster, &ns.name);
    let webhook = admitting::webhook(cluster, "Validating", &admission.webhook()).unwrap();
    let service = &webhook["clientConfig"]["service"];
    assert_eq!(
        (service["namespace"].as_str(), service["name"].as_str()),
        (Some(deployment::NAMESPACE), Some("espejote-webhook-service"))
    );
    assert_eq!(service["path"], admission.path());
    has_key(cluster, "ca.key").unwrap();
    // It is gone: another one is made, and the API server told.
    delete_secret(cluster);
    eventually_within(SECRET_IS_READ, "there is a new Secret", || {
        has_key(cluster, "tls.key")
    });
    denies(cluster, &ns.name);
}

/// While no operator runs, what fails closed is refused, but not what the operator needs: it comes up again, even if its
/// certificate is lost.
#[test]
fn the_operator_cannot_be_locked_out() {
    let cluster = run::admin();
    let mut alone = by_service("locked-out");
    let name = run::unique("everything");
    let rules = json!([{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE", "UPDATE", "DELETE"], "resources": ["*/*"]}]);
    let object = json!({
        "apiVersion": "espejote.io/v1alpha1", "kind": "ClusterAdmission", "metadata": {"name": name}, "spec": spec(rules),
    });
    cluster.ensure(&espejote_tests::objects::namespace("locked-out"));
    cluster.apply(&object).unwrap();
    let _cleared = Cleared(cluster, &name);
    denies(cluster, "locked-out");
    alone.take().kill();
    eventually("nothing is created elsewhere", || {
        let refusal = create(cluster, "locked-out", "good")
            .err()
            .ok_or("it was created")?;
        holds(refusal.contains("failed calling webhook"), || refusal.clone())
    });
    create(cluster, deployment::NAMESPACE, "good").expect("the operator's own namespace is spared");
    delete_secret(cluster);
    alone.restart();
    denies(cluster, "locked-out");
    alone.take().kill();
    // And a person can end it without an operator.
    cluster.delete("espejote.io/v1alpha1", "ClusterAdmission", "", &name);
    alone.restart();
    eventually("everything is created again", || {
        create(cluster, "locked-out", "bad")
    });
}

/// Whatever a failed test leaves would keep all others from working.
struct Cleared<'a>(&'a Cluster, &'a str);

impl Drop for Cleared<'_> {
    fn drop(&mut self) {
        let configuration =
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/espejote-dynamic-webhook";
        let of = |path: &str| self.0.send("DELETE", path, "application/json", &[]).ok();
        of(&format!(
            "/apis/espejote.io/v1alpha1/clusteradmissions/{}",
            self.1
        ));
        of(configuration);
    }
}

/// A new authority is told first, then used; no request is refused meanwhile.
#[test]
fn certificates_are_rotated_without_a_gap() {
    let cluster = run::admin();
    let alone = by_url("rotated");
    let ns = Namespace::served_by(cluster, alone.operator(), "rotated");
    let admission = ns.admission("guard", spec(config_maps()));
    admission.is_ready();
    denies(cluster, &ns.name);
    let first = admitting::authority(cluster).unwrap();
    let next = Authority::new("espejote-webhook-authority-next");
    let give = |since: Duration| {
        let patch =
            json!({"stringData": {"next-ca.crt": next.certificate(since), "next-ca.key": next.key()}});
        cluster.merge("v1", "Secret", deployment::NAMESPACE, SECRET, &patch);
    };
    let bundle = || {
        let webhook = admitting::webhook(cluster, "Validating", &admission.webhook());
        webhook.map(|webhook| webhook["clientConfig"]["caBundle"].clone())
    };
    let told = bundle();
    let (done, failed) = (AtomicBool::new(false), std::sync::Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if let Err(refusal) = create(cluster, &ns.name, "good") {
                    failed.lock().unwrap().push(refusal);
                }
            }
        });
        let rotated = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            // Made just now: told, not used.
            give(Duration::from_secs(300));
            eventually_within(SECRET_IS_READ, "the next authority is told", || {
                holds(bundle() != told, || "the bundle is as before".to_owned())
            });
            assert_eq!(admitting::authority(cluster).unwrap(), first);
            // Told for long enough.
            give(Duration::from_secs(3_600));
            eventually_within(SECRET_IS_READ, "the next authority is used", || {
                has_key(cluster, "old-ca.crt")
            });
            assert_ne!(admitting::authority(cluster).unwrap(), first);
            stays(Duration::from_secs(3), "it denies", || {
                let denied = create(cluster, &ns.name, "bad").err().ok_or("it was created")?;
                holds(denied.contains("sod off"), || denied.clone())
            });
        }));
        done.store(true, Ordering::Relaxed);
        rotated.unwrap();
    });
    assert_eq!(*failed.lock().unwrap(), Vec::<String>::new());
    equal(admitting::authority(cluster).map(|now| now == first), Some(false)).unwrap();
}

/// An authority that has lived for two thirds of its life gets a successor.
#[test]
fn an_old_authority_gets_a_successor_at_the_start() {
    let cluster = run::admin();
    let old = Authority::new("espejote-webhook-authority-old");
    let since = Duration::from_secs(300 * 24 * 3_600);
    let (server, certificate) = (old.server("127.0.0.1", since), old.certificate(since));
    let data = json!({
        "ca.crt": certificate, "ca.key": old.key(), "tls.crt": server.0, "tls.key": server.1,
    });
    let metadata = json!({"name": SECRET, "namespace": deployment::NAMESPACE});
    let object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": data});
    let alone = Alone::with("old-authority", |options| {
        // No operator runs now.
        delete_secret(cluster);
        cluster.create(&object).unwrap();
        options.webhooks = Some(Webhooks::Url(http::free_port()));
    });
    let ns = Namespace::served_by(cluster, alone.operator(), "old-authority");
    let admission = ns.admission("guard", spec(config_maps()));
    admission.is_ready();
    denies(cluster, &ns.name);
    eventually("there is a next authority", || has_key(cluster, "next-ca.crt"));
    assert_eq!(admitting::authority(cluster).unwrap(), certificate);
    // The next operator makes all of it anew.
    delete_secret(cluster);
}

/// W7: certificates in files are served, and looked at again; nobody but their maker says whom to trust.
#[test]
fn w7_certificates_of_others_are_read_again_when_they_change() {
    let cluster = run::admin();
    let authority = Authority::new("maker");
    let folder = run::folder().join("webhook-files");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |(certificate, key): (String, String)| {
        std::fs::write(folder.join("tls.crt"), certificate).unwrap();
        std::fs::write(folder.join("tls.key"), key).unwrap();
    };
    write(authority.server("127.0.0.1", Duration::from_secs(60)));
    let alone = Alone::with("webhook-files", |options| {
        options.webhooks = Some(Webhooks::Url(http::free_port()));
        options
            .arguments
            .push(format!("--webhook-cert-path={}", folder.display()));
    });
    let ns = Namespace::served_by(cluster, alone.operator(), "webhook-files");
    let admission = ns.admission("guard", spec(config_maps()));
    admission.is_ready();
    let webhook = || admitting::webhook(cluster, "Validating", &admission.webhook()).unwrap();
    assert_eq!(webhook()["clientConfig"].get("caBundle"), None);
    // As cert-manager does.
    let inject = |authority: &Authority| {
        let bundle = json!(authority.bundle());
        let mut webhooks = admitting::webhooks(cluster, "Validating");
        for webhook in &mut webhooks {
            webhook["clientConfig"]["caBundle"] = bundle.clone();
        }
        let patch = json!({"webhooks": webhooks});
        let api = "admissionregistration.k8s.io/v1";
        cluster.merge(
            api,
            "ValidatingWebhookConfiguration",
            "",
            admitting::CONFIGURATION,
            &patch,
        );
        bundle
    };
    let injected = inject(&authority);
    denies(cluster, &ns.name);
    stays(Duration::from_secs(2), "what was injected is left alone", || {
        equal(&webhook()["clientConfig"]["caBundle"], &injected)
    });
    let other = Authority::new("other-maker");
    write(other.server("127.0.0.1", Duration::from_secs(60)));
    inject(&other);
    eventually_within(SECRET_IS_READ, "the other certificate is served", || {
        create(cluster, &ns.name, "good")
    });
    denies(cluster, &ns.name);
    // An entry with somebody else's field in it can go.
    admission.delete();
    eventually("its webhook is gone", || {
        let left = admitting::webhook(cluster, "Validating", &admission.webhook());
        holds(left.is_none(), || format!("{left:?}"))
    });
}
