//! What a module reference means.

use std::path::PathBuf;

use espejote_core::PluginReason;
use espejote_oci::{ModuleReference, Reference, ReferenceError};

use super::{
    policy::{Denied, Policy},
    progress::{Stage, Stop},
};

/// The tag where neither a tag nor a digest is given, as everywhere in Kubernetes.
const DEFAULT_TAG: &str = "latest";

/// Where a component comes from; the operator's policy allows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Module {
    /// A file of the operator's machine.
    File(PathBuf),
    /// A registry.
    Registry(Reference),
}

impl Module {
    /// Reads a reference, and sees whether the policy allows it.
    pub(super) fn of(text: &str, policy: &Policy) -> Result<Self, Stop> {
        let invalid = |error: ReferenceError| {
            let message = format!("spec.module: {error}");
            Stop::new(Stage::Resolved, PluginReason::InvalidSpec, message)
        };
        let denied = |denied: Denied| {
            let message = format!("spec.module: {denied}");
            Stop::new(Stage::Resolved, PluginReason::NotAllowed, message)
        };
        match parse(text).map_err(invalid)? {
            ModuleReference::File(path) => policy.allowed_file(&path).map(Self::File).map_err(denied),
            ModuleReference::Registry(reference) => {
                policy.allows_repository(&reference.name()).map_err(denied)?;
                Ok(Self::Registry(reference))
            }
        }
    }

    /// Whether what is behind it changes as a rule: a file, or the tag `latest`.
    pub(super) fn is_moving(&self) -> bool {
        match self {
            Self::File(_) => true,
            Self::Registry(reference) => reference.digest().is_none() && reference.tag() == Some(DEFAULT_TAG),
        }
    }
}

/// Reads a reference; the tag is `latest` where neither a tag nor a digest is given.
pub fn parse(text: &str) -> Result<ModuleReference, ReferenceError> {
    match text.parse() {
        Err(ReferenceError::NoVersion(_)) => format!("{text}:{DEFAULT_TAG}").parse(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(text: &str) -> Result<Module, Stop> {
        Module::of(text, &Policy::default())
    }

    /// P1: plain or with a scheme; `latest` where there is no tag.
    #[test]
    fn p1_a_reference_may_have_a_scheme_and_needs_no_tag() {
        for text in [
            "ghcr.io/x/y",
            "registry://ghcr.io/x/y",
            "oci://ghcr.io/x/y:latest",
        ] {
            let Ok(Module::Registry(reference)) = module(text) else {
                panic!("{text}");
            };
            assert_eq!(reference.to_string(), "ghcr.io/x/y:latest");
        }
    }

    #[test]
    fn only_latest_and_files_move() {
        assert!(module("ghcr.io/x/y").unwrap().is_moving());
        assert!(!module("ghcr.io/x/y:1.0").unwrap().is_moving());
        let pinned = format!("ghcr.io/x/y:latest@sha256:{}", "0".repeat(64));
        assert!(!module(&pinned).unwrap().is_moving());
    }

    #[test]
    fn what_is_no_reference_is_an_invalid_spec() {
        let stop = module("just-a-name").unwrap_err();
        assert_eq!(stop.reason, PluginReason::InvalidSpec);
        assert!(stop.message.starts_with("spec.module: "), "{}", stop.message);
        assert_eq!(
            module("file:///x.wasm").unwrap_err().reason,
            PluginReason::NotAllowed
        );
    }
}
