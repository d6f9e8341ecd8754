//! `import`: which file a path means (rules L1 to L7), and its text, read once in a call.
//!
//! Files are known by their absolute path, `<library>/<key>` or `lib/<library>/<key>`. A path without a slash is in the same
//! library as the file that imports it. The rest of the path stays in the namespace of the importing file, and `lib/…` is
//! the shared one always.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::{AsPathLike, Error, ImportResolver, Result, SourcePath, SourceVirtual};
use jrsonnet_gcmodule::Acyclic;

use crate::current::Current;
use crate::host::{ReadError, ReadErrorReason};
use crate::{nesting, trace};

/// The name of the built-in library.
pub(crate) const BUILT_IN: &str = "espejote.libsonnet";
/// Its text.
pub const LIBSONNET: &str = include_str!("../espejote.libsonnet");
/// The name of the template itself, as a file that imports and in messages.
pub(crate) const TEMPLATE: &str = "template";

/// A library file, by library and key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct File<'a> {
    shared: bool,
    library: &'a str,
    key: &'a str,
}

impl<'a> File<'a> {
    /// An absolute path.
    fn parse(path: &'a str) -> Option<Self> {
        match path.split('/').collect::<Vec<_>>().as_slice() {
            ["lib", library, key] if is_name(library) && is_name(key) => Some(Self {
                shared: true,
                library,
                key,
            }),
            [library, key] if is_name(library) && is_name(key) && *library != "lib" => Some(Self {
                shared: false,
                library,
                key,
            }),
            _ => None,
        }
    }

    /// What `path` means inside of this file.
    fn join(self, path: &str) -> String {
        let in_same_library = path.strip_prefix("./").unwrap_or(path);
        let joined = match in_same_library.split_once('/') {
            None => format!("{}/{in_same_library}", self.library),
            Some(("lib", _)) => return path.to_owned(),
            Some(_) => path.to_owned(),
        };
        if self.shared {
            format!("lib/{joined}")
        } else {
            joined
        }
    }
}

fn is_name(part: &str) -> bool {
    !matches!(part, "" | "." | "..")
}

/// The absolute path for an import.
fn resolve(from: &str, path: &str) -> String {
    match File::parse(from) {
        _ if path == BUILT_IN => BUILT_IN.to_owned(),
        Some(file) => file.join(path),
        None => path.to_owned(),
    }
}

/// The bytes of a file, or why there are none.
type Answer = std::result::Result<Rc<Vec<u8>>, ReadError>;

/// Reads imports through the host.
#[derive(Acyclic)]
pub(crate) struct Importer {
    current: Rc<Current>,
    read: RefCell<HashMap<String, Answer>>,
}

impl Importer {
    pub(crate) fn new(current: Rc<Current>) -> Self {
        Self {
            current,
            read: RefCell::default(),
        }
    }

    /// Failures are remembered too: one call sees one answer.
    fn read(&self, path: &str) -> Result<Answer> {
        if path == BUILT_IN {
            return Ok(Ok(Rc::new(LIBSONNET.as_bytes().to_vec())));
        }
        if let Some(known) = self.read.borrow().get(path) {
            return Ok(known.clone());
        }
        self.current.read_library();
        let answer = self.current.call()?.host.library(path).map(Rc::new);
        self.read.borrow_mut().insert(path.to_owned(), answer.clone());
        Ok(answer)
    }

    fn check(&self, import: &Import<'_>) -> Result<()> {
        if import.absolute != BUILT_IN && File::parse(&import.absolute).is_none() {
            return Err(import.error("invalid path"));
        }
        self.read(&import.absolute)?
            .map(drop)
            .map_err(|error| self.refused(import, &error))
    }

    fn refused(&self, import: &Import<'_>, error: &ReadError) -> Error {
        if error.reason == ReadErrorReason::Unavailable
            && let Ok(call) = self.current.call()
        {
            call.blame.not_ready();
        }
        let file = File::parse(&import.absolute);
        let (library, key) = file.map_or(("", ""), |file| (file.library, file.key));
        import.error(&match error.reason {
            ReadErrorReason::InvalidPath => "invalid path".to_owned(),
            ReadErrorReason::NoNamespace => "no local namespace configured".to_owned(),
            ReadErrorReason::NoLibrary => format!("manifest \"{library}\" not found"),
            ReadErrorReason::NoKey => format!("key \"{key}\" not found in manifest \"{library}\""),
            ReadErrorReason::Unavailable | ReadErrorReason::Failed => error.message.clone(),
        })
    }
}

impl ImportResolver for Importer {
    fn resolve_from(&self, from: &SourcePath, path: &dyn AsPathLike) -> Result<SourcePath> {
        let from = name(from);
        let path = path.as_path().to_owned().to_string();
        let import = Import {
            absolute: resolve(&from, &path),
            path: &path,
            from: &from,
        };
        self.check(&import)?;
        Ok(SourcePath::new(SourceVirtual(import.absolute.into())))
    }

    fn load_file_contents(&self, resolved: &SourcePath) -> Result<Vec<u8>> {
        let path = name(resolved);
        match self.read(&path)? {
            Ok(bytes) if is_jsonnet(&path) => parsable(&path, &bytes),
            Ok(bytes) => Ok(bytes.to_vec()),
            Err(error) => Err(ErrorKind::RuntimeError(error.message.into()).into()),
        }
    }
}

/// Other files are only ever imported as text.
fn is_jsonnet(path: &str) -> bool {
    [".jsonnet", ".libsonnet", ".json"]
        .iter()
        .any(|ending| path.ends_with(ending))
}

