//! The config of the plugin: `{"template": "…"}`.

use std::rc::Rc;

use espejote_sdk::{Failure, Problem};
use jrsonnet_evaluator::State;
use serde::Deserialize;

use crate::import::TEMPLATE;
use crate::stdlib::Std;
use crate::{nesting, trace};

/// What an empty template is told.
const EMPTY: &str =
    "template:1:1 the template is empty: spec.template has to say what is to be applied; `null` is nothing";

/// What a manifest gives the renderer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Jsonnet.
    pub template: String,
}

impl Config {
    /// # Errors
    /// `invalid-config`.
    pub fn parse(json: &str) -> Result<Self, Failure> {
        serde_json::from_str(json)
            .map_err(|error| Failure::invalid_config(format!("config of the Jsonnet renderer: {error}")))
    }
}

/// The JSON Schema of the config.
pub const SCHEMA: &str = r#"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "template": {"type": "string", "description": "Jsonnet. It returns null, an object, or a list of these, nested at will."}
  },
  "required": ["template"],
  "additionalProperties": false
}"#;

/// What is wrong with a config, without running it.
#[must_use]
pub fn validate(json: &str) -> Vec<Problem> {
    match Config::parse(json) {
        Ok(config) => check(&config.template).into_iter().collect(),
        Err(failure) => vec![Problem {
            path: String::new(),
            message: failure.message,
        }],
    }
}

fn check(template: &str) -> Option<Problem> {
    let message = match check_text(template) {
        Ok(()) => check_syntax(template)?,
        Err(message) => message,
    };
    Some(Problem {
        path: "/template".to_owned(),
        message,
    })
}

/// What is wrong with a template before it is parsed: there is none, or it goes too deep for the parser.
pub(crate) fn check_text(template: &str) -> Result<(), String> {
    if template.trim().is_empty() {
        return Err(EMPTY.to_owned());
    }
    nesting::check(template).map_err(|deep| trace::too_deep(TEMPLATE, template, deep))
}

fn check_syntax(template: &str) -> Option<String> {
    let mut state = State::builder();
    state.context_initializer(Std::new(Rc::default()));
    let state = state.build();
    let error = state.prepare_snippet(TEMPLATE, template).err()?;
    Some(trace::text(&error, template, ""))
}
