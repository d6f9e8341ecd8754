//! Removes what was pulled and no Plugin needs any more.

use std::{collections::HashSet, sync::Arc, time::Duration};

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::host::PluginHost;

/// How often is looked.
const EVERY: Duration = Duration::from_secs(600);
/// The pause between two rounds, at least.
const PAUSE: Duration = Duration::from_secs(10);

impl PluginHost {
    /// Collects again and again, until cancelled.
    pub async fn collect(self: Arc<Self>, cancel: CancellationToken) {
        let rounds = async {
            loop {
                // At once where somebody found no room; not again and again, though.
                let _ = timeout(EVERY, self.room.sought.notified()).await;
                self.collect_once().await;
                sleep(PAUSE).await;
            }
        };
        cancel.run_until_cancelled(rounds).await;
    }

    /// Keeps what the Plugins of the cluster have pulled, and removes the rest. Nothing, while Plugins cannot be listed.
    async fn collect_once(&self) {
        let Ok(known) = self.watched.read().available() else {
            return;
        };
        // Held by others only while a file gets its name and its record.
        let _nobody_keeps = self.collecting.write().await;
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
