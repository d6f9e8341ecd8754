//! Writes a desired tree, as one ServiceAccount.
//!
//! Owns the order of writes, what an error does to the rest of a group, and which options a write ends up with. It takes
//! a tree that is known to be well-formed; it never calls the guest and never changes what the guest emitted.

mod error;
mod known;
mod options;
mod order;
mod write;

use espejote_core::{Desired, ErrorPolicy, Group, Item};

pub use self::{
    error::{ApplyError, ItemError, ItemProblem, Verb},
    known::{Known, LiveVersions},
    options::Defaults,
    order::{Order, Turn},
    write::{Sent, Writer},
};

/// How many objects were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Objects that were applied.
    pub applied: usize,
    /// Objects that were not sent, because that would have changed nothing.
    pub unchanged: usize,
    /// Objects that were deleted, or gone already.
    pub deleted: usize,
    /// Objects left out because a group was aborted.
    pub skipped: usize,
}

/// What has come of a tree so far.
#[derive(Debug, Default)]
struct Progress {
    written: Written,
    errors: Vec<ItemError>,
}

/// Whether the group around an item goes on.
enum Flow {
    Continue,
    Failed,
    /// Nothing more is written, whatever the groups' policies say.
    Stopped,
}

/// Writes all items in order, one after the other.
///
/// With `Continue`, an error at an item is kept and the rest is done. With `Abort`, the rest of that group is left out,
/// and the group counts as one failed item of the group around it.
///
/// Once the credentials are refused, or `stopped` says so, nothing further is begun, whatever the policies are.
pub async fn apply(
    writer: &Writer,
    desired: &Desired,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Written, ApplyError> {
    let mut progress = Progress::default();
    let run = Run { writer, stopped };
    run.group(&desired.root, ErrorPolicy::Continue, &mut progress)
        .await;
    let Progress { written, errors } = progress;
    if errors.is_empty() {
        Ok(written)
    } else {
        Err(ApplyError { written, errors })
    }
}

/// One tree on its way.
struct Run<'a> {
    writer: &'a Writer,
    stopped: &'a (dyn Fn() -> bool + Sync),
}

impl Run<'_> {
    async fn group(&self, group: &Group, inherited: ErrorPolicy, progress: &mut Progress) -> Flow {
        let policy = group.on_error.unwrap_or(inherited);
        let mut flow = Flow::Continue;
        let mut items = group.items.iter();
        for item in items.by_ref() {
            match self.item(item, policy, progress).await {
                Flow::Continue => {}
                Flow::Failed => flow = Flow::Failed,
                Flow::Stopped => {
                    flow = Flow::Stopped;
                    break;
                }
            }
            if matches!(flow, Flow::Failed) && policy == ErrorPolicy::Abort {
                break;
            }
        }
        progress.written.skipped += items.map(objects_in).sum::<usize>();
        flow
    }

    async fn item(&self, item: &Item, policy: ErrorPolicy, progress: &mut Progress) -> Flow {
        if (self.stopped)() {
            progress.written.skipped += objects_in(item);
            return Flow::Stopped;
        }
        let written = match item {
            Item::Group(group) => return Box::pin(self.group(group, policy, progress)).await,
            Item::Apply(apply) => self.writer.apply(apply).await.map(|sent| match sent {
                Sent::Applied => &mut progress.written.applied,
                Sent::Unchanged => &mut progress.written.unchanged,
            }),
            Item::Delete(delete) => self
                .writer
                .delete(delete)
                .await
                .map(|()| &mut progress.written.deleted),
        };
        match written {
            Ok(count) => {
                *count += 1;
                Flow::Continue
            }
            Err(error) => {
                let stop = error.is_about_credentials();
                progress.errors.push(error);
                if stop { Flow::Stopped } else { Flow::Failed }
            }
        }
    }
}

fn objects_in(item: &Item) -> usize {
    match item {
        Item::Group(group) => group.items.iter().map(objects_in).sum(),
        Item::Apply(_) | Item::Delete(_) => 1,
    }
}
