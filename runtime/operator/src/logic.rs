//! Which plugin a ManagedResource runs, with which config.

use std::sync::Arc;

use espejote_api::ManagedResourceSpec;
use espejote_core::Logic;
use espejote_engine::{Limits, Plugin};

/// The memory that a template may use: templates read whole contexts.
const TEMPLATE_MEMORY: u64 = 512 << 20;

/// The config that stands for `template: …`.
pub fn template_config(template: &str) -> serde_json::Value {
    serde_json::json!({ "template": template })
}

/// What one call of a template may use.
pub fn template_limits() -> Limits {
    Limits::builder().memory(TEMPLATE_MEMORY).build()
}

/// A plugin with its config and limits.
#[derive(Clone, Debug)]
pub struct Program {
    /// The plugin.
    pub plugin: Plugin,
    /// Its config, a JSON text.
    pub config: Arc<str>,
    /// What one call may use.
    pub limits: Limits,
    /// Which error types are used.
    pub logic: Logic,
}

/// The plugins that programs are made of.
#[derive(Clone, Debug)]
pub struct Programs {
    jsonnet: Plugin,
}

impl Programs {
    /// `jsonnet` runs templates.
    pub fn new(jsonnet: Plugin) -> Self {
        Self { jsonnet }
    }

    /// The program of a spec: a template is the config of a plugin, as any other.
    pub fn of(&self, spec: &ManagedResourceSpec) -> Program {
        let template = spec.template.as_deref().unwrap_or_default();
        Program {
            plugin: self.jsonnet.clone(),
            config: template_config(template).to_string().into(),
            limits: template_limits(),
            logic: Logic::Template,
        }
    }
}
