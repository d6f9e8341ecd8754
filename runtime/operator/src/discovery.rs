//! Which kinds the cluster knows.
//!
//! Owns a table from (apiVersion, kind) to where it lives, filled by aggregated discovery with the operator's own
//! rights. A kind that is not in it is looked for at once; a kind that moved is found by the next look. Never keeps a
//! "no" as an answer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use arc_swap::ArcSwap;
use http::{HeaderValue, StatusCode};
use serde::Deserialize;
use tokio::{
    sync::{Notify, Semaphore, watch},
    time::{Instant, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::client::{ApiError, Client, Resource};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
                          application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
/// How often the table is compared with the server's, unasked.
const PERIOD: Duration = Duration::from_secs(30);
/// Misses within this time after a look share its answer.
const FRESH: Duration = Duration::from_millis(500);

/// A kind cannot be looked up.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DiscoveryError {
    /// The cluster knows no such kind, as of just now.
    #[error("no matches for kind \"{kind}\" in version \"{api_version}\"")]
    UnknownKind {
        /// What was looked for.
        api_version: String,
        /// What was looked for.
        kind: String,
    },
    /// The cluster could not be asked.
    #[error("discovery failed: {source}")]
    Ask {
        /// What the API server said.
        #[source]
        source: ApiError,
    },
}

type Key = (String, String);
type Table = HashMap<Key, Arc<Resource>>;

/// The kinds of the cluster.
pub struct Discovery {
    client: Client,
    table: ArcSwap<Table>,
    parts: Mutex<[Part; 2]>,
    /// One at a time looks; the others wait for it.
    turn: Semaphore,
    hint: Notify,
    changes: watch::Sender<u64>,
}

/// What one of the two documents said last.
#[derive(Default, Clone)]
struct Part {
    etag: Option<HeaderValue>,
    table: Arc<Table>,
    asked: Option<Instant>,
}

const PATHS: [&str; 2] = ["/api", "/apis"];

impl Discovery {
    /// An empty table. `client` is the operator's own.
    pub fn new(client: Client) -> Arc<Self> {
        Arc::new(Self {
            client,
            table: ArcSwap::default(),
            parts: Mutex::default(),
            turn: Semaphore::new(1),
            hint: Notify::new(),
            changes: watch::Sender::new(0),
        })
    }

    /// Finds a kind; asks the cluster if it is not known yet.
    pub async fn resolve(&self, api_version: &str, kind: &str) -> Result<Arc<Resource>, DiscoveryError> {
        if let Some(resource) = self.known(api_version, kind) {
            return Ok(resource);
        }
        self.refresh(FRESH)
            .await
            .map_err(|source| DiscoveryError::Ask { source })?;
        self.known(api_version, kind)
            .ok_or_else(|| DiscoveryError::UnknownKind {
                api_version: api_version.to_owned(),
                kind: kind.to_owned(),
            })
    }

    /// A kind as of the last look.
    pub fn known(&self, api_version: &str, kind: &str) -> Option<Arc<Resource>> {
        self.table
            .load()
            .get(&(api_version.to_owned(), kind.to_owned()))
            .cloned()
    }

    /// Asks for a look soon: a path of a known kind turned out to be wrong.
    pub fn hint(&self) {
        self.hint.notify_one();
    }

    /// Changes whenever the table does.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Keeps the table fresh until cancelled.
    pub async fn run(&self, cancel: CancellationToken) {
        let look = async {
            loop {
                if let Err(error) = self.refresh(FRESH).await {
                    tracing::warn!(%error, "discovery failed");
                }
                let _ = timeout(PERIOD, self.hint.notified()).await;
                tokio::time::sleep(FRESH).await;
            }
        };
        cancel.run_until_cancelled(look).await;
    }

    /// Makes sure that the table is not older than `age`. On an error it is what it was, or partly fresh.
    pub async fn refresh(&self, age: Duration) -> Result<(), ApiError> {
        let _turn = self.turn.acquire().await.map_err(ApiError::network)?;
        let mut parts = self.lock().clone();
        let mut refreshed = Ok(());
        for (part, path) in parts.iter_mut().zip(PATHS) {
            if part.asked.is_none_or(|asked| asked.elapsed() >= age) {
                refreshed = refreshed.and(self.refresh_part(part, path).await);
            }
        }
        *self.lock() = parts.clone();
        self.publish(&parts);
        refreshed
    }

    async fn refresh_part(&self, part: &mut Part, path: &str) -> Result<(), ApiError> {
        let answer = self.client.get_path(path, AGGREGATED, part.etag.clone()).await?;
        part.asked = Some(Instant::now());
        if answer.status == StatusCode::NOT_MODIFIED {
            return Ok(());
        }
        let groups: GroupsWire = serde_json::from_slice(&answer.body)
            .map_err(|error| ApiError::malformed("a discovery document", &error))?;
        part.table = Arc::new(groups.table(&part.table)?);
        part.etag = answer.etag().cloned();
        Ok(())
    }

    fn publish(&self, parts: &[Part]) {
        let entries = parts.iter().flat_map(|part| part.table.iter());
        let table: Table = entries
            .map(|(key, resource)| (key.clone(), resource.clone()))
            .collect();
        if table != **self.table.load() {
            self.table.store(Arc::new(table));
            self.changes.send_modify(|generation| *generation += 1);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, [Part; 2]> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Discovery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Discovery")
            .field("kinds", &self.table.load().len())
            .finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct GroupsWire {
    kind: String,
    #[serde(default)]
    items: Vec<GroupWire>,
}

#[derive(Deserialize)]
struct GroupWire {
    #[serde(default)]
    metadata: NameWire,
    #[serde(default)]
    versions: Vec<VersionWire>,
}

#[derive(Deserialize, Default)]
struct NameWire {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct VersionWire {
    version: String,
    #[serde(default)]
    freshness: String,
    #[serde(default)]
    resources: Vec<ResourceWire>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResourceWire {
    resource: String,
    response_kind: Option<KindWire>,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    verbs: Vec<String>,
}

#[derive(Deserialize)]
struct KindWire {
    #[serde(default)]
    kind: String,
}

impl GroupsWire {
    /// The kinds of the document; those of a group whose server does not answer stay as they were.
    fn table(self, old: &Table) -> Result<Table, ApiError> {
        if self.kind != "APIGroupDiscoveryList" {
            let detail = "the API server has no aggregated discovery (Kubernetes 1.27 or later is needed)";
            return Err(ApiError::Malformed {
                what: "a discovery document",
                detail: detail.to_owned(),
            });
        }
        let mut table = Table::new();
        for GroupWire { metadata, versions } in self.items {
            versions
                .into_iter()
                .for_each(|version| version.add_to(&mut table, &metadata.name, old));
        }
        Ok(table)
    }
}

impl VersionWire {
    fn add_to(self, table: &mut Table, group: &str, old: &Table) {
        let api_version = match group {
            "" => self.version,
            group => format!("{group}/{}", self.version),
        };
        if self.freshness == "Stale" {
            let kept = old.iter().filter(|((version, _), _)| *version == api_version);
            table.extend(kept.map(|(key, resource)| (key.clone(), resource.clone())));
        }
        self.resources
            .into_iter()
            .for_each(|resource| resource.add_to(table, &api_version));
    }
}

impl ResourceWire {
    /// Where several paths give the same kind, the one that can be listed is meant.
    fn add_to(self, table: &mut Table, api_version: &str) {
        let Some(KindWire { kind }) = self.response_kind.filter(|kind| !kind.kind.is_empty()) else {
            return;
        };
        let resource = Resource {
            api_version: api_version.to_owned(),
            kind: kind.clone(),
            plural: self.resource,
            namespaced: self.scope == "Namespaced",
            verbs: self.verbs,
        };
        let key = (api_version.to_owned(), kind);
        let better = |known: &Arc<Resource>| resource.allows("list") || !known.allows("list");
        if table.get(&key).is_none_or(better) {
            table.insert(key, Arc::new(resource));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(json: serde_json::Value, old: &Table) -> Result<Table, ApiError> {
        serde_json::from_value::<GroupsWire>(json).unwrap().table(old)
    }

    fn group(name: &str, freshness: &str, resources: serde_json::Value) -> serde_json::Value {
        let version = serde_json::json!({"version": "v1", "freshness": freshness, "resources": resources});
        let group = serde_json::json!({"metadata": {"name": name}, "versions": [version]});
        serde_json::json!({"kind": "APIGroupDiscoveryList", "items": [group]})
    }

    fn widgets() -> serde_json::Value {
        serde_json::json!([{
            "resource": "widgets", "responseKind": {"group": "", "version": "", "kind": "Widget"},
            "scope": "Namespaced", "verbs": ["get", "list", "watch"],
        }])
    }

    #[test]
    fn kinds_are_found_by_version_and_kind() {
        let table = table(group("example.com", "Current", widgets()), &Table::new()).unwrap();
        let widget = &table[&("example.com/v1".to_owned(), "Widget".to_owned())];
        assert_eq!(
            widget.collection_path(Some("a")).unwrap(),
            "/apis/example.com/v1/namespaces/a/widgets"
        );
    }

    #[test]
    fn a_stale_group_keeps_its_kinds_and_a_current_one_loses_those_that_went() {
        let old = table(group("example.com", "Current", widgets()), &Table::new()).unwrap();
        let none = serde_json::json!([]);
        assert_eq!(
            table(group("example.com", "Stale", none.clone()), &old)
                .unwrap()
                .len(),
            1
        );
        assert!(
            table(group("example.com", "Current", none), &old)
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn an_old_form_of_discovery_is_said_to_be_one() {
        let error = table(serde_json::json!({"kind": "APIGroupList"}), &Table::new()).unwrap_err();
        assert!(error.to_string().contains("1.27"), "{error}");
    }
}
