//! Files that people keep in JsonnetLibrary objects.
//!
//! Owns the two forms of a path (`<library>/<key>`, `lib/<library>/<key>`) and the texts for paths that lead nowhere. It
//! never resolves relative paths: guests do.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};

use crate::snapshot::Revision;

/// One file of a library.
#[derive(Clone, Debug)]
pub struct LibraryFile {
    /// Its text.
    pub text: Arc<str>,
    /// Changes with the text.
    pub revision: Revision,
}

/// One JsonnetLibrary: its keys and their files.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// Key to file.
    pub files: BTreeMap<String, LibraryFile>,
}

/// The libraries of one namespace, by name.
pub type LibraryScope = Arc<BTreeMap<String, Arc<Library>>>;

/// All libraries that a call may read, at one instant.
#[derive(Clone, Debug)]
pub struct Libraries {
    /// Those in the owner's namespace. None: the owner has no namespace. Error: why they cannot be read now.
    pub local: Option<Result<LibraryScope, String>>,
    /// Those in the operator's library namespace.
    pub shared: Result<LibraryScope, String>,
    /// Keeps in mind what is read. None: nobody wants to know.
    pub reads: Option<Arc<LibraryReads>>,
}

/// The paths of the files that were read.
#[derive(Debug, Default)]
pub struct LibraryReads(Mutex<BTreeSet<String>>);

impl LibraryReads {
    /// All paths up to now.
    pub fn paths(&self) -> BTreeSet<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add(&self, path: &str) {
        let mut paths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !paths.contains(path) {
            paths.insert(path.to_owned());
        }
    }
}

impl Default for Libraries {
    /// No libraries anywhere; the owner has a namespace.
    fn default() -> Self {
        Self {
            local: Some(Ok(LibraryScope::default())),
            shared: Ok(LibraryScope::default()),
            reads: None,
        }
    }
}

/// Why a file cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadErrorReason {
    /// The path is of neither form.
    InvalidPath,
    /// A path in the owner's namespace, and the owner has none.
    NoNamespace,
    /// No such library.
    NoLibrary,
    /// The library has no such key.
    NoKey,
    /// Libraries cannot be read now.
    Unavailable,
}

/// A file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ReadError {
    /// The sort of trouble, for programs.
    pub reason: ReadErrorReason,
    /// For people.
    pub message: String,
}

impl ReadError {
    fn new(reason: ReadErrorReason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
        }
    }
}

impl Libraries {
    /// The file at `<library>/<key>` or `lib/<library>/<key>`.
    pub fn read(&self, path: &str) -> Result<&LibraryFile, ReadError> {
        let parts: Vec<&str> = path.split('/').collect();
        let found = match parts.as_slice() {
            ["lib", library, key] if both(library, key) => file(self.shared()?, library, key, SHARED),
            [library, key] if both(library, key) => file(self.local()?, library, key, LOCAL),
            _ => Err(ReadError::new(ReadErrorReason::InvalidPath, "invalid path")),
        }?;
        if let Some(reads) = &self.reads {
            reads.add(path);
        }
        Ok(found)
    }

    fn shared(&self) -> Result<&LibraryScope, ReadError> {
        self.shared
            .as_ref()
            .map_err(|why| ReadError::new(ReadErrorReason::Unavailable, why.clone()))
    }

    fn local(&self) -> Result<&LibraryScope, ReadError> {
        match &self.local {
            None => Err(ReadError::new(
                ReadErrorReason::NoNamespace,
                "no local namespace configured",
            )),
            Some(Err(why)) => Err(ReadError::new(ReadErrorReason::Unavailable, why.clone())),
            Some(Ok(scope)) => Ok(scope),
        }
    }
}

/// Where `lib/…` looks.
const SHARED: &str = "the operator's library namespace (--jsonnet-library-namespace)";
/// Where other paths look.
const LOCAL: &str =
    "the namespace of the one that imports it; shared ones are imported as lib/<library>/<key>";

fn both(library: &str, key: &str) -> bool {
    !library.is_empty() && !key.is_empty()
}

fn file<'a>(
    scope: &'a LibraryScope,
    library: &str,
    key: &str,
    place: &str,
) -> Result<&'a LibraryFile, ReadError> {
    let found = scope.get(library).ok_or_else(|| {
        let message = format!("JsonnetLibrary {library:?} not found in {place}");
        ReadError::new(ReadErrorReason::NoLibrary, message)
    })?;
    found.files.get(key).ok_or_else(|| {
        ReadError::new(
            ReadErrorReason::NoKey,
            format!("key {key:?} not found in manifest {library:?}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(library: &str, key: &str, text: &str) -> LibraryScope {
        let file = LibraryFile {
            text: text.into(),
            revision: Revision(1),
        };
        let library_of = Library {
            files: BTreeMap::from([(key.to_owned(), file)]),
        };
        Arc::new(BTreeMap::from([(library.to_owned(), Arc::new(library_of))]))
    }

    fn libraries() -> Libraries {
        Libraries {
            local: Some(Ok(scope("a", "x", "local"))),
            shared: Ok(scope("a", "x", "shared")),
            reads: None,
        }
    }

    #[test]
    fn what_was_read_is_known_to_those_who_ask() {
        let reads = Arc::new(LibraryReads::default());
        let libraries = Libraries {
            reads: Some(reads.clone()),
            ..libraries()
        };
        for path in ["lib/a/x", "a/x", "a/x", "a/y", "x"] {
            let _ = libraries.read(path);
        }
        assert_eq!(reads.paths().into_iter().collect::<Vec<_>>(), ["a/x", "lib/a/x"]);
    }

    #[test]
    fn two_segments_lead_to_the_owners_namespace_and_lib_to_the_shared_one() {
        assert_eq!(&*libraries().read("a/x").unwrap().text, "local");
        assert_eq!(&*libraries().read("lib/a/x").unwrap().text, "shared");
    }

    #[test]
    fn other_forms_are_invalid_paths() {
        for path in ["a", "", "/", "a/", "/x", "a/b/c", "lib/a/b/c", "lib//x"] {
            assert_eq!(
                libraries().read(path).unwrap_err().reason,
                ReadErrorReason::InvalidPath,
                "{path}"
            );
        }
    }

    #[test]
    fn a_missing_key_names_key_and_library() {
        let error = libraries().read("a/y").unwrap_err();
        assert_eq!(error.message, r#"key "y" not found in manifest "a""#);
    }

    #[test]
    fn a_missing_library_is_told_with_where_it_was_looked_for() {
        let message = |path: &str| libraries().read(path).unwrap_err().message;
        assert_eq!(
            message("lib/contrib/x"),
            r#"JsonnetLibrary "contrib" not found in the operator's library namespace (--jsonnet-library-namespace)"#
        );
        assert!(
            message("b/x")
                .starts_with(r#"JsonnetLibrary "b" not found in the namespace of the one that imports it"#)
        );
    }

    #[test]
    fn without_a_namespace_only_shared_files_are_there() {
        let libraries = Libraries {
            local: None,
            ..libraries()
        };
        assert_eq!(
            libraries.read("a/x").unwrap_err().reason,
            ReadErrorReason::NoNamespace
        );
        assert!(libraries.read("lib/a/x").is_ok());
    }
}
