//! Where a kind lives at the API server.
//!
//! Owns the building of paths. Never asks whether a kind exists; that is `discovery`.

/// A kind of the cluster and how to address it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// `group/version`, or `v1` for the core group.
    pub api_version: String,
    /// The kind, such as `ConfigMap`.
    pub kind: String,
    /// The plural name in paths, such as `configmaps`.
    pub plural: String,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// What can be done with it: `get`, `list`, `watch`, `patch` …
    pub verbs: Vec<String>,
}

impl Resource {
    /// The group; empty for the core group.
    pub fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }

    /// Whether the server offers this verb for the kind.
    pub fn allows(&self, verb: &str) -> bool {
        self.verbs.iter().any(|v| v == verb)
    }

    /// The path of all objects, in one namespace if one is given and the kind has namespaces.
    pub fn collection_path(&self, namespace: Option<&str>) -> String {
        let prefix = if self.api_version.contains('/') {
            "/apis"
        } else {
            "/api"
        };
        let mut path = format!("{prefix}/{}", self.api_version);
        if let Some(namespace) = namespace.filter(|n| self.namespaced && !n.is_empty()) {
            path.push_str("/namespaces/");
            push_encoded(&mut path, namespace);
        }
        path.push('/');
        path.push_str(&self.plural);
        path
    }

    /// The path of one object, or of a subresource of it.
    pub fn object_path(&self, namespace: Option<&str>, name: &str, subresource: Option<&str>) -> String {
        let mut path = self.collection_path(namespace);
        path.push('/');
        push_encoded(&mut path, name);
        if let Some(subresource) = subresource {
            path.push('/');
            push_encoded(&mut path, subresource);
        }
        path
    }
}

/// A query string under construction.
#[derive(Debug, Default, Clone)]
pub(crate) struct Query(String);

impl Query {
    /// Adds one parameter.
    pub(crate) fn with(mut self, key: &str, value: &str) -> Self {
        self.0.push(if self.0.is_empty() { '?' } else { '&' });
        self.0.push_str(key);
        self.0.push('=');
        push_encoded(&mut self.0, value);
        self
    }

    /// Adds one parameter if there is a value for it.
    pub(crate) fn with_some(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Puts the query behind a path.
    pub(crate) fn after(self, path: &str) -> String {
        format!("{path}{}", self.0)
    }
}

/// Percent-encodes everything but unreserved characters and the colon of RBAC names.
fn push_encoded(out: &mut String, text: &str) {
    const HEX: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F',
    ];
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b':') {
            out.push(char::from(byte));
        } else {
            let digit = |nibble: u8| HEX.get(usize::from(nibble)).copied().unwrap_or('0');
            out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(api_version: &str, plural: &str, namespaced: bool) -> Resource {
        let (api_version, plural) = (api_version.to_owned(), plural.to_owned());
        Resource {
            api_version,
            kind: String::new(),
            plural,
            namespaced,
            verbs: Vec::new(),
        }
    }

    #[test]
    fn c8_a_namespace_becomes_part_of_the_path() {
        let maps = resource("v1", "configmaps", true);
        assert_eq!(maps.collection_path(Some("a")), "/api/v1/namespaces/a/configmaps");
        assert_eq!(maps.collection_path(None), "/api/v1/configmaps");
        let roles = resource("rbac.authorization.k8s.io/v1", "clusterroles", false);
        assert_eq!(roles.group(), "rbac.authorization.k8s.io");
        assert_eq!(
            roles.object_path(Some("ignored"), "system:node", Some("status")),
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node/status"
        );
    }

    #[test]
    fn names_and_values_are_encoded() {
        let maps = resource("v1", "configmaps", true);
        assert_eq!(
            maps.object_path(Some("a"), "x/..?ä", None),
            "/api/v1/namespaces/a/configmaps/x%2F..%3F%C3%A4"
        );
        let query = Query::default()
            .with("labelSelector", "a in (b,c)")
            .with_some("limit", None)
            .with("x", "1");
        assert_eq!(query.after("/p"), "/p?labelSelector=a%20in%20%28b%2Cc%29&x=1");
    }
}
