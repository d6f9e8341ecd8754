//! `invocation`: on whose behalf the call runs, and with which config.

use super::HostState;
use crate::bindings::espejote::plugin::invocation::{Host, OwnerReference};

impl Host for HostState {
    fn owner(&mut self) -> wasmtime::Result<OwnerReference> {
        Ok(self.call()?.invocation.owner.clone().into())
    }

    fn config(&mut self) -> wasmtime::Result<String> {
        Ok(self.call()?.invocation.config.to_string())
    }

    fn keep_instance(&mut self) -> wasmtime::Result<()> {
        self.call()?.keep = true;
        Ok(())
    }
}
