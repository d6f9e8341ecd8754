//! `provided`: entries of `context` that were computed by other plugins, before the call.

use super::HostState;
use crate::bindings::espejote::plugin::{provided::Host, types::Unavailable};

impl Host for HostState {
    fn names(&mut self) -> wasmtime::Result<Vec<String>> {
        Ok(self.call()?.invocation.snapshot.provided_names())
    }

    fn get(&mut self, name: String) -> wasmtime::Result<Result<String, Unavailable>> {
        let value = self.call()?.invocation.snapshot.provided(&name);
        Ok(value.map(|json| json.to_string()).map_err(Into::into))
    }
}
