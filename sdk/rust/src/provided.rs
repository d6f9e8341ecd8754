//! Entries of `context` that another plugin computes.

use serde::de::DeserializeOwned;

use crate::failure::{Failure, FailureKind, Unavailable};
use crate::host::provided as wit;
use crate::object::parse;

/// The names of all such entries, in the order of the manifest.
#[must_use]
pub fn names() -> Vec<String> {
    wit::names()
}

/// The value as a type. Its provider runs at most once for a call.
///
/// # Errors
/// As [`get_json`]; `invalid-input` if the value does not fit the type.
pub fn get<T: DeserializeOwned>(name: &str) -> Result<T, Failure> {
    let text = get_json(name)?;
    parse(FailureKind::InvalidInput, &text, || {
        format!("provided context {name:?}")
    })
}

/// The value as JSON.
///
/// # Errors
/// [`Unavailable`], with the words of the provider.
pub fn get_json(name: &str) -> Result<String, Unavailable> {
    wit::get(name)
}
