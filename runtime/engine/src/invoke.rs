//! One call: a fresh store, an instance, the guest's export, and what came of it.
//!
//! Owns the bounds around the whole (time on the wall, CPU time) and the meaning of the error that a call ends with. It
//! keeps nothing from one call to the next.

use std::time::{Duration, Instant};

use espejote_core::{Desired, Invocation, Report, text::cut};
use tokio::time::timeout;
use wasmtime::Store;

use crate::{
    bindings::espejote::plugin::types::Failure,
    call::{Call, CallError, HostError, InvalidOutput, Problem, Usage},
    ended::{Ended, explain},
    epoch::Ticking,
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

pub(crate) async fn reconcile(plugin: &Plugin, invocation: Invocation, limits: &Limits) -> Call {
    let limits = limits.capped(&plugin.engine.ceilings);
    let state = HostState::for_call(plugin.name.clone(), invocation, limits.clone());
    let mut run = Run::new(plugin, state);
    let Run { store, cpu, .. } = &mut run;
    let work = async {
        let Some(indices) = &plugin.compiled.reconcile else {
            return Err(NoSuchExport.into());
        };
        let instance = plugin.compiled.pre.instantiate_async(&mut *store).await?;
        let guest = indices.load(&mut *store, &instance)?;
        guest.call_reconcile(&mut *store).await
    };
    let ended = bounded(plugin, work, &limits, cpu).await;
    let call = conclude(&mut run, ended);
    run.dispose().await;
    call
}

/// A plugin was asked for what it does not do.
#[derive(Debug, thiserror::Error)]
#[error("no such export")]
pub(crate) struct NoSuchExport;

fn conclude(run: &mut Run<'_>, ended: Result<Result<(), Failure>, Ended>) -> Call {
    run.store.data().flush();
    let call = run.store.data_mut().take_call();
    let usage = run.usage(call.as_ref());
    let returned = match ended {
        Ok(returned) => returned,
        Err(ended) => return failed(run.explain(ended), usage),
    };
    let Some(call) = call else {
        return failed(run.explain(Ended::Error(NoSuchExport.into())), usage);
    };
    let (report, keep) = (call.report.clone(), call.keep);
    let result = match returned {
        Ok(()) => desired(call),
        Err(failure) => Err(guest_failure(&failure)),
    };
    Call {
        result,
        report,
        usage,
        keep,
    }
}

fn failed(error: CallError, usage: Usage) -> Call {
    Call {
        result: Err(error),
        report: Report::default(),
        usage,
        keep: false,
    }
}

/// The tree, or all that is wrong with it and with the report.
fn desired(call: CallState) -> Result<Desired, CallError> {
    let (items, report) = (call.desired.finish(), call.problems);
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
