//! How long calls of guests take, by the operator's own word.

use espejote_tests::Operator;

/// All calls so far.
pub struct GuestTime {
    seconds: f64,
    calls: f64,
}

impl GuestTime {
    /// Of an operator, until now.
    pub fn of(operator: &Operator) -> Self {
        let of = |part: &str| {
            operator.metric(
                &format!("espejote_reconcile_phase_seconds_{part}"),
                &[("phase", "guest")],
            )
        };
        Self {
            seconds: of("sum"),
            calls: of("count"),
        }
    }

    /// Milliseconds of each call since then.
    pub fn since(&self, operator: &Operator) -> f64 {
        let now = Self::of(operator);
        (now.seconds - self.seconds) * 1_000.0 / (now.calls - self.calls)
    }
}