/// The bytes, unless they go too deep for the parser.
fn parsable(path: &str, bytes: &[u8]) -> Result<Vec<u8>> {
    let code = std::str::from_utf8(bytes).unwrap_or_default();
    match nesting::check(code) {
        Ok(()) => Ok(bytes.to_vec()),
        Err(deep) => Err(ErrorKind::RuntimeError(trace::too_deep(path, code, deep).into()).into()),
    }
}

/// The name of a file as messages show it.
pub(crate) fn name(path: &SourcePath) -> String {
    path.downcast_ref::<SourceVirtual>()
        .map_or_else(|| path.to_string(), |name| name.0.to_string())
}

/// One import as it stands in a file.
struct Import<'a> {
    path: &'a str,
    from: &'a str,
    absolute: String,
}

impl Import<'_> {
    fn error(&self, why: &str) -> Error {
        ErrorKind::RuntimeError(
            format!(
                "couldn't open import \"{}\": {}",
                self.path,
                NotAvailable(self, why)
            )
            .into(),
        )
        .into()
    }

    /// What to write instead, for those paths that are a near miss.
    fn advice(&self) -> String {
        let key = self.path.rsplit('/').next().unwrap_or_default();
        let key = if is_name(key) { key } else { "key" };
        match (File::parse(self.from), self.path) {
            (None, path) if path.ends_with(BUILT_IN) => format!("write \"{BUILT_IN}\""),
            (_, path) if !path.contains('/') && looks_built_in(path) => {
                format!("did you mean \"{BUILT_IN}\"?")
            }
            (Some(_), path) if path.matches('/').count() <= 1 => {
                format!("write \"{key}\" for a key of the same library")
            }
            _ => format!("write \"<library>/{key}\" or \"lib/<library>/{key}\""),
        }
    }
}

/// Whether a name is that of the built-in library with a few letters wrong.
fn looks_built_in(key: &str) -> bool {
    const WRONG: usize = 3;
    let name = key.split('.').next().unwrap_or_default();
    matches!(name, "espejote" | "esp") || distance(key, BUILT_IN) <= WRONG
}

/// How many letters have to be changed, taken away or added.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (line, left) in from.chars().enumerate() {
        let mut previous = line + 1;
        let mut next = vec![previous];
        for (pair, right) in row.windows(2).zip(to.chars()) {
            let [diagonal, above] = pair else { continue };
            let changed = diagonal + usize::from(left != right);
            previous = changed.min(above + 1).min(previous + 1);
            next.push(previous);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

struct NotAvailable<'a>(&'a Import<'a>, &'a str);

impl fmt::Display for NotAvailable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Import { path, from, absolute }, why) = self;
        write!(f, "import \"{path}\" not available: {why}")?;
        if *why == "invalid path" {
            write!(f, "; {}", self.0.advice())?;
        }
        write!(f, " (import \"{path}\" from \"{from}\" absolute \"{absolute}\")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// L1, L2, L3, L4, L5:
    #[test]
    fn paths_mean_what_the_rules_say() {
        for (from, path, absolute) in [
            (TEMPLATE, "lib/shared/a.jsonnet", "lib/shared/a.jsonnet"),
            (TEMPLATE, "own/a.jsonnet", "own/a.jsonnet"),
            ("own/a.jsonnet", "b.jsonnet", "own/b.jsonnet"),
            ("own/a.jsonnet", "./b.jsonnet", "own/b.jsonnet"),
            ("lib/shared/a.jsonnet", "b.jsonnet", "lib/shared/b.jsonnet"),
            ("lib/shared/a.jsonnet", "./b.jsonnet", "lib/shared/b.jsonnet"),
            (
                "lib/shared/a.jsonnet",
                "test2/test.jsonnet",
                "lib/test2/test.jsonnet",
            ),
            ("own/a.jsonnet", "test2/test.jsonnet", "test2/test.jsonnet"),
            ("own/a.jsonnet", "lib/shared/b.jsonnet", "lib/shared/b.jsonnet"),
            (
                "lib/shared/a.jsonnet",
                "lib/other/b.jsonnet",
                "lib/other/b.jsonnet",
            ),
            (TEMPLATE, "espejote.libsonnet", "espejote.libsonnet"),
            ("own/a.jsonnet", "espejote.libsonnet", "espejote.libsonnet"),
            ("own/a.jsonnet", "./espejote.libsonnet", "own/espejote.libsonnet"),
        ] {
            assert_eq!(resolve(from, path), absolute, "{path} in {from}");
        }
    }

    #[test]
    fn a_slip_in_the_name_of_the_built_in_library_is_seen() {
        for key in [
            "espejote.libsonet",
            "espejote.jsonnet",
            "espejot.libsonnet",
            "esp.libsonnet",
            "espejote",
        ] {
            assert!(looks_built_in(key), "{key}");
        }
        for key in ["names.libsonnet", "key", "teams.json", "a.libsonnet"] {
            assert!(!looks_built_in(key), "{key}");
        }
        assert_eq!(
            (
                distance("abc", "abc"),
                distance("", "abc"),
                distance("kitten", "sitting")
            ),
            (0, 3, 3)
        );
    }

    /// L7:
    #[test]
    fn only_two_forms_are_absolute() {
        for path in [
            "a",
            "a/b/c",
            "lib/a",
            "lib/a/b/c",
            "./a",
            "../a/b",
            "/a/b",
            "a/",
            "github.com/x/y/z.libsonnet",
        ] {
            assert!(File::parse(path).is_none(), "{path}");
        }
        assert_eq!(
            File::parse("lib/a/b"),
            Some(File {
                shared: true,
                library: "a",
                key: "b"
            })
        );
        assert_eq!(
            File::parse("a/b"),
            Some(File {
                shared: false,
                library: "a",
                key: "b"
            })
        );
    }
}
