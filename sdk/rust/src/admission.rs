//! Decides on requests to the API server: the role of an admitter, and what goes along with its answer.

use serde::Serialize;

use crate::bindings::admit::exports::espejote::plugin::admit as wit;
use crate::export::{ExportOf, tell_panics};
use crate::failure::{Failure, FailureKind, OrFail};
use crate::host::admission;

/// Logic of an Admission or ClusterAdmission.
pub trait Admitter {
    /// Decides on one AdmissionRequest (`admission.k8s.io/v1`), given as JSON.
    ///
    /// # Errors
    /// A failure refuses the request with code 500.
    fn admit(request: &str) -> Result<Decision, Failure>;
}

/// The answer to a request.
#[derive(Debug, Clone)]
pub struct Decision(wit::Decision);

impl Decision {
    /// Lets the request pass. The message is for the user; empty: none.
    pub fn allowed(message: impl Into<String>) -> Self {
        Self::new(true, message.into())
    }

    /// Refuses the request with code 403, unless [`code`](Self::code) says another.
    pub fn denied(message: impl Into<String>) -> Self {
        Self::new(false, message.into())
    }

    fn new(allowed: bool, message: String) -> Self {
        Self(wit::Decision {
            allowed,
            code: None,
            message,
            mutation: None,
        })
    }

    /// The HTTP status code in the answer.
    #[must_use]
    pub fn code(mut self, code: u16) -> Self {
        self.0.code = Some(code);
        self
    }

    /// Changes the object under review by a JSON patch (RFC 6902). Only where the manifest says `mutating: true`.
    ///
    /// # Errors
    /// `invalid-output` if the patch is not serialisable.
    pub fn patch(mut self, operations: &impl Serialize) -> Result<Self, Failure> {
        self.0.mutation = Some(wit::Mutation::Patch(json(operations)?));
        Ok(self)
    }

    /// Gives the whole object as it should be; the host works out the patch.
    ///
    /// # Errors
    /// `invalid-output` if the object is not serialisable.
    pub fn object(mut self, object: &impl Serialize) -> Result<Self, Failure> {
        self.0.mutation = Some(wit::Mutation::Object(json(object)?));
        Ok(self)
    }
}

#[cfg(not(target_family = "wasm"))]
impl Decision {
    pub(crate) fn is_allowed(&self) -> bool {
        self.0.allowed
    }

    /// What was said beside that, for tests.
    pub(crate) fn members(&self) -> Vec<(&'static str, serde_json::Value)> {
        let parse = |json: &str| serde_json::from_str(json).unwrap_or_default();
        let mutation = self.0.mutation.as_ref().map(|mutation| match mutation {
            wit::Mutation::Patch(json) => ("patch", parse(json)),
            wit::Mutation::Object(json) => ("object", parse(json)),
        });
        let message = (!self.0.message.is_empty()).then(|| ("message", self.0.message.clone().into()));
        let code = self.0.code.map(|code| ("code", code.into()));
        [code, message, mutation].into_iter().flatten().collect()
    }
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).or_fail(FailureKind::InvalidOutput)
}

/// Shown to the user who sent the request, by kubectl for example. At most 256 bytes are sure to be shown.
pub fn warn(message: &str) {
    admission::warn(message);
}

/// Adds to the audit event of the request.
pub fn annotate(key: &str, value: &str) {
    admission::annotate(key, value);
}

impl<P: Admitter> wit::Guest for ExportOf<P> {
    fn admit(
        request: String,
    ) -> Result<wit::Decision, crate::bindings::imports::espejote::plugin::types::Failure> {
        tell_panics();
        P::admit(&request).map(|decision| decision.0).map_err(Into::into)
    }
}
