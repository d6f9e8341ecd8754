//! Whether the grants of a Plugin's manifest can be.

use std::path::PathBuf;

use espejote_api::plugin;
use espejote_engine::{GrantError, GrantedDirectory, Grants, HostPattern};

/// A grant that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GrantsError {
    /// A directory or a host of another form.
    #[error("spec.grants: {0}")]
    Form(GrantError),
    /// A directory that is made of nothing, or of two things.
    #[error("spec.grants.files[{0}] needs exactly one of configMap and secret")]
    Source(String),
}

/// Checks the form of all grants. Whether ConfigMaps and Secrets exist is found out by those who read them.
pub(super) fn check(grants: &plugin::Grants) -> Result<(), GrantsError> {
    let hosts = grants.http.iter().flat_map(|http| &http.hosts);
    let hosts = hosts
        .map(|host| host.parse::<HostPattern>())
        .collect::<Result<_, _>>();
    let mut checked = Grants {
        directories: Vec::new(),
        hosts: hosts.map_err(GrantsError::Form)?,
    };
    for files in grants.files.iter().flatten() {
        if files.config_map.is_some() == files.secret.is_some() {
            return Err(GrantsError::Source(files.path.clone()));
        }
        checked.directories.push(GrantedDirectory {
            guest_path: files.path.clone(),
            host_path: PathBuf::new(),
        });
    }
    checked.check().map_err(GrantsError::Form)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(json: &str) -> String {
        check(&serde_json::from_str(json).unwrap())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn grants_of_another_form_are_named() {
        let files = |path: &str| format!(r#"{{"files":[{{"path":"{path}","configMap":{{"name":"a"}}}}]}}"#);
        assert!(message(&files("/a/../b")).starts_with("spec.grants: the path \"/a/../b\""));
        assert!(message(r#"{"http":{"hosts":["a b"]}}"#).starts_with("spec.grants: host \"a b\""));
        assert!(message(r#"{"files":[{"path":"/a"}]}"#).contains("files[/a] needs exactly one of"));
    }

    #[test]
    fn no_grants_are_fine() {
        assert_eq!(check(&plugin::Grants::default()), Ok(()));
    }
}
