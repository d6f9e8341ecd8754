//! Keeps guests interruptible.
//!
//! One type owns all that has to agree: the setting of the compiler, the thread that ticks, and the deadline of each
//! store. A guest yields to the executor at every tick; how long it may run in all is measured by `invoke`.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, Thread},
    time::Duration,
};

use wasmtime::{Config, Engine, EngineWeak, Store, UpdateDeadline};

/// The longest that a guest runs without yielding. A yield costs about a microsecond.
const TICK: Duration = Duration::from_millis(1);

/// The ticking thread; ends with the last [`Epochs`] and never keeps an engine alive. Sleeps while no guest runs.
#[derive(Debug)]
pub(crate) struct Epochs {
    state: Arc<State>,
    thread: Thread,
}

#[derive(Debug, Default)]
struct State {
    running: AtomicUsize,
    stopped: AtomicBool,
}

/// While one lives, epochs tick.
#[derive(Debug)]
pub(crate) struct Ticking(Arc<State>);

impl Epochs {
    /// Makes code interruptible. Compiler and engine need the same setting.
    pub fn configure(config: &mut Config) {
        config.epoch_interruption(true);
    }

    /// Starts the thread.
    pub fn start(engine: &Engine) -> std::io::Result<Self> {
        let state = Arc::new(State::default());
        let (engine, seen) = (engine.weak(), state.clone());
        let handle = thread::Builder::new()
            .name("epoch".to_owned())
            .stack_size(64 * 1024)
            .spawn(move || tick(&engine, &seen))?;
        Ok(Self {
            state,
            thread: handle.thread().clone(),
        })
    }

    /// Makes a store yield at every tick, and sees that there are ticks.
    pub fn arm<T: 'static>(&self, store: &mut Store<T>) -> Ticking {
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|_| {
            Ok(UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now())))
        });
        if self.state.running.fetch_add(1, Ordering::AcqRel) == 0 {
            self.thread.unpark();
        }
        Ticking(self.state.clone())
    }
}

impl Drop for Epochs {
    fn drop(&mut self) {
        self.state.stopped.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

fn tick(engine: &EngineWeak, state: &State) {
    while !state.stopped.load(Ordering::Acquire) {
        if state.running.load(Ordering::Acquire) == 0 {
            thread::park();
        } else {
            thread::sleep(TICK);
        }
        match engine.upgrade() {
            Some(engine) => engine.increment_epoch(),
            None => return,
        }
    }
}
