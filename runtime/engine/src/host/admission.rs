//! `admission`: what goes along with the answer to a request.

use super::HostState;
use crate::{bindings::espejote::plugin::admission::Host, plugin::Role};

impl Host for HostState {
    fn warn(&mut self, message: String) -> wasmtime::Result<()> {
        self.call_of(Role::Admit, "admission")?;
        self.count(1, message.len())?;
        self.call()?.warnings.push(message);
        Ok(())
    }

    fn annotate(&mut self, key: String, value: String) -> wasmtime::Result<()> {
        self.call_of(Role::Admit, "admission")?;
        self.count(1, key.len() + value.len())?;
        self.call()?.audit_annotations.insert(key, value);
        Ok(())
    }
}
