//! Which plugin a manifest runs, with which config.

use std::{sync::Arc, time::Duration};

use espejote_api::{ManagedResourceSpec, PluginRef, plugin::Grants};
use espejote_core::{Logic, Reason};
use espejote_engine::{Limits, Plugin, Role};
use serde_json::Value;
use tokio::{sync::watch, time::timeout};

use crate::{
    config_check,
    failure::Failure,
    plugins::{Plugins, Ready, Slot},
};

/// The memory that a template may use: templates read whole contexts.
const TEMPLATE_MEMORY: u64 = 512 << 20;

/// A plugin with its config and limits.
#[derive(Clone, Debug)]
pub struct Program {
    /// The plugin, what a call of it may use and what it may reach.
    pub ready: Arc<Ready>,
    /// Its config, a JSON text.
    pub config: Arc<str>,
}

impl Program {
    /// Whether the plugin can be the logic of a ManagedResource, and takes the config.
    pub async fn check(&self) -> Result<(), Failure> {
        self.check_as(Role::Reconcile, "a ManagedResource").await
    }

    /// Whether the plugin has a role, as the logic of `what`, and takes the config.
    pub async fn check_as(&self, role: Role, what: &str) -> Result<(), Failure> {
        let plugin = &self.ready.plugin;
        if !plugin.roles().contains(&role) {
            let roles: Vec<_> = plugin.roles().iter().map(|role| role.word()).collect();
            let message = format!(
                "plugin {} cannot be the logic of {what}: it exports {}, not {role}",
                plugin.name(),
                roles.join(", ")
            );
            return Err(Failure::new(Reason::InvalidConfig, message));
        }
        config_check::check(plugin, role, &self.config).await
    }
}

/// The plugins that programs are made of.
#[derive(Debug)]
pub struct Programs {
    jsonnet: watch::Sender<Slot>,
    plugins: Arc<Plugins>,
}

/// The logic of a spec: whatever runs of a plugin now and from now on, with a config.
#[derive(Clone, Debug)]
pub struct Selected {
    slot: watch::Receiver<Slot>,
    config: Arc<str>,
}

impl Programs {
    /// `jsonnet` runs templates.
    pub fn new(jsonnet: Plugin, plugins: Arc<Plugins>) -> Self {
        let ready = Ready {
            plugin: jsonnet,
            limits: template_limits(),
            grants: Grants::default(),
        };
        Self {
            jsonnet: watch::Sender::new(Ok(Arc::new(ready))),
            plugins,
        }
    }

    /// The logic of a spec in a namespace.
    pub fn select(&self, namespace: &str, spec: &ManagedResourceSpec) -> Selected {
        self.of(namespace, spec.template.as_deref(), spec.plugin.as_ref())
    }

    /// The logic that a manifest in a namespace gives: a template is the config of a plugin, as any other.
    pub fn of(&self, namespace: &str, template: Option<&str>, plugin: Option<&PluginRef>) -> Selected {
        match plugin {
            None => Selected {
                slot: self.jsonnet.subscribe(),
                config: template_config(template.unwrap_or_default()).to_string().into(),
            },
            Some(plugin) => self.named(namespace, &plugin.name, plugin.config_text().into()),
        }
    }

    /// A plugin by name, with a config.
    pub fn named(&self, namespace: &str, name: &str, config: Arc<str>) -> Selected {
        Selected {
            slot: self.plugins.of(namespace, name),
            config,
        }
    }
}

impl Selected {
    /// What runs now.
    pub fn program(&self) -> Result<Program, Failure> {
        match &*self.slot.borrow() {
            Ok(ready) => Ok(Program {
                ready: ready.clone(),
                config: self.config.clone(),
            }),
            Err(why) => Err(Failure::new(Reason::PluginNotReady, why.clone())),
        }
    }

    /// What the plugin that runs now may reach; nothing if none runs.
    pub fn grants(&self) -> Grants {
        match &*self.slot.borrow() {
            Ok(ready) => ready.grants.clone(),
            Err(_) => Grants::default(),
        }
    }

    /// What runs now, or in a while.
    pub async fn program_within(&self, patience: Duration) -> Result<Program, Failure> {
        let mut slot = self.slot.clone();
        // Not ready in time is what the next line says.
        let _ = timeout(patience, slot.wait_for(Slot::is_ok)).await;
        self.program()
    }

    /// Gives each change of what runs.
    pub fn changes(&self) -> watch::Receiver<Slot> {
        self.slot.clone()
    }
}

/// Which error types a spec's logic uses.
pub fn kind(spec: &ManagedResourceSpec) -> Logic {
    kind_of(spec.plugin.as_ref())
}

/// Which error types the logic of a manifest with or without a plugin uses.
pub fn kind_of(plugin: Option<&PluginRef>) -> Logic {
    match plugin {
        None => Logic::Template,
        Some(_) => Logic::Plugin,
    }
}

/// The config that a template is.
pub fn template_config(template: &str) -> Value {
    serde_json::json!({ "template": template })
}

/// What one call of a template may use.
pub fn template_limits() -> Limits {
    Limits::builder().memory(TEMPLATE_MEMORY).build()
}
