//! What the watches have seen, as bytes.
//!
//! Owns the objects, their sharing across watches, their order, and the word on how far they can be trusted. One task
//! writes; readers get snapshots that never change. Never waits for anybody, and never takes "not known" for "empty".

mod intern;
mod pending;
mod reader;
mod sorted;
mod state;
mod store;

pub(crate) use self::{intern::Interner, sorted::Staged, store::Store};
pub use self::{
    pending::{Change, Subscription},
    reader::{Reader, Reading, Size},
    state::{NotSynced, State},
};
