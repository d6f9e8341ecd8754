//! `logging`: lines in the operator's log. The one interface that may always be called.

use super::HostState;
use crate::bindings::espejote::plugin::logging::{Host, Level};

impl Host for HostState {
    fn enabled(&mut self, level: Level) -> wasmtime::Result<bool> {
        Ok(self.log.enabled(level.into()))
    }

    fn log(&mut self, level: Level, message: String, fields: Vec<(String, String)>) -> wasmtime::Result<()> {
        self.log.line(level.into(), &message, &fields);
        Ok(())
    }
}
