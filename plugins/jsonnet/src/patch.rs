//! JSON patch (RFC 6902), with the rules and words that Kubernetes' API server has for it: what `assertPatch` accepts, the
//! server accepts.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::json::Json;

/// Why a patch does not apply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatchError {
    #[error("a patch must be an array of operations")]
    NoArray,
    #[error("operation {index}: {reason}")]
    Malformed { index: usize, reason: String },
    #[error("{op} operation does not apply: doc is missing path: \"{path}\": missing value")]
    MissingPath { op: &'static str, path: String },
    #[error("{op} operation does not apply: doc is missing key: \"{path}\": missing value")]
    MissingKey { op: &'static str, path: String },
    #[error("{op} operation does not apply: doc is missing from path: \"{path}\": missing value")]
    MissingFrom { op: &'static str, path: String },
    #[error("{op} operation does not apply: \"{path}\": invalid index referenced")]
    Index { op: &'static str, path: String },
    #[error("move operation does not apply: \"{path}\" is inside of what is moved")]
    IntoItself { path: String },
    #[error("testing value \"{path}\" failed: test failed")]
    Test { path: String },
}

type Result<T, E = PatchError> = std::result::Result<T, E>;

/// The document after all operations.
pub(crate) fn apply(mut document: Json, patch: &Json) -> Result<Json> {
    let Json::Array(operations) = patch else {
        return Err(PatchError::NoArray);
    };
    for (index, operation) in operations.iter().enumerate() {
        Operation::parse(index, operation)?.apply(&mut document)?;
    }
    Ok(document)
}

/// One operation, well-formed.
struct Operation<'a> {
    op: &'static str,
    path: Pointer<'a>,
    from: Option<Pointer<'a>>,
    value: Option<&'a Json>,
}

impl<'a> Operation<'a> {
    fn parse(index: usize, json: &'a Json) -> Result<Self> {
        let malformed = |reason: &str| PatchError::Malformed {
            index,
            reason: reason.to_owned(),
        };
        let word = json
            .get("op")
            .and_then(Json::as_str)
            .ok_or_else(|| malformed("has no \"op\""))?;
        let known = ["add", "remove", "replace", "move", "copy", "test"];
        let op = known
            .into_iter()
            .find(|known| *known == word)
            .ok_or_else(|| malformed("has an unknown \"op\""))?;
        let pointer = |name: &str| json.get(name).and_then(Json::as_str).map(Pointer::parse);
        let path = pointer("path").ok_or_else(|| malformed("has no \"path\""))?;
        let (from, value) = (pointer("from"), json.get("value"));
        let pointers = std::iter::once(&path).chain(&from);
        if pointers.into_iter().any(|pointer| !pointer.is_valid()) {
            return Err(malformed("has a pointer that does not start with \"/\""));
        }
        match op {
            "move" | "copy" if from.is_none() => Err(malformed("has no \"from\"")),
            "add" | "replace" | "test" if value.is_none() => Err(malformed("has no \"value\"")),
            _ => Ok(Self {
                op,
                path,
                from,
                value,
            }),
        }
    }

    fn apply(&self, document: &mut Json) -> Result<()> {
        match self.op {
            "add" => self.add(document, self.value()),
            "remove" => self.remove(document, &self.path).map(drop),
            "replace" => self.replace(document),
            "test" => self.test(document),
            "copy" => {
                let value = self.read_from(document)?;
                self.add(document, value)
            }
            _ => self.relocate(document),
        }
    }

    fn value(&self) -> Json {
        self.value.cloned().unwrap_or(Json::Null)
    }

    fn add(&self, document: &mut Json, value: Json) -> Result<()> {
        let Some((parent, key)) = self.path.split() else {
            *document = value;
            return Ok(());
        };
        match parent.find_mut(document) {
            Some(Json::Object(fields)) => {
                fields.insert(Rc::from(key), value);
                Ok(())
            }
            Some(Json::Array(items)) => self.insert(items, &key, value),
            _ => Err(self.missing_path()),
        }
    }

    fn insert(&self, items: &mut Vec<Json>, key: &str, value: Json) -> Result<()> {
        let at = if key == "-" { Some(items.len()) } else { index(key) };
        match at.filter(|at| *at <= items.len()) {
            Some(at) => {
                items.insert(at, value);
                Ok(())
            }
            None => Err(PatchError::Index {
                op: self.op,
                path: self.path.text.to_owned(),
            }),
        }
    }

    fn remove(&self, document: &mut Json, path: &Pointer<'_>) -> Result<Json> {
        let missing = || PatchError::MissingPath {
            op: self.op,
            path: path.text.to_owned(),
        };
        let (parent, key) = path.split().ok_or_else(missing)?;
        let removed = match parent.find_mut(document).ok_or_else(missing)? {
            Json::Object(fields) => fields.remove(&*key),
            Json::Array(items) => index(&key)
                .filter(|at| *at < items.len())
                .map(|at| items.remove(at)),
            _ => return Err(missing()),
        };
        removed.ok_or_else(|| PatchError::MissingKey {
            op: self.op,
            path: path.text.to_owned(),
        })
    }

    fn replace(&self, document: &mut Json) -> Result<()> {
        let parent = self.path.split().map(|(parent, _)| parent);
        if parent.is_some_and(|parent| parent.find_mut(document).is_none()) {
            return Err(self.missing_path());
        }
        let missing = PatchError::MissingKey {
            op: self.op,
            path: self.path.text.to_owned(),
        };
        *self.path.find_mut(document).ok_or(missing)? = self.value();
        Ok(())
    }

    /// A field that does not exist equals null, as the API server sees it.
    fn test(&self, document: &mut Json) -> Result<()> {
        let found = self.path.find_mut(document).map_or(&Json::Null, |found| found);
        if Some(found) == self.value {
            return Ok(());
        }
        Err(PatchError::Test {
            path: self.path.text.to_owned(),
        })
    }

    fn relocate(&self, document: &mut Json) -> Result<()> {
        let Some(from) = &self.from else {
            return Err(self.missing_path());
        };
        if self
            .path
            .text
            .strip_prefix(from.text)
            .is_some_and(|rest| rest.starts_with('/'))
        {
            return Err(PatchError::IntoItself {
                path: self.path.text.to_owned(),
            });
        }
        self.read_from(document)?;
        let value = self.remove(document, from)?;
        self.add(document, value)
    }

    fn read_from(&self, document: &mut Json) -> Result<Json> {
        let from = self.from.as_ref().map_or("", |from| from.text);
        let found = self
            .from
            .as_ref()
            .and_then(|from| from.find_mut(document))
            .map(|found| found.clone());
        found.ok_or_else(|| PatchError::MissingFrom {
            op: self.op,
            path: from.to_owned(),
        })
    }

    fn missing_path(&self) -> PatchError {
        PatchError::MissingPath {
            op: self.op,
            path: self.path.text.to_owned(),
        }
    }
}

/// A JSON pointer (RFC 6901).
#[derive(Clone, Copy)]
struct Pointer<'a> {
    text: &'a str,
}

impl<'a> Pointer<'a> {
    fn parse(text: &'a str) -> Self {
        Self { text }
    }

    fn is_valid(&self) -> bool {
        self.text.is_empty() || self.text.starts_with('/')
    }

    /// All but the last part, and the last; none for the whole document.
    fn split(&self) -> Option<(Self, String)> {
        self.text
            .rsplit_once('/')
            .map(|(parent, key)| (Self { text: parent }, unescape(key)))
    }

    fn find_mut<'d>(&self, document: &'d mut Json) -> Option<&'d mut Json> {
        self.text
            .split('/')
            .skip(1)
            .try_fold(document, |json, part| match json {
                Json::Object(fields) => field_mut(fields, &unescape(part)),
                Json::Array(items) => index(part).and_then(|at| items.get_mut(at)),
                _ => None,
            })
    }
}

