//! A loaded plugin: what it is, and the calls that can be made of it.

use std::{fmt, sync::Arc};

use espejote_core::Invocation;
use wasmtime::component::InstancePre;

use crate::{
    bindings::exports::espejote::plugin as exports,
    call::{Admitted, Call, CallError, Problem, Provision, Usage},
    engine::Shared,
    grants::Grants,
    host::HostState,
    invoke,
    limits::Limits,
    reconcile,
    warm::Kept,
};

/// What a plugin can be used for: the interfaces that it may export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Logic of a ManagedResource.
    Reconcile,
    /// Logic of an Admission.
    Admit,
    /// Computes an entry of `context`.
    Provide,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Reconcile, Self::Admit, Self::Provide];

    /// The name of the interface.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Reconcile => "reconcile",
            Self::Admit => "admit",
            Self::Provide => "provide",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// One compiled component, shared by all plugins with the same bytes.
pub(crate) struct Compiled {
    pub digest: String,
    pub pre: InstancePre<HostState>,
    pub reconcile: Option<exports::reconcile::GuestIndices>,
    pub admit: Option<exports::admit::GuestIndices>,
    pub provide: Option<exports::provide::GuestIndices>,
    pub configuration: Option<exports::configuration::GuestIndices>,
    pub imports: Vec<String>,
    pub exports: Vec<String>,
    pub roles: Vec<Role>,
}

/// A component that is ready to be called. Cheap to clone; keeps the engine alive.
#[derive(Clone)]
pub struct Plugin {
    pub(crate) name: Arc<str>,
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) engine: Arc<Shared>,
}

impl Plugin {
    /// The name it was loaded by, as error texts and the log have it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `sha256:…` of the component's bytes.
    pub fn digest(&self) -> &str {
        &self.compiled.digest
    }

    /// The interfaces it imports. A hint only: languages' runtimes import what they never use.
    pub fn imports(&self) -> &[String] {
        &self.compiled.imports
    }

    /// The interfaces it exports.
    pub fn exports(&self) -> &[String] {
        &self.compiled.exports
    }

    /// What it can be used for. At least one.
    pub fn roles(&self) -> &[Role] {
        &self.compiled.roles
    }

    /// One reconcile, in a fresh instance.
    ///
    /// Yields to the executor every few milliseconds. Nothing that the guest emitted survives unless it succeeds. May
    /// be dropped at any time. Limits above the engine's ceilings are lowered.
    pub async fn reconcile(&self, invocation: Invocation, limits: &Limits) -> Call {
        reconcile::fresh(self, invocation, limits, &Grants::default()).await
    }

    /// As [`reconcile`](Self::reconcile), with grants.
    pub async fn reconcile_with(&self, invocation: Invocation, limits: &Limits, grants: &Grants) -> Call {
        reconcile::fresh(self, invocation, limits, grants).await
    }

    /// As [`reconcile_with`](Self::reconcile_with), in the instance of the owner's last call if its guest asked for that
    /// and limits and grants are still the same. The result is that of a fresh instance: where a kept one fails for any
    /// other reason than time, the call is made again in a fresh one.
    pub async fn reconcile_kept(
        &self,
        invocation: Invocation,
        limits: &Limits,
        grants: &Grants,
        kept: &Kept,
    ) -> Call {
        reconcile::kept(self, invocation, limits, grants, kept).await
    }

    /// A place for the instance of one owner between its calls.
    pub fn kept(&self) -> Kept {
        Kept::new(&self.engine.warm)
    }

    /// Computes an entry of `context`, in a fresh instance: see [`entry`](Self::entry) for one that is computed when
    /// asked for. The value is no larger than what a call may emit.
    pub async fn provide(&self, invocation: Invocation, limits: &Limits, grants: &Grants) -> Provision {
        invoke::provide(self, invocation, limits, grants).await
    }

    /// Decides on one AdmissionRequest, a JSON text, in a fresh instance.
    pub async fn admit(
        &self,
        invocation: Invocation,
        request: Arc<str>,
        limits: &Limits,
        grants: &Grants,
    ) -> Admitted {
        invoke::admit(self, invocation, request, limits, grants).await
    }

    /// Makes an instance and drops it, to measure what each call has to spend on that.
    pub async fn instantiate(&self) -> Result<Usage, CallError> {
        invoke::instantiate(self).await
    }

    /// The JSON Schema of the config for a role. None: the plugin has none.
    pub async fn config_schema(&self, role: Role) -> Result<Option<String>, CallError> {
        invoke::config_schema(self, role).await
    }

    /// What the plugin itself finds wrong with a config for a role; nothing if it does not look.
    pub async fn validate_config(&self, role: Role, config: &str) -> Result<Vec<Problem>, CallError> {
        invoke::validate_config(self, role, config).await
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin")
            .field("name", &self.name)
            .field("digest", &self.compiled.digest)
            .finish_non_exhaustive()
    }
}
