//! `esp.triggerName()` and `esp.triggerData()`.

use std::rc::Rc;

use jrsonnet_evaluator::val::ThunkValue;
use jrsonnet_evaluator::{ObjValueBuilder, Result, Thunk, Val};
use jrsonnet_gcmodule::Trace;

use crate::host::{Host, ObjectId};
use crate::lazy;

/// `{name, data}`, as the library reads it. The object is not asked for before the template does.
pub(crate) fn value(host: &Rc<dyn Host>) -> Val {
    let mut trigger = ObjValueBuilder::with_capacity(2);
    trigger
        .field("name")
        .value(host.trigger_name().map_or(Val::Null, Val::from));
    trigger
        .field("data")
        .value(host.trigger_event().map_or(Val::Null, |event| data(host, &event)));
    Val::Obj(trigger.build())
}

fn data(host: &Rc<dyn Host>, event: &ObjectId) -> Val {
    let mut data = ObjValueBuilder::with_capacity(2);
    data.field("resourceEvent").value(resource_event(event));
    data.field("resource").thunk(Thunk::new(LazyResource {
        host: Rc::clone(host),
    }));
    Val::Obj(data.build())
}

fn resource_event(event: &ObjectId) -> Val {
    let mut id = ObjValueBuilder::with_capacity(4);
    id.field("apiVersion").value(event.api_version.as_str());
    id.field("kind").value(event.kind.as_str());
    id.field("name").value(event.name.as_str());
    id.field("namespace").value(event.namespace.as_str());
    Val::Obj(id.build())
}

#[derive(Trace)]
struct LazyResource {
    #[trace(skip)]
    host: Rc<dyn Host>,
}

impl ThunkValue for LazyResource {
    type Output = Val;

    fn get(&self) -> Result<Val> {
        self.host.trigger_object().map_or(Ok(Val::Null), lazy::parse)
    }
}