fn field_mut<'d>(fields: &'d mut BTreeMap<Rc<str>, Json>, name: &str) -> Option<&'d mut Json> {
    fields.get_mut(name)
}

fn unescape(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

/// Digits without sign or leading zero.
fn index(part: &str) -> Option<usize> {
    let plain = part == "0" || (part.starts_with(|c: char| c.is_ascii_digit()) && !part.starts_with('0'));
    plain.then(|| part.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(document: &str, patch: &str) -> Result<String> {
        apply(Json::parse(document).unwrap(), &Json::parse(patch).unwrap()).map(|json| json.to_text())
    }

    #[test]
    fn every_operation_applies() {
        for (document, patch, expected) in [
            ("{}", r#"[{"op":"add","path":"/a","value":1}]"#, r#"{"a":1}"#),
            (
                r#"{"a":[1,3]}"#,
                r#"[{"op":"add","path":"/a/1","value":2},{"op":"add","path":"/a/-","value":4}]"#,
                r#"{"a":[1,2,3,4]}"#,
            ),
            (
                r#"{"a":1,"b":2}"#,
                r#"[{"op":"remove","path":"/a"}]"#,
                r#"{"b":2}"#,
            ),
            (
                r#"{"a":1}"#,
                r#"[{"op":"replace","path":"/a","value":{"x":null}}]"#,
                r#"{"a":{"x":null}}"#,
            ),
            (
                r#"{"a":{"b":1},"c":{}}"#,
                r#"[{"op":"move","from":"/a/b","path":"/c/d"}]"#,
                r#"{"a":{},"c":{"d":1}}"#,
            ),
            (
                r#"{"a":1}"#,
                r#"[{"op":"copy","from":"/a","path":"/b"}]"#,
                r#"{"a":1,"b":1}"#,
            ),
            (r#"{"a":1}"#, r#"[{"op":"replace","path":"","value":2}]"#, "2"),
            (
                r#"{"x":{}}"#,
                r#"[{"op":"add","path":"/x/a.b~1c~0d","value":"v"}]"#,
                r#"{"x":{"a.b/c~d":"v"}}"#,
            ),
        ] {
            assert_eq!(run(document, patch).unwrap(), expected, "{patch}");
        }
    }

    /// W13, W17: integers stay integers, and 3 equals 3.0.
    #[test]
    fn numbers_are_kept_and_compared_by_value() {
        let document = r#"{"replicas":3,"id":9007199254740993}"#;
        let patch =
            r#"[{"op":"test","path":"/replicas","value":3.0},{"op":"replace","path":"/replicas","value":4}]"#;
        assert_eq!(
            run(document, patch).unwrap(),
            r#"{"id":9007199254740993,"replicas":4}"#
        );
        let other = r#"[{"op":"test","path":"/id","value":9007199254740992}]"#;
        assert_eq!(
            run(document, other).unwrap_err(),
            PatchError::Test { path: "/id".into() }
        );
    }

    /// W14:
    #[test]
    fn w14_a_missing_parent_is_told_with_its_path() {
        let patch = r#"[{"op":"add","path":"/metadata/annotations/request-user","value":"x"}]"#;
        let error = run(r#"{"metadata":{}}"#, patch).unwrap_err().to_string();
        assert_eq!(
            error,
            "add operation does not apply: doc is missing path: \"/metadata/annotations/request-user\": missing value"
        );
    }

    #[test]
    fn what_does_not_apply_says_why() {
        for (patch, words) in [
            (r#"{"op":"add"}"#, "must be an array"),
            (r#"[{"path":"/a"}]"#, "operation 0: has no \"op\""),
            (r#"[{"op":"spoil","path":"/a"}]"#, "unknown \"op\""),
            (r#"[{"op":"add","value":1}]"#, "has no \"path\""),
            (r#"[{"op":"add","path":"/a"}]"#, "has no \"value\""),
            (r#"[{"op":"move","path":"/a"}]"#, "has no \"from\""),
            (r#"[{"op":"add","path":"a","value":1}]"#, "does not start with"),
            (
                r#"[{"op":"remove","path":"/x"}]"#,
                "remove operation does not apply: doc is missing key: \"/x\"",
            ),
            (
                r#"[{"op":"replace","path":"/x","value":1}]"#,
                "replace operation does not apply: doc is missing key",
            ),
            (
                r#"[{"op":"replace","path":"/x/y","value":1}]"#,
                "replace operation does not apply: doc is missing path",
            ),
            (
                r#"[{"op":"copy","from":"/x","path":"/y"}]"#,
                "copy operation does not apply: doc is missing from path",
            ),
            (
                r#"[{"op":"move","from":"/a","path":"/a/b"}]"#,
                "inside of what is moved",
            ),
            (r#"[{"op":"add","path":"/l/5","value":1}]"#, "invalid index"),
            (r#"[{"op":"add","path":"/l/01","value":1}]"#, "invalid index"),
            (
                r#"[{"op":"test","path":"/a","value":2}]"#,
                "testing value \"/a\" failed",
            ),
        ] {
            let error = run(r#"{"a":{"c":1},"l":[1]}"#, patch).unwrap_err().to_string();
            assert!(error.contains(words), "{patch}: {error}");
        }
        assert!(run("{}", r#"[{"op":"test","path":"/a","value":null}]"#).is_ok());
    }
}
