//! The task of each Plugin.

use std::sync::Arc;

use espejote_api::Plugin as PluginObject;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{host::PluginHost, task::PluginTask};
use crate::supervisor::Keeper;

/// Keeps every Plugin of the cluster up to date.
pub struct PluginKeeper(pub Arc<PluginHost>);

impl Keeper for PluginKeeper {
    type Resource = PluginObject;

    fn task(
        &self,
        versions: watch::Receiver<Arc<PluginObject>>,
        cancel: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static {
        PluginTask::new(self.0.clone(), versions, cancel).run()
    }

    fn differs(old: &PluginObject, new: &PluginObject) -> bool {
        old.spec != new.spec || old.metadata.generation != new.metadata.generation
    }
}
