//! What a plugin may reach beside the contract, for the calls of one ManagedResource.
//!
//! Owns the folders that granted ConfigMaps and Secrets become. They are read by watches with the rights of the
//! ManagedResource's ServiceAccount, written anew only when they change, and gone when nobody uses them any more.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use espejote_api::plugin::FilesGrant;
use espejote_core::{Object, Reason, Revision};
use espejote_engine::{GrantedDirectory, Grants, HostPattern};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use tempfile::TempDir;

use crate::{
    failure::Failure,
    snapshot::{self, Input},
    watch::WatchHandle,
};

/// Where the folders of this process are.
#[derive(Debug)]
pub struct FilesFolder(TempDir);

impl FilesFolder {
    /// A folder in memory where the machine has such; removed when the process ends in good order.
    pub fn new() -> io::Result<Self> {
        let memory = Path::new("/dev/shm");
        let builder = || {
            let mut builder = tempfile::Builder::new();
            builder.prefix("espejote-files-");
            builder
        };
        let folder = builder().tempdir_in(memory).or_else(|_| builder().tempdir())?;
        Ok(Self(folder))
    }
}

/// Everything that is granted to one plugin.
#[derive(Debug, Default)]
pub struct Granted {
    files: Vec<GrantedFiles>,
    hosts: Vec<HostPattern>,
}

/// Grants for one call. The folders last as long as this does.
#[derive(Debug, Default)]
pub struct Held {
    /// As the engine takes them.
    pub grants: Grants,
    _folders: Vec<Arc<TempDir>>,
}

impl Granted {
    /// `hosts` are checked; `files` are those of the manifest, each with its watch.
    pub fn new(hosts: &[String], files: Vec<GrantedFiles>) -> Self {
        Self {
            files,
            hosts: hosts.iter().filter_map(|host| host.parse().ok()).collect(),
        }
    }

    /// The watches behind it.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.files.iter().map(|files| &files.input)
    }

    /// What is granted at this instant.
    pub fn now(&self) -> Result<Held, Failure> {
        let mut held = Held {
            grants: Grants {
                directories: Vec::new(),
                hosts: self.hosts.clone(),
            },
            _folders: Vec::new(),
        };
        for files in &self.files {
            let folder = files.folder()?;
            held.grants.directories.push(GrantedDirectory {
                guest_path: files.path.clone(),
                host_path: folder.path().to_owned(),
            });
            held._folders.push(folder);
        }
        Ok(held)
    }
}

/// One ConfigMap or Secret as a folder.
#[derive(Debug)]
pub struct GrantedFiles {
    path: String,
    input: Input,
    /// Open as long as this is used.
    _watch: WatchHandle,
    folder: Arc<FilesFolder>,
    made: Mutex<Option<(Revision, Arc<TempDir>)>>,
}

/// The kind and the name of what a grant is made of; none if the manifest names nothing.
pub fn source(grant: &FilesGrant) -> Option<(&'static str, &str)> {
    let config_map = grant
        .config_map
        .as_ref()
        .map(|of| ("ConfigMap", of.name.as_str()));
    config_map.or_else(|| grant.secret.as_ref().map(|of| ("Secret", of.name.as_str())))
}

impl GrantedFiles {
    /// `watch` holds the ConfigMap or Secret, which `name` tells people.
    pub fn new(path: &str, name: &str, watch: WatchHandle, folder: Arc<FilesFolder>) -> Self {
        Self {
            path: path.to_owned(),
            input: Input::new(name, &watch),
            _watch: watch,
            folder,
            made: Mutex::default(),
        }
    }

    fn folder(&self) -> Result<Arc<TempDir>, Failure> {
        let objects = snapshot::collection("grant", &self.input)?;
        let Some(object) = objects.objects().first() else {
            let message = format!(
                "spec.grants.files of the plugin: {} does not exist",
                self.input.name
            );
            return Err(Failure::new(Reason::NotReady, message));
        };
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((revision, folder)) = &*made
            && *revision == object.revision()
        {
            return Ok(folder.clone());
        }
        let folder = Arc::new(self.make(object)?);
        *made = Some((object.revision(), folder.clone()));
        Ok(folder)
    }

    fn make(&self, object: &Object) -> Result<TempDir, Failure> {
        let failed = |error: io::Error| {
            let message = format!("the files of {} cannot be provided: {error}", self.input.name);
            Failure::new(Reason::HostFault, message)
        };
        let folder = TempDir::new_in(self.folder.0.path()).map_err(failed)?;
        for (name, contents) in entries(object) {
            std::fs::write(entry(folder.path(), &name), contents).map_err(failed)?;
        }
        Ok(folder)
    }
}

/// Keys of ConfigMaps and Secrets are file names: the API server sees to it. Anything else stays inside of the folder.
fn entry(folder: &Path, key: &str) -> PathBuf {
    folder.join(key.replace('/', "_"))
}

fn entries(object: &Object) -> Vec<(String, Vec<u8>)> {
    if object.id().kind == "Secret" {
        let secret: Secret = serde_json::from_str(object.json()).unwrap_or_default();
        let data = secret.data.unwrap_or_default();
        return data.into_iter().map(|(key, value)| (key, value.0)).collect();
    }
    let map: ConfigMap = serde_json::from_str(object.json()).unwrap_or_default();
    let texts = map.data.unwrap_or_default().into_iter();
    let bytes = map.binary_data.unwrap_or_default().into_iter();
    texts
        .map(|(key, text)| (key, text.into_bytes()))
        .chain(bytes.map(|(key, bytes)| (key, bytes.0)))
        .collect()
}
