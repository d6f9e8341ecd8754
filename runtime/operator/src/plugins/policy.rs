//! What the operator allows plugins, whatever their manifests say.
//!
//! Owns the file behind `--plugin-policy`. Without one, every registry is allowed, no file, no signature is asked for,
//! and limits end at the engine's ceilings.

use std::path::{Path, PathBuf};

use espejote_api::plugin::{Grants, PluginLimits, Signer};
use espejote_engine::{HostPattern, Limits, OverCeiling};
use serde::Deserialize;

use super::limits::{self, LimitsError};
use crate::cli::yaml;

/// Why the policy cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The file cannot be read.
    #[error("plugin policy {path}: cannot be read")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It is no YAML.
    #[error("plugin policy {path}: {source}")]
    Yaml {
        /// The file.
        path: PathBuf,
        /// Why.
        source: yaml::ReadError,
    },
    /// A field is not what it should be.
    #[error("plugin policy {path}: {source}")]
    Field {
        /// The file.
        path: PathBuf,
        /// Which and why.
        source: serde_path_to_error::Error<serde_json::Error>,
    },
    /// A ceiling is no limit.
    #[error("plugin policy {path}: ceilings: {source}")]
    Ceiling {
        /// The file.
        path: PathBuf,
        /// Which and why.
        source: LimitsError,
    },
}

/// What is allowed.
#[derive(Clone, Debug)]
pub struct Policy {
    rules: Rules,
    ceilings: Limits,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            rules: Rules::default(),
            ceilings: Limits::default_ceilings(),
        }
    }
}

/// The file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Rules {
    /// Patterns of `<registry>/<repository>`, `*` for any text. Empty: all.
    registries: Vec<String>,
    /// Folders that `file://` may lead into.
    files: Vec<PathBuf>,
    /// Signatures that are asked for beside those of the manifest.
    verify: Vec<Rule>,
    /// The highest limits.
    ceilings: PluginLimits,
    /// The grants that may be given.
    grants: GrantsAllowed,
}

/// Signatures that namespaces have to show.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Rule {
    /// Patterns of the Plugin's namespace. Empty: all.
    #[serde(default)]
    namespaces: Vec<String>,
    /// The signature of one of these is enough.
    any_of: Vec<Signer>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct GrantsAllowed {
    files: bool,
    /// Patterns of host names.
    http_hosts: Vec<String>,
}

impl Default for GrantsAllowed {
    fn default() -> Self {
        Self {
            files: true,
            http_hosts: vec!["*".to_owned()],
        }
    }
}

/// Something that the policy does not allow, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// The registry or repository.
    #[error("the operator's policy does not allow modules from {repository}; it allows {allowed}")]
    Registry {
        /// What was asked for.
        repository: String,
        /// The patterns.
        allowed: String,
    },
    /// A file outside of all folders.
    #[error(
        "the operator does not allow file://{path}: it is in none of the folders that its policy lists under files"
    )]
    File {
        /// What was asked for.
        path: String,
    },
    /// A limit above its ceiling.
    #[error("spec.limits: {0}")]
    Limit(OverCeiling),
    /// Files may not be granted.
    #[error("spec.grants.files: the operator's policy does not allow files to be granted")]
    Files,
    /// A host may not be granted.
    #[error("spec.grants.http.hosts: the operator's policy does not allow {host}; it allows {allowed}")]
    Host {
        /// What was asked for.
        host: String,
        /// The patterns.
        allowed: String,
    },
    /// An address that only an entry of its own allows.
    #[error(
        "spec.grants.http.hosts: {host} is an address of the operator's machine, of its links or of a cloud provider's          metadata service: the operator's policy has to list it under grants.httpHosts as it is written here, without `*`"
    )]
    GuardedHost {
        /// What was asked for.
        host: String,
    },
}

impl Policy {
    /// Reads the file, a YAML document.
    pub fn read(path: &Path) -> Result<Self, PolicyError> {
        let file = || path.to_owned();
        let text =
            std::fs::read_to_string(path).map_err(|source| PolicyError::Read { path: file(), source })?;
        let document = yaml::read(&text).map_err(|source| PolicyError::Yaml { path: file(), source })?;
        let rules: Rules = serde_path_to_error::deserialize(document)
            .map_err(|source| PolicyError::Field { path: file(), source })?;
        let ceilings = limits::ceilings(&rules.ceilings)
            .map_err(|source| PolicyError::Ceiling { path: file(), source })?;
        Ok(Self { rules, ceilings })
    }

