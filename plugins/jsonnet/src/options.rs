//! The options that travel with an object in the template's result, and how they are read from it.

pub use espejote_sdk::desired::{FieldValidation, PropagationPolicy};

use crate::json::Json;

pub(crate) const APPLY_OPTIONS_KEY: &str = "__internal_use_espejote_lib_apply_options";
pub(crate) const DELETION_KEY: &str = "__internal_use_espejote_lib_deletion";

/// Options of an apply, as given by `esp.applyOptions`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApplyOptions {
    /// Replaces the field manager.
    pub field_manager: Option<String>,
    /// Appended to the field manager.
    pub field_manager_suffix: Option<String>,
    /// Takes fields over.
    pub force: Option<bool>,
    /// How unknown fields are treated.
    pub field_validation: Option<FieldValidation>,
    /// Applies to a subresource.
    pub subresource: Option<String>,
}

/// Options of a deletion, as given by `esp.markForDelete`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// How long the object may take to end.
    pub grace_period_seconds: Option<u32>,
    /// What becomes of its dependents.
    pub propagation_policy: Option<PropagationPolicy>,
    /// Delete only the object with this uid.
    pub precondition_uid: Option<String>,
    /// Delete only this version.
    pub precondition_resource_version: Option<String>,
}

/// An option that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// Wrong type.
    #[error(".{path} accessor error: {found} is of the type {found_type}, expected {expected}")]
    Accessor {
        /// Where, from the object on.
        path: String,
        /// The value.
        found: String,
        /// Its type.
        found_type: &'static str,
        /// What was expected.
        expected: &'static str,
    },
    /// Right type, but none of the values allowed.
    #[error(".{path} must be one of {allowed}, is: {found}")]
    NotAllowed {
        /// Where, from the object on.
        path: String,
        /// The values allowed.
        allowed: &'static str,
        /// The value.
        found: String,
    },
}

impl ApplyOptions {
    /// Reads the value of the options key.
    pub(crate) fn parse(value: &Json) -> Result<Self, OptionError> {
        let fields = Fields::new(APPLY_OPTIONS_KEY, value)?;
        Ok(Self {
            field_manager: fields.string("fieldManager")?,
            field_manager_suffix: fields.string("fieldManagerSuffix")?,
            force: fields.bool("force")?,
            field_validation: fields.one_of(
                "fieldValidation",
                "Ignore, Warn, Strict",
                |word| match word {
                    "Ignore" => Some(FieldValidation::Ignore),
                    "Warn" => Some(FieldValidation::Warn),
                    "Strict" => Some(FieldValidation::Strict),
                    _ => None,
                },
            )?,
            subresource: fields.string("subresource")?,
        })
    }
}

impl DeleteOptions {
    /// Reads the value of the deletion key; none if it does not mark the object.
    pub(crate) fn parse(value: &Json) -> Result<Option<Self>, OptionError> {
        let fields = Fields::new(DELETION_KEY, value)?;
        if fields.bool("delete")? != Some(true) {
            return Ok(None);
        }
        Ok(Some(Self {
            grace_period_seconds: fields.seconds("gracePeriodSeconds")?,
            propagation_policy: fields.one_of(
                "propagationPolicy",
                "Background, Foreground, Orphan",
                |word| match word {
                    "Background" => Some(PropagationPolicy::Background),
                    "Foreground" => Some(PropagationPolicy::Foreground),
                    "Orphan" => Some(PropagationPolicy::Orphan),
                    _ => None,
                },
            )?,
            precondition_uid: fields.string("preconditionUID")?,
            precondition_resource_version: fields.string("preconditionResourceVersion")?,
        }))
    }
}

