//! Counts the memory and the table elements of one store, and refuses what is over the limit.
//!
//! A refused growth is no trap: the guest gets the answer that WebAssembly has for it. That it happened is remembered, so
//! that a guest which dies of it is told of the limit and not of an obscure trap.

use wasmtime::ResourceLimiter;

use crate::limits::{LimitKind, Limits};

/// Instances, memories and tables in one store, at most. A Python component has about 20 instances and 15 tables.
const INSTANCES: usize = 100;
const MEMORIES: usize = 16;
const TABLES: usize = 100;

/// What a store holds, and what it may hold.
#[derive(Debug)]
pub(crate) struct Meter {
    memory: Gauge,
    table_elements: Gauge,
    refused: Option<LimitKind>,
}

#[derive(Debug)]
struct Gauge {
    used: u64,
    peak: u64,
    limit: u64,
}

impl Gauge {
    fn new(limit: u64) -> Self {
        Self {
            used: 0,
            peak: 0,
            limit,
        }
    }

    /// Whether one part may grow; if so, it has grown.
    fn grow(&mut self, current: usize, desired: usize) -> bool {
        let used = self.used.saturating_add(desired.saturating_sub(current) as u64);
        if used > self.limit {
            return false;
        }
        self.used = used;
        self.peak = self.peak.max(used);
        true
    }
}

impl Meter {
    pub fn new(limits: &Limits) -> Self {
        Self {
            memory: Gauge::new(limits.memory),
            table_elements: Gauge::new(limits.table_elements),
            refused: None,
        }
    }

    /// Linear memory at its peak, in bytes.
    pub fn memory_peak(&self) -> u64 {
        self.memory.peak
    }

    /// The limit that a growth was refused for last.
    pub fn refused(&self) -> Option<LimitKind> {
        self.refused
    }

    fn answer(&mut self, granted: bool, kind: LimitKind) -> bool {
        if !granted {
            self.refused = Some(kind);
        }
        granted
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let fits = maximum.is_none_or(|maximum| desired <= maximum);
        let granted = fits && self.memory.grow(current, desired);
        Ok(self.answer(granted, LimitKind::Memory))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let fits = maximum.is_none_or(|maximum| desired <= maximum);
        let granted = fits && self.table_elements.grow(current, desired);
        Ok(self.answer(granted, LimitKind::TableElements))
    }

    fn instances(&self) -> usize {
        INSTANCES
    }

    fn memories(&self) -> usize {
        MEMORIES
    }

    fn tables(&self) -> usize {
        TABLES
    }
}
