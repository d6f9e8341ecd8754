//! A host in memory, and the way to run a template against it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use espejote_jsonnet::Renderer;
use espejote_jsonnet::host::{
    ErrorPolicy, Host, Level, ObjectId, Objects, ReadError, ReadErrorReason, Revision, Unavailable,
    UnavailableReason,
};
use espejote_jsonnet::options::{ApplyOptions, DeleteOptions};
use espejote_sdk::Failure;

/// What a template emitted.
#[derive(Debug, Clone, PartialEq)]
pub enum Emitted {
    Apply(String, Option<ApplyOptions>),
    Delete(ObjectId, Option<DeleteOptions>),
    Open(ErrorPolicyName),
    Close,
}

/// The policy in a form that can be compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ErrorPolicyName {
    Continue,
    Abort,
}

/// Fill it, then `render`.
#[derive(Default)]
pub struct Fake {
    pub name: Option<String>,
    pub event: Option<ObjectId>,
    pub object: Option<String>,
    pub contexts: Vec<(String, Result<Vec<String>, UnavailableReason>)>,
    pub provided: Vec<(String, String)>,
    pub libraries: BTreeMap<String, Vec<u8>>,
    pub library_error: Option<ReadErrorReason>,
    pub emitted: RefCell<Vec<Emitted>>,
    pub document: RefCell<Option<String>>,
    pub opened: RefCell<Vec<String>>,
    pub read: Rc<Cell<u32>>,
    pub library_reads: RefCell<Vec<String>>,
    pub object_reads: Cell<u32>,
    pub logged: RefCell<Vec<String>>,
}

impl Fake {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn context(mut self, name: &str, objects: &[&str]) -> Self {
        self.contexts.push((
            name.into(),
            Ok(objects.iter().map(|text| (*text).to_owned()).collect()),
        ));
        self
    }

    pub fn unavailable(mut self, name: &str, reason: UnavailableReason) -> Self {
        self.contexts.push((name.into(), Err(reason)));
        self
    }

    pub fn library(mut self, path: &str, text: &str) -> Self {
        self.libraries.insert(path.into(), text.into());
        self
    }

    pub fn trigger(mut self, name: &str, event: Option<ObjectId>, object: Option<&str>) -> Self {
        self.name = Some(name.into());
        self.event = event;
        self.object = object.map(str::to_owned);
        self
    }

    /// Runs a template with a renderer of its own.
    pub fn render(self, template: &str) -> Outcome {
        Rc::new(self).render_with(&Renderer::default(), template)
    }

    /// Runs a template with a renderer that may remember earlier calls.
    pub fn render_with(self: Rc<Self>, renderer: &Renderer, template: &str) -> Outcome {
        let host: Rc<dyn Host> = self.clone();
        let result = renderer.render(&host, template);
        Outcome { fake: self, result }
    }
}

/// What came of a template.
pub struct Outcome {
    pub fake: Rc<Fake>,
    pub result: Result<(), Failure>,
}

impl Outcome {
    /// What was emitted; the test fails if the template did.
    #[track_caller]
    pub fn emitted(&self) -> Vec<Emitted> {
        if let Err(failure) = &self.result {
            panic!("{:?}: {}", failure.kind, failure.message);
        }
        self.fake.emitted.borrow().clone()
    }

    /// The objects applied, as JSON.
    #[track_caller]
    pub fn applied(&self) -> Vec<String> {
        let applied = self.emitted().into_iter().filter_map(|item| match item {
            Emitted::Apply(object, _) => Some(object),
            _ => None,
        });
        applied.collect()
    }

    /// The document, as JSON; the test fails if there is none.
    #[track_caller]
    pub fn document(&self) -> String {
        if let Err(failure) = &self.result {
            assert!(
                self.fake.document.borrow().is_some(),
                "{:?}: {}",
                failure.kind,
                failure.message
            );
        }
        self.fake.document.borrow().clone().unwrap()
    }

    /// The failure; nothing must have been emitted.
    #[track_caller]
    pub fn failure(&self) -> Failure {
        assert_eq!(*self.fake.emitted.borrow(), [], "a failure emits nothing");
        self.result.clone().expect_err("the template should fail")
    }

    /// The text of the failure, which must be of this kind.
    #[track_caller]
    pub fn fails_with(&self, kind: espejote_sdk::FailureKind) -> String {
        let failure = self.failure();
        assert_eq!(failure.kind, kind, "{}", failure.message);
        failure.message
    }
}

/// Evaluates a template that may return anything; gives the document.
#[track_caller]
pub fn document(template: &str) -> String {
    Fake::new().render(template).document()
}