    /// The engine's ceilings, with what the policy sets.
    pub fn ceilings(&self) -> &Limits {
        &self.ceilings
    }

    /// Whether a module of `<registry>/<repository>` may be used.
    pub(super) fn allows_repository(&self, repository: &str) -> Result<(), Denied> {
        if self.rules.registries.is_empty() || self.rules.registries.iter().any(|p| is_of(p, repository)) {
            return Ok(());
        }
        Err(Denied::Registry {
            repository: repository.to_owned(),
            allowed: self.rules.registries.join(", "),
        })
    }

    /// The file behind a path, if it is in one of the folders, links and `..` resolved.
    pub(super) fn allowed_file(&self, path: &Path) -> Result<PathBuf, Denied> {
        let denied = || Denied::File {
            path: path.display().to_string(),
        };
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let inside =
            |folder: &PathBuf| std::fs::canonicalize(folder).is_ok_and(|folder| real.starts_with(folder));
        let plain = !path.components().any(|c| c == std::path::Component::ParentDir);
        if plain && self.rules.files.iter().any(inside) {
            Ok(real)
        } else {
            Err(denied())
        }
    }

    /// Each entry asks for the signature of one of its signers.
    pub(super) fn signers(&self, namespace: &str) -> Vec<Vec<Signer>> {
        let applies = |rule: &&Rule| {
            rule.namespaces.is_empty() || rule.namespaces.iter().any(|p| matches(p, namespace))
        };
        self.rules
            .verify
            .iter()
            .filter(applies)
            .map(|rule| rule.any_of.clone())
            .collect()
    }

    /// Whether a manifest's limits may be set.
    pub(super) fn allows_limits(&self, limits: &Limits) -> Result<(), Denied> {
        limits.within(&self.ceilings).map_err(Denied::Limit)
    }

    /// Whether a manifest's grants may be given.
    pub(super) fn allows_grants(&self, grants: &Grants) -> Result<(), Denied> {
        if !self.rules.grants.files && grants.files.as_ref().is_some_and(|files| !files.is_empty()) {
            return Err(Denied::Files);
        }
        let hosts = grants.http.iter().flat_map(|http| &http.hosts);
        { hosts }.try_for_each(|host| self.allows_host(host))
    }

    fn allows_host(&self, host: &str) -> Result<(), Denied> {
        let allowed = &self.rules.grants.http_hosts;
        let is_guarded = host.parse().is_ok_and(|host: HostPattern| host.is_guarded());
        if is_guarded && !allowed.iter().any(|entry| entry == host) {
            return Err(Denied::GuardedHost {
                host: host.to_owned(),
            });
        }
        if allowed.iter().any(|pattern| is_host_of(pattern, host)) {
            return Ok(());
        }
        Err(Denied::Host {
            host: host.to_owned(),
            allowed: allowed.join(", "),
        })
    }
}

/// Whether a repository is of a pattern: host and path each for itself, so that a path never looks like a host. A pattern
/// without a path takes all of that host.
fn is_of(pattern: &str, repository: &str) -> bool {
    let (host, path) = repository.split_once('/').unwrap_or((repository, ""));
    match pattern.split_once('/') {
        None => matches(pattern, host),
        Some((of_host, of_path)) => matches(of_host, host) && matches(of_path, path),
    }
}

/// Whether a granted host is of a pattern. One without TLS is of a pattern that says so, or of `*`.
fn is_host_of(pattern: &str, host: &str) -> bool {
    match (pattern.strip_prefix("http://"), host.strip_prefix("http://")) {
        (None, Some(_)) => pattern == "*",
        (Some(pattern), Some(host)) => matches(pattern, host),
        (Some(_), None) => false,
        (None, None) => matches(pattern, host),
    }
}

