//! Measures the CPU time of a future.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use rustix::time::{ClockId, clock_gettime};

/// More CPU time was used than allowed.
#[derive(Debug)]
pub(crate) struct OverCpu;

/// Sums up the CPU time of the thread over all polls; ends with [`OverCpu`] at the first poll that ends beyond the limit.
///
/// As exact as polls are short.
pub(crate) struct Measured<'a, F> {
    inner: Pin<Box<F>>,
    used: &'a mut Duration,
    limit: Duration,
}

impl<'a, F: Future> Measured<'a, F> {
    /// Adds what `inner` uses to `used`.
    pub fn new(inner: F, used: &'a mut Duration, limit: Duration) -> Self {
        Self {
            inner: Box::pin(inner),
            used,
            limit,
        }
    }
}

impl<F: Future> Future for Measured<'_, F> {
    type Output = Result<F::Output, OverCpu>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
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
