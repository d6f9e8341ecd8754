//! The settings of the runtime.
//!
//! What the compiler has to agree on with the engine is set in one place for both.

use std::num::NonZeroUsize;

use wasmtime::{Config, Enabled, Engine, PoolingAllocationConfig};

use crate::{
    config::{Allocation, EngineConfig},
    epoch::Epochs,
};

/// The runtime refuses, or the machine does.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SettingsError(String);

/// Stack for the host's own functions, beyond what the guest may use.
const HOST_STACK: usize = 2 << 20;
/// Stack that stays resident after a call; most calls need no more.
const STACK_KEEP_RESIDENT: usize = 32 * 1024;
/// Address space for each memory where none can be reserved up front.
const SMALL_RESERVATION: u64 = 128 << 20;
/// Frames in the text of a trap.
pub(crate) const FRAMES: usize = 8;

/// What compiler and engine have to agree on.
pub(crate) fn shared(allocation: Allocation) -> Config {
    let mut config = Config::new();
    Epochs::configure(&mut config);
    config
        .native_unwind_info(false)
        .generate_address_map(false)
        .relaxed_simd_deterministic(true);
    if allocation == Allocation::OnDemand {
        config.memory_reservation(SMALL_RESERVATION);
    }
    config
}

/// The engine, and where its instances get their memory from.
pub(crate) fn engine(setup: &EngineConfig) -> Result<(Engine, Allocation), SettingsError> {
    if setup.allocation == Allocation::Pooling {
        match Engine::new(&running(setup, Allocation::Pooling)) {
            Ok(engine) => {
                tracing::debug!(slots = setup.concurrent_calls, "instances come from a pool");
                return Ok((engine, Allocation::Pooling));
            }
            Err(error) => {
                tracing::warn!(%error, "no pool of instances on this machine: memory is asked for at each call");
            }
        }
    }
    let engine = Engine::new(&running(setup, Allocation::OnDemand));
    engine
        .map(|engine| (engine, Allocation::OnDemand))
        .map_err(|error| SettingsError(format!("{error:#}")))
}

fn running(setup: &EngineConfig, allocation: Allocation) -> Config {
    let mut config = shared(allocation);
    config
        .max_wasm_stack(setup.stack)
        .async_stack_size(setup.stack + HOST_STACK)
        .async_stack_zeroing(true)
        .wasm_backtrace_max_frames(NonZeroUsize::new(FRAMES));
    if allocation == Allocation::Pooling {
        config.allocation_strategy(pool(setup));
    }
    config
}

/// Slots are addresses only: what was never touched costs nothing.
fn pool(setup: &EngineConfig) -> PoolingAllocationConfig {
    // Each call may wait for one provider, which needs a slot too; and so does what waits for its next call.
    let waiting = u32::try_from(setup.warm.instances).unwrap_or(u32::MAX);
    let calls = setup.concurrent_calls.saturating_mul(2).saturating_add(waiting);
    let memory = usize::try_from(setup.ceilings.memory).unwrap_or(usize::MAX);
    let elements = usize::try_from(setup.ceilings.table_elements).unwrap_or(usize::MAX);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(calls)
        .total_core_instances(calls.saturating_mul(32))
        .total_memories(calls.saturating_mul(2))
        .total_tables(calls.saturating_mul(4))
        .total_stacks(calls)
        .max_memories_per_module(2)
        .max_tables_per_module(4)
        .max_memory_size(memory.min(4 << 30))
        .table_elements(elements)
        .max_unused_warm_slots(1)
        .linear_memory_keep_resident(setup.keep_resident)
        .table_keep_resident(16 * 1024)
        .async_stack_keep_resident(STACK_KEEP_RESIDENT)
        .pagemap_scan(Enabled::Auto);
    pool
}
