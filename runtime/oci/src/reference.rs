//! Names of modules: a reference into a registry, or a file. Nothing is completed: the host is always written, and a tag
//! or a digest.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use crate::digest::{Digest, DigestError};

/// The longest repository name and tag that the distribution specification allows.
const LONGEST_REPOSITORY: usize = 255;
const LONGEST_TAG: usize = 128;

/// Where a module comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ModuleReference {
    /// A registry: `host/repository:tag@sha256:…`, also with `oci://` or `registry://` in front.
    Registry(Reference),
    /// A file of this machine: `file:///path`. Whether that is allowed is the caller's to decide.
    File(PathBuf),
}

/// A manifest in a registry, by tag, by digest, or by both: then the digest decides and the tag is for readers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reference {
    registry: String,
    repository: String,
    tag: Option<String>,
    digest: Option<Digest>,
}

/// Why a text is no reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// Nothing was given.
    #[error("the module reference is empty: expected host/repository:tag or host/repository@sha256:…")]
    Empty,
    /// An unknown scheme.
    #[error("`{text}`: the scheme {scheme}:// is not known: expected oci://, registry://, file:// or none")]
    Scheme {
        /// What was given.
        text: String,
        /// The scheme in it.
        scheme: String,
    },
    /// There is no host.
    #[error(
        "`{0}` names no registry host: expected host/repository:tag, where the host has a dot or a port or is localhost; \
         none is assumed, Docker Hub is docker.io/NAMESPACE/NAME"
    )]
    NoHost(String),
    /// The host is not one.
    #[error("`{text}`: `{host}` is no host: expected a DNS name or an IP address, with :port if needed")]
    Host {
        /// What was given.
        text: String,
        /// The host in it.
        host: String,
    },
    /// The repository is not right.
    #[error(
        "`{text}`: `{repository}` is no repository: expected lower-case letters, digits and single separators . _ - in \
         parts divided by /, at most 255 characters"
    )]
    Repository {
        /// What was given.
        text: String,
        /// The repository in it.
        repository: String,
    },
    /// The tag is not right.
    #[error(
        "`{text}`: `{tag}` is no tag: expected at most 128 letters, digits, _ . -, not beginning with . or -"
    )]
    Tag {
        /// What was given.
        text: String,
        /// The tag in it.
        tag: String,
    },
    /// The digest is not right.
    #[error("`{text}`: {source}")]
    Digest {
        /// What was given.
        text: String,
        /// Why.
        source: DigestError,
    },
    /// Neither tag nor digest.
    #[error("`{0}` has neither a tag nor a digest: add :TAG or @sha256:DIGEST (`latest` is not assumed)")]
    NoVersion(String),
    /// A file that is not named by its whole path.
    #[error("`{0}`: expected file:// and an absolute path, such as file:///plugins/labels.wasm")]
    File(String),
}

impl FromStr for ModuleReference {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        match text.split_once("://") {
            None => text.parse().map(Self::Registry),
            Some(("oci" | "registry", rest)) => rest.parse().map(Self::Registry),
            Some(("file", path)) if Path::new(path).is_absolute() => Ok(Self::File(path.into())),
            Some(("file", _)) => Err(ReferenceError::File(text.to_owned())),
            Some((scheme, _)) => Err(ReferenceError::Scheme {
                text: text.to_owned(),
                scheme: scheme.to_owned(),
            }),
        }
    }
}

impl fmt::Display for ModuleReference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registry(reference) => reference.fmt(out),
            Self::File(path) => write!(out, "file://{}", path.display()),
        }
    }
}

impl Reference {
    /// Host, and port if one was given, of the registry.
    pub fn registry(&self) -> &str {
        &self.registry
    }

    /// The repository, without the host.
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// The tag, if one was given.
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// The digest, if one was given.
    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }

    /// Host and repository.
    pub fn name(&self) -> String {
        format!("{}/{}", self.registry, self.repository)
    }

    /// The same repository at a digest, without a tag.
    pub fn at(&self, digest: Digest) -> Self {
        Self {
            tag: None,
            digest: Some(digest),
            ..self.clone()
        }
    }

    /// The same repository at a tag, without a digest.
    pub fn tagged(&self, tag: &str) -> Result<Self, ReferenceError> {
        check_tag(tag, tag)?;
        Ok(Self {
            tag: Some(tag.to_owned()),
            digest: None,
            ..self.clone()
        })
    }

    /// What is asked of the registry: the digest if there is one, else the tag.
    pub(crate) fn version(&self) -> String {
        match (&self.digest, &self.tag) {
            (Some(digest), _) => digest.to_string(),
            (None, Some(tag)) => tag.clone(),
            (None, None) => String::new(),
        }
    }
}

impl FromStr for Reference {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        if text.is_empty() {
            return Err(ReferenceError::Empty);
        }
        let (name, digest) = match text.split_once('@') {
            Some((name, digest)) => (name, Some(parse_digest(text, digest)?)),
            None => (text, None),
        };
        let (registry, path) = name
            .split_once('/')
            .filter(|(host, _)| is_host_like(host))
            .ok_or_else(|| ReferenceError::NoHost(text.to_owned()))?;
        check_host(text, registry)?;
        let (repository, tag) = match path.split_once(':') {
            Some((repository, tag)) => (repository, Some(tag)),
            None => (path, None),
        };
        check_repository(text, repository)?;
        tag.map_or(Ok(()), |tag| check_tag(text, tag))?;
        if tag.is_none() && digest.is_none() {
            return Err(ReferenceError::NoVersion(text.to_owned()));
        }
        Ok(Self {
            registry: registry.to_ascii_lowercase(),
            repository: repository.to_owned(),
            tag: tag.map(str::to_owned),
            digest,
        })
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.registry, self.repository)?;
        if let Some(tag) = &self.tag {
            write!(out, ":{tag}")?;
        }
        self.digest.map_or(Ok(()), |digest| write!(out, "@{digest}"))
    }
}

