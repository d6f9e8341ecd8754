//! What is to be built, and what came of it.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::{Error, Result, Toolchain, cargo, component, sources};

/// A crate to be built into a component.
#[derive(Debug, Clone)]
pub struct Guest {
    workspace: PathBuf,
    package: String,
    example: Option<String>,
    target_dir: PathBuf,
}

impl Guest {
    /// The `cdylib` of `package`, a member of the workspace at `workspace`. `target_dir` must not be the target folder
    /// of a cargo that waits for this build.
    pub fn new(
        workspace: impl Into<PathBuf>,
        package: impl Into<String>,
        target_dir: impl Into<PathBuf>,
    ) -> Self {
        Self {
            workspace: workspace.into(),
            package: package.into(),
            example: None,
            target_dir: target_dir.into(),
        }
    }

    /// An example of the package (with `crate-type = ["cdylib"]`) instead of its library: many small guests in one crate.
    #[must_use]
    pub fn example(mut self, name: impl Into<String>) -> Self {
        self.example = Some(name.into());
        self
    }

    /// Builds with the toolchain that [`Toolchain::choose`] finds.
    pub fn build(&self) -> Result<Built> {
        self.build_with(Toolchain::choose(&self.workspace)?)
    }

    /// Builds with the given toolchain. Quick if nothing has changed: cargo does nothing, and an equal component is not
    /// written again.
    pub fn build_with(&self, toolchain: Toolchain) -> Result<Built> {
        cargo::build(self, toolchain)?;
        let module = self.artifact("wasm");
        let bytes = std::fs::read(&module).map_err(Error::file("read", &module))?;
        let component = component::wrap(self, &module, &bytes)?;
        let path = self.artifact("component.wasm");
        write_if_new(&path, &component)?;
        Ok(Built {
            component: path,
            toolchain,
            sources: sources::of(&self.artifact("d"), &self.workspace)?,
        })
    }

    pub(crate) fn workspace(&self) -> &Path {
        &self.workspace
    }

    pub(crate) fn package(&self) -> &str {
        &self.package
    }

    pub(crate) fn example_name(&self) -> Option<&str> {
        self.example.as_deref()
    }

    pub(crate) fn target_dir(&self) -> &Path {
        &self.target_dir
    }

    fn artifact(&self, extension: &str) -> PathBuf {
        let out = self.target_dir.join(cargo::TARGET).join(cargo::PROFILE);
        match &self.example {
            Some(example) => out.join("examples").join(format!("{example}.{extension}")),
            None => out.join(format!("{}.{extension}", self.package.replace('-', "_"))),
        }
    }
}

impl fmt::Display for Guest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.example {
            Some(example) => write!(f, "guest `{example}` of crate `{}`", self.package),
            None => write!(f, "guest crate `{}`", self.package),
        }
    }
}

/// A component on disk.
#[derive(Debug, Clone)]
pub struct Built {
    component: PathBuf,
    toolchain: Toolchain,
    sources: Vec<PathBuf>,
}

impl Built {
    /// The component's file, inside of the target folder.
    #[must_use]
    pub fn component(&self) -> &Path {
        &self.component
    }

    /// The toolchain that built it.
    #[must_use]
    pub fn toolchain(&self) -> Toolchain {
        self.toolchain
    }

    /// Every file of the workspace that the component was made from, sorted.
    #[must_use]
    pub fn sources(&self) -> &[PathBuf] {
        &self.sources
    }
}

/// Leaves an equal file alone, so that whoever looks at its time builds nothing anew.
pub(crate) fn write_if_new(path: &Path, bytes: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    std::fs::write(path, bytes).map_err(Error::file("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_are_named_after_crate_or_example() {
        let guest = Guest::new("/ws", "team-labels", "/t");
        assert_eq!(
            guest.artifact("wasm"),
            Path::new("/t/wasm32-wasip1/guest/team_labels.wasm")
        );
        let example = guest.example("spin");
        assert_eq!(
            example.artifact("d"),
            Path::new("/t/wasm32-wasip1/guest/examples/spin.d")
        );
        assert_eq!(example.to_string(), "guest `spin` of crate `team-labels`");
    }

    #[test]
    fn an_equal_file_is_not_written_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        write_if_new(&path, b"one").unwrap();
        let mut readonly = std::fs::metadata(&path).unwrap().permissions();
        readonly.set_readonly(true);
        let before = std::fs::metadata(&path).unwrap().modified().unwrap();
        write_if_new(&path, b"one").unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().modified().unwrap(), before);
        write_if_new(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
    }
}
