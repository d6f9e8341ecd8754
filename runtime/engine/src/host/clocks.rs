//! The monotonic clock of a call: it follows from what the guest does, never from the machine.
//!
//! Each look at it moves it on a little, so that loops which wait for it end. A sleep takes its time, within the limit on
//! wall-clock time, and moves it on by what was asked for.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep_until};
use wasmtime::component::{HasSelf, Linker, Resource};
use wasmtime_wasi::{
    async_trait,
    p2::{DynPollable, Pollable, bindings::clocks::monotonic_clock, subscribe},
};

use super::HostState;

/// What a look at the clock moves it on by, in nanoseconds.
const STEP: u64 = 1_000;

/// Nanoseconds since the start of the call.
#[derive(Clone, Default)]
pub(super) struct Monotonic(Arc<AtomicU64>);

impl Monotonic {
    fn look(&self) -> u64 {
        self.0.fetch_add(STEP, Ordering::Relaxed)
    }

    fn reach(&self, time: u64) {
        self.0.fetch_max(time, Ordering::Relaxed);
    }

    fn sleep(&self, nanoseconds: u64) -> Sleep {
        Sleep {
            clock: self.clone(),
            until: self.0.load(Ordering::Relaxed).saturating_add(nanoseconds),
            end: Instant::now().checked_add(Duration::from_nanos(nanoseconds)),
        }
    }
}

struct Sleep {
    clock: Monotonic,
    until: u64,
    /// None: for ever.
    end: Option<Instant>,
}

#[async_trait]
impl Pollable for Sleep {
    async fn ready(&mut self) {
        match self.end {
            // Even a sleep of no length lets others run.
            Some(end) if end <= Instant::now() => tokio::task::yield_now().await,
            Some(end) => sleep_until(end).await,
            None => std::future::pending().await,
        }
        self.clock.reach(self.until);
    }
}

impl monotonic_clock::Host for HostState {
    fn now(&mut self) -> wasmtime::Result<u64> {
        Ok(self.wasi.monotonic.look())
    }

    fn resolution(&mut self) -> wasmtime::Result<u64> {
        Ok(STEP)
    }

    fn subscribe_instant(&mut self, when: u64) -> wasmtime::Result<Resource<DynPollable>> {
        let duration = when.saturating_sub(self.wasi.monotonic.look());
        self.subscribe_duration(duration)
    }

    fn subscribe_duration(&mut self, duration: u64) -> wasmtime::Result<Resource<DynPollable>> {
        let sleep = self.wasi.monotonic.sleep(duration);
        let sleep = self.table.push(sleep)?;
        subscribe(&mut self.table, sleep)
    }
}

pub(super) fn link(linker: &mut Linker<HostState>) -> wasmtime::Result<()> {
    monotonic_clock::add_to_linker::<_, HasSelf<HostState>>(linker, |state| state)
}
