//! Counts the memory and the table elements of one store, and refuses what is over the limit; and the memory of all stores
//! of the engine together.
//!
//! A refused growth is no trap: the guest gets the answer that WebAssembly has for it. That it happened is remembered, so
//! that a guest which dies of it is told of the limit and not of an obscure trap.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use wasmtime::ResourceLimiter;

use crate::limits::{Exceeded, LimitKind, Limits};

/// Instances, memories and tables in one store, at most. A Python component has about 20 instances and 15 tables.
const INSTANCES: usize = 100;
const MEMORIES: usize = 16;
const TABLES: usize = 100;

/// Every store may have so much memory, however much the others have: small calls go on beside large ones.
const SHARE: u64 = 16 << 20;

/// Linear memory of all stores together, without the share of each.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: u64,
    used: AtomicU64,
}

/// A store's part of the budget. Given back when dropped.
#[derive(Debug)]
pub(crate) struct Charge {
    budget: Arc<Budget>,
    amount: u64,
}

impl Budget {
    pub fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self {
            limit,
            used: AtomicU64::new(0),
        })
    }

    /// What there is, in bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    fn take(&self, amount: u64) -> bool {
        let more = |used: u64| used.checked_add(amount).filter(|sum| *sum <= self.limit);
        let order = Ordering::Relaxed;
        self.used.fetch_update(order, order, more).is_ok()
    }
}

impl Charge {
    fn new(budget: &Arc<Budget>) -> Self {
        Self {
            budget: budget.clone(),
            amount: 0,
        }
    }

    /// Makes the charge fit a store that holds `memory`. False: the budget does not allow it.
    fn cover(&mut self, memory: u64) -> bool {
        let more = memory.saturating_sub(SHARE).saturating_sub(self.amount);
        let granted = more == 0 || self.budget.take(more);
        if granted {
            self.amount += more;
        }
        granted
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.amount, Ordering::Relaxed);
    }
}

/// What a store holds, and what it may hold.
#[derive(Debug)]
pub(crate) struct Meter {
    memory: Gauge,
    charge: Charge,
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
    pub fn new(limits: &Limits, budget: &Arc<Budget>) -> Self {
        Self {
            memory: Gauge::new(limits.memory),
            charge: Charge::new(budget),
            table_elements: Gauge::new(limits.table_elements),
            refused: None,
        }
    }

    /// Linear memory now, in bytes.
    pub fn memory(&self) -> u64 {
        self.memory.used
    }

    /// Starts to count for another call of the same instance.
    pub fn restart(&mut self) {
        self.refused = None;
    }

    /// Linear memory at its peak, in bytes.
    pub fn memory_peak(&self) -> u64 {
        self.memory.peak
    }

    /// Takes the part of the budget out, to be dropped after the memory that it stands for.
    pub fn take_charge(&mut self) -> Charge {
        let none = Charge::new(&self.charge.budget);
        std::mem::replace(&mut self.charge, none)
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
        // The guest can do nothing about what others hold, so it does not go on with less.
        if granted && !self.charge.cover(self.memory.used) {
            return Err(Exceeded(LimitKind::MemoryOfAll).into());
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn meter(budget: &Arc<Budget>) -> Meter {
        Meter::new(&Limits::builder().memory(512 << 20).build(), budget)
    }

    #[test]
    fn calls_share_a_budget_and_each_has_a_little_of_its_own() {
        let budget = Budget::new(64 << 20);
        let (mut large, mut small, mut second) = (meter(&budget), meter(&budget), meter(&budget));
        assert!(
            large.memory_growing(0, 80 * MIB, None).unwrap(),
            "64 and its share"
        );
        assert!(small.memory_growing(0, 16 * MIB, None).unwrap(), "its share");
        let error = second.memory_growing(0, 17 * MIB, None).unwrap_err();
        assert!(matches!(
            error.downcast_ref(),
            Some(Exceeded(LimitKind::MemoryOfAll))
        ));
    }

    #[test]
    fn memory_that_is_given_back_can_be_had_again() {
        let budget = Budget::new(64 << 20);
        let mut first = meter(&budget);
        assert!(first.memory_growing(0, 80 * MIB, None).unwrap());
        let charge = first.take_charge();
        drop(first);
        assert!(
            meter(&budget).memory_growing(0, 80 * MIB, None).is_err(),
            "not yet"
        );
        drop(charge);
        assert!(meter(&budget).memory_growing(0, 80 * MIB, None).unwrap());
    }
}
