//! The same against a real API server: `KUBECONFIG=… cargo test --release -p espejote-operator --test watch -- --ignored
//! --test-threads 1 --nocapture`. `tests/controlplane` has one.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use espejote_operator::{
    cache::{NotSynced, Reader, State},
    client::{Accept, ApiError, DeleteOptions, Limits, Patch, PatchKind, WriteOptions},
    discovery::Discovery,
    identity::Identities,
    watch::{Tenant, WatchKey, WatchSettings, Watches},
};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::{LONG, config_maps, eventually, short, within};

struct Cluster {
    identities: Arc<Identities>,
    discovery: Arc<Discovery>,
    watches: Watches,
}

impl Cluster {
    async fn connect() -> Self {
        Self::with(WatchSettings::default()).await
    }

    async fn with(settings: WatchSettings) -> Self {
        crate::install_crypto();
        let config = kube::Config::infer().await.unwrap();
        let identities = Identities::new(&config, Limits::default()).unwrap();
        let discovery = Discovery::new(identities.own().clone());
        let watches = Watches::new(
            identities.clone(),
            discovery.clone(),
            settings,
            CancellationToken::new(),
        );
        Self {
            identities,
            discovery,
            watches,
        }
    }

    async fn apply(&self, object: Value) -> Result<usize, ApiError> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (api_version, kind) = (text(&object["apiVersion"]), text(&object["kind"]));
        let resource = self.discovery.resolve(&api_version, &kind).await.unwrap();
        let metadata = &object["metadata"];
        let (namespace, name) = (text(&metadata["namespace"]), text(&metadata["name"]));
        let patch = Patch {
            kind: PatchKind::Apply { force: true },
            subresource: None,
            options: WriteOptions {
                field_manager: Some("test".to_owned()),
                accept: Accept::Metadata,
                ..WriteOptions::default()
            },
            body: object.to_string().into(),
        };
        let applied = self
            .identities
            .own()
            .patch(&resource, Some(&namespace), &name, &patch)
            .await;
        applied.map(|answer| answer.len())
    }

    async fn delete(&self, api_version: &str, kind: &str, namespace: &str, name: &str) {
        let resource = self.discovery.resolve(api_version, kind).await.unwrap();
        let options = DeleteOptions::default();
        self.identities
            .own()
            .delete(&resource, Some(namespace), name, &options)
            .await
            .unwrap();
    }

    /// A new namespace with a ServiceAccount.
    async fn namespace(&self, name: &str) -> String {
        let name = format!("{name}-{}", std::process::id());
        self.apply(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}))
            .await
            .unwrap();
        self.apply(service_account(&name)).await.unwrap();
        name
    }

    async fn put(&self, namespace: &str, name: &str, value: &str) {
        let metadata = json!({"name": name, "namespace": namespace});
        let object =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"key": value}});
        self.apply(object).await.unwrap();
    }

    async fn fill(&self, namespace: &str, count: usize) {
        let mut tasks = JoinSet::new();
        for number in 0..count {
            let resource = self.discovery.resolve("v1", "ConfigMap").await.unwrap();
            let (client, namespace) = (self.identities.own().clone(), namespace.to_owned());
            tasks.spawn(async move {
                let metadata = json!({"name": format!("cm-{number}")});
                let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata,
                    "data": {"big": "x".repeat(2700)}});
                let options = WriteOptions {
                    accept: Accept::Metadata,
                    ..WriteOptions::default()
                };
                client
                    .create(&resource, Some(&namespace), &options, object.to_string().into())
                    .await
                    .unwrap();
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
    }
}

fn service_account(namespace: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "sa", "namespace": namespace}})
}

fn binding(namespace: &str) -> Value {
    json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": {"name": "view", "namespace": namespace},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
        "subjects": [{"kind": "ServiceAccount", "name": "sa", "namespace": namespace}]})
}

