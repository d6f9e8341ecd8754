//! What the cluster should look like.
//!
//! Everything is buffered: nothing is written before the call has succeeded and all of it has been found well-formed.
//! Then it is written in the order of emission, as the owner's ServiceAccount. What is wrong with an item is reported by
//! the host after the call, with its position and name; the functions here fail only on what is no JSON.

use serde::Serialize;

use crate::failure::{Failure, FailureKind, OrFail};
use crate::host::desired as wit;
use crate::object::ObjectId;

/// What becomes of the rest of a group after an error at one of its items.
pub use wit::ErrorPolicy;

/// How the API server treats unknown and duplicate fields.
pub use wit::FieldValidation;

/// What becomes of an object's dependents when it is deleted.
pub use wit::PropagationPolicy;

/// Server-side apply of an object: `apiVersion`, `kind`, `metadata.name` and the fields to own.
///
/// # Errors
/// `invalid-output` if the object is not serialisable.
pub fn apply(object: &impl Serialize) -> Result<(), Failure> {
    wit::apply(&json(object)?, None);
    Ok(())
}

/// As [`apply`], with options that win over the owner's `spec.applyOptions`.
///
/// ```no_run
/// # use espejote_sdk::{Failure, desired::{self, ApplyOptions}};
/// # fn f(status: serde_json::Value) -> Result<(), Failure> {
/// desired::apply_with(&status, &ApplyOptions::new().subresource("status").field_manager_suffix(":status"))?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// `invalid-output` if the object is not serialisable.
pub fn apply_with(object: &impl Serialize, options: &ApplyOptions) -> Result<(), Failure> {
    wit::apply(&json(object)?, Some(&options.0));
    Ok(())
}

/// As [`apply_with`], for JSON that is text already.
pub fn apply_json(object: &str, options: Option<&ApplyOptions>) {
    wit::apply(object, options.map(|options| &options.0));
}

/// Deletes an object. That it does not exist is no error.
pub fn delete(id: &ObjectId) {
    wit::delete(id, None);
}

/// As [`delete`], with options.
pub fn delete_with(id: &ObjectId, options: &DeleteOptions) {
    wit::delete(id, Some(&options.0));
}

/// What `emit` emits becomes one group, an item of the group around it. `None`: the policy of the group around it; outside of
/// all groups that is [`ErrorPolicy::Continue`]. The group is closed however `emit` ends.
///
/// ```no_run
/// # use espejote_sdk::{Failure, desired::{self, ErrorPolicy}};
/// # fn f(claim: serde_json::Value, pod: serde_json::Value) -> Result<(), Failure> {
/// desired::group(Some(ErrorPolicy::Abort), || {
///     desired::apply(&claim)?;
///     desired::apply(&pod) // not written if the claim could not be
/// })?;
/// # Ok(())
/// # }
/// ```
pub fn group<T>(on_error: Option<ErrorPolicy>, emit: impl FnOnce() -> T) -> T {
    wit::open_group(on_error);
    let _closed = OpenGroup;
    emit()
}

/// As [`group`], for those who emit from a tree of their own. Each one needs its [`close_group`], or the call fails.
pub fn open_group(on_error: Option<ErrorPolicy>) {
    wit::open_group(on_error);
}

/// Ends the group that was opened last.
pub fn close_group() {
    wit::close_group();
}

/// Closes its group when it goes.
struct OpenGroup;

impl Drop for OpenGroup {
    fn drop(&mut self) {
        wit::close_group();
    }
}

/// Options of an apply. Whatever is left out comes from `spec.applyOptions` of the owner, then from the host's defaults.
#[derive(Debug, Clone)]
pub struct ApplyOptions(wit::ApplyOptions);

impl Default for ApplyOptions {
    fn default() -> Self {
        Self(wit::ApplyOptions {
            field_manager: None,
            field_manager_suffix: None,
            force: None,
            field_validation: None,
            subresource: None,
        })
    }
}

impl ApplyOptions {
    /// No options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Who owns the fields.
    #[must_use]
    pub fn field_manager(mut self, name: impl Into<String>) -> Self {
        self.0.field_manager = Some(name.into());
        self
    }

    /// Appended to the field manager, whichever it is; gives one owner several managers.
    #[must_use]
    pub fn field_manager_suffix(mut self, suffix: impl Into<String>) -> Self {
        self.0.field_manager_suffix = Some(suffix.into());
        self
    }

    /// Whether to take fields over from other managers. `false` is a value too: it wins over the owner's `true`.
    #[must_use]
    pub fn force(mut self, force: bool) -> Self {
        self.0.force = Some(force);
        self
    }

    /// How the API server treats unknown and duplicate fields.
    #[must_use]
    pub fn field_validation(mut self, validation: FieldValidation) -> Self {
        self.0.field_validation = Some(validation);
        self
    }

    /// Applies to this subresource, such as `status`, instead of the object itself.
    #[must_use]
    pub fn subresource(mut self, name: impl Into<String>) -> Self {
        self.0.subresource = Some(name.into());
        self
    }
}

/// Options of a deletion. Whatever is left out is up to the API server.
#[derive(Debug, Clone)]
pub struct DeleteOptions(wit::DeleteOptions);

impl Default for DeleteOptions {
    fn default() -> Self {
        Self(wit::DeleteOptions {
            grace_period_seconds: None,
            propagation_policy: None,
            precondition_uid: None,
            precondition_resource_version: None,
        })
    }
}

impl DeleteOptions {
    /// No options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How long the object may take to end.
    #[must_use]
    pub fn grace_period_seconds(mut self, seconds: u32) -> Self {
        self.0.grace_period_seconds = Some(seconds);
        self
    }

    /// What becomes of the object's dependents.
    #[must_use]
    pub fn propagation_policy(mut self, policy: PropagationPolicy) -> Self {
        self.0.propagation_policy = Some(policy);
        self
    }

    /// Deletes only the object with this uid.
    #[must_use]
    pub fn precondition_uid(mut self, uid: impl Into<String>) -> Self {
        self.0.precondition_uid = Some(uid.into());
        self
    }

    /// Deletes only this version of the object.
    #[must_use]
    pub fn precondition_resource_version(mut self, version: impl Into<String>) -> Self {
        self.0.precondition_resource_version = Some(version.into());
        self
    }
}

fn json(object: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(object).or_fail(FailureKind::InvalidOutput)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_stays_out() {
        let options = ApplyOptions::new().force(false);
        assert_eq!(options.0.force, Some(false));
        assert!(options.0.field_manager.is_none() && options.0.subresource.is_none());
    }

    #[test]
    fn what_is_no_json_is_an_invalid_output() {
        let keys_are_lists = std::collections::BTreeMap::from([(vec![1], 2)]);
        assert_eq!(
            json(&keys_are_lists).unwrap_err().kind,
            FailureKind::InvalidOutput
        );
    }
}
