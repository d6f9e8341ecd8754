//! The SDKs in the binary: for each language its library, its template and the scripts of its toolchain, and the contract.
//!
//! Owns how they are named and written to disk. The bytes are read from the program's file when they are used; until then
//! they take no memory.

use std::{
    fmt, fs, io,
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

include!(concat!(env!("OUT_DIR"), "/sdk_files.rs"));

/// A language that plugins can be written in.
pub(super) struct Language {
    /// As `--lang` and `plugin.toml` name it.
    pub name: &'static str,
    /// The library that is vendored into projects.
    pub sdk: &'static [File],
    /// The project to begin with.
    pub template: &'static [File],
    /// What the projects of other roles have in place of files of the template.
    pub roles: &'static [&'static [File]],
    /// `setup`, `build` and what they need.
    pub toolchain: &'static [File],
}

/// A file in the binary.
pub(super) struct File {
    /// Relative, with `/`.
    pub path: &'static str,
    /// What is in it.
    pub bytes: &'static [u8],
    /// Whether it is a program.
    pub executable: bool,
}

/// A file that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", .path.display())]
pub(super) struct WriteError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

/// The language of a name, also of some that people use for it; the error lists what there is.
pub(super) fn language(name: &str) -> Result<&'static Language, String> {
    let name = match name {
        "javascript" | "typescript" | "ts" => "js",
        "py" | "python3" => "python",
        "golang" => "go",
        "rs" => "rust",
        name => name,
    };
    LANGUAGES
        .iter()
        .find(|language| language.name == name)
        .ok_or_else(|| format!("expected one of {}", names()))
}

/// All names, divided by commas.
pub(super) fn names() -> String {
    let names: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
    names.join(", ")
}

impl Language {
    /// Stands for the scripts of the toolchain: other scripts, another value.
    pub fn toolchain_version(&self) -> String {
        let mut digest = Sha256::new();
        for file in self.toolchain {
            digest.update(file.path);
            digest.update(file.bytes.len().to_le_bytes());
            digest.update(file.bytes);
        }
        format!("{:x}", digest.finalize())
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Writes files into a folder, which need not exist. What is there with the same bytes is left alone, so that build tools
/// see no change.
pub(super) fn write_all(files: &[File], folder: &Path) -> Result<(), WriteError> {
    for file in files {
        write(&folder.join(file.path), file.bytes, file.executable)?;
    }
    Ok(())
}

/// Writes one file with the folders around it, unless it is there with the same bytes.
pub(super) fn write(path: &Path, bytes: &[u8], executable: bool) -> Result<(), WriteError> {
    let same = fs::read(path).is_ok_and(|there| there == bytes);
    if same && !executable {
        return Ok(());
    }
    put(path, bytes, same, executable).map_err(|source| WriteError {
        path: path.to_owned(),
        source,
    })
}

fn put(path: &Path, bytes: &[u8], same: bool, executable: bool) -> io::Result<()> {
    let mode = if executable { 0o755 } else { 0o644 };
    if same {
        return fs::set_permissions(path, fs::Permissions::from_mode(mode));
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // A program that is running must not be overwritten: the new one takes its name.
    let part = path.with_file_name(format!(
        ".{}.{}.part",
        path.file_name().unwrap_or_default().to_string_lossy(),
        std::process::id()
    ));
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(mode)
        .open(&part)?;
    io::Write::write_all(&mut file, bytes)?;
    drop(file);
    fs::rename(&part, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_what_its_commands_need() {
        for language in LANGUAGES {
            let has = |files: &[File], path: &str| files.iter().any(|file| file.path == path);
            for path in ["plugin.toml", "README.md", "manifest.yaml"] {
                assert!(has(language.template, path), "{language:?}: {path}");
            }
            for script in ["setup", "build"] {
                let script = language.toolchain.iter().find(|file| file.path == script);
                assert!(script.is_some_and(|script| script.executable), "{language:?}");
            }
            assert!(!language.sdk.is_empty(), "{language:?}");
        }
        assert!(CONTRACT.iter().any(|file| file.path == "reconciler.wit"));
    }

    #[test]
    fn nothing_that_builds_leave_behind_is_in_the_binary() {
        let all = LANGUAGES
            .iter()
            .flat_map(|language| [language.sdk, language.template, language.toolchain]);
        for file in all.flatten() {
            let parts: Vec<&str> = file.path.split('/').collect();
            let bad = ["target", "node_modules", "__pycache__", ".git"];
            assert!(!parts.iter().any(|part| bad.contains(part)), "{}", file.path);
        }
    }

    #[test]
    fn languages_have_the_names_that_people_use() {
        assert_eq!(language("typescript").unwrap().name, "js");
        assert_eq!(language("golang").unwrap().name, "go");
        let error = language("cobol").unwrap_err();
        assert!(error.starts_with("expected one of c, go, js, python"), "{error}");
    }

    #[test]
    fn what_is_there_already_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b");
        write(&path, b"one", true).unwrap();
        let before = fs::metadata(&path).unwrap();
        write(&path, b"one", true).unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_eq!(before.modified().unwrap(), after.modified().unwrap());
        assert_eq!(after.permissions().mode() & 0o111, 0o111);
        write(&path, b"two", false).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(dir.path().join("a")).unwrap().count(), 1);
    }
}
