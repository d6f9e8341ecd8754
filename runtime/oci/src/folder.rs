//! A private folder: how it is made, and how files in it are written, read and cleared away.

use std::{
    fs::{self, DirBuilder, File, Metadata, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::Path,
};

use tempfile::NamedTempFile;

use crate::store::StoreError;

/// What begins the names of files that are being written.
pub(crate) const PARTIAL: &str = ".partial-";

/// Writes a file in one step.
pub(crate) fn write(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = begin(folder)?;
    file.write_all(bytes)?;
    finish(file, path)
}

/// A file that is being written; it goes when it is dropped.
pub(crate) fn begin(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(PARTIAL).tempfile_in(folder)
}

/// Gives a file that is written its name, in one step.
pub(crate) fn finish(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_data()?;
    file.persist(path)?;
    Ok(())
}

/// All of a regular file; none if there is no such file. Links are not followed.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let Some((file, size)) = open(path, limit)? else {
        return Ok(None);
    };
    let mut bytes = Vec::with_capacity(size);
    File::take(file, limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// A regular file and its size; none if there is no such file. Links are not followed.
pub(crate) fn open(path: &Path, limit: u64) -> io::Result<Option<(File, usize)>> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    match OpenOptions::new().read(true).custom_flags(no_follow).open(path) {
        Ok(file) => {
            let size = size(&file.metadata()?, limit)?;
            Ok(Some((file, size)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
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

/// Removes what a process left behind that ended while it wrote: what was begun more than an hour ago, since other
/// processes may use the folder too.
pub(crate) fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(is_stale) {
        fs::remove_file(entry.path()).ok();
    }
}

fn is_stale(entry: &fs::DirEntry) -> bool {
    let begun = entry
        .file_name()
        .to_str()
        .is_some_and(|name| name.starts_with(PARTIAL));
    let modified = entry.metadata().and_then(|metadata| metadata.modified());
    let age = modified.ok().and_then(|modified| modified.elapsed().ok());
    begun && age.is_some_and(|age| age.as_secs() > 3_600)
}

/// Makes a folder that only this user may look into, or checks that one that is there is so.
pub(crate) fn make_private(folder: &Path) -> Result<(), StoreError> {
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
