//! One call: a fresh store, an instance, the guest's export, and what came of it.
//!
//! Owns the bounds around the whole (time on the wall, CPU time) and the meaning of the error that a call ends with. It
//! keeps nothing from one call to the next.

use std::{
    collections::BTreeMap,
    mem,
    sync::Arc,
    time::{Duration, Instant},
};

use espejote_core::{Desired, DesiredBuilder, Invocation, Report, text::cut};
use tokio::time::timeout;
use wasmtime::Store;

use crate::{
    answer,
    bindings::espejote::plugin::types::Failure,
    call::{
        Admitted, Call, CallError, Computed, Decision, HostError, InvalidOutput, Problem, Provision, Usage,
    },
    ended::{Ended, explain},
    epoch::Ticking,
    grants::Grants,
    host::{CallState, HostState},
    limits::{LimitKind, Limits},
    measured::Measured,
    plugin::{Plugin, Role},
};

/// What is kept of a failure's message.
const MESSAGE_BYTES: usize = 1024;
/// A store that held more than this is dropped off the executor's threads: giving memory back takes its time.
const SMALL: u64 = 8 << 20;

/// One store and the clock that runs with it.
struct Run<'a> {
    plugin: &'a Plugin,
    store: Store<HostState>,
    started: Instant,
    cpu: Duration,
    _ticking: Ticking,
}

impl<'a> Run<'a> {
    fn new(plugin: &'a Plugin, state: HostState) -> Self {
        let started = Instant::now();
        let (handles, fuel) = (state.limits.handles, state.limits.host_call_bytes);
        let mut store = Store::new(&plugin.engine.wasmtime, state);
        store.limiter(|state| &mut state.meter);
        store.set_max_component_handles(handles as usize);
        store.set_hostcall_fuel(usize::try_from(fuel).unwrap_or(usize::MAX));
        let ticking = plugin.engine.epochs.arm(&mut store);
        Self {
            plugin,
            store,
            started,
            cpu: Duration::ZERO,
            _ticking: ticking,
        }
    }

    fn usage(&self, call: Option<&CallState>) -> Usage {
        let state = self.store.data();
        Usage {
            wall: self.started.elapsed(),
            cpu: self.cpu,
            memory_peak: state.meter.memory_peak(),
            emitted_bytes: call.map_or(0, |call| call.emitted.bytes),
            log_lines_dropped: state.log.dropped(),
        }
    }

    fn explain(&self, ended: Ended) -> CallError {
        explain(self.plugin, self.store.data(), ended)
    }

    /// Ends the run.
    async fn conclude<T>(mut self, ended: Result<Result<T, Failure>, Ended>) -> Concluded<T> {
        self.store.data().flush();
        let call = self.store.data_mut().take_call();
        let usage = self.usage(call.as_ref());
        let told = call.map(Told::from).unwrap_or_default();
        let returned = ended.map_err(|ended| self.explain(ended));
        let told = match &returned {
            Ok(_) => told,
            Err(_) => told.only_computed(),
        };
        self.dispose().await;
        Concluded {
            told,
            returned,
            usage,
        }
    }

    /// Gives back what the store holds before the call counts as over, so that a bound on calls is one on stores too.
    async fn dispose(self) {
        if self.store.data().meter.memory_peak() <= SMALL {
            return;
        }
        let store = self.store;
        // Failing means that the runtime is going down; the store is dropped either way.
        let _ = tokio::task::spawn_blocking(move || drop(store)).await;
    }
}

/// Runs a part of a call within the limits on time.
async fn bounded<T>(
    plugin: &Plugin,
    work: impl Future<Output = wasmtime::Result<T>>,
    limits: &Limits,
    cpu: &mut Duration,
) -> Result<T, Ended> {
    let measured = Measured::new(work, cpu, limits.cpu, &plugin.engine.turns);
    match timeout(limits.wall, measured).await {
        Err(_) => Err(Ended::Limit(LimitKind::Wall)),
        Ok(Err(_)) => Err(Ended::Limit(LimitKind::Cpu)),
        Ok(Ok(Err(error))) => Err(Ended::Error(error)),
        Ok(Ok(Ok(value))) => Ok(value),
    }
}

