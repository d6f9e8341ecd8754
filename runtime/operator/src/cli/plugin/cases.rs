//! The recorded tests of a project: each folder in `tests/` with an `input.yaml` is one, and `expected.yaml` beside it is what
//! the plugin makes of that.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::project::Project;

const FOLDER: &str = "tests";
const INPUT: &str = "input.yaml";
const EXPECTED: &str = "expected.yaml";

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    /// The name of its folder.
    pub name: String,
    /// What the cluster holds.
    pub input: PathBuf,
    /// What comes out.
    pub expected: PathBuf,
}

/// Why there are none.
#[derive(Debug, thiserror::Error)]
pub(super) enum CasesError {
    /// The folder cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// No folder has an input.
    #[error("there is no {}: expected what the cluster holds, as `espejote render --input` takes it", .0.display())]
    None(PathBuf),
}

/// All of a project, by name; at least one.
pub(super) fn all(project: &Project) -> Result<Vec<Case>, CasesError> {
    let folder = project.root.join(FOLDER);
    let mut cases = Vec::new();
    for path in folders(&folder)? {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let (input, expected) = (path.join(INPUT), path.join(EXPECTED));
        if input.is_file() {
            cases.push(Case {
                name,
                input,
                expected,
            });
        }
    }
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    match cases.is_empty() {
        true => Err(CasesError::None(folder.join("*").join(INPUT))),
        false => Ok(cases),
    }
}

/// The inputs of all.
pub(super) fn inputs(project: &Project) -> Result<Vec<PathBuf>, CasesError> {
    Ok(all(project)?.into_iter().map(|case| case.input).collect())
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>, CasesError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => {
            return Err(CasesError::Read {
                path: folder.to_owned(),
                source,
            });
        }
    };
    let paths: io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    paths.map_err(|source| CasesError::Read {
        path: folder.to_owned(),
        source,
    })
}
