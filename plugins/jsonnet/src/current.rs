//! The call that is being made, as what outlives calls sees it: the standard library and the importer ask here, so that neither
//! they nor a parsed template belong to one call.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use jrsonnet_evaluator::Result;
use jrsonnet_evaluator::error::ErrorKind;

use crate::blame::Blame;
use crate::host::Host;
use crate::stdlib::External;

/// What belongs to one call.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) host: Rc<dyn Host>,
    pub(crate) blame: Rc<Blame>,
    pub(crate) external: External,
}

/// The call that is being made; none between calls.
#[derive(Default)]
pub(crate) struct Current {
    call: RefCell<Option<Call>>,
    libraries: Cell<bool>,
}

impl Current {
    /// From now on this is the call.
    pub(crate) fn begin(&self, call: Call) {
        self.libraries.set(false);
        *self.call.borrow_mut() = Some(call);
    }

    /// There is none any more.
    pub(crate) fn end(&self) {
        self.call.borrow_mut().take();
    }

    /// The call. An error: something is evaluated after its call, which is a bug of ours.
    pub(crate) fn call(&self) -> Result<Call> {
        let call = self.call.borrow().clone();
        call.ok_or_else(|| ErrorKind::RuntimeError("there is no call under way".into()).into())
    }

    /// A file of the user's was read: its values may depend on the call.
    pub(crate) fn read_library(&self) {
        self.libraries.set(true);
    }

    /// Whether the call has read files of the user's.
    pub(crate) fn has_read_libraries(&self) -> bool {
        self.libraries.get()
    }
}
