use std::collections::BTreeMap;

use espejote_core::ObjectId;
use futures_util::FutureExt as _;
use tokio::time::advance;

use super::*;

fn key(name: &str) -> TriggerKey {
    let object = ObjectId {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        namespace: "ns".into(),
        name: name.into(),
    };
    TriggerKey::object("t", object)
}

fn exact() -> Queue {
    Queue::new(BackOff {
        jitter: 0.0,
        ..BackOff::default()
    })
}

fn now(queue: &Queue) -> Option<Lease> {
    queue.next().now_or_never().flatten()
}

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn t17_equal_keys_collapse_and_others_do_not() {
    let queue = Queue::default();
    for name in ["a", "b", "a", "a", "b"] {
        queue.add(key(name));
    }
    assert_eq!(queue.len(), 2);
    assert_eq!(*now(&queue).unwrap().key(), key("a"));
    assert_eq!(*now(&queue).unwrap().key(), key("b"));
    assert!(now(&queue).is_none());
}

#[tokio::test(start_paused = true)]
async fn t17_a_key_added_while_it_runs_runs_once_more_after_it_is_done() {
    let queue = Queue::default();
    queue.add(key("a"));
    let lease = now(&queue).unwrap();
    queue.add(key("a"));
    queue.add(key("a"));
    assert!(now(&queue).is_none());
    assert_eq!(queue.len(), 1);
    drop(lease);
    drop(now(&queue).unwrap());
    assert!(now(&queue).is_none());
    assert!(queue.is_idle());
}

#[tokio::test(start_paused = true)]
async fn dropping_a_lease_wakes_whoever_waits_for_its_key() {
    let queue = Queue::default();
    queue.add(key("a"));
    let lease = queue.next().await.unwrap();
    queue.add(key("a"));
    let (again, ()) = tokio::join!(queue.next(), async {
        tokio::task::yield_now().await;
        drop(lease);
    });
    assert_eq!(*again.unwrap().key(), key("a"));
}

#[tokio::test(start_paused = true)]
async fn several_leases_of_distinct_keys_are_out_at_once() {
    let queue = Queue::default();
    queue.add(key("a"));
    queue.add(key("b"));
    let (first, second) = tokio::join!(queue.next(), queue.next());
    assert_ne!(first.unwrap().key(), second.unwrap().key());
}