/// Whether a text is of a pattern in which `*` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, tail)) => {
            let Some(rest) = text.strip_prefix(head) else {
                return false;
            };
            let mut ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            ends.any(|at| rest.get(at..).is_some_and(|rest| matches(tail, rest)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(yaml: &str) -> Result<Policy, PolicyError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), yaml).unwrap();
        Policy::read(file.path())
    }

    #[test]
    fn without_a_policy_every_registry_is_allowed_and_no_file() {
        let policy = Policy::default();
        assert_eq!(policy.allows_repository("example.com/a/b"), Ok(()));
        assert!(policy.allowed_file(Path::new("/etc/passwd")).is_err());
        assert!(policy.signers("any").is_empty());
    }

    #[test]
    fn registries_are_allowed_by_pattern() {
        let policy = policy("registries: [ghcr.io/acme/*]").unwrap();
        assert_eq!(policy.allows_repository("ghcr.io/acme/team/labels"), Ok(()));
        let denied = policy.allows_repository("ghcr.io/acme-evil/x").unwrap_err();
        assert_eq!(
            denied.to_string(),
            "the operator's policy does not allow modules from ghcr.io/acme-evil/x; it allows ghcr.io/acme/*"
        );
    }

    #[test]
    fn a_path_does_not_look_like_a_host_and_no_tls_has_to_be_said() {
        assert!(is_of("*.example.com/*", "eu.example.com/team/labels"));
        assert!(!is_of("*.example.com/*", "evil.test/x.example.com/good"));
        assert!(is_of("ghcr.io", "ghcr.io/acme/x") && is_of("*", "any.example/x"));
        assert!(!is_of("ghcr.io", "ghcr.io.evil.test/x"));
        assert!(is_host_of("*.example.com", "a.example.com") && is_host_of("*", "http://a.example.com"));
        assert!(!is_host_of("*.example.com", "http://a.example.com"));
        assert!(is_host_of("http://*.example.com", "http://a.example.com"));
    }

    #[test]
    fn files_outside_of_the_folders_are_denied_whatever_the_path_looks_like() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("plugin.wasm");
        std::fs::write(&inside, "x").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).unwrap();
        let policy = policy(&format!("files: [{}]", folder.path().display())).unwrap();
        assert!(policy.allowed_file(&inside).is_ok());
        for outside in ["link", "../plugin.wasm", "sub/../../x"] {
            assert!(
                policy.allowed_file(&folder.path().join(outside)).is_err(),
                "{outside}"
            );
        }
    }

    #[test]
    fn rules_ask_the_namespaces_that_they_name() {
        let policy =
            policy("verify:\n- namespaces: [team-*]\n  anyOf: [{key: K}]\n- anyOf: [{key: L}]\n").unwrap();
        assert_eq!(policy.signers("team-a").len(), 2);
        assert_eq!(policy.signers("other").len(), 1);
    }

    #[test]
    fn grants_end_where_the_policy_says() {
        let policy = policy("grants: {files: false, httpHosts: ['*.example.com']}").unwrap();
        let grants = |json: &str| serde_json::from_str::<Grants>(json).unwrap();
        assert_eq!(policy.allows_grants(&grants("{}")), Ok(()));
        let files = grants(r#"{"files":[{"path":"/x","configMap":{"name":"a"}}]}"#);
        assert_eq!(policy.allows_grants(&files), Err(Denied::Files));
        let host = grants(r#"{"http":{"hosts":["api.example.com","evil.org"]}}"#);
        assert!(
            policy
                .allows_grants(&host)
                .unwrap_err()
                .to_string()
                .contains("does not allow evil.org")
        );
    }

    #[test]
    fn an_address_of_this_machine_or_of_metadata_needs_an_entry_of_its_own() {
        let grants = |host: &str| -> Grants {
            serde_json::from_value(serde_json::json!({"http": {"hosts": [host]}})).unwrap()
        };
        let guarded = [
            "http://127.0.0.1:8080",
            "http://169.254.169.254",
            "[::1]:8443",
            "http://[::ffff:169.254.169.254]",
        ];
        for host in guarded {
            let denied = Policy::default().allows_grants(&grants(host)).unwrap_err();
            assert!(matches!(denied, Denied::GuardedHost { .. }), "{denied}");
        }
        assert_eq!(Policy::default().allows_grants(&grants("10.0.0.1")), Ok(()));
        let policy = policy("grants: {httpHosts: ['http://127.*', 'http://169.254.169.254']}").unwrap();
        assert_eq!(policy.allows_grants(&grants("http://169.254.169.254")), Ok(()));
        assert!(policy.allows_grants(&grants("http://127.0.0.1")).is_err());
    }

    #[test]
    fn a_field_that_is_not_known_is_named() {
        let error = policy("registrys: []").unwrap_err();
        assert!(error.to_string().contains("registrys"), "{error}");
    }
}
