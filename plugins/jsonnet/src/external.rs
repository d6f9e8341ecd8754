//! The external variables of each role.

use std::rc::Rc;

use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::val::ThunkValue;
use jrsonnet_evaluator::{Result, Thunk, Val};
use jrsonnet_gcmodule::Trace;

use crate::context::Contexts;
use crate::host::Host;
use crate::lazy;
use crate::stdlib::External;
use crate::trigger;

/// Trigger and contexts, each asked for at its first use.
pub(crate) fn of_reconcile(host: &Rc<dyn Host>, contexts: Contexts) -> External {
    External {
        trigger: once(LazyTrigger(Rc::clone(host))),
        context: once(LazyContexts(contexts)),
        request: None,
    }
}

/// The request, whose parts are read when a template asks for them. There is neither trigger nor context.
pub(crate) fn of_admission(request: &str) -> External {
    External {
        trigger: absent("trigger"),
        context: absent("context"),
        request: Some(once(LazyRequest(request.to_owned()))),
    }
}

fn absent(what: &str) -> Thunk<Val> {
    let text = format!("an admission has no {what}: ask for esp.ALPHA.admission.admissionRequest()");
    Thunk::errored(ErrorKind::RuntimeError(text.into()).into())
}

/// Computes a value at most once.
fn once(value: impl ThunkValue<Output = Val>) -> Thunk<Val> {
    let value = Thunk::new(value);
    jrsonnet_evaluator::val::Thunk!(move || value.evaluate())
}

#[derive(Trace)]
struct LazyTrigger(#[trace(skip)] Rc<dyn Host>);

impl ThunkValue for LazyTrigger {
    type Output = Val;

    fn get(&self) -> Result<Val> {
        Ok(trigger::value(&self.0))
    }
}

#[derive(Trace)]
struct LazyContexts(#[trace(skip)] Contexts);

impl ThunkValue for LazyContexts {
    type Output = Val;

    fn get(&self) -> Result<Val> {
        Ok(self.0.value())
    }
}

#[derive(Trace)]
struct LazyRequest(#[trace(skip)] String);

impl ThunkValue for LazyRequest {
    type Output = Val;

    fn get(&self) -> Result<Val> {
        lazy::parse(self.0.clone())
    }
}
