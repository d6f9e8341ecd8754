//! For which registries an entry of a docker configuration is meant: the kubelet's rules.

/// Host, port and path prefix; each part of the host may hold `*`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pattern {
    host: String,
    port: Option<String>,
    path: String,
}

impl Pattern {
    /// Of a key as docker and the kubelet write it: with or without scheme, with `/v1/` or `/v2/` behind.
    pub(crate) fn new(key: &str) -> Self {
        let rest = key.split_once("://").map_or(key, |(_, rest)| rest);
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = split_port(authority);
        let path = path.trim_end_matches('/');
        let path = match path.split_once('/') {
            // What docker appends says nothing about repositories.
            None if matches!(path, "v1" | "v2") => "",
            Some(("v1" | "v2", rest)) => rest,
            _ => path,
        };
        Self {
            host: docker_hub(&host.to_ascii_lowercase()),
            port,
            path: path.to_owned(),
        }
    }

    /// Whether it is meant for a repository of a registry.
    pub(crate) fn matches(&self, registry: &str, repository: &str) -> bool {
        let (host, port) = split_port(registry);
        self.port == port
            && hosts_match(&self.host, &docker_hub(&host.to_ascii_lowercase()))
            && repository.starts_with(&self.path)
    }
}

/// Docker Hub has three names: the one in references, the one in docker's configuration, and the registry's.
fn docker_hub(host: &str) -> String {
    match host {
        "index.docker.io" | "registry-1.docker.io" => "docker.io".to_owned(),
        other => other.to_owned(),
    }
}

fn split_port(authority: &str) -> (&str, Option<String>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|c| c.is_ascii_digit()) => (host, Some(port.to_owned())),
        _ => (authority, None),
    }
}

/// Part by part, so that `*` never stands for more than one label.
fn hosts_match(pattern: &str, host: &str) -> bool {
    let (patterns, labels) = (pattern.split('.'), host.split('.'));
    patterns.clone().count() == labels.clone().count()
        && patterns
            .zip(labels)
            .all(|(pattern, label)| label_matches(pattern, label))
}

fn label_matches(pattern: &str, label: &str) -> bool {
    let Some((prefix, rest)) = pattern.split_once('*') else {
        return pattern == label;
    };
    let Some(behind) = label.strip_prefix(prefix) else {
        return false;
    };
    (0..=behind.len())
        .filter_map(|start| behind.get(start..))
        .any(|behind| label_matches(rest, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(key: &str, registry: &str) -> bool {
        Pattern::new(key).matches(registry, "acme/x")
    }

    #[test]
    fn a_star_stands_for_one_label_or_a_part_of_it() {
        assert!(matches("*.azurecr.io", "acme.azurecr.io"));
        assert!(matches("a*e.azurecr.io", "acme.azurecr.io"));
        assert!(!matches("*.azurecr.io", "a.b.azurecr.io"));
        assert!(!matches("*.azurecr.io", "azurecr.io"));
        assert!(!matches("a*x.azurecr.io", "acme.azurecr.io"));
    }

    #[test]
    fn scheme_and_version_path_do_not_matter() {
        for key in [
            "reg.example",
            "https://reg.example",
            "http://reg.example/v2/",
            "reg.example/v1",
        ] {
            assert!(matches(key, "reg.example"), "{key}");
        }
        assert!(matches("https://index.docker.io/v1/", "docker.io"));
        assert!(matches("docker.io", "registry-1.docker.io"));
    }

    #[test]
    fn port_and_path_must_match() {
        assert!(!matches("reg.example", "reg.example:5000"));
        assert!(!matches("reg.example:5000", "reg.example"));
        assert!(matches("reg.example/acme", "reg.example"));
        assert!(!matches("reg.example/other", "reg.example"));
    }
}
