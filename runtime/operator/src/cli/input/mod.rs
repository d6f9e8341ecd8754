//! Cluster state from a file, in place of a cluster.
//!
//! Owns the format of input files (`file`) and what becomes of one: `Invocation`s, one for each trigger. It knows
//! nothing of the logic that is called.

mod file;
mod invocations;
mod libraries;

pub use file::{FileError, InputFile, STANDARD_INPUT, Trigger as InputTrigger, text_of};
pub use invocations::{Call, InputError, Subject, calls};
