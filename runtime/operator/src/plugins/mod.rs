//! The Plugins of the cluster: from a module reference to a component that can be called.
//!
//! Owns what of a Plugin runs. Its users hold a [`Slot`] and see each new version as soon as it is ready, so a tag that
//! moves rolls over without a gap; a version that cannot run changes nothing for them but what the Plugin's status says.

mod collect;
mod find;
mod grants;
mod host;
mod keeper;
mod limits;
mod module;
mod policy;
mod progress;
mod pull_secrets;
mod records;
mod registry;
mod room;
mod signatures;
mod stages;
mod task;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use espejote_api::plugin::Grants;
use espejote_engine::{Limits, Plugin};
use tokio::sync::watch;

pub use self::{
    host::{HostError, PluginHost, Process},
    keeper::PluginKeeper,
    limits::{LimitsError, of as limits_of},
    module::parse as parse_module,
    policy::{Policy, PolicyError},
    registry::{RegistryError, RegistryOptions},
};

/// What `lib/<name>` begins with.
const SHARED: &str = "lib/";

/// A plugin with all that a call of it needs to know.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The component.
    pub plugin: Plugin,
    /// What one call may use.
    pub limits: Limits,
    /// What it may reach beside the contract.
    pub grants: Grants,
}

impl Ready {
    /// Whether calls of the other are calls of this one.
    fn same(&self, other: &Self) -> bool {
        self.plugin.digest() == other.plugin.digest()
            && (&self.limits, &self.grants) == (&other.limits, &other.grants)
    }
}

/// What of a plugin runs now; else why nothing does.
pub type Slot = Result<Arc<Ready>, Arc<str>>;

/// Namespace and name of a Plugin.
type Key = (String, String);

/// All plugins, as their users see them.
#[derive(Debug)]
pub struct Plugins {
    slots: Mutex<HashMap<Key, watch::Sender<Slot>>>,
    shared_namespace: String,
}

impl Plugins {
    /// No plugin yet. `lib/<name>` leads to `shared_namespace`.
    pub fn new(shared_namespace: String) -> Self {
        Self {
            slots: Mutex::default(),
            shared_namespace,
        }
    }

    /// What runs under a name that a manifest in `namespace` uses, now and from now on; also for a Plugin that is yet to
    /// come.
    pub fn of(&self, namespace: &str, reference: &str) -> watch::Receiver<Slot> {
        let key = place(namespace, reference, &self.shared_namespace);
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|known, slot| *known == key || slot.receiver_count() > 0 || slot.borrow().is_ok());
        let absent = || watch::Sender::new(Err(not_registered(&key)));
        slots.entry(key.clone()).or_insert_with(absent).subscribe()
    }

    /// From now on this is what runs.
    fn publish(&self, key: &Key, slot: Slot) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        match slots.get(key) {
            Some(sender) => {
                let _ = sender.send_replace(slot);
            }
            None => {
                slots.insert(key.clone(), watch::Sender::new(slot));
            }
        }
    }

    /// The Plugin is gone.
    fn withdraw(&self, key: &Key) {
        self.publish(key, Err(not_registered(key)));
    }
}

/// At the next change of a plugin; never if there is none.
pub async fn changed(plugin: Option<&mut watch::Receiver<Slot>>) {
    if let Some(plugin) = plugin
        && plugin.changed().await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

/// Namespace and name of the Plugin that a manifest in `namespace` means.
pub fn place(namespace: &str, reference: &str, shared_namespace: &str) -> (String, String) {
    match reference.strip_prefix(SHARED) {
        Some(name) => (shared_namespace.to_owned(), name.to_owned()),
        None => (namespace.to_owned(), reference.to_owned()),
    }
}

fn not_registered((namespace, name): &Key) -> Arc<str> {
    format!("plugin {name:?} is not registered: there is no Plugin of that name in namespace {namespace}")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_lib_leads_to_the_shared_namespace() {
        let plugins = Plugins::new("shared".into());
        let message = |reference| {
            plugins
                .of("own", reference)
                .borrow()
                .as_ref()
                .unwrap_err()
                .to_string()
        };
        assert!(message("lib/a").ends_with("namespace shared"));
        assert!(message("a").ends_with("namespace own"));
    }

    #[test]
    fn who_waits_for_a_plugin_sees_it_come_and_go() {
        let plugins = Plugins::new("shared".into());
        let slot = plugins.of("own", "a");
        plugins.publish(&("own".into(), "a".into()), Err("not yet".into()));
        assert_eq!(slot.borrow().as_ref().unwrap_err().as_ref(), "not yet");
        plugins.withdraw(&("own".into(), "a".into()));
        assert!(slot.borrow().as_ref().unwrap_err().contains("not registered"));
    }

    #[test]
    fn names_that_nobody_asks_for_any_more_are_forgotten() {
        let plugins = Plugins::new("shared".into());
        for name in ["a", "b", "c"] {
            drop(plugins.of("own", name));
        }
        assert_eq!(plugins.slots.lock().unwrap().len(), 1);
    }
}