pub(crate) async fn reconcile(
    plugin: &Plugin,
    invocation: Invocation,
    limits: &Limits,
    grants: &Grants,
) -> Call {
    let mut run = Run::for_call(plugin, Role::Reconcile, invocation, limits, grants);
    let limits = run.store.data().limits.clone();
    let Run { store, cpu, .. } = &mut run;
    let work = async {
        let indices = plugin.compiled.reconcile.as_ref();
        let indices = indices.ok_or(NoSuchExport(Role::Reconcile))?;
        let instance = plugin.compiled.pre.instantiate_async(&mut *store).await?;
        let guest = indices.load(&mut *store, &instance)?;
        guest.call_reconcile(&mut *store).await
    };
    let ended = bounded(plugin, work, &limits, cpu).await;
    let Concluded {
        mut told,
        returned,
        usage,
    } = run.conclude(ended).await;
    let result = match returned {
        Ok(Ok(())) => desired(&mut told),
        Ok(Err(failure)) => Err(guest_failure(&failure)),
        Err(error) => Err(error),
    };
    Call {
        result,
        report: told.report,
        usage,
        keep: told.keep,
        computed: told.computed,
    }
}

pub(crate) async fn admit(
    plugin: &Plugin,
    invocation: Invocation,
    request: &str,
    limits: &Limits,
    grants: &Grants,
) -> Admitted {
    let mut run = Run::for_call(plugin, Role::Admit, invocation, limits, grants);
    let limits = run.store.data().limits.clone();
    let Run { store, cpu, .. } = &mut run;
    let work = async {
        let indices = plugin.compiled.admit.as_ref();
        let indices = indices.ok_or(NoSuchExport(Role::Admit))?;
        let instance = plugin.compiled.pre.instantiate_async(&mut *store).await?;
        let guest = indices.load(&mut *store, &instance)?;
        guest.call_admit(&mut *store, &request.to_owned()).await
    };
    let ended = bounded(plugin, work, &limits, cpu).await;
    let Concluded {
        told,
        returned,
        usage,
    } = run.conclude(ended).await;
    let result = match returned {
        Ok(Ok(decision)) => decided(decision.into()),
        Ok(Err(failure)) => Err(guest_failure(&failure)),
        Err(error) => Err(error),
    };
    Admitted {
        result,
        warnings: told.warnings,
        audit_annotations: told.audit_annotations,
        usage,
        keep: told.keep,
        computed: told.computed,
    }
}

fn decided(decision: Decision) -> Result<Decision, CallError> {
    match answer::decision(&decision) {
        Ok(()) => Ok(decision),
        Err(problem) => Err(CallError::InvalidOutput(InvalidOutput::problem(problem))),
    }
}

pub(crate) async fn provide(
    plugin: &Plugin,
    invocation: Invocation,
    limits: &Limits,
    grants: &Grants,
) -> Provision {
    let mut run = Run::for_call(plugin, Role::Provide, invocation, limits, grants);
    let limits = run.store.data().limits.clone();
    let Run { store, cpu, .. } = &mut run;
    let work = async {
        let indices = plugin.compiled.provide.as_ref();
        let indices = indices.ok_or(NoSuchExport(Role::Provide))?;
        let instance = plugin.compiled.pre.instantiate_async(&mut *store).await?;
        let guest = indices.load(&mut *store, &instance)?;
        let value = guest.call_provide(&mut *store).await?;
        answer::within(value.as_ref().map_or(0, String::len), 0, &limits)?;
        Ok(value)
    };
    let ended = bounded(plugin, work, &limits, cpu).await;
    let Concluded {
        told,
        returned,
        usage,
    } = run.conclude(ended).await;
    let result = match returned {
        Ok(Ok(value)) => provided(value),
        Ok(Err(failure)) => Err(guest_failure(&failure)),
        Err(error) => Err(error),
    };
    Provision {
        result,
        usage,
        keep: told.keep,
    }
}

