//! Recordings: what a call was given, and what came of it, as files from which the call can be repeated.
//!
//! Owns the folder of recordings, its layout and its bounds. A recording holds whatever the ManagedResource's ServiceAccount
//! may read, so it goes nowhere but into a folder that only the operator's own user can open; without such a folder nothing is
//! recorded. A recording that cannot be written is told in the log, and changes nothing for the ManagedResource.

mod folder;

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use espejote_api::ManagedResource;
use espejote_core::{Invocation, LibraryReads, ObjectId};
use espejote_engine::{Call, Computed};

pub use self::folder::FolderError;
use self::folder::{Files, Folder};
use crate::{
    cli::{
        input::{self, RecordError},
        render, yaml,
    },
    failure::with_sources,
};

/// The annotation of a ManagedResource that has its calls recorded.
pub const ANNOTATION: &str = "espejote.io/record-input";
/// A call that could read more bytes is not recorded.
const MOST_BYTES: usize = 64 << 20;

/// Why a call is not recorded.
#[derive(Debug, thiserror::Error)]
enum RecordingError {
    #[error("the call could read {0} bytes, recorded are at most {MOST_BYTES}")]
    TooLarge(usize),
    #[error("what the call was given cannot be written down")]
    Input(#[source] RecordError),
    #[error("the files cannot be written")]
    Folder(#[source] FolderError),
    #[error("the writing was interrupted")]
    Interrupted(#[source] tokio::task::JoinError),
}

/// All recordings of the process. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Recordings(Arc<Mutex<Folder>>);

/// Which calls are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// All; the latest of each trigger is kept.
    Calls,
    /// Those that fail; the latest of each trigger is kept.
    Failures,
}

/// Records calls of one version of a ManagedResource.
#[derive(Debug)]
pub struct Recorder {
    folder: Arc<Mutex<Folder>>,
    which: Which,
    namespace: String,
    name: String,
    manifest: String,
}

/// A call that is under way, and is going to be recorded.
#[derive(Debug)]
pub struct Recording {
    recorder: Arc<Recorder>,
    invocation: Invocation,
    reads: Arc<LibraryReads>,
}

impl Recordings {
    /// Recordings in a folder, which is made if it is not there.
    pub fn new(folder: &Path) -> Result<Self, FolderError> {
        Ok(Self(Arc::new(Mutex::new(Folder::new(folder)?))))
    }

    /// Records the calls of a ManagedResource, if it says so.
    pub fn of(&self, resource: &ManagedResource) -> Option<Arc<Recorder>> {
        let annotations = resource.metadata.annotations.as_ref()?;
        let which = Which::of(annotations.get(ANNOTATION)?)?;
        Some(Arc::new(Recorder {
            folder: self.0.clone(),
            which,
            namespace: resource.metadata.namespace.clone().unwrap_or_default(),
            name: resource.metadata.name.clone().unwrap_or_default(),
            manifest: manifest(resource)?,
        }))
    }
}

impl Which {
    fn of(word: &str) -> Option<Self> {
        match word {
            "true" => Some(Self::Calls),
            "failures" => Some(Self::Failures),
            _ => None,
        }
    }
}

impl Recorder {
    /// To be called before the call, which has to get the invocation as it is then.
    pub fn begin(self: &Arc<Self>, invocation: &mut Invocation) -> Recording {
        let reads = Arc::<LibraryReads>::default();
        invocation.libraries.reads = Some(reads.clone());
        Recording {
            recorder: self.clone(),
            invocation: invocation.clone(),
            reads,
        }
    }

    fn write(&self, trigger: Option<&str>, files: &Files) -> Result<(), RecordingError> {
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        folder
            .write(&self.namespace, &self.name, trigger, files)
            .map_err(RecordingError::Folder)
    }
}

impl Recording {
    /// Writes what the call was given, and what came of it.
    pub async fn keep(self, call: &Call) {
        if self.recorder.which == Which::Failures && call.result.is_ok() {
            return;
        }
        let trigger = self.invocation.trigger.name.clone().unwrap_or_default();
        match self.written(call).await {
            Ok(()) => tracing::info!(trigger, "recorded"),
            Err(error) => tracing::warn!(trigger, error = %with_sources(&error), "not recorded"),
        }
    }

    async fn written(self, call: &Call) -> Result<(), RecordingError> {
        let bytes = bytes(&self.invocation);
        if bytes > MOST_BYTES {
            return Err(RecordingError::TooLarge(bytes));
        }
        let (computed, expected) = (call.computed.clone(), self.expected(call));
        let writing = move || self.write(&computed, expected);
        tokio::task::spawn_blocking(writing)
            .await
            .map_err(RecordingError::Interrupted)?
    }

    /// What `espejote render` prints of the call; none if it fails.
    fn expected(&self, call: &Call) -> Option<String> {
        let trigger = &self.invocation.trigger;
        let event: Option<&ObjectId> = trigger.event.as_ref();
        let document = render::printed(&call.result, &call.report)?;
        let head = render::head(trigger.name.as_deref(), event);
        Some(format!("{head}{}", yaml::node_to_yaml(&document)))
    }

    fn write(self, computed: &Computed, expected: Option<String>) -> Result<(), RecordingError> {
        let input = input::of_call(&self.invocation, computed, &self.reads.paths());
        let files = Files {
            manifest: self.recorder.manifest.clone(),
            input: input.map_err(RecordingError::Input)?.to_yaml(),
            expected,
        };
        self.recorder
            .write(self.invocation.trigger.name.as_deref(), &files)
    }
}

/// The ManagedResource as somebody would write it: without what the API server adds.
fn manifest(resource: &ManagedResource) -> Option<String> {
    let spec = serde_json::to_string(&resource.spec).ok()?;
    let text = |text: &Option<String>| yaml::Node::from(text.as_deref().unwrap_or_default());
    let metadata = yaml::Node::object([
        ("name", text(&resource.metadata.name)),
        ("namespace", text(&resource.metadata.namespace)),
    ]);
    Some(yaml::exact_yaml(&yaml::Node::object([
        ("apiVersion", espejote_api::API_VERSION.into()),
        ("kind", "ManagedResource".into()),
        ("metadata", metadata),
        ("spec", yaml::Node::parse(&spec).ok()?),
    ])))
}

/// What a call can read of the cluster.
fn bytes(invocation: &Invocation) -> usize {
    let names = invocation.snapshot.object_names();
    let collections = names
        .iter()
        .filter_map(|name| invocation.snapshot.objects(name).ok());
    let objects = collections.map(|of| {
        of.objects()
            .iter()
            .map(|object| object.json().len())
            .sum::<usize>()
    });
    let trigger = invocation.trigger.object.as_ref();
    objects.sum::<usize>() + trigger.map_or(0, |object| object.json().len())
}

#[cfg(test)]
mod tests;
