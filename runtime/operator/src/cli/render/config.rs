//! The config that the logic gets: what the manifest says, or what the command line says instead.

use std::{path::Path, sync::Arc};

use anyhow::Context as _;
use espejote_api::PluginRef;
use serde_json::Value;

use crate::{cli::yaml, logic::template_config};

/// The config of a manifest with a plugin or a template, as a JSON text; `given` on the command line counts more. A template is
/// a config as well: that of the plugin which renders templates.
pub fn of(
    plugin: Option<&PluginRef>,
    template: Option<&str>,
    given: Option<&str>,
    has_component: bool,
) -> anyhow::Result<Arc<str>> {
    let config = match (given, plugin, template) {
        (Some(given), _, _) => read(given)?,
        (None, Some(plugin), _) if has_component => return Ok(plugin.config_text().into()),
        (None, Some(plugin), _) => anyhow::bail!(
            "say with --plugin FILE where the component of {:?} is",
            plugin.name
        ),
        (None, None, Some(template)) => template_config(template),
        (None, None, None) if has_component => Value::Null,
        // As the operator does: the renderer says what is wrong with an empty template.
        (None, None, None) => template_config(""),
    };
    Ok(config.to_string().into())
}

/// JSON as it stands, else the name of a file.
fn read(given: &str) -> anyhow::Result<Value> {
    if let Ok(config) = serde_json::from_str(given) {
        return Ok(config);
    }
    let looks_like_json = given.trim_start().starts_with(['{', '[', '"']);
    if looks_like_json && !Path::new(given).exists() {
        return serde_json::from_str(given).context("--config is no JSON");
    }
    let text = std::fs::read_to_string(given).with_context(|| format!("cannot read --config {given}"))?;
    yaml::read(&text).with_context(|| format!("--config {given}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::manifest::{self, Manifest};

    fn resource(spec: &str) -> Manifest {
        manifest::parse(&format!(
            "apiVersion: espejote.io/v1alpha1\nkind: ManagedResource\nspec: {spec}\n"
        ))
        .unwrap()
    }

    fn config(spec: &str, given: Option<&str>, has_plugin: bool) -> anyhow::Result<String> {
        let manifest = resource(spec);
        let (plugin, template) = (
            manifest.plugin.as_ref(),
            manifest.resource.spec.template.as_deref(),
        );
        of(plugin, template, given, has_plugin).map(|config| config.to_string())
    }

    #[test]
    fn a_template_is_a_config() {
        assert_eq!(
            config("{template: '[]'}", None, false).unwrap(),
            r#"{"template":"[]"}"#
        );
        assert_eq!(config("{template: '[]'}", Some("1"), true).unwrap(), "1");
        assert_eq!(config("{}", None, true).unwrap(), "null");
        assert_eq!(config("{}", None, false).unwrap(), r#"{"template":""}"#);
        let plugin = "{plugin: {name: p, config: {a: 1}}}";
        assert_eq!(config(plugin, None, true).unwrap(), r#"{"a":1}"#);
        assert!(
            config(plugin, None, false)
                .unwrap_err()
                .to_string()
                .contains("--plugin FILE")
        );
    }

    #[test]
    fn the_command_line_gives_json_or_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.yaml");
        std::fs::write(&file, "a: yes\n").unwrap();
        assert_eq!(read(file.to_str().unwrap()).unwrap(), json!({"a": true}));
        assert_eq!(read(r#"{"a": [1]}"#).unwrap(), json!({"a": [1]}));
        assert_eq!(read("{a").unwrap_err().to_string(), "--config is no JSON");
        assert!(
            read("/no/such/file")
                .unwrap_err()
                .to_string()
                .starts_with("cannot read --config")
        );
    }
}
