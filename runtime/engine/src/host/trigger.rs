//! `trigger`: what started the call.

use super::HostState;
use crate::bindings::espejote::plugin::{trigger::Host, types::ObjectId};

impl Host for HostState {
    fn name(&mut self) -> wasmtime::Result<Option<String>> {
        Ok(self.call()?.invocation.trigger.name.clone())
    }

    fn event(&mut self) -> wasmtime::Result<Option<ObjectId>> {
        Ok(self.call()?.invocation.trigger.event.clone().map(Into::into))
    }

    fn object(&mut self) -> wasmtime::Result<Option<String>> {
        let object = self.call()?.invocation.trigger.object.as_ref();
        Ok(object.map(|object| object.json().to_string()))
    }
}
