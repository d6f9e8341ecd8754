//! A plugin project: the folder with `plugin.toml`, and what that says.
//!
//! Owns the format of `plugin.toml` and the places of a project's files.

use std::{
    collections::BTreeMap,
    fmt, fs, io,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::languages::{self, Language};

/// What makes a folder a project.
pub(super) const PLUGIN_TOML: &str = "plugin.toml";
/// The ManagedResource that uses the plugin.
pub(super) const MANIFEST: &str = "manifest.yaml";

/// Why a folder is no project.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProjectError {
    /// There is no `plugin.toml`.
    #[error(
        "there is no plugin.toml in {}: run this in the folder of a plugin, say where it is with --project DIR, or \
         make one with `espejote plugin new`",
        .0.display()
    )]
    NoProject(PathBuf),
    /// It cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// It is not written as it should be.
    #[error("{}: {reason}", path.display())]
    Format { path: PathBuf, reason: String },
    /// A field has a value that it cannot have.
    #[error("{}: {field} is {found:?}: {expected}", path.display())]
    Field {
        path: PathBuf,
        field: &'static str,
        found: String,
        expected: String,
    },
}

/// What a component may export: the roles of plugins, and what describes a config.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(super) enum Export {
    /// Logic of a ManagedResource.
    Reconcile,
    /// Logic of an Admission.
    Admit,
    /// Computes an entry of `context`.
    Provide,
    /// Describes and checks the config; beside one of the others.
    Configuration,
}

impl Export {
    const ALL: [Self; 4] = [Self::Reconcile, Self::Admit, Self::Provide, Self::Configuration];

    /// As `plugin.toml` and the contract name it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Reconcile => "reconcile",
            Self::Admit => "admit",
            Self::Provide => "provide",
            Self::Configuration => "configuration",
        }
    }

    /// The world of the contract that has it.
    pub const fn world(self) -> &'static str {
        match self {
            Self::Reconcile => "reconciler",
            Self::Admit => "admitter",
            Self::Provide => "provider",
            Self::Configuration => "configurable",
        }
    }
}

impl fmt::Display for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A project.
#[derive(Clone, Debug)]
pub(super) struct Project {
    /// Its folder, absolute.
    pub root: PathBuf,
    /// Its name: a DNS label.
    pub name: String,
    /// The language it is written in.
    pub language: &'static Language,
    /// What the component exports; at least one.
    pub exports: Vec<Export>,
    /// Where the component is built to, absolute.
    pub component: PathBuf,
    /// What else there is to say of it, as annotations in a registry.
    pub annotations: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PluginToml {
    name: String,
    version: String,
    language: String,
    roles: Vec<String>,
    component: Option<PathBuf>,
    description: Option<String>,
    authors: Option<String>,
    licenses: Option<String>,
    source: Option<String>,
    homepage: Option<String>,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
}

impl Project {
    /// Reads the project in a folder.
    pub fn read(folder: &Path) -> Result<Self, ProjectError> {
        let path = folder.join(PLUGIN_TOML);
        let failed = |source| ProjectError::Read {
            path: path.clone(),
            source,
        };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(ProjectError::NoProject(folder.to_owned()));
            }
            Err(error) => return Err(failed(error)),
        };
        let root = folder.canonicalize().map_err(failed)?;
        Self::parse(&path, &root, &text)
    }

    /// Reads the project in a folder; none if there is no `plugin.toml`.
    pub fn find(folder: &Path) -> Result<Option<Self>, ProjectError> {
        match Self::read(folder) {
            Err(ProjectError::NoProject(_)) => Ok(None),
            found => found.map(Some),
        }
    }

    fn parse(path: &Path, root: &Path, text: &str) -> Result<Self, ProjectError> {
        let given: PluginToml = toml::from_str(text).map_err(|error| ProjectError::Format {
            path: path.to_owned(),
            reason: error.to_string().trim_end().to_owned(),
        })?;
        let field = |field, found: &str, expected: String| ProjectError::Field {
            path: path.to_owned(),
            field,
            found: found.to_owned(),
            expected,
        };
        check_name(&given.name).map_err(|expected| field("name", &given.name, expected))?;
        let language = languages::language(&given.language)
            .map_err(|expected| field("language", &given.language, expected))?;
        let exports =
            exports(&given.roles).map_err(|expected| field("roles", &given.roles.join(", "), expected))?;
        let built = || Path::new("build").join(format!("{}.wasm", given.name));
        Ok(Self {
            component: root.join(given.component.clone().unwrap_or_else(built)),
            root: root.to_owned(),
            annotations: annotations(&given),
            name: given.name,
            language,
            exports,
        })
    }

    /// The ManagedResource of the project.
    pub fn manifest(&self) -> PathBuf {
        self.root.join(MANIFEST)
    }

    /// A path as people write it: relative to the working directory where that is shorter.
    pub fn shown(path: &Path) -> String {
        let relative = std::env::current_dir()
            .ok()
            .and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
        relative.as_deref().unwrap_or(path).display().to_string()
    }
}

