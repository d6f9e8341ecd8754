//! The libraries of an input file.

use std::{collections::BTreeMap, sync::Arc};

use espejote_core::{Libraries, Library, LibraryFile, LibraryScope, Revision};

/// Sorts files by their paths: `lib/<library>/<key>` is shared, `<library>/<key>` is the owner's own. The error is a path
/// of neither form.
pub fn of(files: &BTreeMap<String, String>) -> Result<Libraries, String> {
    let mut shared = BTreeMap::<String, Library>::new();
    let mut local = BTreeMap::<String, Library>::new();
    for ((path, text), revision) in files.iter().zip(0..) {
        let file = LibraryFile {
            text: text.as_str().into(),
            revision: Revision(revision),
        };
        let parts: Vec<&str> = path.split('/').collect();
        let (scope, library, key) = match parts.as_slice() {
            ["lib", library, key] => (&mut shared, library, key),
            [library, key] => (&mut local, library, key),
            _ => return Err(path.clone()),
        };
        let library = scope.entry((*library).to_owned()).or_default();
        library.files.insert((*key).to_owned(), file);
    }
    Ok(Libraries {
        local: Some(Ok(scope(local))),
        shared: Ok(scope(shared)),
        reads: None,
    })
}

fn scope(libraries: BTreeMap<String, Library>) -> LibraryScope {
    let shared = libraries
        .into_iter()
        .map(|(name, library)| (name, Arc::new(library)));
    Arc::new(shared.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> BTreeMap<String, String> {
        paths
            .iter()
            .map(|path| ((*path).to_owned(), format!("// {path}")))
            .collect()
    }

    /// L1: shared libraries by `lib/…`, others in the owner's namespace.
    #[test]
    fn l1_paths_decide_where_a_file_belongs() {
        let libraries = of(&files(&["a/x", "lib/a/x", "a/y"])).unwrap();
        assert_eq!(&*libraries.read("a/x").unwrap().text, "// a/x");
        assert_eq!(&*libraries.read("lib/a/x").unwrap().text, "// lib/a/x");
        assert_ne!(
            libraries.read("a/x").unwrap().revision,
            libraries.read("a/y").unwrap().revision
        );
    }

    #[test]
    fn a_path_of_another_form_is_named() {
        assert_eq!(of(&files(&["a/b/c"])).unwrap_err(), "a/b/c");
    }
}
