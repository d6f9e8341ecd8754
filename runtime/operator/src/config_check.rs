//! Whether a plugin takes a config, found out before anything runs with it.
//!
//! Owns the reading of a plugin's JSON Schema. A schema comes from the plugin, so it is not trusted: nothing that it refers
//! to is fetched, and its patterns run in linear time.

use espejote_core::Reason;
use espejote_engine::{Plugin, Role};
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use crate::failure::Failure;

/// How many problems are named.
const MOST: usize = 5;

/// Checks a config, a JSON text, against the plugin's schema, then asks the plugin itself.
pub async fn check(plugin: &Plugin, role: Role, config: &str) -> Result<(), Failure> {
    let schema = plugin.config_schema(role).await;
    if let Some(schema) = schema.map_err(|error| Failure::of_call(&error))? {
        check_schema(plugin.name(), &schema, config)?;
    }
    let found = plugin.validate_config(role, config).await;
    let found = found.map_err(|error| Failure::of_call(&error))?;
    refused(found.into_iter().map(|problem| (problem.path, problem.message)))
}

fn check_schema(plugin: &str, schema: &str, config: &str) -> Result<(), Failure> {
    let fault = |problem: String| {
        let message = format!("the config schema of plugin {plugin} cannot be used: {problem}");
        Failure::new(Reason::GuestFailed, message)
    };
    let schema: Value = serde_json::from_str(schema).map_err(|error| fault(error.to_string()))?;
    let validator = validator(&schema).map_err(|error| fault(error.to_string()))?;
    let config = serde_json::from_str(config).unwrap_or_default();
    refused(
        validator
            .iter_errors(&config)
            .map(|error| (error.instance_path().to_string(), error.to_string())),
    )
}

fn validator(schema: &Value) -> Result<Validator, jsonschema::ValidationError<'static>> {
    jsonschema::options()
        .offline()
        .with_pattern_options(PatternOptions::regex())
        .build(schema)
}

/// Problems, each a JSON pointer and what is wrong there, as one failure.
fn refused(mut problems: impl Iterator<Item = (String, String)>) -> Result<(), Failure> {
    let words = |(path, message): (String, String)| format!("config{path}: {message}");
    let named: Vec<_> = problems.by_ref().take(MOST).map(words).collect();
    if named.is_empty() {
        return Ok(());
    }
    let more = match problems.count() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let message = format!("{}{more}", named.join("; "));
    Err(Failure::new(Reason::InvalidConfig, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(schema: &str, config: &str) -> String {
        check_schema("p", schema, config).unwrap_err().message.to_string()
    }

    #[test]
    fn a_config_that_breaks_the_schema_is_refused_with_the_place() {
        let schema = r#"{"type":"object","properties":{"size":{"type":"integer"}},"required":["name"]}"#;
        assert_eq!(check_schema("p", schema, r#"{"name":"x","size":3}"#), Ok(()));
        assert_eq!(
            message(schema, r#"{"name":"x","size":"3"}"#),
            r#"config/size: "3" is not of type "integer""#
        );
        assert_eq!(message(schema, "{}"), r#"config: "name" is a required property"#);
    }

    #[test]
    fn many_problems_are_cut_and_counted() {
        let schema = r#"{"items":{"type":"string"}}"#;
        assert!(message(schema, "[1,2,3,4,5,6,7]").ends_with("(and 2 more)"));
    }

    #[test]
    fn a_schema_can_fetch_nothing() {
        let message = message(r#"{"$ref":"http://127.0.0.1/schema"}"#, "{}");
        assert!(
            message.starts_with("the config schema of plugin p cannot be used"),
            "{message}"
        );
    }

    #[test]
    fn a_pattern_that_would_backtrack_for_ever_does_not() {
        let schema = r#"{"pattern":"^(a+)+$"}"#;
        let config = format!("\"{}b\"", "a".repeat(100_000));
        let started = std::time::Instant::now();
        assert!(check_schema("p", schema, &config).is_err());
        assert!(started.elapsed().as_secs() < 5);
    }
}
