//! Artifacts on disk: what was pulled once needs no registry again.
//!
//! A file for each manifest, index and layer, named by its digest; so each file tells by itself whether it is still what
//! was pulled, and nothing has to be believed. All calls block on the disk.

use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, BufReader, Read, Seek, Write},
    path::{Path, PathBuf},
};

use bytes::Bytes;

use crate::{
    artifact::{Found, Resolved, Stored, look},
    config::SizeLimits,
    digest::{Digest, Hasher},
    folder::{self, PARTIAL},
    partial::Partial,
    trust::Signatures,
    unpack,
};

/// What ends the names of files with signatures, and how large one can be.
const SIGNATURES: &str = ".signatures";
const LARGEST_SIGNATURES: u64 = 16 << 20;

/// Why something cannot be kept.
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
    /// A layer cannot be unpacked, or there is no module in it.
    #[error("the layer {layer} holds no module: {reason}")]
    NoModule {
        /// The layer.
        layer: Digest,
        /// Why.
        reason: String,
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
        folder::make_private(folder)?;
        folder::sweep(folder);
        Ok(Self {
            folder: folder.to_owned(),
            limits,
        })
    }

    /// A file to download a layer into.
    pub fn begin(&self) -> Result<Partial, StoreError> {
        let begun = folder::begin(&self.folder).map(Partial);
        begun.map_err(|source| self.cannot_write(source))
    }

    /// Keeps an artifact whose layer was downloaded whole, if there is a module in it: the layer first, the manifest last,
    /// each in one step. So whatever has a manifest is whole.
    pub fn keep(&self, resolved: Resolved, layer: Partial) -> Result<Stored, StoreError> {
        let unreadable = |source| self.cannot_write(source);
        let reader = BufReader::new(layer.reader().map_err(unreadable)?);
        let stored = self.stored(resolved, reader)?;
        let resolved = &stored.resolved;
        folder::finish(layer.0, &self.path(resolved.layer.digest)).map_err(unreadable)?;
        self.write(resolved.manifest_digest, &resolved.manifest)?;
        if let (Some(index), Some(digest)) = (&resolved.index, resolved.index_digest) {
            self.write(digest, index)?;
        }
        Ok(stored)
    }

    /// An artifact by the digest of its manifest, or of the index that led to it. None if it is not here whole: then it has
    /// to be pulled. Every byte is digested again, none is kept in memory; a file that is not what its name says is removed.
    pub fn get(&self, digest: Digest) -> Option<Stored> {
        let resolved = self.resolve(digest)?;
        let layer = self.sound(resolved.layer.digest)?;
        self.stored(resolved, layer)
            .inspect_err(|reason| tracing::warn!(%digest, %reason, "a stored artifact is not used"))
            .ok()
    }

    fn stored(&self, resolved: Resolved, layer: impl Read) -> Result<Stored, StoreError> {
        let mut module = Hasher::default();
        match unpack::copy(layer, resolved.format, self.limits.module, &mut module) {
            Ok(size) => Ok(Stored {
                module_digest: module.finish(),
                size,
                resolved,
            }),
            Err(reason) => Err(StoreError::NoModule {
                layer: resolved.layer.digest,
                reason,
            }),
        }
    }

    /// Writes the module of an artifact. Who uses it compares digests: the file may have changed since.
    pub fn write_module(&self, stored: &Stored, out: &mut dyn Write) -> io::Result<()> {
        let resolved = &stored.resolved;
        let file = folder::open(&self.path(resolved.layer.digest), self.limits.module)?;
        let (layer, _) = file.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let copied = unpack::copy(BufReader::new(layer), resolved.format, self.limits.module, out);
        copied.map(drop).map_err(io::Error::other)
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

    /// Keeps what was found of an artifact's signatures beside it. It has no digest of its own: what is in it counts only by
    /// being checked again.
    pub fn insert_signatures(&self, manifest: Digest, signatures: &Signatures) -> Result<(), StoreError> {
        let json = serde_json::to_vec(signatures).map_err(|error| self.cannot_write(error.into()))?;
        self.write_file(&self.signatures_path(manifest), &json)
    }

    /// The signatures that were kept beside an artifact.
    pub fn signatures(&self, manifest: Digest) -> Option<Signatures> {
        let json = folder::read(&self.signatures_path(manifest), LARGEST_SIGNATURES).ok()??;
        serde_json::from_slice(&json).ok()
    }

    /// Bytes of all files but those that are still coming in.
    pub fn size(&self) -> io::Result<u64> {
        let mut size = 0;
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let partial = entry
                .file_name()
                .to_str()
                .is_none_or(|name| name.starts_with(PARTIAL));
            // One that has gone meanwhile has no size.
            size += entry
                .metadata()
                .map_or(0, |of| if partial { 0 } else { of.len() });
        }
        Ok(size)
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
            let known = name.to_str().is_some_and(|name| {
                needed.contains(name.trim_end_matches(SIGNATURES)) || name.starts_with(PARTIAL)
            });
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
        let bytes = self.there(digest, |path| folder::read(path, limit))?;
        self.is_sound(digest, Digest::of(&bytes)).then(|| bytes.into())
    }

    /// The same for one that is not read into memory: at its beginning.
    fn sound(&self, digest: Digest) -> Option<BufReader<File>> {
        let (mut file, _) = self.there(digest, |path| folder::open(path, self.limits.module))?;
        let read = Digest::of_all(&file).and_then(|(found, _)| file.rewind().map(|()| found));
        let found = self.there(digest, |_| read.map(Some))?;
        self.is_sound(digest, found).then(|| BufReader::new(file))
    }

    fn there<T>(&self, digest: Digest, read: impl FnOnce(&Path) -> io::Result<Option<T>>) -> Option<T> {
        let path = self.path(digest);
        read(&path).unwrap_or_else(|error| {
            tracing::warn!(path = %path.display(), %error, "a stored file cannot be read");
            None
        })
    }

    /// Removes a file that is not what its name says.
    fn is_sound(&self, digest: Digest, found: Digest) -> bool {
        if found == digest {
            return true;
        }
        let path = self.path(digest);
        tracing::warn!(path = %path.display(), "a stored file is damaged, and is removed");
        fs::remove_file(&path).ok();
        false
    }

    fn write(&self, digest: Digest, bytes: &[u8]) -> Result<(), StoreError> {
        self.write_file(&self.path(digest), bytes)
    }

    fn write_file(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        folder::write(&self.folder, path, bytes).map_err(|source| self.cannot_write(source))
    }

    fn cannot_write(&self, source: io::Error) -> StoreError {
        StoreError::Write {
            path: self.folder.clone(),
            source,
        }
    }

    fn path(&self, digest: Digest) -> PathBuf {
        self.folder.join(digest.hex())
    }

    fn signatures_path(&self, manifest: Digest) -> PathBuf {
        self.folder.join(format!("{}{SIGNATURES}", manifest.hex()))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::File,
        os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    };

    use serde_json::json;

    use super::*;
    use crate::fetch::Sink as _;
    use crate::manifest::{OCI_INDEX, OCI_MANIFEST, WASM_CONFIG, WASM_LAYER};

    fn resolved(module: &[u8], with_index: bool) -> Resolved {
        let manifest = json!({"schemaVersion": 2, "mediaType": OCI_MANIFEST,
            "config": {"mediaType": WASM_CONFIG, "digest": Digest::of(b"{}"), "size": 2},
            "layers": [{"mediaType": WASM_LAYER, "digest": Digest::of(module), "size": module.len()}]});
        let manifest = Bytes::from(manifest.to_string());
        let index = json!({"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": [
            {"mediaType": OCI_MANIFEST, "digest": Digest::of(&manifest), "size": manifest.len()}]});
        let index = with_index.then(|| Bytes::from(index.to_string()));
        Resolved::new(manifest, None, index).unwrap()
    }

    fn kept(store: &Store, module: &[u8], with_index: bool) -> Resolved {
        let resolved = resolved(module, with_index);
        let mut layer = store.begin().unwrap();
        layer.take(module).unwrap();
        store.keep(resolved.clone(), layer).unwrap();
        resolved
    }

    fn module(store: &Store, stored: &Stored) -> Vec<u8> {
        let mut module = Vec::new();
        store.write_module(stored, &mut module).unwrap();
        module
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
        let resolved = kept(&store, b"one", true);
        let by_manifest = store.get(resolved.manifest_digest).unwrap();
        assert_eq!(module(&store, &by_manifest), b"one");
        assert_eq!(
            (by_manifest.module_digest, by_manifest.size),
            (Digest::of(b"one"), 3)
        );
        let by_index = store.get(resolved.index_digest.unwrap()).unwrap();
        assert_eq!(by_index.manifest_digest(), resolved.manifest_digest);
        assert!(by_index.resolved.index_digest.is_some());
        assert!(store.get(Digest::of(b"other")).is_none());
    }

    #[test]
    fn a_damaged_file_is_removed_and_is_a_miss() {
        let (_folder, store) = store();
        let of = resolved(b"one", false);
        for digest in [of.layer.digest, of.manifest_digest] {
            kept(&store, b"one", false);
            fs::write(store.path(digest), b"two").unwrap();
            assert!(store.get(of.manifest_digest).is_none());
            assert!(!store.path(digest).exists());
        }
    }

    #[test]
    fn a_link_and_a_file_over_the_limit_are_not_read() {
        let (_folder, store) = store();
        let kept = kept(&store, b"one", false);
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
        fs::rename(store.path(kept.layer.digest), &elsewhere).unwrap();
        symlink(elsewhere, store.path(kept.layer.digest)).unwrap();
        assert!(store.get(kept.manifest_digest).is_none());
    }

    #[test]
    fn only_what_is_needed_survives_collection() {
        let (_folder, store) = store();
        let (one, two) = (kept(&store, b"one", true), kept(&store, b"two", true));
        let freed = store
            .collect(&HashSet::from([two.index_digest.unwrap()]))
            .unwrap();
        let expected = 3 + one.manifest.len() + one.index.as_ref().unwrap().len();
        assert_eq!(freed, expected as u64);
        assert!(store.get(one.manifest_digest).is_none());
        assert!(store.get(two.index_digest.unwrap()).is_some());
        assert!(store.size().unwrap() > 3);
        store.collect(&HashSet::new()).unwrap();
        assert_eq!((files(&store), store.size().unwrap()), (0, 0));
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
