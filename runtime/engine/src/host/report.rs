//! `report`: what the guest tells beside what it emits.

use espejote_core::{Condition as Told, Report};
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
        let condition = condition.into();
        match refused(&call.report, &condition) {
            Some(problem) => call.problems.push(problem),
            None => call.report.set_condition(condition),
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

/// Why a condition cannot be set.
fn refused(report: &Report, condition: &Told) -> Option<String> {
    let is_known = report.conditions.iter().any(|known| known.kind == condition.kind);
    if let Some(problem) = condition.problem() {
        Some(problem)
    } else if Report::RESERVED_CONDITIONS.contains(&condition.kind.as_str()) {
        Some(format!("the condition {:?} is the host's own", condition.kind))
    } else if !is_known && report.conditions.len() >= CONDITIONS {
        let kind = &condition.kind;
        Some(format!("more than {CONDITIONS} conditions, such as {kind:?}"))
    } else {
        None
    }
}
