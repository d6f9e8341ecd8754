//! The domain of Espejote, without any input or output.
//!
//! Owns the words that the other crates share: objects as bytes, snapshots of cluster state, triggers, library files,
//! the desired tree that a call emits, what a call reports, and the table of reasons. It never talks to a cluster, to a
//! guest or to a disk.

pub mod computed;
pub mod desired;
mod head;
pub mod invocation;
pub mod library;
pub mod object;
pub mod object_id;
pub mod path_segment;
pub mod plugin_reason;
pub mod reason;
pub mod report;
pub mod revisions;
pub mod scanner;
pub mod selector;
pub mod snapshot;
pub mod text;

pub use computed::{Compute, Computing};
pub use desired::{
    Apply, ApplyOptions, Delete, DeleteOptions, Desired, DesiredBuilder, ErrorPolicy, FieldValidation, Group,
    InvalidItem, InvalidItems, Item, PropagationPolicy,
};
pub use invocation::{Invocation, Owner, Trigger, clock_now};
pub use library::{Libraries, Library, LibraryFile, LibraryReads, LibraryScope, ReadError, ReadErrorReason};
pub use object::{Object, ObjectText, ParseObjectError, Projection, TypeOfItems};
pub use object_id::ObjectId;
pub use plugin_reason::PluginReason;
pub use reason::{Logic, Reason, Retry, Row, Standing};
pub use report::{Condition, ConditionStatus, FailureKind, Report, Waiting};
pub use selector::{ParseSelectorError, Selector};
pub use snapshot::{
    Collection, Context, ContextValue, Provided, Revision, Snapshot, Unavailable, UnavailableReason,
};
