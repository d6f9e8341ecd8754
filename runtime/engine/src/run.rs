//! One run of a guest: a fresh store, the clock that runs with it, and what is left of it.
//!
//! Owns the bounds around the whole (time on the wall, CPU time). A store that is kept for another call holds nothing of
//! the one before but what the guest itself remembers.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use espejote_core::{DesiredBuilder, Invocation, Report};
use tokio::time::timeout;
use wasmtime::Store;

use crate::{
    bindings::{espejote::plugin::types::Failure, exports::espejote::plugin::reconcile::Guest},
    call::{CallError, Computed, HostError, Usage},
    ended::{Ended, explain},
    epoch::Ticking,
    grants::Grants,
    host::{CallState, HostState},
    limits::{LimitKind, Limits},
    measured::Measured,
    plugin::{Plugin, Role},
    warm::{Fitting, Warm},
};

/// A store that held more than this is dropped off the executor's threads: giving memory back takes its time.
const SMALL: u64 = 8 << 20;

/// One store and the clock that runs with it.
pub(crate) struct Run<'a> {
    pub plugin: &'a Plugin,
    pub store: Store<HostState>,
    pub cpu: Duration,
    /// Calls that the instance has served before.
    pub calls: u32,
    started: Instant,
    _ticking: Ticking,
}

/// What is left of a call.
pub(crate) struct Concluded<T> {
    /// What it told. Of one that did not return only the computed entries.
    pub told: Told,
    pub returned: Result<Result<T, Failure>, CallError>,
    pub usage: Usage,
}

/// Everything that a call said beside what it returned.
#[derive(Default)]
pub(crate) struct Told {
    pub desired: DesiredBuilder,
    pub problems: Vec<String>,
    pub report: Report,
    pub warnings: Vec<String>,
    pub audit_annotations: BTreeMap<String, String>,
    pub computed: Computed,
    pub emitted_bytes: u64,
    pub keep: bool,
}

impl<'a> Run<'a> {
    /// A call gets what it asks for, up to the ceilings.
    pub fn for_call(
        plugin: &'a Plugin,
        role: Role,
        invocation: Invocation,
        limits: &Limits,
        grants: &Grants,
    ) -> Result<Self, CallError> {
        let limits = limits.capped(&plugin.engine.ceilings);
        let state = HostState::for_call(role, plugin, invocation, limits, grants);
        Self::new(plugin, state)
    }

    /// Looking at a config gets the default limits, and no grants.
    pub fn for_config(plugin: &'a Plugin) -> Result<Self, CallError> {
        let limits = Limits::default().capped(&plugin.engine.ceilings);
        Self::new(plugin, HostState::for_config(plugin, limits))
    }

    fn new(plugin: &'a Plugin, state: Result<HostState, HostError>) -> Result<Self, CallError> {
        let started = Instant::now();
        let state = state.map_err(|source| CallError::host(plugin, source))?;
        let (handles, fuel) = (state.limits.handles, state.limits.host_call_bytes);
        let mut store = Store::new(&plugin.engine.wasmtime, state);
        store.limiter(|state| &mut state.meter);
        store.set_max_component_handles(handles as usize);
        store.set_hostcall_fuel(usize::try_from(fuel).unwrap_or(usize::MAX));
        Ok(Self::over(plugin, store, 0, started))
    }

    /// Another call of an instance that was kept.
    pub fn again(
        plugin: &'a Plugin,
        mut store: Store<HostState>,
        calls: u32,
        invocation: Invocation,
        grants: &Grants,
    ) -> Result<Self, CallError> {
        let started = Instant::now();
        let renewed = store
            .data_mut()
            .renew(Role::Reconcile, plugin, invocation, grants);
        renewed.map_err(|source| CallError::host(plugin, source))?;
        Ok(Self::over(plugin, store, calls, started))
    }

    /// The clock runs from `started` on.
    fn over(plugin: &'a Plugin, mut store: Store<HostState>, calls: u32, started: Instant) -> Self {
        let ticking = plugin.engine.epochs.arm(&mut store);
        Self {
            plugin,
            store,
            cpu: Duration::ZERO,
            calls,
            started,
            _ticking: ticking,
        }
    }

    /// What it has used until now.
    pub fn usage(&self, told: &Told) -> Usage {
        let state = self.store.data();
        Usage {
            wall: self.started.elapsed(),
            cpu: self.cpu,
            memory_peak: state.meter.memory_peak(),
            emitted_bytes: told.emitted_bytes,
            log_lines_dropped: state.log.dropped(),
            warm: self.calls > 0,
        }
    }

    pub fn limits(&self) -> Limits {
        self.store.data().limits.clone()
    }

    pub fn explain(&self, ended: Ended) -> CallError {
        explain(self.plugin, self.store.data(), ended)
    }

    /// Ends the run of a call, and with it the instance.
    pub async fn conclude<T>(mut self, ended: Result<Result<T, Failure>, Ended>) -> Concluded<T> {
        let concluded = self.end(ended);
        self.dispose().await;
        concluded
    }

    /// Ends the run of a call; nothing of the call is left in the store.
    pub fn end<T>(&mut self, ended: Result<Result<T, Failure>, Ended>) -> Concluded<T> {
        self.store.data().flush();
        let call = self.store.data_mut().end_call();
        let told = call.map(Told::from).unwrap_or_default();
        let usage = self.usage(&told);
        let returned = ended.map_err(|ended| self.explain(ended));
        let told = match &returned {
            Ok(_) => told,
            Err(_) => told.only_computed(),
        };
        Concluded {
            told,
            returned,
            usage,
        }
    }

    /// What is left for the owner's next call.
    pub fn into_warm(self, guest: Guest, fitting: Fitting) -> Warm {
        Warm {
            store: self.store,
            guest,
            calls: self.calls.saturating_add(1),
            fitting,
        }
    }

    /// Gives back what the store holds before the call counts as over, so that a bound on calls is one on stores too.
    pub async fn dispose(self) {
        if self.store.data().meter.memory_peak() <= SMALL {
            return;
        }
        let mut store = self.store;
        let charge = store.data_mut().meter.take_charge();
        let drop_in_order = move || {
            drop(store);
            drop(charge);
        };
        // Failing means that the runtime is going down; the store is dropped either way.
        let _ = tokio::task::spawn_blocking(drop_in_order).await;
    }
}

/// Runs a part of a call within the limits on time.
pub(crate) async fn bounded<T>(
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

impl<T> Concluded<T> {
    /// A call that never started.
    pub fn never(error: CallError) -> Self {
        Self {
            told: Told::default(),
            returned: Err(error),
            usage: Usage::default(),
        }
    }
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
            emitted_bytes: call.emitted.bytes,
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
