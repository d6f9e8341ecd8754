//! Files that people keep in JsonnetLibrary objects: text, JSON, templates, anything.
//!
//! A path is `<library>/<key>` in the owner's namespace, or `lib/<library>/<key>` in the library namespace of the operator.
//! All files are of one instant, the start of the call. A change of a library starts no reconcile by itself.

use crate::failure::Failure;
use crate::host::library as wit;
use crate::object::Revision;

/// Why a file cannot be read.
pub use wit::ReadError;

/// See [`ReadError`].
pub use wit::ReadErrorReason;

/// The bytes of a file.
///
/// # Errors
/// [`ReadError`]; as a [`Failure`] (by `?`) `not-ready` if libraries cannot be read now, `invalid-input` otherwise.
///
/// ```no_run
/// # use espejote_sdk::{Failure, library};
/// # fn f() -> Result<(), Failure> {
/// let flags = library::read_text("lib/autoscaler/flags.json")?;
/// # Ok(())
/// # }
/// ```
pub fn read(path: &str) -> Result<Vec<u8>, ReadError> {
    wit::read(path)
}

/// The text of a file.
///
/// # Errors
/// As [`read`]; `invalid-input` if it is no UTF-8.
pub fn read_text(path: &str) -> Result<String, Failure> {
    String::from_utf8(read(path)?)
        .map_err(|_| Failure::invalid_input(format!("library file {path:?} is no UTF-8 text")))
}

/// Tells, without reading the file, whether what a kept instance remembers of it is still right.
///
/// # Errors
/// As [`read`].
pub fn revision_of(path: &str) -> Result<Revision, ReadError> {
    wit::revision_of(path)
}
