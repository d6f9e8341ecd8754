//! The components of Plugins, fetched as their manifests say, with the credentials of whoever runs the command.
//!
//! Signatures are not looked at: that is for the operator, and for `espejote plugin verify`.

use anyhow::Context as _;
use espejote_api::Plugin;
use espejote_engine::Limits;
use espejote_oci::{Client, Credentials, ModuleReference};

use super::{Cluster, listed, own};
use crate::{
    cli::{plugin::user_credentials, plugin_flags::RegistryFlags},
    component_file,
    plugins::{self, RegistryOptions},
};

/// What a Plugin is made of.
pub struct Component {
    /// The name of the Plugin.
    pub name: String,
    /// The component.
    pub bytes: Vec<u8>,
    /// What one call may use.
    pub limits: Limits,
    /// Whether the operator lets it reach more than the contract.
    pub has_grants: bool,
}

/// The component of the Plugin that a manifest in `namespace` names.
pub async fn component(
    cluster: &Cluster,
    registries: &RegistryFlags,
    namespace: &str,
    reference: &str,
) -> anyhow::Result<Component> {
    let place = plugins::place(namespace, reference, &cluster.library_namespace);
    let what = || format!("Plugin {}/{}", place.0, place.1);
    let plugin = plugin(cluster, &place.0, &place.1).await.with_context(what)?;
    let bytes = fetched(&plugin.spec.module, registries).await;
    Ok(Component {
        name: reference.to_owned(),
        bytes: bytes.with_context(what)?,
        limits: plugins::limits_of(plugin.spec.limits.as_ref()).with_context(what)?,
        has_grants: plugin.spec.grants.is_some(),
    })
}

async fn plugin(cluster: &Cluster, namespace: &str, name: &str) -> anyhow::Result<Plugin> {
    let watch = cluster.open(&own("Plugin", namespace, Some(name)));
    let found = listed(&watch.reader()).await.map_err(anyhow::Error::msg)?;
    let object = found.objects().first().context("there is none")?;
    Ok(serde_json::from_str(object.json())?)
}

async fn fetched(module: &str, registries: &RegistryFlags) -> anyhow::Result<Vec<u8>> {
    let reference = match plugins::parse_module(module)? {
        ModuleReference::File(path) => return Ok(component_file::read(&path)?),
        ModuleReference::Registry(reference) => reference,
    };
    let client: Client = RegistryOptions::from(registries.clone()).client()?;
    let credentials: Credentials = user_credentials()?;
    let resolved = client.resolve(&reference, &credentials).await?;
    eprintln!("pulling {reference}");
    let artifact = client
        .pull(&reference, &resolved, &credentials, |_, _| {})
        .await?;
    Ok(artifact.bytes.to_vec())
}
