//! Takes the Lease, keeps it, and gives it back.
//!
//! Owns when the API server is asked, and until when it is said that this process leads.

use std::{
    future::Future,
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use k8s_openapi::{api::coordination::v1::Lease, jiff::Timestamp};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::{
    Timing,
    election::{Election, Move},
    store::{LeaseStore, StoreError},
};
use crate::leading::Leadership;

/// Who waits makes its pauses longer by up to so many of them, by chance: not all ask at once.
const JITTER: f64 = 1.2;
/// How often giving back is tried.
const GIVING_BACK: u32 = 3;

/// This process has led, and leads no more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeaseLost {
    /// The Lease is another one's.
    #[error("the lease has been taken by {holder}")]
    Taken {
        /// Who has it now.
        holder: String,
    },
    /// It was not renewed in time.
    #[error("the lease could not be renewed within {} s", .within.as_secs())]
    Late {
        /// The renew deadline.
        within: Duration,
    },
}

/// Contends for a Lease.
pub struct Elector<S> {
    store: S,
    timing: Timing,
    election: Election,
    leadership: Leadership,
    /// As it was last written by us, while nothing is known to have changed it.
    written: Option<Lease>,
    /// What was last told of waiting, or of failing.
    told: String,
}

/// A success.
struct Held {
    /// When the request was sent: the Lease is at least as young.
    sent: Instant,
}

impl<S: LeaseStore> Elector<S> {
    /// `identity` is no other process's. Whether this one leads is told to `leadership`.
    pub fn new(store: S, identity: String, timing: Timing, leadership: Leadership) -> Self {
        Self {
            store,
            timing,
            election: Election::new(identity, timing.duration),
            leadership,
            written: None,
            told: String::new(),
        }
    }

    /// Takes the Lease, calls `begun` with it, and keeps it until cancelled; then gives it back. An error: it was lost.
    ///
    /// When this returns, nothing may be written any more.
    pub async fn run(
        mut self,
        begun: impl FnOnce(&Lease) + Send,
        cancel: CancellationToken,
    ) -> Result<(), LeaseLost> {
        let contended = cancel.run_until_cancelled(self.contend(begun)).await;
        self.leadership.end();
        match contended {
            Some(lost) => Err(lost),
            None => {
                self.give_back().await;
                Ok(())
            }
        }
    }

    async fn contend(&mut self, begun: impl FnOnce(&Lease) + Send) -> LeaseLost {
        let identity = self.election.identity().to_owned();
        let held = self.acquire().await;
        let end = held.sent + self.timing.deadline;
        if !self.leadership.extend(end) {
            return self.late();
        }
        tracing::info!(%identity, "this process leads");
        if let Some(lease) = &self.written {
            begun(lease);
        }
        self.keep(end).await
    }

    /// Waits until the Lease is ours.
    async fn acquire(&mut self) -> Held {
        loop {
            match self.attempt().await {
                Ok(Ok(held)) if held.sent.elapsed() < self.timing.deadline => return held,
                Ok(Ok(_)) => {}
                Ok(Err(holder)) => self.tell_waiting(&holder),
                Err(error) => self.tell_failing(&error),
            }
            sleep(self.timing.retry.mul_f64(1.0 + JITTER * chance())).await;
        }
    }

    /// Reads, and writes if the Lease can be ours. An inner error: another one holds it.
    async fn attempt(&mut self) -> Result<Result<Held, String>, StoreError> {
        let found = self.within(self.store.read()).await?;
        match self.election.next(found, Instant::now(), Timestamp::now()) {
            Move::Wait { holder } => Ok(Err(holder)),
            Move::Claim(claim) => self.write(&claim).await.map(Ok),
        }
    }

    async fn write(&mut self, lease: &Lease) -> Result<Held, StoreError> {
        self.written = None;
        let sent = Instant::now();
        let written = self.within(self.store.write(lease)).await?;
        self.written = Some(written);
        Ok(Held { sent })
    }

    /// Renews the Lease again and again, until it is lost.
    async fn keep(&mut self, mut end: Instant) -> LeaseLost {
        loop {
            sleep(self.timing.retry).await;
            // Nothing is asked for any more by a process that was stopped for too long.
            if Instant::now() >= end {
                return self.late();
            }
            match timeout_at(end, self.renew()).await {
                Ok(Ok(held)) => end = held.sent + self.timing.deadline,
                Ok(Err(holder)) => return LeaseLost::Taken { holder },
                Err(_) => return self.late(),
            }
            if !self.leadership.extend(end) {
                return self.late();
            }
        }
    }

    /// Tries until it succeeds. An error: it is another one's.
    async fn renew(&mut self) -> Result<Held, String> {
        loop {
            match self.renew_once().await {
                Ok(renewed) => return renewed,
                Err(StoreError::Conflict) => {}
                Err(error) => {
                    self.tell_failing(&error);
                    sleep(self.timing.retry).await;
                }
            }
        }
    }

    /// Without reading first, as long as nobody is known to have changed the Lease.
    async fn renew_once(&mut self) -> Result<Result<Held, String>, StoreError> {
        match self.written.take() {
            Some(lease) => {
                let renewed = self.election.held(Some(lease), Timestamp::now());
                self.write(&renewed).await.map(Ok)
            }
            None => self.reclaim().await,
        }
    }

    /// Somebody has changed the Lease, or it is not known what became of our own request.
    async fn reclaim(&mut self) -> Result<Result<Held, String>, StoreError> {
        let found = self.within(self.store.read()).await?;
        let spec = found.as_ref().and_then(|lease| lease.spec.as_ref());
        let holder = spec.and_then(|spec| spec.holder_identity.as_deref());
        match holder {
            Some(holder) if holder != self.election.identity() => Ok(Err(match holder {
                "" => "nobody".to_owned(),
                holder => holder.to_owned(),
            })),
            _ => {
                let renewed = self.election.held(found, Timestamp::now());
                self.write(&renewed).await.map(Ok)
            }
        }
    }

    /// As nobody's, so that another one need not wait.
    async fn give_back(&mut self) {
        for _ in 0..GIVING_BACK {
            match self.release().await {
                Ok(true) => return tracing::info!("the lease has been given back"),
                Ok(false) => return,
                Err(StoreError::Conflict) => {}
                Err(error) => {
                    return tracing::warn!(%error, "the lease cannot be given back: others wait until it is over");
                }
            }
        }
    }

    /// False: it is not ours.
    async fn release(&self) -> Result<bool, StoreError> {
        let found = self.within(self.store.read()).await?;
        let Some(released) = self.election.released(found, Timestamp::now()) else {
            return Ok(false);
        };
        self.within(self.store.write(&released)).await.map(|_| true)
    }

    async fn within<T>(&self, request: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        let limit = self.timing.request;
        let answer = timeout(limit, request).await;
        answer.unwrap_or(Err(StoreError::Timeout(limit)))
    }

    fn late(&self) -> LeaseLost {
        LeaseLost::Late {
            within: self.timing.deadline,
        }
    }

    fn tell_waiting(&mut self, holder: &str) {
        if self.told != holder {
            tracing::info!(holder, "another process leads: waiting for the lease");
            holder.clone_into(&mut self.told);
        }
    }

    fn tell_failing(&mut self, error: &StoreError) {
        let text = error.to_string();
        if self.told != text {
            tracing::warn!(%error, "the lease cannot be read or written");
            self.told = text;
        }
    }
}

/// A number from 0 to 1. Every `RandomState` has keys of its own.
fn chance() -> f64 {
    let bits = RandomState::new().hash_one(0_u8) >> 32;
    f64::from(u32::try_from(bits).unwrap_or(0)) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests;
