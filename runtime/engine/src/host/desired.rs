//! `desired`: collects what the guest emits. It is checked when the call has succeeded, and dropped when it has not.

use super::HostState;
use crate::{
    bindings::espejote::plugin::{
        desired::{ApplyOptions, DeleteOptions, ErrorPolicy, Host},
        types::ObjectId,
    },
    limits::{Exceeded, GROUP_DEPTH, LimitKind},
    plugin::Role,
};

impl Host for HostState {
    fn apply(&mut self, object: String, options: Option<ApplyOptions>) -> wasmtime::Result<()> {
        self.call_of(Role::Reconcile, "desired")?;
        self.count(1, object.len())?;
        let options = options.map(Into::into).unwrap_or_default();
        self.call()?.desired.apply(object.into(), options);
        Ok(())
    }

    fn delete(&mut self, id: ObjectId, options: Option<DeleteOptions>) -> wasmtime::Result<()> {
        self.call_of(Role::Reconcile, "desired")?;
        self.count(
            1,
            id.api_version.len() + id.kind.len() + id.namespace.len() + id.name.len(),
        )?;
        let options = options.map(Into::into).unwrap_or_default();
        self.call()?.desired.delete(id.into(), options);
        Ok(())
    }

    fn open_group(&mut self, on_error: Option<ErrorPolicy>) -> wasmtime::Result<()> {
        self.call_of(Role::Reconcile, "desired")?;
        self.count(1, 0)?;
        let call = self.call()?;
        call.group_depth += 1;
        if call.group_depth > GROUP_DEPTH {
            return Err(Exceeded(LimitKind::GroupDepth).into());
        }
        call.desired.open_group(on_error.map(Into::into));
        Ok(())
    }

    fn close_group(&mut self) -> wasmtime::Result<()> {
        self.call_of(Role::Reconcile, "desired")?;
        self.count(1, 0)?;
        let call = self.call()?;
        call.group_depth = call.group_depth.saturating_sub(1);
        call.desired.close_group();
        Ok(())
    }
}
