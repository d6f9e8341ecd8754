//! The JsonnetLibrary objects of the cluster as files.
//!
//! Reads with the operator's own rights, and only what its watch has delivered.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use espejote_api::JsonnetLibrary;
use espejote_core::{
    Collection, Libraries, Library, LibraryFile, LibraryScope, Object, ObjectId, Revision, Trigger,
};

use tokio::{sync::watch, time::timeout};

use crate::watch::WatchHandle;

/// How long a call waits for a library that its trigger tells of.
const BEHIND: Duration = Duration::from_secs(1);

/// All libraries, by namespace.
type Scopes = Arc<HashMap<String, LibraryScope>>;

/// Gives the libraries that a namespace sees.
#[derive(Debug)]
pub struct LibraryReader {
    watched: WatchHandle,
    shared_namespace: String,
    parsed: Mutex<Parsed>,
}

#[derive(Debug, Default)]
struct Parsed {
    of: Option<Revision>,
    scopes: Scopes,
    libraries: HashMap<Revision, Arc<Library>>,
}

impl LibraryReader {
    /// `watched` holds the JsonnetLibrary objects of all namespaces; `lib/…` leads to `shared_namespace`.
    pub fn new(watched: WatchHandle, shared_namespace: String) -> Self {
        Self {
            watched,
            shared_namespace,
            parsed: Mutex::default(),
        }
    }

    /// Changes whenever a library does.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.watched.reader().versions()
    }

    /// Waits until the libraries are those that a trigger tells of, if it tells of one: it comes by another watch, which may be
    /// ahead. Not for long: this one may be ahead as well.
    pub async fn catch_up(&self, trigger: &Trigger) {
        let Some(library) = trigger.event.as_ref().filter(|event| is_library(event)) else {
            return;
        };
        let told = trigger.object.as_ref().map(|object| object.resource_version());
        let mut changes = self.changes();
        let caught_up = async {
            loop {
                let read = self.watched.reader().read().collection;
                let here = read.object(&library.namespace, &library.name);
                if here.map(|object| object.resource_version()) == told || changes.changed().await.is_err() {
                    return;
                }
            }
        };
        if timeout(BEHIND, caught_up).await.is_err() {
            tracing::debug!(%library, "the library is another one than the trigger tells of");
        }
    }

    /// The files that an owner in `namespace` may read, at this instant; an owner without one has only the shared ones.
    pub fn of(&self, namespace: &str) -> Libraries {
        match self.watched.reader().read().available() {
            Ok(collection) => {
                let scopes = self.lock().scopes(&collection);
                let scope = |namespace: &str| Ok(scopes.get(namespace).cloned().unwrap_or_default());
                Libraries {
                    local: (!namespace.is_empty()).then(|| scope(namespace)),
                    shared: scope(&self.shared_namespace),
                    reads: None,
                }
            }
            Err(unavailable) => {
                let why = format!("JsonnetLibrary objects cannot be read: {unavailable}");
                Libraries {
                    local: (!namespace.is_empty()).then(|| Err(why.clone())),
                    shared: Err(why),
                    reads: None,
                }
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Parsed> {
        self.parsed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Parsed {
    /// Parses only libraries whose bytes have changed.
    fn scopes(&mut self, collection: &Collection) -> Scopes {
        if self.of != Some(collection.revision()) {
            let mut scopes: HashMap<String, BTreeMap<String, Arc<Library>>> = HashMap::new();
            let mut libraries = HashMap::new();
            for object in collection.objects() {
                let known = self.libraries.get(&object.revision()).cloned();
                let library = known.unwrap_or_else(|| Arc::new(library(object)));
                libraries.insert(object.revision(), library.clone());
                let scope = scopes.entry(object.namespace().to_owned()).or_default();
                scope.insert(object.name().to_owned(), library);
            }
            self.libraries = libraries;
            self.scopes = Arc::new(
                scopes
                    .into_iter()
                    .map(|(name, scope)| (name, Arc::new(scope)))
                    .collect(),
            );
            self.of = Some(collection.revision());
        }
        self.scopes.clone()
    }
}

fn is_library(event: &ObjectId) -> bool {
    event.kind == "JsonnetLibrary" && event.api_version == espejote_api::API_VERSION
}

/// The libraries that are in a collection, without regard to their namespaces.
pub fn scope(collection: &Collection) -> LibraryScope {
    let objects = collection.objects().iter();
    let libraries = objects.map(|object| (object.name().to_owned(), Arc::new(library(object))));
    Arc::new(libraries.collect())
}

/// A library that cannot be read has no files: whoever imports one is told that there is no such key.
fn library(object: &Object) -> Library {
    let parsed: Result<JsonnetLibrary, _> = serde_json::from_str(object.json());
    let data = match parsed {
        Ok(library) => library.spec.data.unwrap_or_default(),
        Err(error) => {
            tracing::warn!(namespace = object.namespace(), name = object.name(), %error, "JsonnetLibrary cannot be read");
            BTreeMap::new()
        }
    };
    let file = |text: String| LibraryFile {
        text: text.into(),
        revision: object.revision(),
    };
    Library {
        files: data.into_iter().map(|(key, text)| (key, file(text))).collect(),
    }
}
