//! Components as files.
//!
//! Owns that what is read is a file, and of a size that a component can have: a device or a pipe would never end.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use espejote_oci::Digest;

/// No component is larger, in bytes.
pub const LARGEST: u64 = 256 << 20;

/// A file that gives no component.
#[derive(Debug, thiserror::Error)]
pub enum ComponentFileError {
    /// It cannot be read.
    #[error("cannot read {path}: {source}", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A directory, a device, a pipe.
    #[error("{path} is no regular file: expected a WebAssembly component", path = .0.display())]
    NoFile(PathBuf),
    /// It has too many bytes.
    #[error("{path} is larger than 256Mi: no component may be", path = .0.display())]
    TooLarge(PathBuf),
}

/// Reads a file that may hold a component. Blocks.
pub fn read(path: &Path) -> Result<Vec<u8>, ComponentFileError> {
    let mut bytes = Vec::new();
    // One more than is allowed, since it may grow meanwhile.
    open(path)?
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| unreadable(path, source))?;
    checked(path, bytes.len() as u64).map(|()| bytes)
}

/// The digest and the size of a file that may hold a component, of which nothing is kept in memory. Blocks.
pub fn digest(path: &Path) -> Result<(Digest, u64), ComponentFileError> {
    let read = Digest::of_all(open(path)?.take(LARGEST + 1));
    let (digest, size) = read.map_err(|source| unreadable(path, source))?;
    checked(path, size).map(|()| (digest, size))
}

/// Opens a file that may hold a component. Blocks.
pub fn open(path: &Path) -> Result<File, ComponentFileError> {
    // Looked at before it is opened: opening a pipe waits for whoever writes.
    let metadata = std::fs::metadata(path).map_err(|source| unreadable(path, source))?;
    if !metadata.is_file() {
        return Err(ComponentFileError::NoFile(path.to_owned()));
    }
    File::open(path).map_err(|source| unreadable(path, source))
}

fn checked(path: &Path, size: u64) -> Result<(), ComponentFileError> {
    match size > LARGEST {
        true => Err(ComponentFileError::TooLarge(path.to_owned())),
        false => Ok(()),
    }
}

fn unreadable(path: &Path, source: io::Error) -> ComponentFileError {
    ComponentFileError::Unreadable {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_refused_by_name() {
        for path in ["/dev/zero", "/tmp"] {
            let error = read(Path::new(path)).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("{path} is no regular file")),
                "{error}"
            );
        }
    }

    #[test]
    fn what_is_larger_than_any_component_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.wasm");
        File::create(&path).unwrap().set_len(LARGEST + 1).unwrap();
        let error = read(&path).unwrap_err();
        assert!(matches!(error, ComponentFileError::TooLarge(_)), "{error}");
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(8)
            .unwrap();
        assert_eq!(read(&path).unwrap(), [0; 8]);
    }
}
