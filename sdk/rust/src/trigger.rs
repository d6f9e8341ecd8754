//! What started this reconcile.

use serde::de::DeserializeOwned;

use crate::failure::{Failure, FailureKind};
use crate::host::trigger as wit;
use crate::object::{ObjectId, parse, written};

/// The name of the trigger in the manifest. `None`: the general reconcile, for all objects at once.
#[must_use]
pub fn name() -> Option<String> {
    wit::name()
}

/// The object whose change started this call; `None` for the general reconcile and for intervals. Several changes may
/// have been merged into one call.
#[must_use]
pub fn event() -> Option<ObjectId> {
    wit::event()
}

/// That object as it is at the instant of [`state`](crate::state); `None` if it is gone.
///
/// # Errors
/// `invalid-input` if the object does not fit the type.
pub fn object<T: DeserializeOwned>() -> Result<Option<T>, Failure> {
    let what = || {
        event()
            .as_ref()
            .map_or_else(|| "object of the trigger".to_owned(), written)
    };
    object_json()
        .map(|text| parse(FailureKind::InvalidInput, &text, what))
        .transpose()
}

/// As [`object`], as JSON.
#[must_use]
pub fn object_json() -> Option<String> {
    wit::object()
}
