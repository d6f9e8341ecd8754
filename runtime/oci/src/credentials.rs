//! Who we are at a registry: from pull secrets, from the user's docker configuration, or given. Which entry is for which
//! registry and path is decided as the kubelet does it. Nothing in here can be printed by accident.

use std::{collections::BTreeMap, fmt, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;

use crate::pattern::Pattern;

/// A secret text: it prints as `***`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(String);

impl Secret {
    /// Keeps `text` secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("***")
    }
}

/// One way to log in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Login {
    /// Without a name.
    Anonymous,
    /// A name and a password, sent to the registry or to its token server.
    Basic { username: String, password: Secret },
    /// What `docker login` keeps of some registries: exchanged for a token at the token server.
    Identity(Secret),
    /// A token for the registry itself.
    Bearer(Secret),
}

/// What may be used to log in, each for the registries it is meant for.
#[derive(Clone, Debug, Default)]
pub struct Credentials {
    entries: Vec<Entry>,
    helpers: bool,
}

#[derive(Clone, Debug)]
struct Entry {
    /// None: for every registry.
    pattern: Option<Pattern>,
    login: Login,
}

/// Why a docker configuration cannot be used. It never holds a part of the contents.
#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    /// It is no docker configuration.
    #[error(
        "{origin} is no docker configuration: expected a JSON object such as {expected} ({line}:{column})"
    )]
    Malformed {
        /// What was read.
        origin: String,
        /// An example.
        expected: &'static str,
        /// Where it went wrong.
        line: usize,
        /// Where it went wrong.
        column: usize,
    },
    /// The `auth` of an entry is no `username:password` in base64.
    #[error("{origin}: `auth` of {registry} is no username:password in base64")]
    Auth {
        /// What was read.
        origin: String,
        /// The entry.
        registry: String,
    },
    /// The file cannot be read.
    #[error("read {path}: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

const CONFIG_JSON: &str = r#"{"auths": {"ghcr.io": {"auth": "…"}}}"#;
const CFG: &str = r#"{"ghcr.io": {"auth": "…"}}"#;

impl Credentials {
    /// None: every registry is asked without a name.
    pub fn anonymous() -> Self {
        Self::default()
    }

    /// A name and a password for whatever registry is asked.
    pub fn basic(username: impl Into<String>, password: Secret) -> Self {
        let login = Login::Basic {
            username: username.into(),
            password,
        };
        Self {
            entries: vec![Entry { pattern: None, login }],
            helpers: false,
        }
    }

    /// From the value of `.dockerconfigjson` in a Secret of type `kubernetes.io/dockerconfigjson`. `origin` names it in
    /// errors.
    pub fn from_docker_config_json(origin: &str, contents: &[u8]) -> Result<Self, CredentialsError> {
        let config: ConfigJson = parse(origin, contents, CONFIG_JSON)?;
        let helpers = config.store.is_some() || !config.helpers.is_empty();
        Ok(Self {
            helpers,
            ..Self::from_auths(origin, config.auths)?
        })
    }

    /// From the value of `.dockercfg` in a Secret of type `kubernetes.io/dockercfg`. `origin` names it in errors.
    pub fn from_docker_cfg(origin: &str, contents: &[u8]) -> Result<Self, CredentialsError> {
        Self::from_auths(origin, parse(origin, contents, CFG)?)
    }

