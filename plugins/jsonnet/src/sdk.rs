//! The real host, through the SDK.

use std::fmt::Display;
use std::rc::Rc;

use espejote_sdk::{desired, invocation, library, logging, provided, report, state, trigger};

use crate::host::{ErrorPolicy, Host, Level, ObjectId, Objects, ReadError, Revision, Unavailable};
use crate::options::{ApplyOptions, DeleteOptions};

/// Everything goes straight to the imports of the component.
pub struct Sdk;

impl Host for Sdk {
    fn trigger_name(&self) -> Option<String> {
        trigger::name()
    }

    fn trigger_event(&self) -> Option<ObjectId> {
        trigger::event()
    }

    fn trigger_object(&self) -> Option<String> {
        trigger::object_json()
    }

    fn contexts(&self) -> Vec<String> {
        state::names()
    }

    fn context(&self, name: &str) -> Result<Rc<dyn Objects>, Unavailable> {
        state::context(name).map(|objects| Rc::new(objects) as Rc<dyn Objects>)
    }

    fn provided(&self) -> Vec<String> {
        provided::names()
    }

    fn provided_value(&self, name: &str) -> Result<String, Unavailable> {
        provided::get_json(name)
    }

    fn library(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        library::read(path)
    }

    fn log(&self, level: Level, message: &str, fields: &[(&str, &str)]) {
        let fields: Vec<logging::Field<'_>> = fields
            .iter()
            .map(|(key, value)| (*key, value as &dyn Display))
            .collect();
        logging::log(level, message, &fields);
    }

    fn apply(&self, object: &str, options: Option<&ApplyOptions>) {
        desired::apply_json(object, options.map(apply_options).as_ref());
    }

    fn delete(&self, id: &ObjectId, options: Option<&DeleteOptions>) {
        match options {
            Some(options) => desired::delete_with(id, &delete_options(options)),
            None => desired::delete(id),
        }
    }

    fn open_group(&self, on_error: ErrorPolicy) {
        desired::open_group(Some(on_error));
    }

    fn close_group(&self) {
        desired::close_group();
    }

    fn document(&self, json: &str) {
        report::document_json(json);
    }

    fn keep_instance(&self) {
        invocation::keep_instance();
    }
}

impl Objects for state::Collection {
    fn len(&self) -> u32 {
        self.len()
    }

    fn revision(&self) -> Revision {
        self.revision()
    }

    fn revisions(&self) -> Vec<Revision> {
        self.revisions()
    }

    fn read(&self, index: u32) -> Option<String> {
        self.read_json(&[index]).pop()
    }

    fn scan(&self, start: u32, max_bytes: u32) -> Vec<String> {
        self.scan(start, max_bytes)
    }
}

fn apply_options(options: &ApplyOptions) -> desired::ApplyOptions {
    let set = desired::ApplyOptions::new();
    let set = given(
        set,
        options.field_manager.as_deref(),
        desired::ApplyOptions::field_manager,
    );
    let set = given(
        set,
        options.field_manager_suffix.as_deref(),
        desired::ApplyOptions::field_manager_suffix,
    );
    let set = given(set, options.force, desired::ApplyOptions::force);
    let set = given(
        set,
        options.field_validation,
        desired::ApplyOptions::field_validation,
    );
    given(
        set,
        options.subresource.as_deref(),
        desired::ApplyOptions::subresource,
    )
}

fn delete_options(options: &DeleteOptions) -> desired::DeleteOptions {
    let set = desired::DeleteOptions::new();
    let set = given(
        set,
        options.grace_period_seconds,
        desired::DeleteOptions::grace_period_seconds,
    );
    let set = given(
        set,
        options.propagation_policy,
        desired::DeleteOptions::propagation_policy,
    );
    let set = given(
        set,
        options.precondition_uid.as_deref(),
        desired::DeleteOptions::precondition_uid,
    );
    let version = options.precondition_resource_version.as_deref();
    given(
        set,
        version,
        desired::DeleteOptions::precondition_resource_version,
    )
}

/// Sets what is there.
fn given<S, T>(set: S, value: Option<T>, with: impl FnOnce(S, T) -> S) -> S {
    match value {
        Some(value) => with(set, value),
        None => set,
    }
}
