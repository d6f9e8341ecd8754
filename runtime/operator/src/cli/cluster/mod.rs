//! The cluster as the calls of a ManagedResource would see it, read with the rights of whoever runs the command.
//!
//! Owns the connection of a command: it lists what the operator would watch, by the operator's own watches, once. It writes
//! nothing, and acts as no ServiceAccount.

mod calls;
mod components;

use std::{sync::Arc, time::Duration};

use anyhow::Context as _;
use espejote_api::{API_VERSION, PlanError, Watched};
use espejote_core::{Collection, Libraries, LibraryReads, LibraryScope, ObjectId};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

pub use self::{
    calls::calls,
    components::{Component, component},
};
use crate::{
    cache::{NotSynced, Reader, State},
    client,
    discovery::Discovery,
    identity::Identities,
    leading::Leading,
    libraries,
    watch::{Tenant, WatchHandle, WatchKey, WatchSettings, Watches},
};

/// How long a list may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection to the cluster of the user's kubeconfig.
pub struct Cluster {
    watches: Watches,
    library_namespace: String,
}

impl Cluster {
    /// Connects, and fails if nobody answers. `library_namespace` is where `lib/…` leads to.
    pub async fn connect(library_namespace: &str) -> anyhow::Result<Self> {
        let config = kube::Config::infer()
            .await
            .context("no way to a cluster is configured: set KUBECONFIG, or say with --input FILE what the cluster holds")?;
        let identities = Identities::new(&config, client::Limits::default(), &Leading::always())?;
        let discovery = Discovery::new(identities.own().clone());
        discovery
            .refresh(Duration::ZERO)
            .await
            .with_context(|| format!("the cluster at {} cannot be asked", config.cluster_url))?;
        let settings = WatchSettings {
            stream_lists: false,
            ..WatchSettings::default()
        };
        Ok(Self {
            watches: Watches::new(identities, discovery, settings, CancellationToken::new()),
            library_namespace: library_namespace.to_owned(),
        })
    }

    /// Ends what is open.
    pub async fn close(self) {
        self.watches.close().await;
    }

    /// The libraries that a resource in `namespace` may import. Where they cannot be read, only who imports one is told.
    pub async fn libraries(&self, namespace: &str, reads: Option<Arc<LibraryReads>>) -> Libraries {
        let (local, shared) = (
            self.open(&own("JsonnetLibrary", namespace, None)),
            self.open(&own("JsonnetLibrary", &self.library_namespace, None)),
        );
        Libraries {
            local: Some(scope(&local).await),
            shared: scope(&shared).await,
            reads,
        }
    }

    /// The uid of an object of ours, if it can be read.
    pub async fn uid(&self, id: &ObjectId) -> Option<String> {
        let watch = self.open(&own(&id.kind, &id.namespace, Some(&id.name)));
        let found = listed(&watch.reader()).await.ok()?;
        found.objects().first().map(|object| object.uid().to_owned())
    }

    fn open(&self, key: &WatchKey) -> WatchHandle {
        self.watches.acquire(key, PATIENCE)
    }

    fn open_watched(&self, watched: &Watched) -> WatchHandle {
        self.open(&WatchKey::of(watched, Tenant::Operator))
    }
}

/// Objects of our own group.
fn own(kind: &str, namespace: &str, name: Option<&str>) -> WatchKey {
    WatchKey {
        name: name.map(str::to_owned),
        ..WatchKey::all(Tenant::Operator, API_VERSION, kind, Some(namespace))
    }
}

async fn scope(watch: &WatchHandle) -> Result<LibraryScope, String> {
    let found = listed(&watch.reader()).await;
    let found = found.map_err(|why| format!("JsonnetLibrary objects cannot be read: {why}"))?;
    Ok(libraries::scope(&found))
}

/// What a watch has found first, or why it finds nothing.
async fn listed(reader: &Reader) -> Result<Arc<Collection>, String> {
    let mut states = reader.states();
    let settled = states.wait_for(|state| !matches!(state, State::NotSynced(NotSynced::Pending { .. })));
    let late = timeout(PATIENCE, settled).await.is_err();
    reader.read().available().map_err(|why| match late {
        true => format!("not listed within {PATIENCE:?}: {why}"),
        false => why.to_string(),
    })
}

/// What is wrong with a spec, in the words for those who render it.
pub fn spec_problem(error: PlanError) -> String {
    match error {
        PlanError::DuplicateTrigger(name) => format!("duplicate trigger name: {name}"),
        PlanError::DuplicateContext(name) => format!("duplicate context name: {name}"),
        PlanError::TriggerWithoutSource(name) => {
            format!("trigger {name:?} has neither interval or APIVersion")
        }
        PlanError::ContextNotFound { trigger, context } => {
            format!("trigger {trigger:?} references unknown context {context:?}")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use espejote_api::Plan;

    use super::*;
    use crate::cli::manifest;

    /// I6: the texts for specs that contradict themselves.
    #[test]
    fn i6_specs_that_contradict_themselves_are_named() {
        let problem = |spec: &str| {
            let text = format!("apiVersion: espejote.io/v1alpha1\nkind: ManagedResource\nspec: {spec}\n");
            let resource = manifest::parse(&text).unwrap().resource;
            spec_problem(Plan::of(&resource.spec, "ns").unwrap_err())
        };
        let cases = [
            (
                "{triggers: [{name: t}]}",
                r#"trigger "t" has neither interval or APIVersion"#,
            ),
            (
                "{triggers: [{name: t, watchContextResource: {name: c}}]}",
                r#"trigger "t" references unknown context "c""#,
            ),
            (
                "{triggers: [{name: t, interval: 1s}, {name: t, interval: 1s}]}",
                "duplicate trigger name: t",
            ),
            ("{context: [{name: c}, {name: c}]}", "duplicate context name: c"),
        ];
        for (spec, expected) in cases {
            assert_eq!(problem(spec), expected);
        }
    }
}
