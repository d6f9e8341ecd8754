//! Measures the operator against its budgets: the shipped program on a real control plane on the same machine.
//!
//!     bench [--runs=N] [SECTION...]      idle, calls, contexts, start, events, interval, latency,
//!                                    bursts, spread, languages; all of them if none is named
//!
//! Each row is the median of its runs, beside its budget; a row over its budget is marked. The same figures go to
//! `$CARGO_TARGET_DIR/bench.json`. Absolute times move with the machine and with what else it does: the ratio to a bare
//! client in the same run is what counts.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a bench that meets the unexpected ends with a panic"
)]

mod bursts;
mod calls;
mod contexts;
mod events;
mod figure;
mod idle;
mod interval;
mod languages;
mod latency;
mod load;
mod report;
mod spread;
mod start;

use std::env;

use figure::{Figure, merged};

/// How often each section is measured.
const RUNS: usize = 3;

/// A part of the bench.
type Section = (&'static str, fn() -> Vec<Figure>);

const SECTIONS: [Section; 10] = [
    ("idle", idle::measure),
    ("calls", calls::measure),
    ("contexts", contexts::measure),
    ("start", start::measure),
    ("events", events::measure),
    ("interval", interval::measure),
    ("latency", latency::measure),
    ("bursts", bursts::measure),
    ("spread", spread::measure),
    ("languages", languages::measure),
];

fn main() {
    let (runs, wanted) = arguments();
    let mut figures = Vec::new();
    for (name, measure) in SECTIONS {
        if wanted.is_empty() || wanted.iter().any(|w| w == name) {
            eprintln!("measuring: {name}");
            let measured = merged((0..runs).map(|_| measure()).collect());
            print!("{}", report::table(&measured));
            figures.extend(measured);
            report::write_json(&figures);
        }
    }
    println!("{}", report::write_json(&figures).display());
}

/// How often, and which sections.
fn arguments() -> (usize, Vec<String>) {
    let mut runs = RUNS;
    let mut wanted = Vec::new();
    for argument in env::args().skip(1) {
        if let Some(number) = argument.strip_prefix("--runs=") {
            runs = number.parse().expect("--runs takes a number");
        } else {
            assert!(
                SECTIONS.iter().any(|(known, _)| *known == argument),
                "there is no section {argument}"
            );
            wanted.push(argument);
        }
    }
    (runs, wanted)
}
