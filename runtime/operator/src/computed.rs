//! The entries of `context` that plugins compute.
//!
//! Owns the words of their failures. A plugin runs only when the logic asks for its entry, and sees the objects that the
//! logic sees.

use std::{sync::Arc, time::Duration};

use espejote_api::ContextPlugin;
use espejote_core::{Compute, Computing, Context, ContextValue, Invocation, Unavailable, UnavailableReason};
use espejote_engine::Grants;
use tokio::sync::watch;

use crate::{
    logic::{Programs, Selected},
    plugins::Slot,
};

/// One entry under the name that the manifest gives it.
#[derive(Debug)]
pub struct ComputedInput {
    name: Arc<str>,
    /// As the manifest names it.
    plugin: Arc<str>,
    logic: Selected,
}

impl ComputedInput {
    /// An entry of a manifest in a namespace. Its config are the names and texts that the manifest gives.
    pub fn new(programs: &Programs, namespace: &str, name: &str, of: &ContextPlugin) -> Self {
        let config = serde_json::json!(of.data).to_string();
        Self {
            name: name.into(),
            plugin: of.name.as_str().into(),
            logic: programs.named(namespace, &of.name, config.into()),
        }
    }

    /// Gives each change of what runs.
    pub fn changes(&self) -> watch::Receiver<Slot> {
        self.logic.changes()
    }

    /// The entry for one call.
    pub fn context(&self) -> Context {
        let value = match self.logic.program() {
            Ok(program) => {
                let ready = &program.ready;
                let (limits, grants) = (ready.limits.clone(), Grants::default());
                let entry = ready.plugin.entry(&self.name, program.config, limits, grants);
                ContextValue::Computed(Arc::new(Entry {
                    entry,
                    context: self.name.clone(),
                    plugin: self.plugin.clone(),
                }))
            }
            Err(failure) => {
                let why = Unavailable::new(UnavailableReason::NotSynced, failure.message.to_string());
                ContextValue::Provided(Err(failed(&self.plugin, &self.name, &why)))
            }
        };
        Context {
            name: self.name.to_string(),
            value,
        }
    }
}

/// An entry whose failures say which entry and plugin it is, as the manifest names them.
#[derive(Debug)]
struct Entry {
    entry: Arc<dyn Compute>,
    context: Arc<str>,
    plugin: Arc<str>,
}

impl Compute for Entry {
    fn compute(&self, caller: &Invocation, wall: Duration) -> Computing {
        let computing = self.entry.compute(caller, wall);
        let (context, plugin) = (self.context.clone(), self.plugin.clone());
        Box::pin(async move { computing.await.map_err(|why| failed(&plugin, &context, &why)) })
    }
}

fn failed(plugin: &str, context: &str, why: &Unavailable) -> Unavailable {
    let message = format!(
        "failed to run plugin {plugin:?} for context {context:?}: {}",
        why.message
    );
    Unavailable::new(why.reason, message)
}
