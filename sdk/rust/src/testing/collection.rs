//! The objects of one context of the fake.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::selector::Selector;
use crate::ObjectId;

/// Objects, ordered by namespace, then name.
#[derive(Debug, Clone)]
pub(crate) struct Collection(Arc<Vec<Object>>);

#[derive(Debug)]
struct Object {
    id: ObjectId,
    labels: BTreeMap<String, String>,
    json: String,
}

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "apiVersion", default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    namespace: Option<String>,
    name: Option<String>,
    labels: Option<BTreeMap<String, String>>,
}

/// Equal bytes, equal revision.
pub(crate) fn revision(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// What an object is called.
pub(crate) fn id(json: &str) -> ObjectId {
    Object::new(json.to_owned()).id
}

impl Object {
    #[allow(
        clippy::panic,
        reason = "a test that gives the host no objects is wrong itself"
    )]
    fn new(json: String) -> Self {
        let head: Head = match serde_json::from_str(&json) {
            Ok(head) => head,
            Err(error) => panic!("the fake host was given what is no object of Kubernetes: {error}: {json}"),
        };
        let id = ObjectId {
            api_version: head.api_version,
            kind: head.kind,
            namespace: head.metadata.namespace.unwrap_or_default(),
            name: head.metadata.name.unwrap_or_default(),
        };
        assert!(
            !id.api_version.is_empty() && !id.kind.is_empty() && !id.name.is_empty(),
            "an object of the fake host needs apiVersion, kind and metadata.name: {json}"
        );
        Self {
            id,
            labels: head.metadata.labels.unwrap_or_default(),
            json,
        }
    }
}

impl Collection {
    pub fn new(texts: Vec<String>) -> Self {
        let mut objects: Vec<Object> = texts.into_iter().map(Object::new).collect();
        objects.sort_by(|a, b| (&a.id.namespace, &a.id.name).cmp(&(&b.id.namespace, &b.id.name)));
        Self(Arc::new(objects))
    }

    #[allow(clippy::panic, reason = "the real host traps")]
    fn at(&self, index: u32) -> &Object {
        match self.0.get(index as usize) {
            Some(object) => object,
            None => panic!(
                "index {index} is out of range: the context has {} objects",
                self.0.len()
            ),
        }
    }

    pub fn len(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    pub fn revision(&self) -> u64 {
        let texts: Vec<&str> = self.0.iter().map(|object| object.json.as_str()).collect();
        revision(texts.join("\n").as_bytes())
    }

    pub fn revisions(&self) -> Vec<u64> {
        self.0
            .iter()
            .map(|object| revision(object.json.as_bytes()))
            .collect()
    }

    pub fn find(&self, namespace: &str, name: &str) -> Option<u32> {
        let found = self
            .0
            .iter()
            .position(|object| object.id.namespace == namespace && object.id.name == name)?;
        u32::try_from(found).ok()
    }

    pub fn select(&self, namespace: Option<&str>, selector: &str) -> Result<Vec<u32>, String> {
        let selector = Selector::parse(selector)?;
        let fits = |object: &Object| {
            namespace.is_none_or(|namespace| object.id.namespace == namespace)
                && selector.matches(|key| object.labels.get(key).map(String::as_str))
        };
        let fitting = (0..).zip(self.0.iter()).filter(|(_, object)| fits(object));
        Ok(fitting.map(|(index, _)| index).collect())
    }

    pub fn ids(&self, indices: &[u32]) -> Vec<ObjectId> {
        indices.iter().map(|&index| self.at(index).id.clone()).collect()
    }

    pub fn read(&self, indices: &[u32]) -> Vec<String> {
        indices.iter().map(|&index| self.at(index).json.clone()).collect()
    }

    pub fn scan(&self, start: u32, max_bytes: u32) -> Vec<String> {
        if start != self.len() {
            self.at(start);
        }
        let (mut page, mut bytes) = (Vec::new(), 0);
        for object in self.0.iter().skip(start as usize) {
            bytes += object.json.len();
            if bytes > max_bytes as usize && !page.is_empty() {
                break;
            }
            page.push(object.json.clone());
        }
        page
    }

    pub fn values(&self, indices: &[u32], pointer: &str) -> Result<Vec<Option<String>>, String> {
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Err(format!(
                "invalid JSON pointer {pointer:?}: it has to begin with \"/\""
            ));
        }
        Ok(indices
            .iter()
            .map(|&index| value(&self.at(index).json, pointer))
            .collect())
    }
}

/// The text at a pointer, as it is written.
fn value(json: &str, pointer: &str) -> Option<String> {
    let mut at: Box<RawValue> = serde_json::from_str(json).ok()?;
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        at = match at.get().starts_with('[') {
            true => {
                let mut items: Vec<Box<RawValue>> = serde_json::from_str(at.get()).ok()?;
                let index: usize = token.parse().ok()?;
                (index < items.len()).then(|| items.swap_remove(index))?
            }
            false => serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(at.get())
                .ok()?
                .remove(&token)?,
        };
    }
    Some(at.get().to_owned())
}
