//! What the fake of a thread holds while a call runs.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::collection::Collection;
use super::tree::Tree;
use super::{Line, Report};
use crate::invocation::Owner;
use crate::{ObjectId, Unavailable, UnavailableReason};

thread_local! {
    static CURRENT: RefCell<Option<State>> = const { RefCell::new(None) };
}

#[derive(Debug)]
pub(crate) struct State {
    pub owner: Owner,
    pub config: String,
    pub contexts: Vec<(String, Result<Collection, Unavailable>)>,
    pub provided: Vec<(String, Result<String, Unavailable>)>,
    pub files: BTreeMap<String, Vec<u8>>,
    pub trigger: Trigger,
    pub tree: Tree,
    pub report: Report,
    pub log: Vec<Line>,
    pub warnings: Vec<String>,
    pub annotations: BTreeMap<String, String>,
    pub kept: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Trigger {
    pub name: Option<String>,
    pub event: Option<ObjectId>,
    pub object: Option<String>,
}

impl State {
    pub fn new(owner: Owner) -> Self {
        Self {
            owner,
            config: "null".to_owned(),
            contexts: Vec::new(),
            provided: Vec::new(),
            files: BTreeMap::new(),
            trigger: Trigger::default(),
            tree: Tree::default(),
            report: Report::default(),
            log: Vec::new(),
            warnings: Vec::new(),
            annotations: BTreeMap::new(),
            kept: false,
        }
    }
}

/// Runs a call over a state, and gives back what has become of it.
pub(crate) fn run<T>(state: State, call: impl FnOnce() -> T) -> (T, State) {
    /// Takes the state away from the thread however the call ends.
    struct Current;
    impl Drop for Current {
        fn drop(&mut self) {
            CURRENT.take();
        }
    }
    let outer = CURRENT.replace(Some(state));
    assert!(
        outer.is_none(),
        "a call of the fake host runs inside of another one"
    );
    let _current = Current;
    let returned = call();
    (
        returned,
        with(|state| std::mem::replace(state, State::new(state.owner.clone()))),
    )
}

/// Asks the fake of this thread.
#[allow(clippy::panic, reason = "outside of a host there is nothing to answer with")]
pub(crate) fn with<T>(ask: impl FnOnce(&mut State) -> T) -> T {
    CURRENT.with_borrow_mut(|state| match state {
        Some(state) => ask(state),
        None => {
            panic!("there is no host outside of WebAssembly: run the plugin by espejote_sdk::testing::Host")
        }
    })
}

/// One of the named entries.
pub(crate) fn find<T: Clone>(
    entries: &[(String, Result<T, Unavailable>)],
    name: &str,
) -> Result<T, Unavailable> {
    let found = entries.iter().find(|(entry, _)| entry == name);
    found.map_or_else(
        || {
            Err(Unavailable {
                reason: UnavailableReason::UnknownName,
                message: format!("context {name:?} is not defined"),
            })
        },
        |(_, value)| value.clone(),
    )
}