    /// From the user's own configuration, which is a folder with `config.json`; anonymous if there is none.
    ///
    /// Credential helpers are programs; they are not run. [`has_unused_helpers`](Self::has_unused_helpers) tells that
    /// there were some.
    pub fn from_docker_folder(folder: &Path) -> Result<Self, CredentialsError> {
        let path = folder.join("config.json");
        match std::fs::read(&path) {
            Ok(contents) => Self::from_docker_config_json(&path.display().to_string(), &contents),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::anonymous()),
            Err(source) => Err(CredentialsError::Unreadable {
                path: path.display().to_string(),
                source,
            }),
        }
    }

    /// Whether the configuration names credential helpers, whose credentials are not among these.
    pub fn has_unused_helpers(&self) -> bool {
        self.helpers
    }

    /// Adds others, such as those of a second pull secret. Of entries that match equally well the first is tried first.
    pub fn merge(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.helpers |= other.helpers;
        self.sort();
    }

    /// What to try at a registry for a repository, the best match first; anonymous if nothing matches.
    pub(crate) fn logins(&self, registry: &str, repository: &str) -> Vec<Login> {
        let matching = |entry: &&Entry| {
            let pattern = entry.pattern.as_ref();
            pattern.is_none_or(|pattern| pattern.matches(registry, repository))
        };
        let mut logins: Vec<_> = self
            .entries
            .iter()
            .filter(matching)
            .map(|entry| entry.login.clone())
            .collect();
        if logins.is_empty() {
            logins.push(Login::Anonymous);
        }
        logins
    }

    fn from_auths(origin: &str, auths: BTreeMap<String, Auth>) -> Result<Self, CredentialsError> {
        let mut entries = Vec::new();
        for (registry, auth) in auths {
            let login = auth.login().map_err(|()| CredentialsError::Auth {
                origin: origin.to_owned(),
                registry: registry.clone(),
            })?;
            // An empty entry is what `docker login` leaves when a helper has the credentials.
            let Some(login) = login else { continue };
            entries.push(Entry {
                pattern: Some(Pattern::new(&registry)),
                login,
            });
        }
        let mut credentials = Self {
            entries,
            helpers: false,
        };
        credentials.sort();
        Ok(credentials)
    }

    /// As the kubelet: in reverse order of the text, so that a longer path comes before the shorter that it begins with.
    fn sort(&mut self) {
        self.entries.sort_by(|one, other| other.pattern.cmp(&one.pattern));
    }
}

#[derive(Deserialize)]
struct ConfigJson {
    #[serde(default)]
    auths: BTreeMap<String, Auth>,
    #[serde(default, rename = "credsStore")]
    store: Option<serde::de::IgnoredAny>,
    #[serde(default, rename = "credHelpers")]
    helpers: BTreeMap<String, serde::de::IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Auth {
    username: String,
    password: String,
    auth: String,
    identitytoken: String,
    registrytoken: String,
}

impl Auth {
    /// The login of an entry, none if it is empty.
    fn login(self) -> Result<Option<Login>, ()> {
        let basic = |username: &str, password: &str| Login::Basic {
            username: username.to_owned(),
            password: Secret::new(password),
        };
        if !self.registrytoken.is_empty() {
            return Ok(Some(Login::Bearer(Secret(self.registrytoken))));
        }
        if !self.identitytoken.is_empty() {
            return Ok(Some(Login::Identity(Secret(self.identitytoken))));
        }
        if !self.auth.is_empty() {
            let decoded = STANDARD.decode(self.auth.trim()).map_err(drop)?;
            let text = String::from_utf8(decoded).map_err(drop)?;
            // Docker pads the text with zero bytes.
            let (username, password) = text.trim_end_matches('\0').split_once(':').ok_or(())?;
            return Ok(Some(basic(username, password)));
        }
        let empty = self.username.is_empty() && self.password.is_empty();
        Ok((!empty).then(|| basic(&self.username, &self.password)))
    }
}

/// Parses without repeating a word of the contents in the error.
fn parse<T: for<'de> Deserialize<'de>>(
    origin: &str,
    contents: &[u8],
    expected: &'static str,
) -> Result<T, CredentialsError> {
    serde_json::from_slice(contents).map_err(|error| CredentialsError::Malformed {
        origin: origin.to_owned(),
        expected,
        line: error.line(),
        column: error.column(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(login: &Login) -> &str {
        match login {
            Login::Basic { username, .. } => username,
            Login::Anonymous => "anonymous",
            Login::Identity(_) => "identity",
            Login::Bearer(_) => "bearer",
        }
    }

    fn names(credentials: &Credentials, registry: &str, repository: &str) -> Vec<String> {
        let logins = credentials.logins(registry, repository);
        logins.iter().map(|login| name(login).to_owned()).collect()
    }

    fn config(json: &str) -> Credentials {
        Credentials::from_docker_config_json("test", json.as_bytes()).unwrap()
    }

    #[test]
    fn the_longest_path_of_the_registry_is_tried_first() {
        let credentials = config(
            r#"{"auths": {
                "reg.example": {"username": "host", "password": "p"},
                "https://reg.example/v1/": {"username": "old", "password": "p"},
                "reg.example/acme": {"username": "path", "password": "p"},
                "reg.example:5000": {"username": "port", "password": "p"},
                "other.example": {"username": "other", "password": "p"}}}"#,
        );
        assert_eq!(
            names(&credentials, "reg.example", "acme/x"),
            ["path", "old", "host"]
        );
        assert_eq!(names(&credentials, "reg.example", "x"), ["old", "host"]);
        assert_eq!(names(&credentials, "reg.example:5000", "x"), ["port"]);
        assert_eq!(names(&credentials, "unknown.example", "x"), ["anonymous"]);
    }

    #[test]
    fn auth_is_decoded_and_both_tokens_are_known() {
        let credentials = config(
            r#"{"auths": {"a.example": {"auth": "dXNlcjpwYTpzcw=="}, "b.example": {"identitytoken": "i"},
                "c.example": {"registrytoken": "r"}, "d.example": {}}}"#,
        );
        let expected = Login::Basic {
            username: "user".into(),
            password: Secret::new("pa:ss"),
        };
        assert_eq!(credentials.logins("a.example", "x"), [expected]);
        assert_eq!(names(&credentials, "b.example", "x"), ["identity"]);
        assert_eq!(names(&credentials, "c.example", "x"), ["bearer"]);
        assert_eq!(names(&credentials, "d.example", "x"), ["anonymous"]);
    }

