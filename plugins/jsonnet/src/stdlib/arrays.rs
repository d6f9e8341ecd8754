//! Functions on lists: what the library below has, with the arguments of go-jsonnet.

use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::function::builtin::Builtin;
use jrsonnet_evaluator::function::{CallLocation, builtin};
use jrsonnet_evaluator::val::ArrValue;
use jrsonnet_evaluator::{Result, Thunk, Val};
use jrsonnet_stdlib::{builtin_make_array, builtin_remove_at};

/// Less than nothing is nothing.
#[builtin]
pub(super) fn std_make_array(sz: f64, func: Thunk<Val>) -> Result<Val> {
    call(&builtin_make_array {}, Val::try_num(sz.max(0.0))?, func)
}

#[builtin]
pub(super) fn std_remove_at(arr: ArrValue, i: f64) -> Result<Val> {
    if !(0.0..f64::from(arr.len())).contains(&i) {
        let length = arr.len();
        let text = format!("Index {i} out of bounds, not within [0, {length})");
        return Err(ErrorKind::RuntimeError(text.into()).into());
    }
    let index = Thunk::evaluated(Val::try_num(i)?);
    call(&builtin_remove_at {}, Val::Arr(arr), index)
}

fn call(function: &impl Builtin, first: Val, second: Thunk<Val>) -> Result<Val> {
    function.call(
        CallLocation::native(),
        &[Some(Thunk::evaluated(first)), Some(second)],
    )
}
