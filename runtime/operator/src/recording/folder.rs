//! The folder of recordings: `<namespace>/<name>/manifest.yaml`, and beside it one folder for each trigger with `input.yaml`
//! and, unless the call failed, `expected.yaml`, as `espejote plugin test` takes them.
//!
//! Nobody but the user of this process can open what is in it.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

/// All recordings together may take so many bytes.
const MOST_BYTES: u64 = 512 << 20;
/// There may be so many folders of triggers.
const MOST_RECORDINGS: usize = 1000;
/// The general reconcile's folder.
const GENERAL: &str = "general";
/// What the folder of a trigger begins with, so that no name of one means something else.
const TRIGGER: &str = "trigger-";
/// Longer names are cut, and told apart by a digest.
const LONGEST_NAME: usize = 120;

/// Why something is not written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder cannot be made.
    #[error("cannot make {}", path.display())]
    Make {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// What is in the folder cannot be counted.
    #[error("cannot read {}", path.display())]
    Read {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// There is no room.
    #[error("{} is full: remove recordings that are not needed any more", .0.display())]
    Full(PathBuf),
}

/// What is written of one call.
#[derive(Debug)]
pub struct Files {
    /// The ManagedResource.
    pub manifest: String,
    /// What the call was given.
    pub input: String,
    /// What came of it; none if it failed.
    pub expected: Option<String>,
}

/// The folder of all recordings.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    most_bytes: u64,
}

/// What is there already.
#[derive(Default)]
struct Taken {
    recordings: usize,
    bytes: u64,
}

impl Folder {
    /// Makes the folder unless it is there.
    pub fn new(root: &Path) -> Result<Self, FolderError> {
        private(root)?;
        Ok(Self {
            root: root.to_owned(),
            most_bytes: MOST_BYTES,
        })
    }

    /// For tests: a smaller one.
    #[cfg(test)]
    pub fn holding(self, most_bytes: u64) -> Self {
        Self { most_bytes, ..self }
    }

    /// Writes a recording in place of the last one of the same trigger. Whoever reads sees the old one or the new one.
    pub fn write(
        &self,
        namespace: &str,
        name: &str,
        trigger: Option<&str>,
        files: &Files,
    ) -> Result<(), FolderError> {
        let own = self.root.join(namespace).join(name);
        private(&own)?;
        let target = own.join(folder_name(trigger));
        self.make_room(&target, files.size())?;
        let part = own.join(format!(".part-{}", folder_name(trigger)));
        removed(&part)?;
        private(&part)?;
        put(&part.join("input.yaml"), &files.input)?;
        if let Some(expected) = &files.expected {
            put(&part.join("expected.yaml"), expected)?;
        }
        put(&own.join(".part-manifest"), &files.manifest)?;
        removed(&target)?;
        moved(&part, &target)?;
        moved(&own.join(".part-manifest"), &own.join("manifest.yaml"))
    }

    fn make_room(&self, target: &Path, bytes: u64) -> Result<(), FolderError> {
        let mut taken = Taken::default();
        taken
            .add(&self.root, target, 0)
            .map_err(|source| FolderError::Read {
                path: self.root.clone(),
                source,
            })?;
        let fits = taken.recordings < MOST_RECORDINGS && taken.bytes.saturating_add(bytes) <= self.most_bytes;
        fits.then_some(())
            .ok_or_else(|| FolderError::Full(self.root.clone()))
    }
}

impl Files {
    fn size(&self) -> u64 {
        let expected = self.expected.as_ref().map_or(0, String::len);
        (self.manifest.len() + self.input.len() + expected) as u64
    }
}

impl Taken {
    /// Everything in a folder but what is going to be replaced. Folders of triggers are on the third level.
    fn add(&mut self, folder: &Path, but: &Path, level: usize) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let (entry, path) = entry.map(|entry| (entry.metadata(), entry.path()))?;
            let entry = entry?;
            if path == but {
                continue;
            }
            if entry.is_dir() {
                self.recordings += usize::from(level == 2);
                self.add(&path, but, level + 1)?;
            } else {
                self.bytes += entry.len();
            }
        }
        Ok(())
    }
}

/// The name of a trigger's folder: no other trigger has it, and nothing in it means anything to a file system.
pub fn folder_name(trigger: Option<&str>) -> String {
    let Some(trigger) = trigger else {
        return GENERAL.to_owned();
    };
    let plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.' | b'_');
    let mut name = TRIGGER.to_owned();
    for byte in trigger.bytes() {
        match plain(byte) {
            true => name.push(byte.into()),
            false => name.push_str(&format!("%{byte:02X}")),
        }
    }
    if name.len() > LONGEST_NAME {
        let digest = format!("{:x}", Sha256::digest(trigger));
        let kept: String = name.chars().take(LONGEST_NAME - 33).collect();
        name = format!("{kept}%{}", digest.chars().take(32).collect::<String>());
    }
    name
}

fn private(folder: &Path) -> Result<(), FolderError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|source| FolderError::Make {
        path: folder.to_owned(),
        source,
    })
}

fn put(path: &Path, text: &str) -> Result<(), FolderError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let written = options
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|source| FolderError::Write {
        path: path.to_owned(),
        source,
    })
}

fn removed(folder: &Path) -> Result<(), FolderError> {
    match fs::remove_dir_all(folder) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(FolderError::Write {
            path: folder.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}

fn moved(from: &Path, to: &Path) -> Result<(), FolderError> {
    fs::rename(from, to).map_err(|source| FolderError::Write {
        path: to.to_owned(),
        source,
    })
}
