//! `report`: what the guest tells beside what it emits.

use serde::de::IgnoredAny;

use super::{CallState, HostState};
use crate::{
    bindings::espejote::plugin::report::{Condition, Host},
    plugin::Role,
};

/// Conditions of one call: they all stand in one status.
const CONDITIONS: usize = 32;

impl HostState {
    fn reporting(&mut self) -> wasmtime::Result<&mut CallState> {
        self.call_of(Role::Reconcile, "report")
    }
}

impl Host for HostState {
    fn requeue_after(&mut self, milliseconds: u32) -> wasmtime::Result<()> {
        self.reporting()?.report.requeue_after = Some(milliseconds);
        Ok(())
    }

    fn set_message(&mut self, message: String) -> wasmtime::Result<()> {
        self.reporting()?;
        self.count(0, message.len())?;
        self.call()?.report.message = Some(message);
        Ok(())
    }

    fn set_condition(&mut self, condition: Condition) -> wasmtime::Result<()> {
        self.reporting()?;
        self.count(
            1,
            condition.type_.len() + condition.reason.len() + condition.message.len(),
        )?;
        let call = self.call()?;
        let is_new = !call
            .report
            .conditions
            .iter()
            .any(|known| known.kind == condition.type_);
        if is_new && call.report.conditions.len() >= CONDITIONS {
            call.problems.push(format!(
                "more than {CONDITIONS} conditions, such as {:?}",
                condition.type_
            ));
            return Ok(());
        }
        if espejote_core::Report::RESERVED_CONDITIONS.contains(&condition.type_.as_str()) {
            call.problems
                .push(format!("the condition {:?} is the host's own", condition.type_));
        } else {
            call.report.set_condition(condition.into());
        }
        Ok(())
    }

    fn set_waiting(&mut self, reason: String, message: String) -> wasmtime::Result<()> {
        self.reporting()?;
        self.count(0, reason.len() + message.len())?;
        self.call()?.report.waiting = Some(espejote_core::Waiting { reason, message });
        Ok(())
    }

    fn set_document(&mut self, document: String) -> wasmtime::Result<()> {
        self.reporting()?;
        self.count(0, document.len())?;
        let call = self.call()?;
        match serde_json::from_str::<IgnoredAny>(&document) {
            Ok(_) => call.report.document = Some(document.into()),
            Err(error) => call.problems.push(format!("the document is no JSON: {error}")),
        }
        Ok(())
    }
}
