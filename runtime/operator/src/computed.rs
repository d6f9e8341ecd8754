//! The entries of `context` that plugins compute.
//!
//! Owns the words of their failures. A plugin runs only when the logic asks for its entry, and sees the objects that the
//! logic sees.

use std::{sync::Arc, time::Duration};

use espejote_api::ContextPlugin;
use espejote_core::{Compute, Computing, Context, ContextValue, Invocation, Unavailable, UnavailableReason};
use tokio::sync::watch;

use crate::{
    failure::Failure,
    granted::{Granted, Held},
    logic::{Programs, Selected},
    plugins::{Ready, Slot},
};

/// One entry under the name that the manifest gives it.
#[derive(Debug)]
pub struct ComputedInput {
    name: Arc<str>,
    /// As the manifest names it.
    plugin: Arc<str>,
    logic: Selected,
    /// What the plugin may reach.
    pub granted: Granted,
}

/// The logic of an entry of a manifest in a namespace. Its config are the names and texts that the manifest gives.
pub fn logic(programs: &Programs, namespace: &str, of: &ContextPlugin) -> Selected {
    programs.named(namespace, &of.name, config(of))
}

/// The config that an entry of a manifest gives its plugin: names and texts.
pub fn config(of: &ContextPlugin) -> Arc<str> {
    serde_json::json!(of.data).to_string().into()
}

/// The entry `context`, computed by what the manifest calls `plugin` when it is asked for.
pub fn entry(context: &str, plugin: &str, ready: &Ready, config: Arc<str>, held: Held) -> ContextValue {
    let (limits, grants) = (ready.limits.clone(), held.grants.clone());
    ContextValue::Computed(Arc::new(Entry {
        entry: ready.plugin.entry(context, config, limits, grants),
        context: context.into(),
        plugin: plugin.into(),
        _held: held,
    }))
}

impl ComputedInput {
    /// An entry that is computed by `logic`, which the manifest calls `plugin`.
    pub fn new(name: &str, plugin: &str, logic: Selected, granted: Granted) -> Self {
        Self {
            name: name.into(),
            plugin: plugin.into(),
            logic,
            granted,
        }
    }

    /// Gives each change of what runs.
    pub fn changes(&self) -> watch::Receiver<Slot> {
        self.logic.changes()
    }

    /// The entry for one call.
    pub fn context(&self) -> Context {
        let value = self.value().unwrap_or_else(|failure| {
            let why = Unavailable::new(UnavailableReason::NotSynced, failure.message.to_string());
            ContextValue::Provided(Err(failed(&self.plugin, &self.name, &why)))
        });
        Context {
            name: self.name.to_string(),
            value,
        }
    }

    fn value(&self) -> Result<ContextValue, Failure> {
        let program = self.logic.program()?;
        let held = self.granted.now()?;
        Ok(entry(
            &self.name,
            &self.plugin,
            &program.ready,
            program.config,
            held,
        ))
    }
}

/// An entry whose failures say which entry and plugin it is, as the manifest names them.
#[derive(Debug)]
struct Entry {
    entry: Arc<dyn Compute>,
    context: Arc<str>,
    plugin: Arc<str>,
    _held: Held,
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
