//! Compiled code on disk.
//!
//! Owns the folder: its mode, the names in it, and the checks before code is used. Loading compiled code is trusting it, so
//! only what this user wrote, and what still has the digest that was recorded, is loaded; the rest is compiled again.

use std::{
    ffi::OsStr,
    fs::{self, DirBuilder, DirEntry, File, Metadata, Permissions},
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use sha2::{Digest as _, Sha256};
use tempfile::{NamedTempFile, TempDir};
use wasmtime::{Engine, component::Component};

/// Why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// It cannot be made.
    #[error("cannot make folder {}", path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Others may write to it, or it is someone else's.
    #[error("folder {} has to be a folder of this user with mode 0700 ({found})", path.display())]
    NotPrivate {
        /// The folder.
        path: PathBuf,
        /// Owner and mode.
        found: String,
    },
    /// A file cannot be written.
    #[error("cannot write to folder {}", path.display())]
    Write {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// What was just written is not there.
    #[error("the file is gone, or was changed, right after it was written")]
    Vanished,
}

/// Why a file is not used. It is compiled again.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("it cannot be read: {0}")]
    Read(#[from] io::Error),
    #[error("it is not a private file of this user ({0})")]
    NotPrivate(String),
    #[error("its digest is not the recorded one")]
    Changed,
    #[error("the runtime refuses it: {0}")]
    Refused(String),
}

/// The folder.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    /// Stands for the runtime, its settings and the machine.
    compatibility: String,
}

impl Cache {
    /// Makes the folder if needed. Removes what other versions of the host left behind.
    pub fn open(folder: &Path, engine: &Engine) -> Result<Self, CacheError> {
        make_private(folder)?;
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        let cache = Self {
            folder: folder.to_owned(),
            compatibility: format!("{:016x}", hasher.finish()),
        };
        cache.sweep();
        Ok(cache)
    }

    /// A private folder for one compilation.
    pub fn scratch(&self) -> Result<TempDir, CacheError> {
        tempfile::Builder::new()
            .prefix("compiling-")
            .tempdir_in(&self.folder)
            .map_err(|source| self.cannot_write(source))
    }

    /// Keeps a file of compiled code, which is in this folder: its digest first, then the code, each in one step. Blocks.
    pub fn keep(&self, digest: &str, artifact: &Path) -> Result<(), CacheError> {
        let code = self.path(digest);
        let kept = private_digest(artifact)
            .and_then(|record| self.write(&record_path(&code), record.as_bytes()))
            .and_then(|()| fs::rename(artifact, &code));
        kept.map_err(|source| self.cannot_write(source))
    }

    /// What was compiled before. None: there is nothing, or nothing to be trusted.
    pub fn load(&self, engine: &Engine, digest: &str) -> Option<Component> {
        let path = self.path(digest);
        if !path.exists() {
            return None;
        }
        match load(engine, &path) {
            Ok(component) => Some(component),
            Err(reason) => {
                tracing::warn!(path = %path.display(), %reason, "compiled code is not used, and compiled again");
                None
            }
        }
    }

    fn path(&self, digest: &str) -> PathBuf {
        let digest = digest.trim_start_matches("sha256:");
        self.folder.join(format!("{digest}-{}.cwasm", self.compatibility))
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = NamedTempFile::new_in(&self.folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_data()?;
        file.persist(path)?;
        Ok(())
    }

    fn cannot_write(&self, source: io::Error) -> CacheError {
        CacheError::Write {
            path: self.folder.clone(),
            source,
        }
    }

    /// Removes what other versions compiled (one that shares the folder only has to compile again) and what is left of
    /// compilations that were cut off.
    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        for entry in entries.flatten().filter(|entry| self.left_behind(entry)) {
            let path = entry.path();
            let _ = if path.is_dir() {
                fs::remove_dir_all(path)
            } else {
                fs::remove_file(path)
            };
        }
    }

    fn left_behind(&self, entry: &DirEntry) -> bool {
        let path = entry.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        match path.extension().and_then(OsStr::to_str) {
            Some("cwasm" | "sha256") => !name.ends_with(&format!("-{}", self.compatibility)),
            _ => old(entry),
        }
    }
}

/// Whether no one can be at work on it any more.
fn old(entry: &DirEntry) -> bool {
    let modified = entry.metadata().and_then(|metadata| metadata.modified());
    let age = modified.ok().and_then(|modified| modified.elapsed().ok());
    age.is_some_and(|age| age > Duration::from_secs(3600))
}

/// Takes a file from all others, and sees that it is on disk; gives its digest.
fn private_digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.sync_data()?;
    digest(&mut file)
}

fn digest(file: &mut File) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(file, &mut hasher)?;
    Ok(hex(&hasher.finalize()))
}

fn record_path(code: &Path) -> PathBuf {
    code.with_extension("sha256")
}

fn load(engine: &Engine, path: &Path) -> Result<Component, Unusable> {
    let record = record_path(path);
    for file in [path, &record] {
        let metadata = fs::symlink_metadata(file)?;
        if !metadata.is_file() || !private(&metadata) {
            return Err(Unusable::NotPrivate(owner_and_mode(&metadata)));
        }
    }
    if digest(&mut File::open(path)?)? != fs::read_to_string(&record)? {
        return Err(Unusable::Changed);
    }
    deserialize(engine, path).map_err(|error| Unusable::Refused(format!("{error:#}")))
}

#[allow(
    unsafe_code,
    reason = "loading compiled code is trusting it; see the reasons inside"
)]
fn deserialize(engine: &Engine, path: &Path) -> wasmtime::Result<Component> {
    // SAFETY: the file has to be the unchanged output of `Engine::precompile_component`. It is in a folder that only this
    // user may enter, it is a regular file of this user that no one else may write, and its digest is the one that was
    // recorded when our own compiler had written it. Files are never changed in place: they are replaced by renaming.
    // Whether version, settings and machine fit is checked by the function itself.
    unsafe { Component::deserialize_file(engine, path) }
}

fn make_private(folder: &Path) -> Result<(), CacheError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|source| CacheError::Create {
        path: folder.to_owned(),
        source,
    })?;
    let metadata = fs::symlink_metadata(folder).map_err(|source| CacheError::Create {
        path: folder.to_owned(),
        source,
    })?;
    if metadata.is_dir() && private(&metadata) {
        return Ok(());
    }
    Err(CacheError::NotPrivate {
        path: folder.to_owned(),
        found: owner_and_mode(&metadata),
    })
}

/// Owned by this user, and no one else may do anything with it.
fn private(metadata: &Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.permissions().mode() & 0o077 == 0
}

fn owner_and_mode(metadata: &Metadata) -> String {
    format!(
        "owner {}, mode {:04o}",
        metadata.uid(),
        metadata.permissions().mode() & 0o7777
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
