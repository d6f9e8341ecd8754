//! Artifacts on disk: what was pulled once needs no registry again.
//!
//! A file for each manifest, index and layer, named by its digest; so each file tells by itself whether it is still what
//! was pulled, and nothing has to be believed. All calls block on the disk.

use std::{
    collections::HashSet,
    fs::{self, DirBuilder, File, Metadata, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use bytes::Bytes;
use tempfile::NamedTempFile;

use crate::{
    artifact::{Artifact, Found, Resolved, look},
    config::SizeLimits,
    digest::Digest,
    unpack,
};

/// What begins the names of files that are being written.
const PARTIAL: &str = ".partial-";

/// Why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It cannot be made.
    #[error("cannot make folder {}: {source}", path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Others may look into it or write to it, or it is someone else's.
    #[error("folder {} has to be a folder of this user with mode 0700 ({found})", path.display())]
    NotPrivate {
        /// The folder.
        path: PathBuf,
        /// Owner and mode.
        found: String,
    },
    /// A file cannot be written.
    #[error("cannot write to folder {}: {source}", path.display())]
    Write {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It cannot be listed, or a file in it cannot be removed.
    #[error("cannot clear folder {}: {source}", path.display())]
    Clear {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// The folder.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
    limits: SizeLimits,
}

impl Store {
    /// Makes the folder if needed, with mode 0700; one that is there must be this user's, with that mode. What is larger
    /// than `limits` is neither read nor unpacked.
    pub fn open(folder: &Path, limits: SizeLimits) -> Result<Self, StoreError> {
        make_private(folder)?;
        let store = Self {
            folder: folder.to_owned(),
            limits,
        };
        store.sweep();
        Ok(store)
    }

    /// Keeps an artifact: the layer first, the manifest last, each in one step. So whatever has a manifest is whole.
    pub fn insert(&self, artifact: &Artifact) -> Result<(), StoreError> {
        let resolved = &artifact.resolved;
        self.write(resolved.layer.digest, &artifact.layer)?;
        self.write(resolved.manifest_digest, &resolved.manifest)?;
        match (&resolved.index, resolved.index_digest) {
            (Some(index), Some(digest)) => self.write(digest, index),
            _ => Ok(()),
        }
    }

    /// An artifact by the digest of its manifest, or of the index that led to it. None if it is not here whole: then it has
    /// to be pulled. Every byte is digested again; a file that is not what its name says is removed.
    pub fn get(&self, digest: Digest) -> Option<Artifact> {
        let resolved = self.resolve(digest)?;
        let layer = self.read(resolved.layer.digest, self.limits.module)?;
        match unpack::module(&layer, resolved.format, self.limits.module) {
            Ok(module) => Some(resolved.with(layer, module)),
            Err(reason) => {
                tracing::warn!(%digest, %reason, "a stored artifact is not used");
                None
            }
        }
    }

    /// Like [`get`](Self::get), but only the manifest is read.
    pub fn resolve(&self, digest: Digest) -> Option<Resolved> {
        let document = self.read(digest, self.limits.manifest)?;
        match look(&document, None).ok()? {
            Found::Manifest => Resolved::new(document, None, None).ok(),
            Found::Index(entry) => {
                let manifest = self.read(entry.digest, self.limits.manifest)?;
                Resolved::new(manifest, None, Some(document)).ok()
            }
        }
    }

    /// Removes all but the artifacts whose manifest, index or layer is in `keep`. Returns how many bytes that has freed.
    /// What is inserted meanwhile, and is not in `keep`, may go too.
    pub fn collect(&self, keep: &HashSet<Digest>) -> Result<u64, StoreError> {
        let needed: HashSet<String> = self.needed(keep).iter().map(Digest::hex).collect();
        let failed = |source| StoreError::Clear {
            path: self.folder.clone(),
            source,
        };
        let mut freed = 0;
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let known = name
                .to_str()
                .is_some_and(|name| needed.contains(name) || name.starts_with(PARTIAL));
            if known {
                continue;
            }
            let size = entry.metadata().map_or(0, |metadata| metadata.len());
            match fs::remove_file(entry.path()) {
                Ok(()) => freed += size,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(freed)
    }

    /// `keep`, and what its indexes and manifests lead to.
    fn needed(&self, keep: &HashSet<Digest>) -> HashSet<Digest> {
        let mut needed = keep.clone();
        for resolved in keep.iter().filter_map(|digest| self.resolve(*digest)) {
            needed.insert(resolved.manifest_digest);
            needed.insert(resolved.layer.digest);
        }
        needed
    }

    /// The file of a digest, if it is there, not too large, and what its name says.
    fn read(&self, digest: Digest, limit: u64) -> Option<Bytes> {
        let path = self.path(digest);
        let read = match read_file(&path, limit) {
            Ok(read) => read?,
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "a stored file cannot be read");
                return None;
            }
        };
        if Digest::of(&read) == digest {
            return Some(read.into());
        }
        tracing::warn!(path = %path.display(), "a stored file is damaged, and is removed");
        fs::remove_file(&path).ok();
        None
    }

    fn write(&self, digest: Digest, bytes: &[u8]) -> Result<(), StoreError> {
        let write = || -> io::Result<()> {
            let mut file = tempfile::Builder::new()
                .prefix(PARTIAL)
                .tempfile_in(&self.folder)?;
            persist(&mut file, bytes)?;
            file.persist(self.path(digest))?;
            Ok(())
        };
        write().map_err(|source| StoreError::Write {
            path: self.folder.clone(),
            source,
        })
    }

    /// Removes what a process left behind that ended while it wrote.
    fn sweep(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries.filter(is_stale) {
            fs::remove_file(entry.path()).ok();
        }
    }

    fn path(&self, digest: Digest) -> PathBuf {
        self.folder.join(digest.hex())
    }
}

fn persist(file: &mut NamedTempFile, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.as_file().sync_data()
}

/// All of a regular file; none if there is no such file. Links are not followed.
fn read_file(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let file = match OpenOptions::new().read(true).custom_flags(no_follow).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let size = size(&file.metadata()?, limit)?;
    let mut bytes = Vec::with_capacity(size);
    File::take(file, limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

fn size(metadata: &Metadata, limit: u64) -> io::Result<usize> {
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    if metadata.len() > limit {
        return Err(io::Error::other(format!(
            "it has more than the {limit} bytes that are allowed"
        )));
    }
    usize::try_from(metadata.len()).map_err(io::Error::other)
}

/// Whether a file was begun more than an hour ago and never finished: other processes may use the folder too.
fn is_stale(entry: &fs::DirEntry) -> bool {
    let begun = entry
        .file_name()
        .to_str()
        .is_some_and(|name| name.starts_with(PARTIAL));
    let modified = entry.metadata().and_then(|metadata| metadata.modified());
    let age = modified.ok().and_then(|modified| modified.elapsed().ok());
    begun && age.is_some_and(|age| age.as_secs() > 3_600)
}

fn make_private(folder: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::Create {
        path: folder.to_owned(),
        source,
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(failed)?;
    let metadata = fs::symlink_metadata(folder).map_err(failed)?;
    let (owner, mode) = (metadata.uid(), metadata.mode() & 0o7777);
    let own = owner == rustix::process::geteuid().as_raw();
    if metadata.is_dir() && own && mode == 0o700 {
        return Ok(());
    }
    let found = format!("owner {owner}, mode {mode:04o}");
    Err(StoreError::NotPrivate {
        path: folder.to_owned(),
        found,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use serde_json::json;

    use super::*;
    use crate::manifest::{OCI_INDEX, OCI_MANIFEST, WASM_CONFIG, WASM_LAYER};

    fn artifact(module: &'static [u8], with_index: bool) -> Artifact {
        let manifest = json!({"schemaVersion": 2, "mediaType": OCI_MANIFEST,
            "config": {"mediaType": WASM_CONFIG, "digest": Digest::of(b"{}"), "size": 2},
            "layers": [{"mediaType": WASM_LAYER, "digest": Digest::of(module), "size": module.len()}]});
        let manifest = Bytes::from(manifest.to_string());
        let index = json!({"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": [
            {"mediaType": OCI_MANIFEST, "digest": Digest::of(&manifest), "size": manifest.len()}]});
        let index = with_index.then(|| Bytes::from(index.to_string()));
        let resolved = Resolved::new(manifest, None, index).unwrap();
        resolved.with(Bytes::from_static(module), Bytes::from_static(module))
    }

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("store"), SizeLimits::default()).unwrap();
        (folder, store)
    }

    fn files(store: &Store) -> usize {
        fs::read_dir(&store.folder).unwrap().count()
    }

    #[test]
    fn what_is_kept_is_found_by_manifest_and_by_index() {
        let (_folder, store) = store();
        let kept = artifact(b"one", true);
        store.insert(&kept).unwrap();
        let by_manifest = store.get(kept.manifest_digest).unwrap();
        assert_eq!(
            (by_manifest.bytes, by_manifest.size),
            (Bytes::from_static(b"one"), 3)
        );
        let by_index = store.get(kept.resolved.index_digest.unwrap()).unwrap();
        assert_eq!(by_index.manifest_digest, kept.manifest_digest);
        assert!(by_index.resolved.index_digest.is_some());
        assert!(store.get(Digest::of(b"other")).is_none());
    }

    #[test]
    fn a_damaged_file_is_removed_and_is_a_miss() {
        let (_folder, store) = store();
        let kept = artifact(b"one", false);
        for digest in [kept.layer_digest, kept.manifest_digest] {
            store.insert(&kept).unwrap();
            fs::write(store.path(digest), b"two").unwrap();
            assert!(store.get(kept.manifest_digest).is_none());
            assert!(!store.path(digest).exists());
        }
    }

    #[test]
    fn a_link_and_a_file_over_the_limit_are_not_read() {
        let (_folder, store) = store();
        let kept = artifact(b"one", false);
        store.insert(&kept).unwrap();
        let small = SizeLimits {
            module: 2,
            ..SizeLimits::default()
        };
        assert!(
            Store::open(&store.folder, small)
                .unwrap()
                .get(kept.manifest_digest)
                .is_none()
        );
        let elsewhere = store.folder.join("elsewhere");
        fs::rename(store.path(kept.layer_digest), &elsewhere).unwrap();
        symlink(elsewhere, store.path(kept.layer_digest)).unwrap();
        assert!(store.get(kept.manifest_digest).is_none());
    }

    #[test]
    fn only_what_is_needed_survives_collection() {
        let (_folder, store) = store();
        let (one, two) = (artifact(b"one", true), artifact(b"two", true));
        store.insert(&one).unwrap();
        store.insert(&two).unwrap();
        let freed = store
            .collect(&HashSet::from([two.resolved.index_digest.unwrap()]))
            .unwrap();
        let expected =
            one.layer.len() + one.resolved.manifest.len() + one.resolved.index.as_ref().unwrap().len();
        assert_eq!(freed, expected as u64);
        assert!(store.get(one.manifest_digest).is_none());
        assert!(store.get(two.resolved.index_digest.unwrap()).is_some());
        store.collect(&HashSet::new()).unwrap();
        assert_eq!(files(&store), 0);
    }

    #[test]
    fn the_folder_is_private_and_a_public_one_is_refused() {
        let (folder, store) = store();
        assert_eq!(fs::metadata(&store.folder).unwrap().mode() & 0o777, 0o700);
        let public = folder.path().join("public");
        fs::create_dir(&public).unwrap();
        fs::set_permissions(&public, fs::Permissions::from_mode(0o755)).unwrap();
        let error = Store::open(&public, SizeLimits::default()).unwrap_err();
        assert!(error.to_string().contains("mode 0755"), "{error}");
    }

    #[test]
    fn what_is_being_written_is_left_alone_until_it_is_stale() {
        let (_folder, store) = store();
        let partial = store.folder.join(format!("{PARTIAL}x"));
        fs::write(&partial, b"begun").unwrap();
        store.collect(&HashSet::new()).unwrap();
        Store::open(&store.folder, SizeLimits::default()).unwrap();
        assert!(partial.exists());
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(7_200);
        File::options()
            .write(true)
            .open(&partial)
            .unwrap()
            .set_modified(old)
            .unwrap();
        Store::open(&store.folder, SizeLimits::default()).unwrap();
        assert!(!partial.exists());
    }
}
