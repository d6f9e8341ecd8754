//! The tasks of the process, and the order in which they end.
//!
//! Owns every task. What ends before it is told to ends the process. Whatever writes ends first, then the lease is given back, so
//! that the next process begins when this one has written its last; servers end meanwhile, since they are needed until then.

use std::{future::Future, time::Duration};

use anyhow::Context;
use tokio::{
    task::{JoinError, JoinSet},
    time::{Instant, timeout, timeout_at},
};
use tokio_util::sync::CancellationToken;

use crate::{
    leading::Leading,
    lease::LeaseLost,
    shutdown,
    supervisor::{Keeper, Supervisor},
    watch::WatchHandle,
};

/// How long what is under way may take once the process is told to end.
const GRACE: Duration = Duration::from_secs(20);
/// The same once the lease is lost: nothing can be written any more, and another process is about to lead.
const GRACE_AFTER_LOSS: Duration = Duration::from_secs(4);
/// How long giving the lease back may take.
const GIVING_BACK: Duration = Duration::from_secs(5);

/// The tasks of the process.
pub struct Parts {
    leading: Leading,
    workers: JoinSet<&'static str>,
    servers: JoinSet<&'static str>,
    election: JoinSet<Result<(), LeaseLost>>,
    cancel: CancellationToken,
    /// Ends the election, once there is nothing left that writes.
    resign: CancellationToken,
}

/// Why the process ends.
enum End {
    /// It is told to, by a signal.
    Told,
    /// A part has ended, which it should not.
    Part(Result<&'static str, JoinError>),
    /// The lease is lost.
    Lease(Result<Result<(), LeaseLost>, JoinError>),
}

impl Parts {
    /// No tasks yet. `leading` says when those begin that only the leader has.
    pub fn new(leading: Leading) -> Self {
        Self {
            leading,
            workers: JoinSet::new(),
            servers: JoinSet::new(),
            election: JoinSet::new(),
            cancel: CancellationToken::new(),
            resign: CancellationToken::new(),
        }
    }

    /// Cancelled when the process is to end.
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Starts a task that runs until its token is cancelled.
    pub fn start<F>(&mut self, name: &'static str, run: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.workers.spawn(named(name, run(self.cancel.clone())));
    }

    /// Starts a task that answers others until its token is cancelled.
    pub fn serve<F>(&mut self, name: &'static str, run: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.servers.spawn(named(name, run(self.cancel.clone())));
    }

    /// Starts a task once this process leads.
    pub fn lead<F>(&mut self, name: &'static str, run: impl FnOnce(CancellationToken) -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let leading = self.leading.clone();
        self.start(name, |cancel| async move {
            let begun = cancel.run_until_cancelled(leading.begun()).await;
            if begun.is_some() {
                run(cancel).await;
            }
        });
    }

    /// Starts a task for each object that a watch holds.
    pub fn supervise<K: Keeper>(&mut self, name: &'static str, keeper: K, objects: WatchHandle) {
        self.start(name, |cancel| supervise(keeper, objects, cancel));
    }

    /// The same, once this process leads.
    pub fn supervise_leading<K: Keeper>(&mut self, name: &'static str, keeper: K, objects: WatchHandle) {
        self.lead(name, |cancel| supervise(keeper, objects, cancel));
    }

    /// Starts what decides whether this process leads. Its token is cancelled after all workers have ended.
    pub fn elect<F>(&mut self, run: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = Result<(), LeaseLost>> + Send + 'static,
    {
        self.election.spawn(run(self.resign.clone()));
    }

    /// Waits for a signal, for a task that ends by itself, or for the loss of the lease; then ends all tasks.
    pub async fn run(mut self) -> anyhow::Result<()> {
        let end = self.end().await?;
        let grace = match &end {
            End::Lease(_) => GRACE_AFTER_LOSS,
            End::Told | End::Part(_) => GRACE,
        };
        self.stop(Instant::now() + grace).await;
        match end {
            End::Told => Ok(()),
            End::Part(Ok(name)) => anyhow::bail!("{name} ended by itself"),
            End::Part(Err(error)) => Err(error).context("a part of the operator failed"),
            End::Lease(Ok(Err(lost))) => Err(lost).context("this process leads no more"),
            End::Lease(Ok(Ok(()))) => anyhow::bail!("the election ended by itself"),
            End::Lease(Err(error)) => Err(error).context("the election failed"),
        }
    }

    async fn end(&mut self) -> anyhow::Result<End> {
        Ok(tokio::select! {
            signal = shutdown::signal() => {
                tracing::info!(signal = signal?, "ending");
                End::Told
            }
            Some(ended) = self.workers.join_next() => End::Part(ended),
            Some(ended) = self.servers.join_next() => End::Part(ended),
            Some(ended) = self.election.join_next() => {
                if let Ok(Err(lost)) = &ended {
                    tracing::error!(%lost, "this process leads no more: ending");
                }
                End::Lease(ended)
            }
        })
    }

    async fn stop(&mut self, by: Instant) {
        self.cancel.cancel();
        if timeout_at(by, drain(&mut self.workers)).await.is_err() {
            tracing::warn!("some work was cut off");
            self.workers.abort_all();
        }
        self.resign.cancel();
        if timeout(GIVING_BACK, drain(&mut self.election)).await.is_err() {
            tracing::warn!("the lease was not given back in time");
        }
        if timeout_at(by, drain(&mut self.servers)).await.is_err() {
            tracing::warn!("some answers were cut off");
        }
    }
}

/// A task that says who has ended.
async fn named(name: &'static str, task: impl Future<Output = ()>) -> &'static str {
    task.await;
    name
}

/// Runs a task for each object that a watch holds, until cancelled.
pub async fn supervise<K: Keeper>(keeper: K, objects: WatchHandle, cancel: CancellationToken) {
    let reader = objects.reader();
    let changes = reader.subscribe();
    Supervisor::new(keeper, reader).run(changes, cancel).await;
}

async fn drain<T: 'static>(tasks: &mut JoinSet<T>) {
    while tasks.join_next().await.is_some() {}
}
