//! Lines in the operator's log, tagged by the host with plugin, owner and trigger.
//!
//! The message is constant text; what varies goes into the fields. No contents of Secrets. What a plugin prints is logged
//! too: standard output at `info`, standard error at `warn`.
//!
//! ```no_run
//! # use espejote_sdk::logging;
//! # let (namespace, copies) = ("shop", 3);
//! logging::info("copied", &[("namespace", &namespace), ("copies", &copies)]);
//! ```

use crate::host::logging as wit;
use std::fmt::Display;

/// How much a line matters.
pub use wit::Level;

/// A field's value.
pub type Field<'a> = (&'a str, &'a dyn Display);

/// Whether a line of this level would be kept; saves putting it together.
#[must_use]
pub fn enabled(level: Level) -> bool {
    wit::enabled(level)
}

/// Logs a line if its level is kept.
pub fn log(level: Level, message: &str, fields: &[Field<'_>]) {
    if enabled(level) {
        let fields: Vec<_> = fields
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.to_string()))
            .collect();
        wit::log(level, message, &fields);
    }
}

/// For the author of a plugin: every step.
pub fn trace(message: &str, fields: &[Field<'_>]) {
    log(Level::Trace, message, fields);
}

/// For the author of a manifest: why something came out as it did.
pub fn debug(message: &str, fields: &[Field<'_>]) {
    log(Level::Debug, message, fields);
}

/// Worth a line in ordinary operation.
pub fn info(message: &str, fields: &[Field<'_>]) {
    log(Level::Info, message, fields);
}

/// Something is not as it should be, and goes on.
pub fn warn(message: &str, fields: &[Field<'_>]) {
    log(Level::Warn, message, fields);
}

/// Something failed.
pub fn error(message: &str, fields: &[Field<'_>]) {
    log(Level::Error, message, fields);
}
