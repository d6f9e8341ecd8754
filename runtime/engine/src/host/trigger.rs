//! `trigger`: what started the call.

use super::{CallState, HostState};
use crate::{
    bindings::espejote::plugin::{trigger::Host, types::ObjectId},
    plugin::Role,
};

impl HostState {
    fn triggered(&mut self) -> wasmtime::Result<&mut CallState> {
        self.call_of(Role::Reconcile, "trigger")
    }
}

impl Host for HostState {
    fn name(&mut self) -> wasmtime::Result<Option<String>> {
        Ok(self.triggered()?.invocation.trigger.name.clone())
    }

    fn event(&mut self) -> wasmtime::Result<Option<ObjectId>> {
        Ok(self.triggered()?.invocation.trigger.event.clone().map(Into::into))
    }

    fn object(&mut self) -> wasmtime::Result<Option<String>> {
        let object = self.triggered()?.invocation.trigger.object.as_ref();
        Ok(object.map(|object| object.json().to_string()))
    }
}