/// The fields of one object of options, read with the words of Kubernetes' own accessors.
pub(crate) struct Fields<'a> {
    path: &'a str,
    value: &'a Json,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(path: &'a str, value: &'a Json) -> Result<Self, OptionError> {
        match value {
            Json::Object(_) => Ok(Self { path, value }),
            other => Err(accessor(path.to_owned(), other, "map[string]interface {}")),
        }
    }

    pub(crate) fn string(&self, name: &str) -> Result<Option<String>, OptionError> {
        self.field(name, "string", |value| value.as_str().map(str::to_owned))
    }

    fn bool(&self, name: &str) -> Result<Option<bool>, OptionError> {
        self.field(name, "bool", Json::as_bool)
    }

    fn seconds(&self, name: &str) -> Result<Option<u32>, OptionError> {
        self.field(name, "int64", |value| {
            value.number().and_then(|digits| digits.parse().ok())
        })
    }

    fn one_of<T>(
        &self,
        name: &str,
        allowed: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, OptionError> {
        let Some(word) = self.string(name)? else {
            return Ok(None);
        };
        match read(&word) {
            Some(value) => Ok(Some(value)),
            None => Err(OptionError::NotAllowed {
                path: self.path_of(name),
                allowed,
                found: word,
            }),
        }
    }

    fn field<T>(
        &self,
        name: &str,
        expected: &'static str,
        read: impl FnOnce(&Json) -> Option<T>,
    ) -> Result<Option<T>, OptionError> {
        match self.value.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(value) => match read(value) {
                Some(value) => Ok(Some(value)),
                None => Err(accessor(self.path_of(name), value, expected)),
            },
        }
    }

    fn path_of(&self, name: &str) -> String {
        format!("{}.{name}", self.path)
    }
}

fn accessor(path: String, value: &Json, expected: &'static str) -> OptionError {
    let found = match value {
        Json::String(text) => text.to_string(),
        other => other.to_text(),
    };
    OptionError::Accessor {
        path,
        found,
        found_type: value.go_type(),
        expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    /// A9, A15:
    #[test]
    fn all_apply_options_are_read_and_absent_or_null_ones_stay_out() {
        let all = r#"{"fieldManager":"m","fieldManagerSuffix":":s","force":false,"fieldValidation":"Ignore","subresource":"status"}"#;
        assert_eq!(
            ApplyOptions::parse(&json(all)).unwrap(),
            ApplyOptions {
                field_manager: Some("m".into()),
                field_manager_suffix: Some(":s".into()),
                force: Some(false),
                field_validation: Some(FieldValidation::Ignore),
                subresource: Some("status".into()),
            }
        );
        assert_eq!(
            ApplyOptions::parse(&json(r#"{"force":null}"#)).unwrap(),
            ApplyOptions::default()
        );
    }

    /// D3, D5:
    #[test]
    fn all_delete_options_are_read() {
        let all = r#"{"delete":true,"gracePeriodSeconds":0,"propagationPolicy":"Foreground","preconditionUID":"u","preconditionResourceVersion":"7"}"#;
        assert_eq!(
            DeleteOptions::parse(&json(all)).unwrap(),
            Some(DeleteOptions {
                grace_period_seconds: Some(0),
                propagation_policy: Some(PropagationPolicy::Foreground),
                precondition_uid: Some("u".into()),
                precondition_resource_version: Some("7".into()),
            })
        );
    }

    /// D3:
    #[test]
    fn without_delete_true_nothing_is_marked() {
        for text in [r#"{"delete":false}"#, "{}"] {
            assert_eq!(DeleteOptions::parse(&json(text)).unwrap(), None, "{text}");
        }
    }

    /// D6:
    #[test]
    fn d6_a_value_of_the_wrong_type_is_an_accessor_error() {
        let error = DeleteOptions::parse(&json(r#"{"delete":true,"gracePeriodSeconds":"abc"}"#)).unwrap_err();
        assert_eq!(
            error.to_string(),
            ".__internal_use_espejote_lib_deletion.gracePeriodSeconds accessor error: abc is of the type string, expected int64"
        );
        let fraction =
            DeleteOptions::parse(&json(r#"{"delete":true,"gracePeriodSeconds":1.5}"#)).unwrap_err();
        assert!(
            fraction.to_string().contains("1.5 is of the type float64"),
            "{fraction}"
        );
        assert!(
            ApplyOptions::parse(&json(r#"{"force":"yes"}"#))
                .unwrap_err()
                .to_string()
                .contains("accessor error")
        );
    }

    #[test]
    fn a_word_that_is_not_allowed_is_told_with_those_that_are() {
        let error = ApplyOptions::parse(&json(r#"{"fieldValidation":"Maybe"}"#)).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("must be one of Ignore, Warn, Strict, is: Maybe"),
            "{error}"
        );
    }
}
