//! Electors against an API server of our own, in a time of our own.

use std::sync::{Arc, Mutex, MutexGuard};

use tokio::{task::JoinHandle, time::advance};

use super::*;
use crate::{client::ApiError, leading::Leading};

const SECOND: Duration = Duration::from_secs(1);

/// A Lease at an API server that does as it is told.
#[derive(Clone, Default)]
struct Script(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    lease: Option<Lease>,
    version: u64,
    /// Requests are not answered, though they are carried out if `carries_out`.
    silent: bool,
    carries_out: bool,
    failing: bool,
    reads: usize,
    writes: usize,
}

impl State {
    fn write(&mut self, lease: &Lease) -> Result<Lease, StoreError> {
        self.writes += 1;
        let known = self
            .lease
            .as_ref()
            .and_then(|lease| lease.metadata.resource_version.clone());
        if known != lease.metadata.resource_version {
            return Err(StoreError::Conflict);
        }
        self.version += 1;
        let mut written = lease.clone();
        written.metadata.resource_version = Some(self.version.to_string());
        self.lease = Some(written.clone());
        Ok(written)
    }

    fn spec(&self) -> k8s_openapi::api::coordination::v1::LeaseSpec {
        self.lease.clone().unwrap().spec.unwrap()
    }

    fn holder(&self) -> String {
        self.spec().holder_identity.unwrap()
    }
}

impl Script {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Somebody else changes the Lease.
    fn change(&self, change: impl FnOnce(&mut Lease)) {
        let mut state = self.state();
        let mut lease = state.lease.clone().unwrap();
        change(&mut lease);
        state.write(&lease).unwrap();
    }

    async fn answered(&self) -> Result<(), StoreError> {
        if self.state().silent {
            std::future::pending::<()>().await;
        }
        match self.state().failing {
            true => Err(StoreError::Api(ApiError::NotLeading)),
            false => Ok(()),
        }
    }
}

impl LeaseStore for Script {
    async fn read(&self) -> Result<Option<Lease>, StoreError> {
        self.state().reads += 1;
        self.answered().await?;
        Ok(self.state().lease.clone())
    }

    async fn write(&self, lease: &Lease) -> Result<Lease, StoreError> {
        let lost = {
            let state = self.state();
            state.silent && state.carries_out
        };
        if lost {
            drop(self.state().write(lease));
        }
        self.answered().await?;
        self.state().write(lease)
    }
}

/// A process that contends.
struct Process {
    leading: Leading,
    cancel: CancellationToken,
    task: JoinHandle<Result<(), LeaseLost>>,
}

/// Waits for a process's end.
async fn end(task: JoinHandle<Result<(), LeaseLost>>) -> Result<(), LeaseLost> {
    let ended = timeout(60 * SECOND, task).await;
    ended.expect("it ends").unwrap()
}

fn start(script: &Script, identity: &str) -> Process {
    let (leadership, leading) = Leading::elected();
    let elector = Elector::new(script.clone(), identity.into(), Timing::default(), leadership);
    let cancel = CancellationToken::new();
    let task = tokio::spawn(elector.run(|_| (), cancel.clone()));
    Process {
        leading,
        cancel,
        task,
    }
}

/// Lets everybody do what is due within some time.
async fn pass(time: Duration) {
    let until = Instant::now() + time;
    while Instant::now() < until {
        settle().await;
        advance(Duration::from_millis(100)).await;
    }
    settle().await;
}

async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

async fn two(script: &Script) -> (Process, Process) {
    let one = start(script, "a");
    settle().await;
    let other = start(script, "b");
    settle().await;
    assert!(one.leading.may_write() && !other.leading.may_write());
    (one, other)
}

#[tokio::test(start_paused = true)]
async fn one_of_two_leads_for_as_long_as_it_renews() {
    let script = Script::default();
    let (one, other) = two(&script).await;
    for _ in 0..120 {
        pass(SECOND).await;
        assert!(one.leading.may_write() && !other.leading.may_write());
    }
    assert_eq!(script.state().holder(), "a");
    assert_eq!(script.state().spec().lease_transitions, Some(0));
    let reads = script.state().reads;
    let writes = script.state().writes;
    assert!(
        (55..=61).contains(&writes),
        "a renewal every two seconds: {writes}"
    );
    assert!(
        (25..=61).contains(&reads),
        "the holder does not read, who waits is slower: {reads}"
    );
}

