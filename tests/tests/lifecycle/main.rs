//! The operator's own life: starts, ends, and what it holds. Each test has an operator of its own, one after the other.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod admission;
mod baseline;
mod leading;
mod restarts;

use std::sync::{Mutex, MutexGuard, PoisonError};

use espejote_tests::{Operator, OperatorOptions, run};

/// The only operator of the control plane, while it is held.
struct Alone {
    operator: Option<Operator>,
    options: OperatorOptions,
    _turn: MutexGuard<'static, ()>,
}

static TURN: Mutex<()> = Mutex::new(());

impl Alone {
    fn new(name: &str) -> Self {
        Self::with(name, |_| ())
    }

    /// With other options.
    fn with(name: &str, change: impl FnOnce(&mut OperatorOptions)) -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut options = OperatorOptions::named(name);
        change(&mut options);
        let operator = Some(Operator::start(run::admin(), &options));
        Self {
            operator,
            options,
            _turn: turn,
        }
    }

    fn operator(&self) -> &Operator {
        self.operator.as_ref().expect("it runs")
    }

    /// Takes the operator, to end it in some way.
    fn take(&mut self) -> Operator {
        self.operator.take().expect("it runs")
    }

    /// Starts another one in the same folder.
    fn restart(&mut self) {
        self.operator = Some(Operator::start(run::admin(), &self.options));
    }
}
