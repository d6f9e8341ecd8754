//! What makes two watches the same.

use std::{collections::BTreeSet, fmt, sync::Arc};

use espejote_api::Watched;
use espejote_core::Projection;

/// Whose rights a watch uses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Tenant {
    /// The operator itself.
    Operator,
    /// A ServiceAccount; one that was deleted and created again is another.
    ServiceAccount {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// Its uid, as its token says.
        uid: Arc<str>,
    },
}

/// All that decides what a watch sees. Equal keys share one watch and one store.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WatchKey {
    /// With whose rights.
    pub tenant: Tenant,
    /// `group/version`, or `v1` for the core group.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// One namespace, or all. Of no effect for cluster-scoped kinds.
    pub namespace: Option<String>,
    /// As for `kubectl -l`; empty for all. Decided by the API server.
    pub label_selector: String,
    /// One name, or all. Decided by the API server.
    pub name: Option<String>,
    /// Only these names; empty for all. Decided here, before anything is stored.
    pub match_names: BTreeSet<String>,
    /// Not these names. Decided here, before anything is stored.
    pub ignore_names: BTreeSet<String>,
    /// Drop `metadata.managedFields`.
    pub strip_managed_fields: bool,
}

impl WatchKey {
    /// All objects of a kind, without managedFields.
    pub fn all(tenant: Tenant, api_version: &str, kind: &str, namespace: Option<&str>) -> Self {
        Self {
            tenant,
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            namespace: namespace.map(str::to_owned),
            label_selector: String::new(),
            name: None,
            match_names: BTreeSet::new(),
            ignore_names: BTreeSet::new(),
            strip_managed_fields: true,
        }
    }

    /// What a manifest selects.
    pub fn of(watched: &Watched, tenant: Tenant) -> Self {
        Self {
            tenant,
            api_version: watched.api_version.clone(),
            kind: watched.kind.clone(),
            namespace: watched.namespace.clone(),
            name: watched.name.clone(),
            label_selector: watched.label_selector.clone(),
            match_names: watched.match_names.iter().cloned().collect(),
            ignore_names: watched.ignore_names.iter().cloned().collect(),
            strip_managed_fields: watched.strip_managed_fields,
        }
    }

    pub(super) fn wants(&self, name: &str) -> bool {
        (self.match_names.is_empty() || self.match_names.contains(name)) && !self.ignore_names.contains(name)
    }

    pub(super) fn projection(&self) -> Projection {
        Projection {
            strip_managed_fields: self.strip_managed_fields,
        }
    }

    pub(super) fn field_selector(&self) -> Option<String> {
        self.name.as_ref().map(|name| format!("metadata.name={name}"))
    }
}

impl fmt::Display for WatchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let namespace = self.namespace.as_deref().unwrap_or("*");
        write!(f, "{}/{} {namespace}", self.api_version, self.kind)?;
        match &self.tenant {
            Tenant::Operator => write!(f, " as the operator"),
            Tenant::ServiceAccount { namespace, name, .. } => write!(f, " as {namespace}/{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C5:
    #[test]
    fn c5_names_are_kept_if_they_match_and_are_not_ignored() {
        let mut key = WatchKey::all(Tenant::Operator, "v1", "ConfigMap", None);
        assert!(key.wants("a"));
        key.ignore_names = ["b".to_owned()].into();
        assert!(key.wants("a") && !key.wants("b"));
        key.match_names = ["a".to_owned(), "b".to_owned()].into();
        assert!(key.wants("a") && !key.wants("b") && !key.wants("c"));
    }
}
