//! With which options an object is written.

use espejote_core::{ApplyOptions, FieldValidation};

/// The longest field manager that the API server takes, in bytes.
const MAX_FIELD_MANAGER: usize = 128;

/// What holds where the guest says nothing: `spec.applyOptions`, then the defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// The namespace of objects without one.
    pub namespace: String,
    /// The field manager.
    pub field_manager: String,
    /// Whether fields are taken over from other managers.
    pub force: bool,
    /// Treatment of unknown fields.
    pub field_validation: FieldValidation,
}

/// The options of one apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The field manager, at most 128 bytes.
    pub field_manager: String,
    /// Whether fields are taken over from other managers.
    pub force: bool,
    /// Treatment of unknown fields.
    pub field_validation: FieldValidation,
}

impl Defaults {
    /// The guest's options over these.
    pub fn resolve(&self, options: &ApplyOptions) -> Resolved {
        let manager = options.field_manager.as_deref().unwrap_or(&self.field_manager);
        let suffix = options.field_manager_suffix.as_deref().unwrap_or_default();
        Resolved {
            field_manager: field_manager(manager, suffix),
            force: options.force.unwrap_or(self.force),
            field_validation: options.field_validation.unwrap_or(self.field_validation),
        }
    }
}

/// A manager that is too long keeps its beginning, a hash of the whole, and the suffix: different ones stay different.
fn field_manager(manager: &str, suffix: &str) -> String {
    let whole = format!("{manager}{suffix}");
    if whole.len() <= MAX_FIELD_MANAGER {
        return whole;
    }
    let hash = format!("-{:08x}", fnv1a(whole.as_bytes()));
    let suffix = if suffix.len() <= MAX_FIELD_MANAGER / 2 {
        suffix
    } else {
        ""
    };
    let room = MAX_FIELD_MANAGER - hash.len() - suffix.len();
    let kept = manager
        .get(..manager.floor_char_boundary(room))
        .unwrap_or_default();
    format!("{kept}{hash}{suffix}")
}

/// FNV-1a, 32 bit: must be the same in every release, since it is in the objects' managedFields.
fn fnv1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defaults() -> Defaults {
        Defaults {
            namespace: "ns".into(),
            field_manager: "managed-resource:test".into(),
            force: true,
            field_validation: FieldValidation::Strict,
        }
    }

    /// A8, A15: the object's own options win over those of the spec.
    #[test]
    fn a8_a15_the_objects_options_win_over_the_specs() {
        let options = ApplyOptions {
            field_manager: Some("mine".into()),
            field_validation: Some(FieldValidation::Ignore),
            ..ApplyOptions::default()
        };
        let resolved = defaults().resolve(&options);
        assert_eq!(resolved.field_manager, "mine");
        assert_eq!(resolved.field_validation, FieldValidation::Ignore);
        assert!(resolved.force);
    }

    /// A9: the suffix follows whichever manager was chosen.
    #[test]
    fn a9_a_suffix_is_appended_to_whichever_manager_was_chosen() {
        let suffix = ApplyOptions {
            field_manager_suffix: Some(":status".into()),
            ..ApplyOptions::default()
        };
        assert_eq!(
            defaults().resolve(&suffix).field_manager,
            "managed-resource:test:status"
        );
        let both = ApplyOptions {
            field_manager: Some("mine".into()),
            ..suffix
        };
        assert_eq!(defaults().resolve(&both).field_manager, "mine:status");
    }

    /// A12: `false` at the object is a value too.
    #[test]
    fn a12_an_explicit_false_wins_over_the_specs_force() {
        let options = ApplyOptions {
            force: Some(false),
            ..ApplyOptions::default()
        };
        assert!(!defaults().resolve(&options).force);
    }

    #[test]
    fn long_managers_are_cut_and_stay_different() {
        let long =
            |last: char| field_manager(&format!("managed-resource:{}{last}", "n".repeat(200)), ":status");
        assert_eq!(long('a').len(), MAX_FIELD_MANAGER);
        assert!(long('a').ends_with(":status"));
        assert_ne!(long('a'), long('b'));
    }
}
