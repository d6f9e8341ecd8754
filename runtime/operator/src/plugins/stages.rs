//! What a version of a Plugin goes through until it can be called.
//!
//! ```text
//! spec ─► asked (allowed) ─► found (resolved, verified) ─► loaded (compiled, fits the contract)
//! ```
//!
//! Owns the order, and which reason each error has. Nothing is compiled that is not verified.

use espejote_api::{
    PluginSpec, plan,
    plugin::{Artifact, Grants, ImagePullPolicy, Signer},
};
use espejote_core::PluginReason;
use espejote_engine::{CompileError, Component, Limits, LoadError, Plugin, Source};

use super::{
    Key, Ready, grants,
    host::PluginHost,
    limits,
    module::Module,
    progress::{Stage, Stop},
    signatures,
};
use crate::failure::with_sources;

/// What a manifest asks for, as far as that can be checked without the module.
pub(super) struct Asked {
    /// Where the component is.
    pub module: Module,
    /// When the registry is asked.
    pub pull: ImagePullPolicy,
    /// Whose signatures are asked for; each entry asks for one of its signers.
    pub required: Vec<Vec<Signer>>,
    /// What one call may use.
    pub limits: Limits,
    /// What it may reach.
    pub grants: Grants,
}

/// A component whose signatures are as asked for.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Empty for a file.
    pub manifest_digest: String,
    /// `sha256:…` of the layer.
    pub blob_digest: String,
    /// Empty for a file.
    pub media_type: String,
    /// `sha256:…` of the component: another than the layer's where that is an archive.
    pub component_digest: String,
    /// Bytes of the component.
    pub size: u64,
    /// Those whose signatures were accepted.
    pub signers: Vec<String>,
}

impl Found {
    /// What the status tells of it.
    pub(super) fn artifact(&self, ready: &Ready) -> Artifact {
        let roles: Vec<_> = ready.plugin.roles().iter().map(|role| role.word()).collect();
        Artifact {
            manifest_digest: self.manifest_digest.clone(),
            layer_digest: self.blob_digest.clone(),
            media_type: self.media_type.clone(),
            size: i64::try_from(self.size).unwrap_or(i64::MAX),
            world: roles.join(","),
            imports: ready.plugin.imports().to_vec(),
            exports: ready.plugin.exports().to_vec(),
            signers: self.signers.clone(),
        }
    }
}

/// Checks a manifest of a namespace against itself and the operator's policy.
pub(super) fn asked(host: &PluginHost, namespace: &str, spec: &PluginSpec) -> Result<Asked, Stop> {
    let invalid = |message: String| Stop::new(Stage::Resolved, PluginReason::InvalidSpec, message);
    let denied = |message: String| Stop::new(Stage::Resolved, PluginReason::NotAllowed, message);
    plan::check_service_account(&spec.service_account_ref).map_err(|error| invalid(error.to_string()))?;
    let limits = limits::of(spec.limits.as_ref()).map_err(|error| invalid(error.to_string()))?;
    host.policy
        .allows_limits(&limits)
        .map_err(|error| denied(error.to_string()))?;
    let grants = spec.grants.clone().unwrap_or_default();
    host.policy
        .allows_grants(&grants)
        .map_err(|error| denied(error.to_string()))?;
    grants::check(&grants).map_err(|error| invalid(error.to_string()))?;
    let module = Module::of(&spec.module, &host.policy)?;
    let default = if module.is_moving() {
        ImagePullPolicy::Always
    } else {
        ImagePullPolicy::IfNotPresent
    };
    Ok(Asked {
        module,
        pull: spec.image_pull_policy.unwrap_or(default),
        required: required(host, namespace, spec)?,
        limits,
        grants,
    })
}

/// The signatures that the manifest asks for, and those that the operator does.
fn required(host: &PluginHost, namespace: &str, spec: &PluginSpec) -> Result<Vec<Vec<Signer>>, Stop> {
    let own = spec.verify.iter().map(|verify| verify.any_of.clone());
    let required: Vec<_> = host.policy.signers(namespace).into_iter().chain(own).collect();
    for any_of in &required {
        signatures::requirements(any_of, host.trust_root.as_ref())?;
    }
    Ok(required)
}

/// Compiles a component and sees whether it fits.
pub(super) async fn load(
    host: &PluginHost,
    key: &Key,
    found: &Found,
    source: Source,
) -> Result<Plugin, Stop> {
    let component = Component {
        name: &format!("{}/{}", key.0, key.1),
        tenant: &key.0,
        digest: &found.component_digest,
        source,
    };
    host.engine.load_known(component).await.map_err(|error| {
        let reason = match &error {
            LoadError::NotWasm { .. } | LoadError::CoreModule { .. } => PluginReason::InvalidArtifact,
            LoadError::Misfit { .. } | LoadError::Link { .. } => PluginReason::Unfit,
            LoadError::Compile {
                source: CompileError::Files(_) | CompileError::Altered { .. },
                ..
            } => PluginReason::HostFault,
            LoadError::Compile { .. } => PluginReason::CompileFailed,
            LoadError::Cache { .. } | LoadError::Interrupted { .. } => PluginReason::HostFault,
        };
        Stop::new(Stage::Compiled, reason, with_sources(&error))
    })
}