    #[test]
    fn the_old_format_has_no_auths_around_it() {
        let cfg = br#"{"a.example": {"username": "u", "password": "p", "email": "e"}}"#;
        let credentials = Credentials::from_docker_cfg("test", cfg).unwrap();
        assert_eq!(names(&credentials, "a.example", "x"), ["u"]);
    }

    #[test]
    fn helpers_are_not_run_but_reported() {
        assert!(config(r#"{"credsStore": "pass", "auths": {"a.example": {}}}"#).has_unused_helpers());
        assert!(config(r#"{"credHelpers": {"a.example": "gcloud"}}"#).has_unused_helpers());
        assert!(!config(r#"{"auths": {}}"#).has_unused_helpers());
    }

    #[test]
    fn neither_errors_nor_debug_output_tell_a_secret() {
        let wrong = Credentials::from_docker_config_json("Secret a/b", br#"{"auths": "hunter2"}"#);
        let text = wrong.unwrap_err().to_string();
        assert!(text.contains("Secret a/b") && !text.contains("hunter2"), "{text}");
        let auth =
            Credentials::from_docker_config_json("s", br#"{"auths": {"a": {"auth": "aHVudGVyMg=="}}}"#);
        let text = auth.unwrap_err().to_string();
        assert!(
            !text.contains("hunter2") && !text.contains("aHVudGVyMg"),
            "{text}"
        );
        let credentials = config(r#"{"auths": {"a.example": {"username": "u", "password": "hunter2"}}}"#);
        assert!(!format!("{credentials:?}").contains("hunter2"));
    }

    #[test]
    fn merged_secrets_are_tried_in_their_order() {
        let mut first = config(r#"{"auths": {"a.example": {"username": "1", "password": "p"}}}"#);
        first.merge(config(
            r#"{"auths": {"a.example": {"username": "2", "password": "p"}}}"#,
        ));
        assert_eq!(names(&first, "a.example", "x"), ["1", "2"]);
    }
}
