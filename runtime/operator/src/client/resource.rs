//! Where a kind lives at the API server.
//!
//! Owns the building of paths, and that no name leads to another path than that of its object. Never asks whether a kind
//! exists; that is `discovery`.

use espejote_core::path_segment;

use super::error::ApiError;

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
    /// A kind that is known without asking for it. Nothing is known of its verbs.
    pub fn known(api_version: &str, kind: &str, plural: &str, namespaced: bool) -> Self {
        Self {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            plural: plural.to_owned(),
            namespaced,
            verbs: Vec::new(),
        }
    }

    /// The group; empty for the core group.
    pub fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }

    /// Whether the server offers this verb for the kind.
    pub fn allows(&self, verb: &str) -> bool {
        self.verbs.iter().any(|v| v == verb)
    }

    /// The path of all objects, in one namespace if one is given and the kind has namespaces.
    ///
    /// An error if the namespace cannot be a segment of a path.
    pub fn collection_path(&self, namespace: Option<&str>) -> Result<String, ApiError> {
        let prefix = if self.api_version.contains('/') {
            "/apis"
        } else {
            "/api"
        };
        let mut path = format!("{prefix}/{}", self.api_version);
        if let Some(namespace) = namespace.filter(|n| self.namespaced && !n.is_empty()) {
            path.push_str("/namespaces/");
            push_segment(&mut path, "namespace", namespace)?;
        }
        path.push('/');
        path.push_str(&self.plural);
        Ok(path)
    }

    /// The path of one object, or of a subresource of it.
    ///
    /// An error if one of the names cannot be a segment of a path: an empty one would mean all objects of the kind.
    pub fn object_path(
        &self,
        namespace: Option<&str>,
        name: &str,
        subresource: Option<&str>,
    ) -> Result<String, ApiError> {
        let mut path = self.collection_path(namespace)?;
        path.push('/');
        push_segment(&mut path, "name", name)?;
        if let Some(subresource) = subresource {
            path.push('/');
            push_segment(&mut path, "subresource", subresource)?;
        }
        Ok(path)
    }
}

/// Servers decode before they split a path: what is no segment must not be sent, however it is encoded.
fn push_segment(path: &mut String, field: &'static str, text: &str) -> Result<(), ApiError> {
    if let Some(rule) = path_segment::problem(text) {
        return Err(ApiError::Segment {
            field,
            text: text.to_owned(),
            rule,
        });
    }
    push_encoded(path, text);
    Ok(())
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
        assert_eq!(
            maps.collection_path(Some("a")).unwrap(),
            "/api/v1/namespaces/a/configmaps"
        );
        assert_eq!(maps.collection_path(None).unwrap(), "/api/v1/configmaps");
        let roles = resource("rbac.authorization.k8s.io/v1", "clusterroles", false);
        assert_eq!(roles.group(), "rbac.authorization.k8s.io");
        assert_eq!(
            roles
                .object_path(Some("ignored"), "system:node", Some("status"))
                .unwrap(),
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node/status"
        );
    }

    #[test]
    fn names_and_values_are_encoded() {
        let maps = resource("v1", "configmaps", true);
        assert_eq!(
            maps.object_path(Some("a"), "x..?ä", None).unwrap(),
            "/api/v1/namespaces/a/configmaps/x..%3F%C3%A4"
        );
        let query = Query::default()
            .with("labelSelector", "a in (b,c)")
            .with_some("limit", None)
            .with("x", "1");
        assert_eq!(query.after("/p"), "/p?labelSelector=a%20in%20%28b%2Cc%29&x=1");
    }
    #[test]
    fn a_name_that_leads_elsewhere_gives_no_path() {
        let maps = resource("v1", "configmaps", true);
        for (namespace, name, subresource) in [
            ("a", "", None),
            ("a", "/", None),
            ("a", "..", None),
            ("a/b", "x", None),
            ("a", "x", Some("y/z")),
            ("a", "x%2Fy", None),
        ] {
            let path = maps.object_path(Some(namespace), name, subresource);
            assert!(matches!(path, Err(ApiError::Segment { .. })), "{path:?}");
        }
    }
}
