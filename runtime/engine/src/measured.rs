//! Measures the CPU time of a call, and sees that long calls leave room for short ones.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    thread::available_parallelism,
    time::Duration,
};

use rustix::time::{ClockId, clock_gettime};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// A call that has used more than this is long.
const LONG: Duration = Duration::from_millis(50);

/// Takes turns among long calls: all but one of the machine's processors may be at work on them, so that short calls, and
/// everything else in the process, find one. A turn lasts one poll; turns are given in order.
#[derive(Clone, Debug)]
pub(crate) struct Turns(Arc<Semaphore>);

impl Turns {
    pub fn new() -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new(processors.saturating_sub(1).max(1))))
    }
}

/// More CPU time was used than allowed.
#[derive(Debug)]
pub(crate) struct OverCpu;

type Turn = Pin<Box<dyn Future<Output = Result<OwnedSemaphorePermit, AcquireError>> + Send>>;

/// Sums up the CPU time of the thread over all polls; ends with [`OverCpu`] at the first poll that ends beyond the limit.
///
/// As exact as polls are short.
pub(crate) struct Measured<'a, F> {
    inner: Pin<Box<F>>,
    used: &'a mut Duration,
    limit: Duration,
    turns: Turns,
    waiting: Option<Turn>,
}

impl<'a, F: Future> Measured<'a, F> {
    /// Adds what `inner` uses to `used`.
    pub fn new(inner: F, used: &'a mut Duration, limit: Duration, turns: &Turns) -> Self {
        Self {
            inner: Box::pin(inner),
            used,
            limit,
            turns: turns.clone(),
            waiting: None,
        }
    }

    /// Ready at once for short calls.
    fn turn(&mut self, context: &mut Context<'_>) -> Poll<Option<OwnedSemaphorePermit>> {
        if *self.used <= LONG {
            return Poll::Ready(None);
        }
        let turns = &self.turns;
        let waiting = self
            .waiting
            .get_or_insert_with(|| Box::pin(turns.0.clone().acquire_owned()));
        let turn = ready!(waiting.as_mut().poll(context));
        self.waiting = None;
        // The semaphore is never closed.
        Poll::Ready(turn.ok())
    }
}

impl<F: Future> Future for Measured<'_, F> {
    type Output = Result<F::Output, OverCpu>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let _turn = ready!(self.turn(context));
        let before = thread_time();
        let polled = self.inner.as_mut().poll(context);
        *self.used += thread_time().saturating_sub(before);
        match polled {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            Poll::Pending if *self.used > self.limit => Poll::Ready(Err(OverCpu)),
            Poll::Pending => Poll::Pending,
        }
    }
}

fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Burns CPU time, a little at each poll.
    async fn burn(total: Duration) {
        let start = thread_time();
        while thread_time().saturating_sub(start) < total {
            let poll = thread_time();
            while thread_time().saturating_sub(poll) < Duration::from_millis(1) {}
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn cpu_time_is_summed_and_ends_at_the_limit() {
        let turns = Turns::new();
        let mut used = Duration::ZERO;
        let limit = Duration::from_millis(100);
        let ended = Measured::new(burn(Duration::from_secs(60)), &mut used, limit, &turns).await;
        assert!(ended.is_err() && used > limit && used < limit * 3, "{used:?}");
    }

    #[tokio::test]
    async fn waiting_costs_nothing() {
        let mut used = Duration::ZERO;
        let sleep = tokio::time::sleep(Duration::from_millis(50));
        let ended = Measured::new(sleep, &mut used, Duration::from_millis(40), &Turns::new()).await;
        assert!(ended.is_ok() && used < Duration::from_millis(40), "{used:?}");
    }

    #[tokio::test]
    async fn long_calls_give_their_turn_back() {
        let turns = Turns(Arc::new(Semaphore::new(1)));
        let (mut one, mut two) = (Duration::ZERO, Duration::ZERO);
        let limit = Duration::from_secs(60);
        let both = tokio::join!(
            Measured::new(burn(Duration::from_millis(200)), &mut one, limit, &turns),
            Measured::new(burn(Duration::from_millis(200)), &mut two, limit, &turns),
        );
        assert!(both.0.is_ok() && both.1.is_ok());
        assert_eq!(turns.0.available_permits(), 1);
    }
}