fn parse_digest(text: &str, digest: &str) -> Result<Digest, ReferenceError> {
    digest.parse().map_err(|source| ReferenceError::Digest {
        text: text.to_owned(),
        source,
    })
}

/// Whether a first path segment is meant as a host: by the rule that everyone uses.
fn is_host_like(segment: &str) -> bool {
    segment == "localhost" || segment.contains(['.', ':'])
}

fn check_host(text: &str, host: &str) -> Result<(), ReferenceError> {
    let plain = !host.contains(['@', '?', '#', '\\', '%']) && !host.contains(char::is_whitespace);
    let parsed = url::Url::parse(&format!("https://{host}/"));
    // The parser must have taken all of it as host and port.
    let whole = parsed.is_ok_and(|url| url.path() == "/" && url.has_host() && url.username().is_empty());
    if plain && whole {
        return Ok(());
    }
    Err(ReferenceError::Host {
        text: text.to_owned(),
        host: host.to_owned(),
    })
}

fn check_repository(text: &str, repository: &str) -> Result<(), ReferenceError> {
    if repository.len() <= LONGEST_REPOSITORY && repository.split('/').all(is_repository_part) {
        return Ok(());
    }
    Err(ReferenceError::Repository {
        text: text.to_owned(),
        repository: repository.to_owned(),
    })
}

/// Lower-case letters and digits, with separators only between them: one dot, one or two underscores, any dashes.
fn is_repository_part(part: &str) -> bool {
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let ends_well = part.starts_with(is_word) && part.ends_with(is_word);
    let separators_are_known = part
        .split(is_word)
        .all(|between| matches!(between, "" | "." | "_" | "__") || between.bytes().all(|c| c == b'-'));
    ends_well && separators_are_known
}

fn check_tag(text: &str, tag: &str) -> Result<(), ReferenceError> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let known = tag.chars().all(|c| is_word(c) || c == '.' || c == '-');
    if tag.len() <= LONGEST_TAG && tag.starts_with(is_word) && known {
        return Ok(());
    }
    Err(ReferenceError::Tag {
        text: text.to_owned(),
        tag: tag.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn registry(text: &str) -> Reference {
        match text.parse() {
            Ok(ModuleReference::Registry(reference)) => reference,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn error(text: &str) -> String {
        text.parse::<ModuleReference>().unwrap_err().to_string()
    }

    #[test]
    fn tag_digest_and_both_are_read_with_each_scheme() {
        for scheme in ["", "oci://", "registry://"] {
            let tagged = registry(&format!("{scheme}ghcr.io/acme/team-labels:1.4.0"));
            assert_eq!(
                (tagged.registry(), tagged.repository()),
                ("ghcr.io", "acme/team-labels")
            );
            assert_eq!((tagged.tag(), tagged.digest()), (Some("1.4.0"), None));
            let both = registry(&format!("{scheme}localhost:5000/a/b__c:v1@{DIGEST}"));
            assert_eq!((both.registry(), both.tag()), ("localhost:5000", Some("v1")));
            assert_eq!(both.version(), DIGEST);
            assert_eq!(both.to_string(), format!("localhost:5000/a/b__c:v1@{DIGEST}"));
        }
        assert_eq!(
            registry(&format!("[::1]:5000/a@{DIGEST}")).registry(),
            "[::1]:5000"
        );
    }

    #[test]
    fn a_file_is_named_by_its_whole_path() {
        let file = "file:///plugins/a.wasm".parse::<ModuleReference>().unwrap();
        assert_eq!(file, ModuleReference::File("/plugins/a.wasm".into()));
        assert!(error("file://a.wasm").contains("file:///plugins/labels.wasm"));
    }

    #[test]
    fn a_host_is_never_assumed() {
        for text in ["team-labels:1.0", "acme/team-labels:1.0", "library/x:1"] {
            assert!(error(text).contains("names no registry host"), "{text}");
        }
    }

    #[test]
    fn a_version_is_never_assumed() {
        assert!(error("ghcr.io/acme/x").contains("`latest` is not assumed"));
    }

    #[test]
    fn each_wrong_part_is_named() {
        assert!(error("").contains("empty"));
        assert!(error("https://ghcr.io/a:1").contains("https:// is not known"));
        assert!(error("ghcr.io:port/a:1").contains("`ghcr.io:port` is no host"));
        assert!(error("user@ghcr.io/a:1").contains("64 hexadecimal digits"));
        for repository in ["A", "a//b", "a.-b", "-a", "a___b", "a/", &"a".repeat(256)] {
            let text = error(&format!("ghcr.io/{repository}:1"));
            assert!(
                text.contains(&format!("`{repository}` is no repository")),
                "{text}"
            );
        }
        assert!(error("ghcr.io/a:-1").contains("`-1` is no tag"));
        assert!(error("ghcr.io/a:1:2").contains("`1:2` is no tag"));
        assert!(error("ghcr.io/a@sha512:00").contains("sha512 are not supported"));
    }
}