/// The name of an object.
pub fn id(api_version: &str, kind: &str, namespace: &str, name: &str) -> ObjectId {
    ObjectId {
        api_version: api_version.into(),
        kind: kind.into(),
        namespace: namespace.into(),
        name: name.into(),
    }
}

impl Host for Fake {
    fn trigger_name(&self) -> Option<String> {
        self.name.clone()
    }

    fn trigger_event(&self) -> Option<ObjectId> {
        self.event.clone()
    }

    fn trigger_object(&self) -> Option<String> {
        self.object_reads.set(self.object_reads.get() + 1);
        self.object.clone()
    }

    fn contexts(&self) -> Vec<String> {
        self.contexts.iter().map(|(name, _)| name.clone()).collect()
    }

    fn context(&self, name: &str) -> Result<Rc<dyn Objects>, Unavailable> {
        self.opened.borrow_mut().push(name.to_owned());
        let (_, found) = self.contexts.iter().find(|(known, _)| known == name).unwrap();
        match found {
            Ok(texts) => Ok(Rc::new(Texts {
                texts: texts.clone(),
                read: Rc::clone(&self.read),
            })),
            Err(reason) => Err(Unavailable {
                reason: *reason,
                message: "pods is forbidden".into(),
            }),
        }
    }

    fn provided(&self) -> Vec<String> {
        self.provided.iter().map(|(name, _)| name.clone()).collect()
    }

    fn provided_value(&self, name: &str) -> Result<String, Unavailable> {
        Ok(self
            .provided
            .iter()
            .find(|(known, _)| known == name)
            .unwrap()
            .1
            .clone())
    }

    fn library(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        self.library_reads.borrow_mut().push(path.to_owned());
        let found = self.libraries.get(path).cloned();
        let library = path.rsplit_once('/').map_or("", |(library, _)| library);
        let there = self
            .libraries
            .keys()
            .any(|key| key.starts_with(&format!("{library}/")));
        found.ok_or_else(|| ReadError {
            reason: self.library_error.unwrap_or(if there {
                ReadErrorReason::NoKey
            } else {
                ReadErrorReason::NoLibrary
            }),
            message: "words of the host".into(),
        })
    }

    fn log(&self, level: Level, message: &str, fields: &[(&str, &str)]) {
        self.logged
            .borrow_mut()
            .push(format!("{level:?} {message} {fields:?}"));
    }

    fn apply(&self, object: &str, options: Option<&ApplyOptions>) {
        self.emitted
            .borrow_mut()
            .push(Emitted::Apply(object.into(), options.cloned()));
    }

    fn delete(&self, id: &ObjectId, options: Option<&DeleteOptions>) {
        self.emitted
            .borrow_mut()
            .push(Emitted::Delete(id.clone(), options.cloned()));
    }

    fn open_group(&self, on_error: ErrorPolicy) {
        let name = match on_error {
            ErrorPolicy::Continue => ErrorPolicyName::Continue,
            ErrorPolicy::Abort => ErrorPolicyName::Abort,
        };
        self.emitted.borrow_mut().push(Emitted::Open(name));
    }

    fn close_group(&self) {
        self.emitted.borrow_mut().push(Emitted::Close);
    }

    fn document(&self, json: &str) {
        *self.document.borrow_mut() = Some(json.to_owned());
    }

    fn keep_instance(&self) {}
}

struct Texts {
    texts: Vec<String>,
    read: Rc<Cell<u32>>,
}

impl Texts {
    fn counted(&self, texts: Vec<String>) -> Vec<String> {
        self.read
            .set(self.read.get() + u32::try_from(texts.len()).unwrap());
        texts
    }

    fn hash(text: &str) -> Revision {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        hasher.finish()
    }
}

impl Objects for Texts {
    fn len(&self) -> u32 {
        u32::try_from(self.texts.len()).unwrap()
    }

    fn revision(&self) -> Revision {
        Self::hash(&self.texts.concat())
    }

    fn revisions(&self) -> Vec<Revision> {
        self.texts.iter().map(|text| Self::hash(text)).collect()
    }

    fn read(&self, index: u32) -> Option<String> {
        self.counted(self.texts.get(index as usize).cloned().into_iter().collect())
            .pop()
    }

    fn scan(&self, start: u32, max_bytes: u32) -> Vec<String> {
        let mut bytes = 0;
        let page = self
            .texts
            .iter()
            .skip(start as usize)
            .enumerate()
            .take_while(|(index, text)| {
                bytes += text.len();
                *index == 0 || bytes <= max_bytes as usize
            });
        self.counted(page.map(|(_, text)| text.clone()).collect())
    }
}
