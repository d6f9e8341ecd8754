//! What a guest can reach: one file for each imported interface, and the state behind them.
//!
//! Owns the data of a store. Everything is denied that is not here: no files, no sockets, no environment. Nothing in here
//! waits or does I/O, but `wasi` where a guest sleeps and `provided` where it asks another guest.

mod admission;
pub(crate) mod clocks;
mod desired;
mod http;
mod invocation;
mod library;
mod logging;
mod provided;
mod report;
pub(crate) mod state;
mod trigger;
mod wasi;

use std::collections::BTreeMap;

use espejote_core::{DesiredBuilder, Invocation, Report};
use tokio::time::Instant;
use wasmtime::component::{HasSelf, Linker};
use wasmtime_wasi::ResourceTable;

use crate::{
    bindings::espejote::plugin as wit,
    call::{Computed, HostError},
    grants::Grants,
    limits::{Exceeded, LimitKind, Limits},
    log::{Log, Source},
    meter::Meter,
    plugin::{Plugin, Role},
};

/// The data of one store.
pub(crate) struct HostState {
    pub limits: Limits,
    pub meter: Meter,
    pub log: Log,
    /// None while only the config is looked at: then all imports but `logging` trap.
    call: Option<CallState>,
    collections: state::Collections,
    wasi: wasi::Wasi,
    table: ResourceTable,
}

/// What belongs to one call.
pub(crate) struct CallState {
    pub invocation: Invocation,
    /// What the guest was called for: says which imports it may use.
    role: Role,
    /// When the time on the wall is used up. None: never.
    deadline: Option<Instant>,
    pub computed: Computed,
    pub warnings: Vec<String>,
    pub audit_annotations: BTreeMap<String, String>,
    pub desired: DesiredBuilder,
    pub report: Report,
    /// What is wrong with the report.
    pub problems: Vec<String>,
    pub emitted: Emitted,
    pub keep: bool,
    group_depth: u32,
}

/// What was emitted so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Emitted {
    pub items: u32,
    pub bytes: u64,
}

/// A guest called what it may not call now.
#[derive(Debug, thiserror::Error)]
enum NotNow {
    #[error("only logging may be called while the config is looked at")]
    Config,
    #[error("{interface} may not be called by {role}: it is no import of that world")]
    OtherWorld { interface: &'static str, role: Role },
}

impl HostState {
    /// The state for one call.
    pub fn for_call(
        role: Role,
        plugin: &Plugin,
        invocation: Invocation,
        limits: Limits,
        grants: &Grants,
    ) -> Result<Self, HostError> {
        grants.check().map_err(HostError::Grant)?;
        let log = Log::new(source(plugin, &invocation), &limits);
        let requests = http::Requests::new(grants.hosts.clone(), plugin.engine.tls.clone(), &limits);
        let (clock, seed) = (invocation.clock, invocation.seed);
        let wasi = wasi::Wasi::new(clock, seed, &log, &grants.directories, requests)?;
        let call = CallState::new(invocation, role, &limits);
        Ok(Self::new(plugin, limits, log, wasi, Some(call)))
    }

    /// Makes the state of an instance that was kept the one for another call, with the same limits and grants. What the
    /// guest still holds stays: its streams print to the log of this call.
    pub fn renew(
        &mut self,
        role: Role,
        plugin: &Plugin,
        invocation: Invocation,
        grants: &Grants,
    ) -> Result<(), HostError> {
        self.log.restart(source(plugin, &invocation), &self.limits);
        let requests = http::Requests::new(grants.hosts.clone(), plugin.engine.tls.clone(), &self.limits);
        let (clock, seed) = (invocation.clock, invocation.seed);
        self.wasi.renew(clock, seed, &grants.directories, requests)?;
        self.meter.restart();
        self.call = Some(CallState::new(invocation, role, &self.limits));
        Ok(())
    }

