//! Cluster state from a file, in place of a cluster.
//!
//! Owns the format of input files (`file`, `write`), what becomes of one (`invocations`: one `Invocation` for each trigger),
//! and how one is made of calls (`record`). It knows nothing of the logic that is called.

mod file;
mod invocations;
mod libraries;
mod record;
mod review;
mod write;

pub use file::{FileError, InputFile, STANDARD_INPUT, Trigger as InputTrigger, text_of};
pub use invocations::{Call, InputError, Subject, calls};
pub use record::{RecordError, of_call, trigger as recorded_trigger};
pub use review::{Review, ReviewError};