#[tokio::test(start_paused = true)]
async fn a_delayed_key_comes_when_its_time_has_come() {
    let queue = Queue::default();
    let began = Instant::now();
    queue.add_after(key("late"), 2 * SECOND);
    queue.add_after(key("soon"), SECOND);
    assert_eq!((queue.len(), queue.delayed()), (0, 2));
    assert_eq!(*queue.next().await.unwrap().key(), key("soon"));
    assert_eq!(began.elapsed(), SECOND);
    assert_eq!(*queue.next().await.unwrap().key(), key("late"));
    assert_eq!(began.elapsed(), 2 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn of_two_delays_the_earlier_one_wins() {
    for delays in [[1, 5], [5, 1]] {
        let queue = Queue::default();
        let began = Instant::now();
        for seconds in delays {
            queue.add_after(key("a"), SECOND * seconds);
        }
        drop(queue.next().await);
        assert_eq!(began.elapsed(), SECOND);
        assert!(queue.is_idle());
    }
}

#[tokio::test(start_paused = true)]
async fn an_earlier_delay_reaches_whoever_waits_already() {
    let queue = Queue::default();
    let began = Instant::now();
    queue.add_after(key("a"), 5 * SECOND);
    let (lease, ()) = tokio::join!(queue.next(), async {
        tokio::task::yield_now().await;
        queue.add_after(key("b"), SECOND);
    });
    assert_eq!(*lease.unwrap().key(), key("b"));
    assert_eq!(began.elapsed(), SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_plain_add_comes_at_once_and_cancels_the_delay() {
    let queue = Queue::default();
    queue.add_after(key("a"), SECOND);
    queue.add(key("a"));
    drop(now(&queue).unwrap());
    assert!(queue.is_idle());
}

#[tokio::test(start_paused = true)]
async fn a_delay_for_a_due_key_adds_nothing() {
    let queue = Queue::default();
    queue.add(key("a"));
    queue.add_after(key("a"), SECOND);
    assert_eq!(queue.delayed(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_delay_that_ends_while_the_key_runs_waits_for_it() {
    let queue = Queue::default();
    queue.add(key("a"));
    let lease = now(&queue).unwrap();
    queue.add_after(key("a"), SECOND);
    advance(2 * SECOND).await;
    assert!(now(&queue).is_none());
    drop(lease);
    assert!(now(&queue).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_failing_key_waits_longer_each_time_and_starts_anew_once_forgotten() {
    let queue = exact();
    let waits: Vec<_> = (0..3)
        .map(|_| queue.add_rate_limited(key("a")).as_millis())
        .collect();
    assert_eq!(waits, [5, 10, 20]);
    assert_eq!((queue.failures(&key("a")), queue.failures(&key("b"))), (3, 0));
    queue.forget(&key("a"));
    assert_eq!(queue.failures(&key("a")), 0);
    assert_eq!(queue.add_rate_limited(key("a")).as_millis(), 5);
}

#[tokio::test(start_paused = true)]
async fn an_event_for_a_failing_key_does_not_wait_for_its_back_off() {
    let queue = Queue::default();
    for _ in 0..20 {
        queue.add_rate_limited(key("a"));
    }
    queue.add(key("a"));
    assert!(now(&queue).is_some());
    assert_eq!(queue.failures(&key("a")), 20);
}

#[tokio::test(start_paused = true)]
async fn t21_a_queue_that_is_shut_down_drops_what_waits_and_takes_nothing() {
    let queue = Queue::default();
    queue.add(key("ready"));
    queue.add(key("running"));
    queue.add_rate_limited(key("delayed"));
    let lease = now(&queue).unwrap();
    queue.shut_down();
    queue.add(key("a"));
    queue.add_after(key("b"), SECOND);
    queue.add_rate_limited(lease.key().clone());
    drop(lease);
    advance(10 * SECOND).await;
    assert!(queue.next().await.is_none());
    assert!(queue.is_idle());
    assert_eq!(queue.failures(&key("delayed")), 0);
}

#[tokio::test(start_paused = true)]
async fn shutting_down_wakes_everybody_who_waits() {
    let queue = Queue::default();
    let (first, second, ()) = tokio::join!(queue.next(), queue.next(), async {
        tokio::task::yield_now().await;
        queue.shut_down();
    });
    assert!(first.is_none() && second.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_lease_tells_how_long_its_key_was_due() {
    let queue = Queue::default();
    queue.add(key("a"));
    advance(3 * SECOND).await;
    queue.add(key("a"));
    assert_eq!(now(&queue).unwrap().waited(), 3 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_wait_loses_no_key() {
    let queue = Queue::default();
    let waiting = tokio::spawn({
        let queue = queue.clone();
        async move { queue.next().await }
    });
    tokio::task::yield_now().await;
    queue.add(key("a"));
    waiting.abort();
    let _ = waiting.await;
    let lease = tokio::time::timeout(SECOND, queue.next()).await;
    assert!(lease.is_ok(), "the key is still there, or back");
}

#[tokio::test(start_paused = true)]
async fn an_absurd_delay_is_kept_and_does_not_overflow() {
    let queue = Queue::default();
    queue.add_after(key("a"), Duration::MAX);
    assert_eq!(queue.delayed(), 1);
}

/// The rules of the queue, told without its code: what must come out, in which order, and what may not.
#[derive(Default)]
struct Model {
    /// Due keys that do not run, in order.
    ready: Vec<TriggerKey>,
    /// Running keys, and whether they have to run again.
    running: BTreeMap<TriggerKey, bool>,
    delayed: BTreeMap<TriggerKey, Instant>,
}

impl Model {
    fn add(&mut self, key: TriggerKey) {
        self.delayed.remove(&key);
        match self.running.get_mut(&key) {
            Some(again) => *again = true,
            None if !self.ready.contains(&key) => self.ready.push(key),
            None => {}
        }
    }

    fn add_after(&mut self, key: TriggerKey, at: Instant) {
        let due = self.ready.contains(&key) || self.running.get(&key) == Some(&true);
        if !due {
            let earlier = self.delayed.entry(key).or_insert(at);
            *earlier = at.min(*earlier);
        }
    }

    /// Moves what is due, earliest first. Distinct keys of the same instant may come in any order, so the driver gives
    /// each delay an instant of its own.
    fn wake(&mut self) {
        let mut due: Vec<_> = self.delayed.iter().map(|(key, at)| (*at, key.clone())).collect();
        due.retain(|(at, _)| *at <= Instant::now());
        due.sort();
        for (_, key) in due {
            self.add(key);
        }
    }

    fn done(&mut self, key: &TriggerKey) {
        if self.running.remove(key) == Some(true) {
            self.ready.push(key.clone());
        }
    }
}

/// One queue and its model, led through the same random steps.
struct Driver {
    queue: Queue,
    model: Model,
    leases: Vec<Lease>,
    chance: Chance,
    steps: u64,
}

impl Driver {
    fn below(&mut self, bound: u32) -> u32 {
        (self.chance.draw() * f64::from(bound)) as u32
    }

    async fn step(&mut self) {
        self.steps += 1;
        self.model.wake();
        let key = key(&self.below(6).to_string());
        match self.below(6) {
            0 | 1 => {
                self.queue.add(key.clone());
                self.model.add(key);
            }
            2 => self.delay(key),
            3 => advance(Duration::from_millis(u64::from(self.below(40)))).await,
            4 => self.finish(),
            _ => self.take(),
        }
    }

    fn delay(&mut self, key: TriggerKey) {
        // Unique in its lower digits.
        let wait = Duration::from_millis(u64::from(self.below(50)) + 1) + Duration::from_nanos(self.steps);
        self.queue.add_after(key.clone(), wait);
        self.model.add_after(key, Instant::now() + wait);
    }

    fn finish(&mut self) {
        if !self.leases.is_empty() {
            let at = self.below(self.leases.len() as u32) as usize;
            let lease = self.leases.swap_remove(at);
            self.model.done(lease.key());
        }
    }

    fn take(&mut self) {
        let lease = now(&self.queue);
        let expected = (!self.model.ready.is_empty()).then(|| self.model.ready.remove(0));
        assert_eq!(lease.as_ref().map(Lease::key), expected.as_ref());
        if let Some(lease) = lease {
            let twice = self.model.running.insert(lease.key().clone(), false);
            assert!(twice.is_none(), "two leases of one key");
            self.leases.push(lease);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn t17_any_order_of_steps_gives_what_the_rules_say() {
    for seed in 0..200 {
        let mut driver = Driver {
            queue: Queue::default(),
            model: Model::default(),
            leases: Vec::new(),
            chance: Chance::seeded(seed),
            steps: 0,
        };
        for _ in 0..300 {
            driver.step().await;
        }
        advance(SECOND).await;
        driver.model.wake();
        while !driver.leases.is_empty() || !driver.queue.is_idle() {
            driver.finish();
            driver.take();
        }
        assert!(
            driver.model.ready.is_empty() && driver.model.delayed.is_empty(),
            "seed {seed}"
        );
    }
}
