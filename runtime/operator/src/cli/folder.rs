//! Folders of the user, as variables of the environment name them.

use std::path::PathBuf;

/// The folder that a variable names; none if it is unset or empty.
pub(super) fn of(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// The user's folder for what can be made again.
pub(super) fn cache() -> Option<PathBuf> {
    of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")))
}
