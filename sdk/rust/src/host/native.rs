//! The functions of the contract on the machine at hand: each asks the fake of this thread.

use crate::bindings::imports::espejote::plugin as wit;
use crate::testing::state::with;

pub mod admission {
    use super::with;

    pub fn warn(message: &str) {
        with(|state| state.warnings.push(message.to_owned()));
    }

    pub fn annotate(key: &str, value: &str) {
        with(|state| state.annotations.insert(key.to_owned(), value.to_owned()));
    }
}

pub mod desired {
    pub use super::wit::desired::{
        ApplyOptions, DeleteOptions, ErrorPolicy, FieldValidation, PropagationPolicy,
    };
    use super::with;
    use crate::ObjectId;

    pub fn apply(object: &str, options: Option<&ApplyOptions>) {
        with(|state| state.tree.apply(object, options));
    }

    pub fn delete(id: &ObjectId, options: Option<&DeleteOptions>) {
        with(|state| state.tree.delete(id, options));
    }

    pub fn open_group(on_error: Option<ErrorPolicy>) {
        with(|state| state.tree.open(on_error));
    }

    pub fn close_group() {
        with(|state| state.tree.close());
    }
}

pub mod invocation {
    pub use super::wit::invocation::OwnerReference;
    use super::with;

    pub fn owner() -> OwnerReference {
        with(|state| OwnerReference {
            id: state.owner.id.clone(),
            uid: state.owner.uid.clone(),
        })
    }

    pub fn config() -> String {
        with(|state| state.config.clone())
    }

    pub fn keep_instance() {
        with(|state| state.kept = true);
    }
}

pub mod library {
    pub use super::wit::library::{ReadError, ReadErrorReason};
    use super::with;
    use crate::testing::collection::revision;

    pub fn read(path: &str) -> Result<Vec<u8>, ReadError> {
        let file = with(|state| state.files.get(path).cloned());
        file.ok_or_else(|| ReadError {
            reason: ReadErrorReason::NoLibrary,
            message: format!("the fake host has no file {path:?}"),
        })
    }

    pub fn revision_of(path: &str) -> Result<u64, ReadError> {
        read(path).map(|bytes| revision(&bytes))
    }
}

pub mod logging {
    pub use super::wit::logging::Level;
    use super::with;

    pub fn enabled(_: Level) -> bool {
        true
    }

    pub fn log(level: Level, message: &str, fields: &[(String, String)]) {
        let line = crate::testing::Line {
            level,
            message: message.to_owned(),
            fields: fields.to_vec(),
        };
        with(|state| state.log.push(line));
    }
}

pub mod provided {
    use super::with;
    use crate::Unavailable;

    pub fn names() -> Vec<String> {
        with(|state| state.provided.iter().map(|(name, _)| name.clone()).collect())
    }

    pub fn get(name: &str) -> Result<String, Unavailable> {
        with(|state| crate::testing::state::find(&state.provided, name))
    }
}

pub mod report {
    pub use super::wit::report::{Condition, ConditionStatus};
    use super::with;

    pub fn requeue_after(milliseconds: u32) {
        let time = std::time::Duration::from_millis(milliseconds.into());
        with(|state| state.report.requeue_after = Some(time));
    }

    pub fn set_message(message: &str) {
        with(|state| state.report.message = Some(message.to_owned()));
    }

    pub fn set_condition(condition: &Condition) {
        with(|state| state.report.set(condition));
    }

    pub fn set_waiting(reason: &str, message: &str) {
        with(|state| state.report.waiting = Some((reason.to_owned(), message.to_owned())));
    }

    pub fn set_document(document: &str) {
        with(|state| state.report.document = Some(document.to_owned()));
    }
}

pub mod state {
    use super::with;
    pub(crate) use crate::testing::collection::Collection;
    use crate::{Unavailable, testing::state::find};

    pub fn names() -> Vec<String> {
        with(|state| state.contexts.iter().map(|(name, _)| name.clone()).collect())
    }

    pub fn open(name: &str) -> Result<Collection, Unavailable> {
        with(|state| find(&state.contexts, name))
    }
}

pub mod trigger {
    use super::with;
    use crate::ObjectId;

    pub fn name() -> Option<String> {
        with(|state| state.trigger.name.clone())
    }

    pub fn event() -> Option<ObjectId> {
        with(|state| state.trigger.event.clone())
    }

    pub fn object() -> Option<String> {
        with(|state| state.trigger.object.clone())
    }
}
