//! Flags about which component is called: by commands that make the calls of a ManagedResource themselves.

use std::path::PathBuf;

use clap::Args;

use super::{controller, plugin_flags::RegistryFlags};

/// Which component is called, with which config.
#[derive(Clone, Debug, Args)]
pub(super) struct ComponentFlags {
    /// A component to call, instead of what the manifest names.
    #[arg(long, value_name = "FILE")]
    pub(super) plugin: Option<PathBuf>,
    /// The config of the plugin: a file, or JSON.
    #[arg(long, value_name = "FILE|JSON", requires = "plugin")]
    pub(super) config: Option<String>,
    /// Where compiled plugins are kept.
    #[arg(long, value_name = "DIR")]
    plugin_cache_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(super) registries: RegistryFlags,
}

impl ComponentFlags {
    /// Where compiled plugins are kept.
    pub(super) fn cache(&self) -> PathBuf {
        let given = self.plugin_cache_dir.clone();
        given.unwrap_or_else(controller::default_plugin_cache_dir)
    }
}
