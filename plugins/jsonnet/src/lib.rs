//! The Jsonnet renderer, a plugin.
