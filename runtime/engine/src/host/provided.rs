//! `provided`: entries of `context` that other plugins compute.
//!
//! A value is computed when it is asked for, and then kept for the rest of the call. It is computed by a task of its own, so
//! that its CPU time is not the caller's, and it may take no longer than the caller has left. Where the caller ends before,
//! so does the task.

use std::{sync::Arc, time::Duration};

use espejote_core::{Compute, Provided, UnavailableReason};
use tokio::{task::JoinSet, time::Instant};

use super::{CallState, HostState};
use crate::bindings::espejote::plugin::{provided::Host, types::Unavailable};

type Value = Result<Arc<str>, espejote_core::Unavailable>;

impl Host for HostState {
    fn names(&mut self) -> wasmtime::Result<Vec<String>> {
        Ok(self.call()?.invocation.snapshot.provided_names())
    }

    async fn get(&mut self, name: String) -> wasmtime::Result<Result<String, Unavailable>> {
        let value = self.call()?.value(name).await;
        if let Ok(json) = &value {
            self.fits(json.len())?;
        }
        Ok(value.map(|json| json.to_string()).map_err(Into::into))
    }
}

impl CallState {
    async fn value(&mut self, name: String) -> Value {
        if let Some(value) = self.computed.get(&name) {
            return value.clone();
        }
        match self.invocation.snapshot.provided(&name)? {
            Provided::Value(json) => Ok(json),
            Provided::Computed(compute) => {
                let value = self.compute(&*compute).await;
                self.computed.insert(name, value.clone());
                value
            }
        }
    }

    async fn compute(&self, compute: &dyn Compute) -> Value {
        let left = self
            .deadline
            .map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
        // Dropping the set ends the task.
        let mut task = JoinSet::new();
        task.spawn(compute.compute(&self.invocation, left));
        match task.join_next().await {
            Some(Ok(value)) => value,
            _ => Err(espejote_core::Unavailable::new(
                UnavailableReason::Failed,
                "the provider was interrupted by a fault of the host",
            )),
        }
    }
}
