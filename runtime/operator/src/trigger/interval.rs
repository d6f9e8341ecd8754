//! The clock of interval triggers.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

use super::{key::TriggerKey, queue::Queue};

/// No interval runs more often: a shorter one is this long.
pub const FLOOR: Duration = Duration::from_millis(100);

/// Puts the key of `trigger` into `queue` once every `every`, first after one `every`, until `cancel` is cancelled.
///
/// Ticks never pile up: one that finds its key still in the queue is the same tick, and those missed while the process
/// slept are dropped. An interval of zero never ticks; one below [`FLOOR`] ticks as often as that. The caller owns the task that runs this.
pub async fn run(queue: Queue, trigger: Arc<str>, every: Duration, cancel: CancellationToken) {
    if every.is_zero() {
        return;
    }
    let every = every.max(FLOOR);
    let mut ticks = interval_at(Instant::now() + every, every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let key = TriggerKey::interval(trigger);
    let forever = async {
        loop {
            ticks.tick().await;
            queue.add(key.clone());
        }
    };
    // Without a value: the token won.
    cancel.run_until_cancelled(forever).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::{task::JoinSet, time::advance};

    const EVERY: Duration = Duration::from_millis(200);

    fn start(tasks: &mut JoinSet<()>, every: Duration) -> (Queue, CancellationToken) {
        let queue = Queue::default();
        let cancel = CancellationToken::new();
        tasks.spawn(run(queue.clone(), "tick".into(), every, cancel.clone()));
        (queue, cancel)
    }

    /// T9, T11: the key names no object; the first tick comes after one interval, not at once.
    #[tokio::test(start_paused = true)]
    async fn t11_the_first_tick_comes_after_one_interval() {
        let mut tasks = JoinSet::new();
        let began = Instant::now();
        let (queue, _cancel) = start(&mut tasks, EVERY);
        for n in 1..4 {
            let lease = queue.next().await.unwrap();
            assert_eq!(*lease.key(), TriggerKey::interval("tick"));
            assert_eq!(began.elapsed(), EVERY * n);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn t11_ticks_of_a_slow_worker_are_dropped() {
        let mut tasks = JoinSet::new();
        let (queue, cancel) = start(&mut tasks, EVERY);
        let lease = queue.next().await.unwrap();
        for _ in 0..5 {
            advance(EVERY).await;
            tokio::task::yield_now().await;
        }
        cancel.cancel();
        tasks.join_next().await;
        drop(lease);
        assert_eq!(queue.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn t11_ticks_missed_while_asleep_are_dropped() {
        let mut tasks = JoinSet::new();
        let (queue, _cancel) = start(&mut tasks, EVERY);
        tokio::task::yield_now().await;
        advance(EVERY * 5 + EVERY / 2).await;
        let began = Instant::now();
        drop(queue.next().await);
        drop(queue.next().await);
        assert_eq!(began.elapsed(), EVERY / 2);
    }

    #[tokio::test(start_paused = true)]
    async fn an_interval_below_the_floor_ticks_as_often_as_the_floor() {
        let mut tasks = JoinSet::new();
        let began = Instant::now();
        let (queue, _cancel) = start(&mut tasks, Duration::from_nanos(1));
        for n in 1..4 {
            drop(queue.next().await);
            assert_eq!(began.elapsed(), FLOOR * n);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn t10_a_cancelled_interval_ticks_no_more() {
        let mut tasks = JoinSet::new();
        let (queue, cancel) = start(&mut tasks, EVERY);
        drop(queue.next().await);
        cancel.cancel();
        tasks.join_next().await.unwrap().unwrap();
        advance(Duration::from_secs(2)).await;
        assert!(queue.is_idle());
    }

    #[tokio::test(start_paused = true)]
    async fn an_interval_of_zero_ends_at_once() {
        let mut tasks = JoinSet::new();
        let (queue, _cancel) = start(&mut tasks, Duration::ZERO);
        tasks.join_next().await.unwrap().unwrap();
        assert!(queue.is_idle());
    }
}
