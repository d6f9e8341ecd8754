//! Removes what was pulled and no Plugin needs any more.

use std::{collections::HashSet, sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use super::host::PluginHost;

/// How often is looked.
const EVERY: Duration = Duration::from_secs(600);

impl PluginHost {
    /// Collects again and again, until cancelled.
    pub async fn collect(self: Arc<Self>, cancel: CancellationToken) {
        let rounds = async {
            loop {
                tokio::time::sleep(EVERY).await;
                self.collect_once().await;
            }
        };
        cancel.run_until_cancelled(rounds).await;
    }

    /// Keeps what the Plugins of the cluster have pulled, and removes the rest. Nothing, while Plugins cannot be listed.
    async fn collect_once(&self) {
        let Ok(known) = self.watched.read().available() else {
            return;
        };
        // Whoever pulls slowly must not keep the others waiting behind this.
        let Ok(_nobody_pulls) = self.collecting.try_write() else {
            tracing::debug!("a plugin is being pulled: what is not needed stays for now");
            return;
        };
        let uids: HashSet<String> = known
            .objects()
            .iter()
            .map(|plugin| plugin.uid().to_owned())
            .collect();
        let needed = match self.records.retain(&uids) {
            Ok(needed) => needed,
            Err(error) => {
                tracing::warn!(%error, "notes about pulled plugins cannot be read");
                return;
            }
        };
        match self.store.collect(&needed) {
            Ok(0) => {}
            Ok(bytes) => tracing::info!(bytes, "removed plugins that are not needed any more"),
            Err(error) => tracing::warn!(%error, "pulled plugins cannot be removed"),
        }
    }
}
