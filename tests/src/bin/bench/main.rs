//! Measures the operator against its budgets: the shipped program on a real control plane on the same machine.
//!
//!     bench [--runs=N] [SECTION...]      idle, calls, contexts, start, events, interval, latency,
//!                                    bursts, spread, languages; all of them if none is named
//!
//!     bench --large [SECTION...]         large-managed-resources, large-role-bindings, large-namespaces, large-context
//!
//! Each row is the median of its runs, beside its budget; a row over its budget is marked. The same figures go to
//! `$CARGO_TARGET_DIR/bench.json`, pictures of some beside it. Absolute times move with the machine and with what else it does: the ratio to a bare
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
mod guest_time;
mod idle;
mod interval;
mod languages;
mod large;
mod latency;
mod load;
mod plot;
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

/// Measured once each, and only if asked for.
const LARGE: [Section; 4] = [
    ("large-managed-resources", large::managed_resources),
    ("large-role-bindings", large::role_bindings),
    ("large-namespaces", large::namespaces),
    ("large-context", large::context),
];

fn main() {
    let Arguments { runs, large, wanted } = Arguments::read();
    let (sections, runs) = if large {
        (&LARGE[..], 1)
    } else {
        (&SECTIONS[..], runs)
    };
    let mut figures = Vec::new();
    for &(name, measure) in sections {
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

/// What is asked for.
struct Arguments {
    runs: usize,
    large: bool,
    wanted: Vec<String>,
}

impl Arguments {
    fn read() -> Self {
        let mut read = Self {
            runs: RUNS,
            large: false,
            wanted: Vec::new(),
        };
        for argument in env::args().skip(1) {
            if let Some(number) = argument.strip_prefix("--runs=") {
                read.runs = number.parse().expect("--runs takes a number");
            } else if argument == "--large" {
                read.large = true;
            } else {
                let known = SECTIONS.iter().chain(&LARGE).any(|(known, _)| *known == argument);
                assert!(known, "there is no section {argument}");
                read.wanted.push(argument);
            }
        }
        read
    }
}
