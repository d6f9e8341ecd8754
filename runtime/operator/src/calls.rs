//! Places for guest calls.
//!
//! Owns how many calls run at the same time in the whole process. Each touches memory of its own, which stays with the
//! process for a while, so that few are begun at once: calls that are quick lose nothing, since the processors are busy.
//! One that is not gives its place among the quick ones up, so that slow ones never keep quick ones waiting for long.

use std::{pin::pin, thread::available_parallelism, time::Duration};

use tokio::{sync::Semaphore, time::timeout};

/// Calls at a time.
const CALLS: usize = 16;
/// A call that takes longer is not quick.
const QUICK: Duration = Duration::from_millis(50);

/// The places of the process.
#[derive(Debug)]
pub struct Calls {
    all: Semaphore,
    quick: Semaphore,
}

impl Default for Calls {
    /// As many as the machine's processors can make use of.
    fn default() -> Self {
        Self::new(CALLS, available_parallelism().map_or(1, usize::from))
    }
}

impl Calls {
    fn new(all: usize, quick: usize) -> Self {
        Self {
            all: Semaphore::new(all),
            quick: Semaphore::new(quick),
        }
    }

    /// Makes a call when there is a place for it.
    pub async fn make<T>(&self, call: impl Future<Output = T>) -> T {
        // The semaphores are never closed.
        let _place = self.all.acquire().await;
        let quick = self.quick.acquire().await;
        let mut call = pin!(call);
        match timeout(QUICK, &mut call).await {
            Ok(result) => result,
            Err(_) => {
                drop(quick);
                call.await
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, future::pending};
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn slow_calls_leave_their_place_among_the_quick_ones_and_keep_the_other() {
        let calls = Calls::new(2, 1);
        let mut slow = pin!(calls.make(pending::<()>()));
        assert!((&mut slow).now_or_never().is_none());
        let mut second = pin!(calls.make(pending::<()>()));
        assert!((&mut second).now_or_never().is_none());
        assert_eq!(calls.quick.available_permits(), 0);
        advance(QUICK * 2).await;
        assert!((&mut slow).now_or_never().is_none());
        assert_eq!(calls.quick.available_permits(), 0, "the second one has begun");
        assert!((&mut second).now_or_never().is_none());
        advance(QUICK * 2).await;
        assert!((&mut second).now_or_never().is_none());
        assert_eq!(calls.quick.available_permits(), 1);
        assert_eq!(calls.all.available_permits(), 0);
        assert!(calls.make(async {}).now_or_never().is_none(), "no place is left");
    }
}
