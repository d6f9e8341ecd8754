//! Measures the operator against its budgets: the shipped program on a real control plane on the same machine.
//!
//!     bench [SECTION...]      idle, contexts, start, events; all of them if none is named
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

mod contexts;
mod events;
mod figure;
mod idle;
mod load;
mod report;
mod start;

use std::env;

use figure::Figure;

/// A part of the bench.
type Section = (&'static str, fn() -> Vec<Figure>);

const SECTIONS: [Section; 4] = [
    ("idle", idle::measure),
    ("contexts", contexts::measure),
    ("start", start::measure),
    ("events", events::measure),
];

fn main() {
    let wanted: Vec<String> = env::args().skip(1).collect();
    for name in &wanted {
        assert!(
            SECTIONS.iter().any(|(known, _)| known == name),
            "there is no section {name}"
        );
    }
    let mut figures = Vec::new();
    for (name, measure) in SECTIONS {
        if wanted.is_empty() || wanted.iter().any(|w| w == name) {
            eprintln!("measuring: {name}");
            figures.extend(measure());
        }
    }
    print!("{}", report::table(&figures));
    println!("{}", report::write_json(&figures).display());
}
