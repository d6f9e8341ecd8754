//! The name of one object of a cluster.

use std::fmt;

/// Names one object of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId {
    /// `group/version`, or `v1` for the core group.
    pub api_version: String,
    /// The kind, in CamelCase.
    pub kind: String,
    /// Empty: the kind is cluster-scoped, or, in what a guest emits, the namespace of the owner is meant.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
}

impl ObjectId {
    /// The API group; empty for the core group.
    pub fn group(&self) -> &str {
        self.api_version.rsplit_once('/').map_or("", |(group, _)| group)
    }

    /// The version without its group.
    pub fn version(&self) -> &str {
        self.api_version
            .rsplit_once('/')
            .map_or(self.api_version.as_str(), |(_, version)| version)
    }
}

/// `<namespace>/<name> <Kind>`, as error texts name an object; the slash stays for cluster-scoped ones.
impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} {}", self.namespace, self.name, self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_and_version_are_split_at_the_last_slash() {
        let id = ObjectId {
            api_version: "networking.k8s.io/v1".into(),
            ..ObjectId::default()
        };
        assert_eq!((id.group(), id.version()), ("networking.k8s.io", "v1"));
    }

    #[test]
    fn the_core_group_is_empty() {
        let id = ObjectId {
            api_version: "v1".into(),
            ..ObjectId::default()
        };
        assert_eq!((id.group(), id.version()), ("", "v1"));
    }
}