fn provided(value: String) -> Result<Arc<str>, CallError> {
    match answer::document(&value) {
        Ok(()) => Ok(value.into()),
        Err(problem) => Err(CallError::InvalidOutput(InvalidOutput::problem(problem))),
    }
}

/// A plugin was asked for what it does not do.
#[derive(Debug, thiserror::Error)]
#[error("no such export")]
pub(crate) struct NoSuchExport(pub Role);

/// What is left of a call.
struct Concluded<T> {
    /// What it told. Of one that did not return only the computed entries.
    told: Told,
    returned: Result<Result<T, Failure>, CallError>,
    usage: Usage,
}

/// Everything that a call said beside what it returned.
#[derive(Default)]
struct Told {
    desired: DesiredBuilder,
    problems: Vec<String>,
    report: Report,
    warnings: Vec<String>,
    audit_annotations: BTreeMap<String, String>,
    computed: Computed,
    keep: bool,
}

impl From<CallState> for Told {
    fn from(call: CallState) -> Self {
        Self {
            desired: call.desired,
            problems: call.problems,
            report: call.report,
            warnings: call.warnings,
            audit_annotations: call.audit_annotations,
            computed: call.computed,
            keep: call.keep,
        }
    }
}

impl Told {
    fn only_computed(self) -> Self {
        Self {
            computed: self.computed,
            ..Self::default()
        }
    }
}

/// The tree, or all that is wrong with it and with the report.
fn desired(told: &mut Told) -> Result<Desired, CallError> {
    let (items, report) = (
        mem::take(&mut told.desired).finish(),
        mem::take(&mut told.problems),
    );
    match items {
        Ok(desired) if report.is_empty() => Ok(desired),
        items => Err(CallError::InvalidOutput(InvalidOutput {
            items: items
                .err()
                .unwrap_or_else(|| espejote_core::InvalidItems(Vec::new())),
            report,
        })),
    }
}

fn guest_failure(failure: &Failure) -> CallError {
    CallError::Guest {
        kind: failure.kind.into(),
        message: cut(&failure.message, MESSAGE_BYTES).to_owned(),
    }
}

pub(crate) async fn config_schema(plugin: &Plugin, role: Role) -> Result<Option<String>, CallError> {
    let Some(indices) = &plugin.compiled.configuration else {
        return Ok(None);
    };
    let mut run = Run::for_config(plugin);
    let limits = run.store.data().limits.clone();
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
    let mut run = Run::for_config(plugin);
    let limits = run.store.data().limits.clone();
    let Run { store, cpu, .. } = &mut run;
    let work = async {
        let instance = plugin.compiled.pre.instantiate_async(&mut *store).await?;
        let guest = indices.load(&mut *store, &instance)?;
        guest
            .call_validate(&mut *store, role.word(), &config.to_owned())
            .await
    };
    let ended = bounded(plugin, work, &limits, cpu).await;
    let result = ended
        .map(|problems| problems.into_iter().map(Into::into).collect())
        .map_err(|ended| run.explain(ended));
    run.dispose().await;
    result
}

impl<'a> Run<'a> {
    /// A call gets what it asks for, up to the ceilings.
    fn for_call(
        plugin: &'a Plugin,
        role: Role,
        invocation: Invocation,
        limits: &Limits,
        grants: &Grants,
    ) -> Self {
        let limits = limits.capped(&plugin.engine.ceilings);
        let _ = grants;
        let state = HostState::for_call(role, plugin.name.clone(), invocation, limits);
        Self::new(plugin, state)
    }

    /// Looking at a config gets the default limits.
    fn for_config(plugin: &'a Plugin) -> Self {
        let limits = Limits::default().capped(&plugin.engine.ceilings);
        Self::new(plugin, HostState::for_config(plugin.name.clone(), limits))
    }
}

impl CallError {
    pub(crate) fn host(plugin: &Plugin, source: HostError) -> Self {
        Self::Host {
            plugin: plugin.name().to_owned(),
            source,
        }
    }
}
