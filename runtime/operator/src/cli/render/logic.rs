//! The engine, as this command uses it: one plugin, loaded once, called for each trigger.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::Context as _;
use espejote_api::{ContextPlugin, plugin::Grants};
use espejote_core::{Context, Desired, FailureKind, Invocation, Report};
use espejote_engine::{Allocation, Call, CallError, Engine, EngineConfig, Limits, Plugin};

use super::document;
use crate::{
    builtin,
    cli::{cluster::Component, compile, yaml::Node},
    component_file, computed,
    failure::Failure,
    granted::Held,
    logic::{Program, template_limits},
    plugins::Ready,
};

/// Where the logic comes from.
pub enum Source<'a> {
    /// The renderer of templates.
    BuiltIn,
    /// A file.
    File(&'a Path),
    /// A Plugin of the cluster.
    Component(Component),
}

/// What is called.
pub struct Logic {
    engine: Engine,
    plugin: Plugin,
    limits: Limits,
    /// The renderer of templates, which takes every config that it is given here.
    is_built_in: bool,
}

/// What came of a call that did not fail.
#[derive(Debug)]
pub struct Rendered {
    /// The result. None: there is nothing to show.
    pub document: Option<Node>,
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
    /// Loads what is called.
    pub async fn load(source: Source<'_>, cache: &Path) -> anyhow::Result<Self> {
        let config = EngineConfig {
            allocation: Allocation::OnDemand,
            ..EngineConfig::new(cache, compile::compiler()?)
        };
        let engine = Engine::new(config)?;
        let is_built_in = matches!(source, Source::BuiltIn);
        let (plugin, limits) = match source {
            Source::BuiltIn => (builtin::jsonnet(&engine).await?, template_limits()),
            Source::File(file) => (component(&engine, file).await?, Limits::default()),
            Source::Component(of) => (engine.load(&of.name, of.bytes.into()).await?, of.limits),
        };
        Ok(Self {
            engine,
            plugin,
            limits,
            is_built_in,
        })
    }

    /// Whether the operator would call it with this config: it has the role, and what it says about its config is asked.
    pub async fn check(&self, config: &Arc<str>) -> Result<(), Failure> {
        if self.is_built_in {
            return Ok(());
        }
        self.program(config.clone()).check().await
    }

    /// It with a config, as the operator has it.
    pub fn program(&self, config: Arc<str>) -> Program {
        let ready = Ready {
            plugin: self.plugin.clone(),
            limits: self.limits.clone(),
            grants: Grants::default(),
        };
        Program {
            ready: Arc::new(ready),
            config,
        }
    }

    /// The entry of `context` that a component computes when it is asked for.
    pub async fn computed(&self, name: &str, of: &ContextPlugin, by: Component) -> anyhow::Result<Context> {
        let ready = Ready {
            plugin: self.engine.load(&by.name, by.bytes.into()).await?,
            limits: by.limits,
            grants: Grants::default(),
        };
        Ok(Context {
            name: name.to_owned(),
            value: computed::entry(name, &of.name, &ready, computed::config(of), Held::default()),
        })
    }

    /// One call, in an instance of its own.
    pub async fn run(&self, invocation: Invocation) -> Call {
        self.plugin.reconcile(invocation, &self.limits).await
    }

    /// One call. An error: there is no result at all.
    pub async fn call(&self, invocation: Invocation) -> Result<Rendered, CallError> {
        rendered(self.run(invocation).await)
    }
}

/// A plugin called after its file.
async fn component(engine: &Engine, file: &Path) -> anyhow::Result<Plugin> {
    let bytes = component_file::read(file).context("--plugin")?;
    let name = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
    Ok(engine.load(&name, bytes.into()).await?)
}

/// What is printed of a call; none if it failed, or there is nothing to show.
pub fn printed(result: &Result<Desired, CallError>, report: &Report) -> Option<Node> {
    match result {
        Ok(desired) => document::of_call(report, Some(desired)),
        Err(error) if breaks_a_rule(error) => document::of_call(report, None),
        Err(_) => None,
    }
}

fn rendered(call: Call) -> Result<Rendered, CallError> {
    let document = printed(&call.result, &call.report);
    let (desired, problem) = match call.result {
        Ok(desired) => (Some(desired), None),
        Err(error) if breaks_a_rule(&error) => (None, Some(error.to_string())),
        Err(error) => return Err(error),
    };
    Ok(Rendered {
        document,
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