fn widgets(plural: &str, scope: &str) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.example.com")},
        "spec": {"group": "example.com", "scope": scope,
            "names": {"plural": plural, "singular": "widget", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
                {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})
}

fn is_unknown(reader: &Reader) -> bool {
    matches!(reader.state(), State::NotSynced(NotSynced::UnknownKind { .. }))
}

fn megabytes(line: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with(line)).unwrap().to_owned();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}

#[tokio::test]
#[ignore = "needs KUBECONFIG"]
async fn c13_a_real_server_gives_the_same_bytes_streamed_in_pages_and_watched() {
    let cluster = Cluster::connect().await;
    let namespace = cluster.namespace("bytes").await;
    for name in ["c", "a", "b"] {
        cluster.put(&namespace, name, "<&>").await;
    }
    let texts = |reader: &Reader| -> Vec<String> {
        reader
            .read()
            .collection
            .objects()
            .iter()
            .map(|object| object.json().to_string())
            .collect()
    };
    let in_pages = WatchSettings {
        stream_lists: false,
        page_size: 2,
        ..WatchSettings::default()
    };
    let other = Cluster::with(in_pages).await;
    let streamed = cluster.watches.acquire(&config_maps(&namespace), LONG);
    let paged = other.watches.acquire(&config_maps(&namespace), LONG);
    let readers = [streamed.reader(), paged.reader()];
    eventually("synced", || {
        readers.iter().all(|reader| reader.state().is_synced())
    })
    .await;
    assert_eq!(texts(&readers[0]), texts(&readers[1]));
    cluster.put(&namespace, "d", "1").await;
    let there = |reader: &Reader| texts(reader).iter().any(|text| text.contains(r#""name":"d""#));
    eventually("both have the change", || readers.iter().all(there)).await;
    assert_eq!(texts(&readers[0]), texts(&readers[1]));
}

#[tokio::test]
#[ignore = "needs KUBECONFIG"]
async fn k6_rights_come_and_go_and_the_server_says_why() {
    let cluster = Cluster::connect().await;
    let namespace = cluster.namespace("rights").await;
    cluster.put(&namespace, "x", "1").await;
    let account = cluster.identities.service_account(&namespace, "sa");
    let uid = account.ensure().await.unwrap();
    let tenant = Tenant::ServiceAccount {
        namespace: namespace.clone(),
        name: "sa".to_owned(),
        uid,
    };
    let key = WatchKey::all(tenant, "v1", "ConfigMap", Some(&namespace));
    let handle = cluster.watches.acquire(&key, Duration::from_secs(2));
    let reader = handle.reader();
    let forbidden = || matches!(reader.state(), State::NotSynced(NotSynced::Forbidden { .. }));
    eventually("forbidden", forbidden).await;
    println!("{}", reader.read().available().unwrap_err());
    cluster.apply(binding(&namespace)).await.unwrap();
    eventually("granted", || reader.state().is_synced()).await;
    cluster
        .delete("rbac.authorization.k8s.io/v1", "RoleBinding", &namespace, "view")
        .await;
    let revoked = Instant::now();
    eventually("revoked", forbidden).await;
    println!("revoked rights showed after {:?}", revoked.elapsed());
    assert!(revoked.elapsed() < Duration::from_secs(4));
}

#[tokio::test]
#[ignore = "needs KUBECONFIG"]
async fn a_recreated_account_gets_another_uid_and_its_old_watch_ends() {
    let cluster = Cluster::connect().await;
    let namespace = cluster.namespace("account").await;
    cluster.apply(binding(&namespace)).await.unwrap();
    let account = cluster.identities.service_account(&namespace, "sa");
    let old = account.ensure().await.unwrap();
    let tenant = Tenant::ServiceAccount {
        namespace: namespace.clone(),
        name: "sa".to_owned(),
        uid: old.clone(),
    };
    let key = WatchKey::all(tenant, "v1", "ConfigMap", Some(&namespace));
    let handle = cluster.watches.acquire(&key, Duration::from_secs(6));
    let reader = handle.reader();
    eventually("synced", || reader.state().is_synced()).await;
    cluster.delete("v1", "ServiceAccount", &namespace, "sa").await;
    cluster.apply(service_account(&namespace)).await.unwrap();
    let mut uid = account.uid();
    let another = within("another uid", uid.wait_for(|uid| uid.as_ref() != Some(&old))).await;
    println!("{old} -> {}", another.unwrap().as_deref().unwrap_or_default());
    eventually("ended", || cluster.watches.tasks() == 0).await;
    println!("{}", reader.read().available().unwrap_err());
}

/// Case 4:
#[tokio::test]
#[ignore = "needs KUBECONFIG"]
async fn a_kind_comes_goes_and_comes_back_elsewhere() {
    let cluster = Cluster::connect().await;
    let key = WatchKey::all(Tenant::Operator, "example.com/v1", "Widget", None);
    let handle = cluster.watches.acquire(&key, LONG);
    let reader = handle.reader();
    eventually("unknown", || is_unknown(&reader)).await;
    cluster.apply(widgets("widgets", "Namespaced")).await.unwrap();
    let created = Instant::now();
    eventually("known", || reader.state().is_synced()).await;
    println!("a late kind was synced after {:?}", created.elapsed());
    let widget = json!({"apiVersion": "example.com/v1", "kind": "Widget",
        "metadata": {"name": "w", "namespace": "default"}});
    cluster.apply(widget).await.unwrap();
    let mut changes = reader.subscribe();
    assert_eq!(short(within("created", changes.next()).await), ["+w"]);
    let definition = "apiextensions.k8s.io/v1";
    cluster
        .delete(definition, "CustomResourceDefinition", "", "widgets.example.com")
        .await;
    assert_eq!(short(within("deleted", changes.next()).await), ["-w"]);
    eventually("unknown", || is_unknown(&reader)).await;
    cluster.apply(widgets("widgetz", "Cluster")).await.unwrap();
    eventually("known again", || reader.state().is_synced()).await;
    let resource = cluster
        .discovery
        .resolve("example.com/v1", "Widget")
        .await
        .unwrap();
    assert_eq!(
        (resource.plural.as_str(), resource.namespaced),
        ("widgetz", false)
    );
    cluster
        .delete(definition, "CustomResourceDefinition", "", "widgetz.example.com")
        .await;
}

/// Prints what `docs/design/030` says about memory.
#[tokio::test]
#[ignore = "needs KUBECONFIG"]
async fn memory_of_thirty_watches_of_the_same_2000_objects() {
    let cluster = Cluster::connect().await;
    let namespace = cluster.namespace("many").await;
    println!("connected: {:.1} MiB", megabytes("VmRSS"));
    let started = Instant::now();
    cluster.fill(&namespace, 2000).await;
    println!(
        "2000 created in {:?}: {:.1} MiB",
        started.elapsed(),
        megabytes("VmRSS")
    );
    let key = |number| {
        let mut key = config_maps(&namespace);
        key.ignore_names.insert(format!("none-{number}"));
        key
    };
    for many in [1, 30, 60] {
        let started = Instant::now();
        let handles: Vec<_> = (0..many)
            .map(|number| cluster.watches.acquire(&key(number), LONG))
            .collect();
        let synced = || handles.iter().all(|handle| handle.reader().state().is_synced());
        eventually("synced", synced).await;
        let took = started.elapsed();
        let read: Vec<_> = handles.iter().map(|handle| handle.reader().read()).collect();
        let size = handles[0].reader().size();
        let (now, peak) = (megabytes("VmRSS"), megabytes("VmHWM"));
        println!("{many} watches synced in {took:?}, {size:?}: {now:.1} MiB, peak {peak:.1} MiB");
        drop(read);
    }
}
