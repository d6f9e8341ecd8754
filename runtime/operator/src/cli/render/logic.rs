//! The engine, as this command uses it: one plugin, loaded once, called for each trigger.

use std::{path::Path, time::Duration};

use anyhow::Context as _;
use espejote_core::{Desired, FailureKind, Invocation, Report};
use espejote_engine::{Allocation, Call, CallError, Engine, EngineConfig, Limits, Plugin};
use serde_json::Value;

use super::document;
use crate::{builtin, cli::compile, component_file, logic::template_limits};

/// What is called.
pub struct Logic {
    plugin: Plugin,
    limits: Limits,
}

/// What came of a call that did not fail.
#[derive(Debug)]
pub struct Rendered {
    /// The result. None: there is nothing to show.
    pub document: Option<Value>,
    /// The rule that the result breaks.
    pub problem: Option<String>,
    /// What was emitted; none if the result breaks a rule.
    pub desired: Option<Desired>,
    /// What the call told.
    pub report: Report,
    /// How long it took.
    pub wall: Duration,
    /// How much memory it took, in bytes.
    pub memory_peak: u64,
}

impl Logic {
    /// Loads the component of a file, or the one that is built in.
    pub async fn load(file: Option<&Path>, cache: &Path) -> anyhow::Result<Self> {
        let config = EngineConfig {
            allocation: Allocation::OnDemand,
            ..EngineConfig::new(cache, compile::compiler()?)
        };
        let engine = Engine::new(config)?;
        Ok(match file {
            None => Self {
                plugin: builtin::jsonnet(&engine).await?,
                limits: template_limits(),
            },
            Some(file) => Self {
                plugin: component(&engine, file).await?,
                limits: Limits::default(),
            },
        })
    }

    /// One call. An error: there is no result at all.
    pub async fn call(&self, invocation: Invocation) -> Result<Rendered, CallError> {
        rendered(self.plugin.reconcile(invocation, &self.limits).await)
    }
}

/// A plugin called after its file.
async fn component(engine: &Engine, file: &Path) -> anyhow::Result<Plugin> {
    let bytes = component_file::read(file).context("--plugin")?;
    let name = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
    Ok(engine.load(&name, bytes.into()).await?)
}

fn rendered(call: Call) -> Result<Rendered, CallError> {
    let (desired, problem) = match call.result {
        Ok(desired) => (Some(desired), None),
        Err(error) if breaks_a_rule(&error) => (None, Some(error.to_string())),
        Err(error) => return Err(error),
    };
    let given = call
        .report
        .document
        .as_deref()
        .and_then(|json| serde_json::from_str(json).ok());
    Ok(Rendered {
        document: given.or_else(|| desired.as_ref().map(document::of)),
        problem,
        desired,
        report: call.report,
        wall: call.usage.wall,
        memory_peak: call.usage.memory_peak,
    })
}

/// R10: such a result is shown.
fn breaks_a_rule(error: &CallError) -> bool {
    match error {
        CallError::Guest { kind, .. } => *kind == FailureKind::InvalidOutput,
        CallError::InvalidOutput(_) => true,
        CallError::Trap { .. } | CallError::Limit { .. } | CallError::Host { .. } => false,
    }
}