    /// The state for looking at a config.
    pub fn for_config(plugin: &Plugin, limits: Limits) -> Result<Self, HostError> {
        let source = Source::new(plugin.name.clone(), String::new(), &Default::default());
        let log = Log::new(source, &limits);
        let requests = http::Requests::new(Vec::new(), plugin.engine.tls.clone(), &limits);
        let wasi = wasi::Wasi::new(0, 0, &log, &[], requests)?;
        Ok(Self::new(plugin, limits, log, wasi, None))
    }

    fn new(plugin: &Plugin, limits: Limits, log: Log, wasi: wasi::Wasi, call: Option<CallState>) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles as usize);
        Self {
            meter: Meter::new(&limits, &plugin.engine.memory),
            log,
            call,
            collections: state::Collections::default(),
            wasi,
            table,
            limits,
        }
    }

    fn call(&mut self) -> wasmtime::Result<&mut CallState> {
        self.call.as_mut().ok_or_else(|| NotNow::Config.into())
    }

    /// The call's part, if the guest was called for this role.
    fn call_of(&mut self, only: Role, interface: &'static str) -> wasmtime::Result<&mut CallState> {
        let call = self.call()?;
        match call.role {
            role if role == only => Ok(call),
            role => Err(NotNow::OtherWorld { interface, role }.into()),
        }
    }

    /// Ends a call: what is left is its part. Handles of collections are stale from now on.
    pub fn end_call(&mut self) -> Option<CallState> {
        self.collections.close();
        self.call.take()
    }

    /// Counts something that is emitted. An error: it is over a limit.
    fn count(&mut self, items: u32, bytes: usize) -> wasmtime::Result<()> {
        let (most_items, most_bytes) = (self.limits.items, self.limits.emitted_bytes);
        let emitted = &mut self.call()?.emitted;
        emitted.items = emitted.items.saturating_add(items);
        emitted.bytes = emitted.bytes.saturating_add(bytes as u64);
        match *emitted {
            Emitted { items, .. } if items > most_items => Err(Exceeded(LimitKind::Items).into()),
            Emitted { bytes, .. } if bytes > most_bytes => Err(Exceeded(LimitKind::EmittedBytes).into()),
            _ => Ok(()),
        }
    }
}

impl CallState {
    fn new(invocation: Invocation, role: Role, limits: &Limits) -> Self {
        Self {
            invocation,
            role,
            deadline: Instant::now().checked_add(limits.wall),
            computed: Computed::default(),
            warnings: Vec::new(),
            audit_annotations: BTreeMap::new(),
            desired: DesiredBuilder::default(),
            report: Report::default(),
            problems: Vec::new(),
            emitted: Emitted::default(),
            keep: false,
            group_depth: 0,
        }
    }
}

fn source(plugin: &Plugin, invocation: &Invocation) -> Source {
    let owner = invocation.owner.id.to_string();
    Source::new(plugin.name.clone(), owner, &invocation.trigger)
}

impl wit::types::Host for HostState {}

/// Links everything that a guest can reach.
pub(crate) fn link(linker: &mut Linker<HostState>) -> wasmtime::Result<()> {
    type This = HasSelf<HostState>;
    wasi::link(linker)?;
    wit::types::add_to_linker::<_, This>(linker, |state| state)?;
    wit::invocation::add_to_linker::<_, This>(linker, |state| state)?;
    wit::library::add_to_linker::<_, This>(linker, |state| state)?;
    wit::logging::add_to_linker::<_, This>(linker, |state| state)?;
    wit::provided::add_to_linker::<_, This>(linker, |state| state)?;
    wit::trigger::add_to_linker::<_, This>(linker, |state| state)?;
    wit::desired::add_to_linker::<_, This>(linker, |state| state)?;
    wit::report::add_to_linker::<_, This>(linker, |state| state)?;
    wit::admission::add_to_linker::<_, This>(linker, |state| state)?;
    state::link(linker)
}