/// What a `plugin.toml` says that the component exports.
pub(super) fn exports_of(text: &str) -> Result<Vec<Export>, ProjectError> {
    let path = Path::new(PLUGIN_TOML);
    Ok(Project::parse(path, Path::new(""), text)?.exports)
}

/// The names of the image specification for what people want to know of an artifact.
fn annotations(given: &PluginToml) -> BTreeMap<String, String> {
    let standard = [
        ("title", Some(&given.name)),
        ("version", Some(&given.version)),
        ("description", given.description.as_ref()),
        ("authors", given.authors.as_ref()),
        ("licenses", given.licenses.as_ref()),
        ("source", given.source.as_ref()),
        ("url", given.homepage.as_ref()),
    ];
    let standard = standard
        .into_iter()
        .filter_map(|(name, value)| Some((annotation(name), value?.clone())));
    let given = given.annotations.iter();
    standard
        .chain(given.map(|(name, value)| (name.clone(), value.clone())))
        .collect()
}

/// An annotation of the image specification.
pub(super) fn annotation(name: &str) -> String {
    format!("org.opencontainers.image.{name}")
}

/// What is wrong with a name: it has to be a DNS label.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let well_formed = name.len() <= 63
        && name.chars().all(fits)
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.ends_with('-');
    well_formed.then_some(()).ok_or_else(|| {
        "expected lower-case letters, digits and -, beginning with a letter, at most 63 characters, such as team-labels"
            .to_owned()
    })
}

fn exports(words: &[String]) -> Result<Vec<Export>, String> {
    let expected = || {
        let words = Export::ALL.map(|export| format!("{:?}", export.word()));
        format!("expected a list of {}", words.join(", "))
    };
    let export = |word: &String| Export::ALL.into_iter().find(|export| export.word() == word);
    let mut found: Vec<Export> = words
        .iter()
        .map(|word| export(word).ok_or_else(expected))
        .collect::<Result<_, _>>()?;
    found.sort();
    found.dedup();
    match found.as_slice() {
        [] => Err(expected()),
        [Export::Configuration] => Err(format!(
            "{}; configuration describes the config of another role",
            expected()
        )),
        _ => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Project, String> {
        Project::parse(Path::new("p/plugin.toml"), Path::new("/p"), text).map_err(|error| error.to_string())
    }

    fn with(line: &str) -> Result<Project, String> {
        let key = line.split(' ').next().unwrap();
        let whole = [
            "name = \"team-labels\"",
            "version = \"0.1.0\"",
            "language = \"c\"",
            "roles = [\"reconcile\"]",
        ];
        let kept = whole.iter().filter(|other| !other.starts_with(key));
        let lines: Vec<&str> = kept.copied().chain([line]).collect();
        parse(&lines.join("\n"))
    }

    #[test]
    fn what_is_left_out_has_a_default() {
        let project = with("version = \"1.2.3\"").unwrap();
        assert_eq!(project.component, Path::new("/p/build/team-labels.wasm"));
        assert_eq!(
            (project.language.name, &project.exports[..]),
            ("c", &[Export::Reconcile][..])
        );
        assert_eq!(
            project.annotations["org.opencontainers.image.title"],
            "team-labels"
        );
        assert_eq!(project.annotations["org.opencontainers.image.version"], "1.2.3");
        assert_eq!(project.annotations.len(), 2);
        let elsewhere = with("component = \"out/x.wasm\"").unwrap();
        assert_eq!(elsewhere.component, Path::new("/p/out/x.wasm"));
    }

    #[test]
    fn annotations_of_ones_own_win() {
        let project = with("annotations = {\"org.opencontainers.image.title\" = \"T\", a = \"b\"}").unwrap();
        assert_eq!(project.annotations["org.opencontainers.image.title"], "T");
        assert_eq!(project.annotations["a"], "b");
    }

    #[test]
    fn errors_name_the_field_and_what_is_expected() {
        let error = with("language = \"cobol\"").unwrap_err();
        assert!(
            error.starts_with("p/plugin.toml: language is \"cobol\": expected one of c, go"),
            "{error}"
        );
        let error = with("roles = [\"reconciler\"]").unwrap_err();
        assert!(
            error.contains("roles is \"reconciler\": expected a list of \"reconcile\", \"admit\""),
            "{error}"
        );
        assert!(with("roles = []").unwrap_err().contains("expected a list of"));
        assert!(
            with("roles = [\"configuration\"]")
                .unwrap_err()
                .contains("another role")
        );
        let error = with("name = \"Team Labels\"").unwrap_err();
        assert!(
            error.contains("name is \"Team Labels\": expected lower-case"),
            "{error}"
        );
        let error = with("nmae = \"x\"").unwrap_err();
        assert!(
            error.contains("unknown field `nmae`") && error.contains("line 5"),
            "{error}"
        );
    }

    #[test]
    fn a_folder_without_a_project_says_how_to_make_one() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Project::find(dir.path()).unwrap().is_none());
        let error = Project::read(dir.path()).unwrap_err().to_string();
        assert!(error.contains("espejote plugin new"), "{error}");
    }
}
