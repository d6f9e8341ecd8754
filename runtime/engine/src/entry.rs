//! A plugin that computes an entry of `context`, with all that it needs for it.

use std::{error::Error, sync::Arc, time::Duration};

use espejote_core::{Compute, Computing, FailureKind, Invocation, Unavailable, UnavailableReason};

use crate::{call::CallError, grants::Grants, limits::Limits, plugin::Plugin};

#[derive(Debug)]
struct Entry {
    name: Arc<str>,
    plugin: Plugin,
    config: Arc<str>,
    limits: Limits,
    grants: Grants,
}

impl Plugin {
    /// The entry `name` of a manifest's `context`, computed by this plugin (role `provide`) when a call asks for it.
    ///
    /// It runs within its own limits, and within the time on the wall that the caller has left. Where it fails, the entry is
    /// unavailable with a message that names entry and plugin: not synced if the provider says that it is not ready, so that
    /// it is waited for; failed otherwise.
    pub fn entry(&self, name: &str, config: Arc<str>, limits: Limits, grants: Grants) -> Arc<dyn Compute> {
        Arc::new(Entry {
            name: name.into(),
            plugin: self.clone(),
            config,
            limits,
            grants,
        })
    }
}

impl Compute for Entry {
    fn compute(&self, caller: &Invocation, wall: Duration) -> Computing {
        let invocation = caller.for_provider(&self.name, self.config.clone());
        let mut limits = self.limits.clone();
        limits.wall = limits.wall.min(wall);
        let (name, plugin, grants) = (self.name.clone(), self.plugin.clone(), self.grants.clone());
        Box::pin(async move {
            let provision = plugin.provide(invocation, &limits, &grants).await;
            tracing::debug!(entry = %name, plugin = plugin.name(), usage = ?provision.usage, "computed");
            provision
                .result
                .map_err(|error| unavailable(&name, plugin.name(), &error))
        })
    }
}

fn unavailable(name: &str, plugin: &str, error: &CallError) -> Unavailable {
    let reason = match error {
        CallError::Guest {
            kind: FailureKind::NotReady,
            ..
        } => UnavailableReason::NotSynced,
        _ => UnavailableReason::Failed,
    };
    // The texts of the host name the plugin, those of the guest do not.
    let by = match error {
        CallError::Guest { .. } | CallError::InvalidOutput(_) => format!(", computed by plugin {plugin}"),
        _ => String::new(),
    };
    let source = error.source().map(|source| format!(": {source}"));
    let message = format!("context {name:?}{by}: {error}{}", source.unwrap_or_default());
    Unavailable::new(reason, message)
}
