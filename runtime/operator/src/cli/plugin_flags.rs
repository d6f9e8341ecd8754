//! Flags about plugins: what is allowed, where they come from, who vouches for them.

use std::{path::PathBuf, time::Duration};

use clap::Args;

use super::flag;
use crate::plugins::RegistryOptions;

/// Everything that the operator is told about plugins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginOptions {
    /// Where compiled and pulled plugins are kept.
    pub cache_dir: PathBuf,
    /// The component that runs templates, instead of the built-in one.
    pub template_plugin: Option<PathBuf>,
    /// The file that says what is allowed.
    pub policy: Option<PathBuf>,
    /// The file that says who vouches for keyless signatures.
    pub trust_root: Option<PathBuf>,
    /// How often tags are followed.
    pub recheck: Duration,
    /// Bytes that compiling one plugin may take.
    pub compile_memory: u64,
    /// How registries are reached.
    pub registries: RegistryOptions,
}

/// The flags.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Plugins")]
pub struct PluginFlags {
    /// Where compiled and pulled plugins are kept: a folder of the operator's own.
    #[arg(long, value_name = "DIR")]
    plugin_cache_dir: Option<PathBuf>,
    /// What plugins are allowed: registries, files, signers, limits, grants. A YAML file; see the guide.
    #[arg(long, value_name = "FILE")]
    plugin_policy: Option<PathBuf>,
    /// How often a registry is asked whether a tag has moved, for Plugins that are to follow it.
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = flag::duration)]
    plugin_recheck_interval: Duration,
    /// Address space of the process that compiles a plugin. Plugins in Python need most.
    #[arg(long, value_name = "QUANTITY", default_value = "768Mi", value_parser = espejote_api::quantity::parse)]
    plugin_compile_memory: u64,
    /// Who vouches for keyless signatures: a Sigstore trusted_root.json.
    #[arg(long, value_name = "FILE")]
    sigstore_trust_root: Option<PathBuf>,
    #[command(flatten)]
    registries: RegistryFlags,
    /// A component that runs templates instead of the built-in one.
    #[arg(long, value_name = "FILE", hide = true)]
    template_plugin: Option<PathBuf>,
}

/// How registries are reached.
#[derive(Clone, Debug, Default, Args)]
pub struct RegistryFlags {
    /// A certificate authority of registries besides those of the system, as FILE, or as HOST=FILE for one of them only.
    /// May be repeated.
    #[arg(long, value_name = "[HOST=]FILE")]
    registry_ca_file: Vec<String>,
    /// Ask MIRROR before HOST. May be repeated.
    #[arg(long, value_name = "HOST=MIRROR", value_parser = pair)]
    registry_mirror: Vec<(String, String)>,
    /// Ask this registry without TLS. May be repeated.
    #[arg(long, value_name = "HOST[:PORT]")]
    registry_plain_http: Vec<String>,
}

impl From<RegistryFlags> for RegistryOptions {
    fn from(flags: RegistryFlags) -> Self {
        let authority = |text: String| match text.split_once('=') {
            Some((host, file)) if !host.contains('/') => (Some(host.to_owned()), file.into()),
            _ => (None, text.into()),
        };
        Self {
            authorities: flags.registry_ca_file.into_iter().map(authority).collect(),
            mirrors: flags.registry_mirror,
            plain_http: flags.registry_plain_http,
        }
    }
}

impl PluginFlags {
    /// The options, with a cache folder if none was given.
    pub fn options(self, default_cache_dir: impl FnOnce() -> PathBuf) -> PluginOptions {
        PluginOptions {
            cache_dir: self.plugin_cache_dir.unwrap_or_else(default_cache_dir),
            template_plugin: self.template_plugin,
            policy: self.plugin_policy,
            trust_root: self.sigstore_trust_root,
            recheck: self.plugin_recheck_interval,
            compile_memory: self.plugin_compile_memory,
            registries: self.registries.into(),
        }
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((host, mirror)) if !host.is_empty() && !mirror.is_empty() => {
            Ok((host.to_owned(), mirror.to_owned()))
        }
        _ => Err("expected HOST=MIRROR, such as ghcr.io=mirror.example.com:5000".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Only {
        #[command(flatten)]
        flags: PluginFlags,
    }

    fn options(line: &str) -> PluginOptions {
        let words = ["espejote"].into_iter().chain(line.split_whitespace());
        Only::try_parse_from(words)
            .unwrap()
            .flags
            .options(|| "/cache".into())
    }

    #[test]
    fn registries_are_told_by_repeated_flags() {
        let registries = options(
            "--registry-ca-file=/all.pem --registry-ca-file=r.example:5000=/one.pem \
             --registry-mirror=ghcr.io=m:1 --registry-mirror=ghcr.io=m:2 --registry-plain-http=r:80",
        )
        .registries;
        assert_eq!(
            registries.authorities,
            [
                (None, "/all.pem".into()),
                (Some("r.example:5000".to_owned()), "/one.pem".into())
            ]
        );
        assert_eq!(registries.mirrors.len(), 2);
        assert_eq!(registries.plain_http, ["r:80"]);
    }

    #[test]
    fn compiling_has_a_bound() {
        assert_eq!(options("").compile_memory, 768 << 20);
        assert_eq!(options("--plugin-compile-memory=512Mi").compile_memory, 512 << 20);
    }

    #[test]
    fn a_mirror_needs_a_host() {
        let words = ["espejote", "--registry-mirror=mirror"];
        assert!(Only::try_parse_from(words).is_err());
    }
}
