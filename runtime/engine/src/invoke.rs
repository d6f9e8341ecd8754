//! The calls that can be made of a plugin beside a reconcile: an instance in a fresh store, the guest's export, and what
//! came of it.

use std::sync::Arc;

use espejote_core::{Invocation, text::cut};

use crate::{
    answer,
    bindings::{espejote::plugin::types::Failure, exports::espejote::plugin::admit},
    call::{Admitted, CallError, Decision, HostError, InvalidOutput, Problem, Provision, Usage},
    grants::Grants,
    limits::Limits,
    plugin::{Plugin, Role},
    run::{Concluded, Run, Told, bounded},
};

/// What is kept of a failure's message.
const MESSAGE_BYTES: usize = 1024;

/// A plugin was asked for what it does not do.
#[derive(Debug, thiserror::Error)]
#[error("no such export")]
pub(crate) struct NoSuchExport(pub Role);

pub(crate) fn guest_failure(failure: &Failure) -> CallError {
    CallError::Guest {
        kind: failure.kind.into(),
        message: cut(&failure.message, MESSAGE_BYTES).to_owned(),
    }
}

fn invalid(problem: String) -> CallError {
    CallError::InvalidOutput(InvalidOutput::problem(problem))
}

pub(crate) async fn admit(
    plugin: &Plugin,
    invocation: Invocation,
    request: Arc<str>,
    limits: &Limits,
    grants: &Grants,
) -> Admitted {
    let concluded = match Run::for_call(plugin, Role::Admit, invocation, limits, grants) {
        Ok(run) => run_admit(run, request).await,
        Err(error) => Concluded::never(error),
    };
    let result = match concluded.returned {
        Ok(Ok(decision)) => decided(decision.into()),
        Ok(Err(failure)) => Err(guest_failure(&failure)),
        Err(error) => Err(error),
    };
    let told = concluded.told;
    Admitted {
        result,
        warnings: told.warnings,
        audit_annotations: told.audit_annotations,
        usage: concluded.usage,
        keep: told.keep,
        computed: told.computed,
    }
}

async fn run_admit(mut run: Run<'_>, request: Arc<str>) -> Concluded<admit::Decision> {
    let (plugin, limits) = (run.plugin, run.limits());
    let Run { store, cpu, .. } = &mut run;
    let work = async {
        let indices = plugin.compiled.admit.as_ref();
        let indices = indices.ok_or(NoSuchExport(Role::Admit))?;
        let instance = plugin.compiled.pre.instantiate_async(&mut *store).await?;
        let guest = indices.load(&mut *store, &instance)?;
        guest.call_admit(&mut *store, &request.to_string()).await
    };
    let ended = bounded(plugin, work, &limits, cpu).await;
    run.conclude(ended).await
}

fn decided(decision: Decision) -> Result<Decision, CallError> {
    answer::decision(&decision).map_err(invalid)?;
    Ok(decision)
}

pub(crate) async fn provide(
    plugin: &Plugin,
    invocation: Invocation,
    limits: &Limits,
    grants: &Grants,
) -> Provision {
    let concluded = match Run::for_call(plugin, Role::Provide, invocation, limits, grants) {
        Ok(run) => run_provide(run).await,
        Err(error) => Concluded::never(error),
    };
    let result = match concluded.returned {
        Ok(Ok(value)) => provided(value),
        Ok(Err(failure)) => Err(guest_failure(&failure)),
        Err(error) => Err(error),
    };
    Provision {
        result,
        usage: concluded.usage,
        keep: concluded.told.keep,
    }
}

async fn run_provide(mut run: Run<'_>) -> Concluded<String> {
    let (plugin, limits) = (run.plugin, run.limits());
    let Run { store, cpu, .. } = &mut run;
    let work = async {
        let indices = plugin.compiled.provide.as_ref();
        let indices = indices.ok_or(NoSuchExport(Role::Provide))?;
        let instance = plugin.compiled.pre.instantiate_async(&mut *store).await?;
        let guest = indices.load(&mut *store, &instance)?;
        let value = guest.call_provide(&mut *store).await?;
        answer::within(value.as_ref().map_or(0, String::len), &limits)?;
        Ok(value)
    };
    let ended = bounded(plugin, work, &limits, cpu).await;
    run.conclude(ended).await
}

fn provided(value: String) -> Result<Arc<str>, CallError> {
    answer::document(&value).map_err(invalid)?;
    Ok(value.into())
}

/// One instance, of which nothing is called.
pub(crate) async fn instantiate(plugin: &Plugin) -> Result<Usage, CallError> {
    let mut run = Run::for_config(plugin)?;
    let limits = run.limits();
    let Run { store, cpu, .. } = &mut run;
    let work = async { plugin.compiled.pre.instantiate_async(&mut *store).await };
    let ended = bounded(plugin, work, &limits, cpu).await;
    let usage = run.usage(&Told::default());
    let result = ended.map(|_| usage).map_err(|ended| run.explain(ended));
    run.dispose().await;
    result
}

pub(crate) async fn config_schema(plugin: &Plugin, role: Role) -> Result<Option<String>, CallError> {
    let Some(indices) = &plugin.compiled.configuration else {
        return Ok(None);
    };
    let mut run = Run::for_config(plugin)?;
    let limits = run.limits();
    let Run { store, cpu, .. } = &mut run;
    let work = async {
        let instance = plugin.compiled.pre.instantiate_async(&mut *store).await?;
        let guest = indices.load(&mut *store, &instance)?;
        guest.call_schema(&mut *store, role.word()).await
    };
    let ended = bounded(plugin, work, &limits, cpu).await;
    let result = ended.map_err(|ended| run.explain(ended));
    run.dispose().await;
    result
}

pub(crate) async fn validate_config(
    plugin: &Plugin,
    role: Role,
    config: &str,
) -> Result<Vec<Problem>, CallError> {
    let Some(indices) = &plugin.compiled.configuration else {
        return Ok(Vec::new());
    };
    let (mut run, config) = (Run::for_config(plugin)?, &config.to_owned());
    let limits = run.limits();
    let Run { store, cpu, .. } = &mut run;
    let work = async {
        let instance = plugin.compiled.pre.instantiate_async(&mut *store).await?;
        let guest = indices.load(&mut *store, &instance)?;
        guest.call_validate(&mut *store, role.word(), config).await
    };
    let ended = bounded(plugin, work, &limits, cpu).await;
    let result = ended
        .map(|problems| problems.into_iter().map(Into::into).collect())
        .map_err(|ended| run.explain(ended));
    run.dispose().await;
    result
}

impl CallError {
    pub(crate) fn host(plugin: &Plugin, source: HostError) -> Self {
        Self::Host {
            plugin: plugin.name().to_owned(),
            source,
        }
    }
}