#[tokio::test(start_paused = true)]
async fn who_ends_gives_the_lease_back_and_another_one_takes_it_within_its_pause() {
    let script = Script::default();
    let (one, other) = two(&script).await;
    pass(5 * SECOND).await;
    one.cancel.cancel();
    settle().await;
    assert_eq!(end(one.task).await, Ok(()));
    assert!(one.leading.has_ended());
    assert_eq!(script.state().holder(), "");
    pass(Duration::from_millis(4_500)).await;
    assert!(other.leading.may_write());
    assert_eq!(script.state().spec().lease_transitions, Some(1));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_hangs_costs_the_lease_at_the_renew_deadline_and_not_later() {
    let script = Script::default();
    let one = start(&script, "a");
    // The last renewal is sent after two seconds.
    pass(Duration::from_millis(3_900)).await;
    script.state().silent = true;
    pass(Duration::from_millis(8_000)).await;
    assert!(
        one.leading.may_write(),
        "within ten seconds from the last renewal"
    );
    pass(Duration::from_millis(200)).await;
    assert!(!one.leading.may_write());
    assert!(one.task.is_finished(), "at once");
    assert_eq!(end(one.task).await, Err(LeaseLost::Late { within: 10 * SECOND }));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_answers_again_in_time_costs_nothing() {
    let script = Script::default();
    let one = start(&script, "a");
    pass(3 * SECOND).await;
    script.state().silent = true;
    pass(5 * SECOND).await;
    script.state().silent = false;
    script.state().failing = true;
    pass(SECOND).await;
    script.state().failing = false;
    pass(30 * SECOND).await;
    assert!(one.leading.may_write());
}

/// Whoever held it has ended every write before another one begins, whatever became of its last requests.
#[tokio::test(start_paused = true)]
async fn another_one_leads_only_after_the_holder_has_ended() {
    for carries_out in [false, true] {
        let script = Script::default();
        let one = start(&script, "a");
        pass(3 * SECOND).await;
        // The holder's requests get lost, or their answers.
        script.state().silent = true;
        script.state().carries_out = carries_out;
        let mut ended = None;
        for step in 0..200 {
            pass(SECOND / 10).await;
            if one.leading.has_ended() {
                ended = Some(step);
                break;
            }
        }
        let ended = ended.expect("it ends");
        assert!((70..=100).contains(&ended), "{ended}");
        script.state().silent = false;
        let other = start(&script, "b");
        pass(14 * SECOND).await;
        assert!(
            !other.leading.may_write(),
            "it has seen no more than 14 seconds of silence"
        );
        pass(6 * SECOND).await;
        assert!(other.leading.may_write());
        assert!(end(one.task).await.is_err());
    }
}

/// A process that is stopped does nothing until it goes on: its time passes at once.
#[tokio::test(start_paused = true)]
async fn a_holder_that_was_stopped_leads_no_more_and_asks_for_nothing() {
    let script = Script::default();
    let one = start(&script, "a");
    pass(3 * SECOND).await;
    let writes = script.state().writes;
    advance(20 * SECOND).await;
    assert!(!one.leading.may_write(), "before any of its tasks has run");
    settle().await;
    assert_eq!(end(one.task).await, Err(LeaseLost::Late { within: 10 * SECOND }));
    assert_eq!(script.state().writes, writes);
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_another_one_has_taken_is_lost_at_the_next_renewal() {
    let script = Script::default();
    let one = start(&script, "a");
    pass(3 * SECOND).await;
    script.change(|lease| lease.spec.as_mut().unwrap().holder_identity = Some("b".into()));
    pass(Duration::from_millis(2_100)).await;
    assert_eq!(end(one.task).await, Err(LeaseLost::Taken { holder: "b".into() }));
}

#[tokio::test(start_paused = true)]
async fn others_may_write_to_the_lease_or_delete_it_and_the_holder_renews_it() {
    let script = Script::default();
    let (one, other) = two(&script).await;
    pass(3 * SECOND).await;
    script.change(|lease| lease.metadata.labels = Some([("x".to_owned(), "y".to_owned())].into()));
    pass(3 * SECOND).await;
    let labels = script.state().lease.clone().unwrap().metadata.labels;
    assert!(labels.is_some_and(|labels| labels.contains_key("x")));
    script.state().lease = None;
    pass(30 * SECOND).await;
    assert!(one.leading.may_write() && !other.leading.may_write());
    assert_eq!(script.state().holder(), "a");
}

#[tokio::test(start_paused = true)]
async fn of_two_that_take_it_at_the_same_time_one_fails() {
    let script = Script::default();
    let processes: Vec<_> = (0..8).map(|n| start(&script, &format!("p{n}"))).collect();
    pass(10 * SECOND).await;
    let leaders = processes.iter().filter(|process| process.leading.may_write());
    assert_eq!(leaders.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn who_never_led_gives_nothing_back() {
    let script = Script::default();
    let (one, other) = two(&script).await;
    other.cancel.cancel();
    settle().await;
    assert_eq!(end(other.task).await, Ok(()));
    assert_eq!(script.state().holder(), "a");
    assert!(one.leading.may_write());
}
