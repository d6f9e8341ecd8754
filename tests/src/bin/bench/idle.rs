//! An operator with nothing to do.

use espejote_tests::{Operator, process, run};

use crate::{
    figure::{Budget, Figure},
    load::{mib, rest, shipped},
};

/// Memory without any ManagedResource.
pub fn measure() -> Vec<Figure> {
    let operator = Operator::start(run::admin(), &shipped("idle"));
    rest();
    let resident = mib(process::resident(operator.pid()));
    let peak = mib(process::peak(operator.pid()));
    vec![
        Figure::once("idle: RSS", resident, "MiB", Budget::AtMost(25.0)),
        Figure::once("idle: peak RSS", peak, "MiB", Budget::None),
    ]
}
