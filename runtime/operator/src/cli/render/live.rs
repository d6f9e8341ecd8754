//! A ManagedResource against the cluster: what is called, and with what.

use std::sync::Arc;

use anyhow::Context as _;
use espejote_api::Plan;
use espejote_core::LibraryReads;

use super::{
    config,
    logic::{Logic, Source},
};
use crate::cli::{
    cluster::{self, Cluster, Component, component},
    color,
    component_flags::ComponentFlags,
    input::{Call, Subject},
    manifest::Manifest,
};

/// What the command line says.
pub struct Asked<'a> {
    /// The manifest.
    pub manifest: &'a Manifest,
    /// The namespace in which it is rendered.
    pub namespace: &'a str,
    /// Where `lib/…` leads to.
    pub library_namespace: &'a str,
    /// Which component is called.
    pub component: &'a ComponentFlags,
}

/// What is called, and with what.
pub struct Live {
    /// The logic.
    pub logic: Logic,
    /// What it is called with; at least the general reconcile.
    pub calls: Vec<Call>,
}

/// Reads the cluster once. `reads` keeps in mind which libraries the calls read.
pub async fn gather(asked: &Asked<'_>, reads: Option<Arc<LibraryReads>>) -> anyhow::Result<Live> {
    let spec = &asked.manifest.resource.spec;
    let plan =
        Plan::of(spec, asked.namespace).map_err(|error| anyhow::anyhow!(cluster::spec_problem(error)))?;
    let given = asked.component.plugin.as_deref();
    let named = asked.manifest.plugin.as_ref().filter(|_| given.is_none());
    let has_component = given.is_some() || named.is_some();
    let subject = Subject {
        resource: &asked.manifest.resource,
        namespace: asked.namespace,
        config: config::of(
            asked.manifest.plugin.as_ref(),
            spec.template.as_deref(),
            asked.component.config.as_deref(),
            has_component,
        )?,
    };
    let cluster = Cluster::connect(asked.library_namespace).await?;
    let source = match (given, named) {
        (Some(file), _) => Source::File(file),
        (None, Some(named)) => Source::Component(
            fetched(&cluster, asked, &named.name)
                .await
                .context("spec.plugin")?,
        ),
        (None, None) => Source::BuiltIn,
    };
    let logic = Logic::load(source, &asked.component.cache()).await?;
    let mut computed = Vec::new();
    for (name, of) in plan.computed() {
        let component = fetched(&cluster, asked, &of.name).await;
        let component = component.with_context(|| format!("context {name:?}"))?;
        computed.push(logic.computed(name, of, component).await?);
    }
    let calls = cluster::calls(&cluster, &subject, &plan, computed, reads).await?;
    cluster.close().await;
    Ok(Live { logic, calls })
}

async fn fetched(cluster: &Cluster, asked: &Asked<'_>, name: &str) -> anyhow::Result<Component> {
    let found = component(cluster, &asked.component.registries, asked.namespace, name).await?;
    if found.has_grants {
        eprintln!(
            "{} Plugin {name:?} has grants: they are not given here, neither files nor hosts",
            color::yellow("WARNING:")
        );
    }
    Ok(found)
}
