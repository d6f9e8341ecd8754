//! A language's toolchain on this machine: where it is, and the scripts that set it up and build with it.
//!
//! Owns the folder of a toolchain: what `setup` installs, the scripts, and the mark of a finished setup.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::languages::{self, Language, WriteError};
use crate::cli::folder;

/// Where toolchains are, if not in the user's cache; a script gets the folder of its language.
const FOLDER: &str = "ESPEJOTE_TOOLCHAIN";
/// In the toolchain's folder: of which scripts the setup has ended well.
const READY: &str = "ready";
const SCRIPTS: &str = "scripts";

/// Why a toolchain cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum ToolchainError {
    /// It was never set up, or by another version of this program.
    #[error(
        "the toolchain for {language} is not set up in {folder}: run `espejote plugin setup --lang {language}`",
        folder = folder.display()
    )]
    NotSetUp { language: &'static str, folder: PathBuf },
    /// Nobody knows where it should be.
    #[error("there is no folder for toolchains: set HOME or {FOLDER}")]
    NoFolder,
    /// The scripts cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A script cannot be started.
    #[error("cannot run {}: the scripts of toolchains need bash", path.display())]
    Start {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A script failed; it has said why.
    #[error("{what} failed ({status})")]
    Failed { what: String, status: String },
}

/// A toolchain.
#[derive(Debug)]
pub(super) struct Toolchain {
    /// Of which language it is.
    pub language: &'static Language,
    /// What `setup` has filled.
    pub folder: PathBuf,
}

impl Toolchain {
    /// That of a language, set up or not.
    pub fn of(language: &'static Language) -> Result<Self, ToolchainError> {
        let given = folder::of(FOLDER)
            .map(|folder| env::current_dir().map_or(folder.clone(), |here| here.join(folder)));
        let own = || Some(folder::cache()?.join("espejote/toolchains"));
        let all = given.or_else(own).ok_or(ToolchainError::NoFolder)?;
        Ok(Self::below(&all, language))
    }

    /// Each language has a folder of its own. A folder that was set up for this language alone is one, too.
    fn below(all: &Path, language: &'static Language) -> Self {
        let alone = Self {
            language,
            folder: all.to_owned(),
        };
        match alone.is_ready() {
            true => alone,
            false => Self {
                language,
                folder: all.join(language.name),
            },
        }
    }

    /// Whether the setup has ended well, with the scripts of this program.
    fn is_ready(&self) -> bool {
        let version = self.language.toolchain_version();
        fs::read(self.folder.join(READY)).is_ok_and(|ready| ready == version.as_bytes())
    }

    /// Installs what is missing.
    pub fn set_up(&self) -> Result<(), ToolchainError> {
        languages::write_all(self.language.toolchain, &self.folder.join(SCRIPTS))?;
        let mut script = self.script("setup");
        self.run(&mut script, format!("the setup of {}", self.language.name))?;
        let version = self.language.toolchain_version();
        languages::write(&self.folder.join(READY), version.as_bytes(), false)?;
        Ok(())
    }

    /// The build script, ready to be given its environment.
    pub fn build_script(&self) -> Result<Command, ToolchainError> {
        if !self.is_ready() {
            return Err(ToolchainError::NotSetUp {
                language: self.language.name,
                folder: self.folder.clone(),
            });
        }
        languages::write_all(self.language.toolchain, &self.folder.join(SCRIPTS))?;
        Ok(self.script("build"))
    }

    /// What a script prints goes to standard error: standard output is for results.
    fn script(&self, name: &str) -> Command {
        let mut command = Command::new(self.folder.join(SCRIPTS).join(name));
        command
            .env(FOLDER, &self.folder)
            .stdin(Stdio::null())
            .stdout(io::stderr());
        command
    }

    /// Runs a script to its end.
    pub fn run(&self, script: &mut Command, what: String) -> Result<(), ToolchainError> {
        let status = script.status().map_err(|source| ToolchainError::Start {
            path: Path::new(script.get_program()).to_owned(),
            source,
        })?;
        match status.success() {
            true => Ok(()),
            false => Err(ToolchainError::Failed {
                what,
                status: status.to_string(),
            }),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::cli::plugin::languages::File;

    /// A toolchain of a language that does not exist.
    pub(in crate::cli::plugin) fn fake(folder: &Path, build: &'static str) -> Toolchain {
        let file = |path, bytes, executable| File {
            path,
            bytes,
            executable,
        };
        let setup = b"#!/bin/sh\necho set up >\"$ESPEJOTE_TOOLCHAIN/installed\"\n";
        let toolchain = vec![file("setup", setup, true), file("build", build.as_bytes(), true)];
        let language = Language {
            name: "fake",
            sdk: Box::leak(Box::new([file("library.txt", b"", false)])),
            template: &[],
            roles: &[],
            toolchain: toolchain.leak(),
        };
        Toolchain {
            language: Box::leak(Box::new(language)),
            folder: folder.to_owned(),
        }
    }

    #[test]
    fn a_toolchain_is_ready_once_its_own_setup_has_ended_well() {
        let dir = tempfile::tempdir().unwrap();
        let toolchain = fake(dir.path(), "#!/bin/sh\n");
        let error = toolchain.build_script().unwrap_err().to_string();
        assert!(
            error.contains("run `espejote plugin setup --lang fake`"),
            "{error}"
        );
        toolchain.set_up().unwrap();
        assert!(dir.path().join("installed").is_file());
        toolchain.build_script().unwrap();
        let other = fake(dir.path(), "#!/bin/sh\necho other\n");
        assert!(matches!(
            other.build_script(),
            Err(ToolchainError::NotSetUp { .. })
        ));
    }

    #[test]
    fn each_language_has_its_own_folder_and_one_that_was_set_up_alone_stays() {
        let dir = tempfile::tempdir().unwrap();
        let fake = fake(dir.path(), "#!/bin/sh\n");
        let below = Toolchain::below(dir.path(), fake.language);
        assert_eq!(below.folder, dir.path().join("fake"));
        fake.set_up().unwrap();
        let alone = Toolchain::below(dir.path(), fake.language);
        assert_eq!(alone.folder, dir.path());
        let other = languages::language("go").unwrap();
        assert_eq!(Toolchain::below(dir.path(), other).folder, dir.path().join("go"));
    }

    #[test]
    fn a_setup_that_fails_leaves_no_mark() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("installed")).unwrap();
        let toolchain = fake(dir.path(), "");
        assert!(matches!(toolchain.set_up(), Err(ToolchainError::Failed { .. })));
        assert!(!dir.path().join(READY).exists());
    }
}
