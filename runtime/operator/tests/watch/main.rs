//! The Kubernetes plumbing against a scripted API server.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod connections;
mod faults;
mod leading;
mod listing;
mod scripted_api;
mod sharing;
mod supervising;
mod writing;

use std::{collections::BTreeMap, future::Future, sync::Once, time::Duration};

use espejote_operator::{
    cache::{Change, Reader, State},
    client::Limits,
    discovery::Discovery,
    identity::Identities,
    leading::Leading,
    watch::{Tenant, WatchHandle, WatchKey, WatchSettings, Watches},
};
use tokio_util::sync::CancellationToken;

use crate::scripted_api::ScriptedApi;

const LONG: Duration = Duration::from_secs(120);

/// An operator's plumbing, as far as these tests go.
struct Operator {
    identities: std::sync::Arc<Identities>,
    discovery: std::sync::Arc<Discovery>,
    watches: Watches,
}

impl Operator {
    fn new(api: &ScriptedApi) -> Self {
        Self::with(api, |_| {})
    }

    fn with(api: &ScriptedApi, change: impl FnOnce(&mut WatchSettings)) -> Self {
        install_crypto();
        let mut settings = WatchSettings {
            initial_pause: Duration::from_millis(300),
            ..WatchSettings::default()
        };
        change(&mut settings);
        let identities = Identities::new(&api.config, Limits::default(), &Leading::always()).unwrap();
        let discovery = Discovery::new(identities.own().clone());
        let cancel = CancellationToken::new();
        let watches = Watches::new(identities.clone(), discovery.clone(), settings, cancel);
        Self {
            identities,
            discovery,
            watches,
        }
    }

    /// Watches the ConfigMaps of a namespace with the operator's rights.
    fn watch(&self, namespace: &str) -> WatchHandle {
        self.watches.acquire(&config_maps(namespace), LONG)
    }
}

fn install_crypto() {
    static CRYPTO: Once = Once::new();
    CRYPTO.call_once(|| {
        rustls::crypto::ring::default_provider()
            .install_default()
            .unwrap()
    });
}

fn config_maps(namespace: &str) -> WatchKey {
    WatchKey::all(Tenant::Operator, "v1", "ConfigMap", Some(namespace))
}

fn tenant(uid: &str) -> Tenant {
    Tenant::ServiceAccount {
        namespace: "a".to_owned(),
        name: "sa".to_owned(),
        uid: uid.into(),
    }
}

async fn synced(handle: &WatchHandle) -> Reader {
    let reader = handle.reader();
    eventually("synced", || reader.state().is_synced()).await;
    reader
}

/// The values of all objects by name.
fn data(reader: &Reader) -> BTreeMap<String, String> {
    let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap()["data"]["key"].clone();
    let objects = reader.read().collection.objects().to_vec();
    objects
        .iter()
        .map(|o| (o.name().to_owned(), value(o.json()).as_str().unwrap().to_owned()))
        .collect()
}

fn names(reader: &Reader) -> Vec<String> {
    data(reader).into_keys().collect()
}

/// Changes as `+name` and `-name`.
fn short(changes: Vec<Change>) -> Vec<String> {
    let sign = |deleted| if deleted { '-' } else { '+' };
    changes
        .into_iter()
        .map(|change| format!("{}{}", sign(change.deleted), change.id.name))
        .collect()
}

/// Waits until something is so.
async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    within(what, wait).await;
}

/// Makes sure that something is so, and stays so.
async fn stays(what: &str, time: Duration, mut is_so: impl FnMut() -> bool) {
    let end = tokio::time::Instant::now() + time;
    while tokio::time::Instant::now() < end {
        assert!(is_so(), "no longer: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(Duration::from_secs(20), future).await {
        Ok(done) => done,
        Err(_) => panic!("not in 20 s: {what}"),
    }
}

fn is_stale(reader: &Reader) -> bool {
    matches!(reader.state(), State::Stale { .. })
}
