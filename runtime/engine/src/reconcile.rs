//! Reconciles: in a fresh instance, or in the one that the owner's last call left.
//!
//! Owns the decision which of the two, and that it makes no difference to the result.

use std::mem;

use espejote_core::{Desired, InvalidItems, Invocation};

use crate::{
    bindings::exports::espejote::plugin::reconcile::Guest,
    call::{Call, CallError, InvalidOutput},
    grants::Grants,
    invoke::{NoSuchExport, guest_failure},
    limits::{LimitKind, Limits},
    plugin::{Plugin, Role},
    run::{Concluded, Run, Told, bounded},
    warm::{Fitting, Kept, Ticket, Warm},
};

/// In a fresh instance, which ends with the call.
pub(crate) async fn fresh(plugin: &Plugin, invocation: Invocation, limits: &Limits, grants: &Grants) -> Call {
    let concluded = match Run::for_call(plugin, Role::Reconcile, invocation, limits, grants) {
        Ok(mut run) => {
            let (concluded, _) = run_in(&mut run, None).await;
            run.dispose().await;
            concluded
        }
        Err(error) => Concluded::never(error),
    };
    call(concluded)
}

/// In the instance that was kept, if there is one that fits; else in a fresh one, which may be kept.
pub(crate) async fn kept(
    plugin: &Plugin,
    invocation: Invocation,
    limits: &Limits,
    grants: &Grants,
    kept: &Kept,
) -> Call {
    let fitting = Fitting {
        compiled: plugin.compiled.clone(),
        limits: limits.capped(&plugin.engine.ceilings),
        grants: grants.clone(),
    };
    let (warm, ticket) = kept.take(&fitting);
    if let Some(Warm {
        store, guest, calls, ..
    }) = warm
    {
        let run = Run::again(plugin, store, calls, invocation.clone(), grants);
        let call = call(run_and_leave(run, Some(guest), &fitting, &ticket).await);
        if counts(&call) {
            return call;
        }
        tracing::debug!(
            plugin = plugin.name(),
            calls,
            "a kept instance failed: once more in a fresh one"
        );
    }
    let run = Run::for_call(plugin, Role::Reconcile, invocation, limits, grants);
    call(run_and_leave(run, None, &fitting, &ticket).await)
}

/// Whether a call in a kept instance is the answer: any that succeeds. What a guest piled up, or spoilt, in earlier calls must
/// not be held against this one; only its time it has used itself, and twice the time is more than it may have.
fn counts(call: &Call) -> bool {
    match &call.result {
        Ok(_) => true,
        Err(CallError::Limit { limit, .. }) => matches!(limit, LimitKind::Wall | LimitKind::Cpu),
        Err(_) => false,
    }
}

async fn run_and_leave(
    run: Result<Run<'_>, CallError>,
    guest: Option<Guest>,
    fitting: &Fitting,
    ticket: &Ticket<'_>,
) -> Concluded<()> {
    let mut run = match run {
        Ok(run) => run,
        Err(error) => return Concluded::never(error),
    };
    let (concluded, guest) = run_in(&mut run, guest).await;
    let succeeded = matches!(concluded.returned, Ok(Ok(())));
    match guest.filter(|_| concluded.told.keep && succeeded) {
        Some(guest) => ticket.leave(run.into_warm(guest, fitting.clone())),
        None => run.dispose().await,
    }
    concluded
}

/// One call. The guest is given back if it returned.
async fn run_in(run: &mut Run<'_>, guest: Option<Guest>) -> (Concluded<()>, Option<Guest>) {
    let (plugin, limits) = (run.plugin, run.limits());
    let Run { store, cpu, .. } = run;
    let work = async {
        let guest = match guest {
            Some(guest) => guest,
            None => {
                let indices = plugin.compiled.reconcile.as_ref();
                let indices = indices.ok_or(NoSuchExport(Role::Reconcile))?;
                let instance = plugin.compiled.pre.instantiate_async(&mut *store).await?;
                indices.load(&mut *store, &instance)?
            }
        };
        let returned = guest.call_reconcile(&mut *store).await?;
        Ok((returned, guest))
    };
    match bounded(plugin, work, &limits, cpu).await {
        Ok((returned, guest)) => (run.end(Ok(returned)), Some(guest)),
        Err(ended) => (run.end(Err(ended)), None),
    }
}

fn call(concluded: Concluded<()>) -> Call {
    let mut told = concluded.told;
    let result = match concluded.returned {
        Ok(Ok(())) => desired(&mut told),
        Ok(Err(failure)) => Err(guest_failure(&failure)),
        Err(error) => Err(error),
    };
    Call {
        result,
        report: told.report,
        usage: concluded.usage,
        keep: told.keep,
        computed: told.computed,
    }
}

/// The tree, or all that is wrong with it and with the report.
fn desired(told: &mut Told) -> Result<Desired, CallError> {
    let items = mem::take(&mut told.desired).finish();
    let report = mem::take(&mut told.problems);
    match items {
        Ok(desired) if report.is_empty() => Ok(desired),
        items => Err(CallError::InvalidOutput(InvalidOutput {
            items: items.err().unwrap_or_else(|| InvalidItems(Vec::new())),
            report,
        })),
    }
}
