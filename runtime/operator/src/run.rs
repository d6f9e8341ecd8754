//! The operator as a process: what is started, in which order, and what ends it.
//!
//! ```text
//! watch ──► cache ──► trigger queue ──► reconcile( engine ─► desired tree ─► apply ) ──► status, events, metrics
//! ```
//!
//! Probes and metrics come up first. Every task is one of [`Parts`]; what ends before it is told to ends the process. Where there
//! are several replicas, each watches, runs plugins and answers the API server; the one that leads does the rest.
//! Read on in `reconcile.rs`, the middle of the picture; `managed_resources.rs` and `instance/` are what calls it.

use std::{sync::Arc, time::Duration};

use anyhow::Context;
use espejote_engine::{Engine, EngineConfig, Plugin};
use k8s_openapi::api::coordination::v1::Lease;
use tokio::time::timeout;

use crate::{
    admission, builtin,
    cache::Reader,
    cli::{compile, controller::ControllerOptions},
    client::Limits,
    component_file,
    discovery::Discovery,
    endpoints,
    environment::Environment,
    event_sink::ApiEventSink,
    events::{self, Occurrence, Recorder, Reference},
    granted::FilesFolder,
    http_server::Readiness,
    identity::Identities,
    in_use::InUse,
    leading::{Leadership, Leading},
    lease::{self, ApiLeaseStore, Elector},
    libraries::LibraryReader,
    logic::Programs,
    managed_resources::ManagedResources,
    metrics::Metrics,
    own_kinds::{own_kind, own_watch},
    parts::{Parts, supervise},
    plugins::{self, PluginHost, PluginKeeper, Plugins, Policy},
    recording::Recordings,
    watch::{WatchSettings, Watches},
};

/// How long the first instances wait for the libraries.
const OWN_SYNC: Duration = Duration::from_secs(10);
/// One compilation may take so long: one tenant's must not keep the others waiting.
const COMPILE_TIME: Duration = Duration::from_secs(120);
/// The check of `/readyz`.
const STARTED: &str = "started";

/// Runs until the process is told to end, or a part of it ends by itself.
pub async fn run(options: ControllerOptions) -> anyhow::Result<()> {
    let (leadership, leading) = if options.leader_elect {
        let (leadership, leading) = Leading::elected();
        (Some(leadership), leading)
    } else {
        (None, Leading::always())
    };
    let mut parts = Parts::new(leading.clone());
    let metrics = Metrics::new();
    let ready = Readiness::default();
    ready.unready(STARTED, "the operator is starting");
    endpoints::serve_probes(&mut parts, &options, ready.clone()).await?;
    let base = connect(&mut parts, &options, metrics, leading).await?;
    if let Some(leadership) = leadership {
        elect(&mut parts, &options, &base, leadership)?;
    }
    let environment = start(&mut parts, &options, base).await?;

    let watches = environment.watches.clone();
    // Watched from the beginning of the lead: what the one before has written last is seen.
    parts.lead("managed resources", |cancel| {
        let managed = own_watch(&environment.watches, "ManagedResource");
        supervise(ManagedResources(environment), managed, cancel)
    });
    ready.ready(STARTED);

    let ended = parts.run().await;
    watches.close().await;
    ended
}

/// The ways to the API server, and what is told of the process.
struct Base {
    config: kube::Config,
    identities: Arc<Identities>,
    recorder: Recorder,
    metrics: Metrics,
}

/// Starts what everything else sends with, and what tells of it.
async fn connect(
    parts: &mut Parts,
    options: &ControllerOptions,
    metrics: Metrics,
    leading: Leading,
) -> anyhow::Result<Base> {
    let config = kube::Config::infer()
        .await
        .context("no way to the API server is configured")?;
    let limits = Limits {
        rate: options.limits.rate,
        ..Limits::default()
    };
    let identities = Identities::new(&config, limits, &leading)?;
    metrics.observe_waiting(identities.waited());
    let own = identities.own().clone();
    endpoints::serve_metrics(parts, &options.metrics, metrics.clone(), own.clone()).await?;
    let (recorder, recording) = Recorder::new(
        ApiEventSink::new(own),
        events::Settings::default(),
        metrics.event_losses(),
    );
    parts.start("events", |cancel| recording.run(cancel));
    Ok(Base {
        config,
        identities,
        recorder: recorder.while_leading(leading),
        metrics,
    })
}

/// Contends for the lease from now on.
fn elect(
    parts: &mut Parts,
    options: &ControllerOptions,
    base: &Base,
    leadership: Leadership,
) -> anyhow::Result<()> {
    let timing = lease::Timing::default();
    let store = ApiLeaseStore::new(&base.config, &timing, &options.namespace, lease::NAME)?;
    let identity = lease::identity();
    let elector = Elector::new(store, identity.clone(), timing, leadership);
    let leading = base.identities.own().leading().clone();
    base.metrics.observe_leading(lease::NAME, leading);
    let events = base.recorder.clone();
    parts.elect(|resign| async move {
        let begun = |lease: &Lease| events.record(Occurrence::of_election(Reference::of(lease), &identity));
        elector.run(begun, resign).await
    });
    Ok(())
}

/// Starts what all ManagedResources share.
async fn start(
    parts: &mut Parts,
    options: &ControllerOptions,
    base: Base,
) -> anyhow::Result<Arc<Environment>> {
    let Base {
        identities,
        recorder,
        metrics,
        ..
    } = base;
    let discovery = Discovery::new(identities.own().clone());
    let looking = discovery.clone();
    parts.start("discovery", |cancel| async move { looking.run(cancel).await });
    let cancel = parts.cancel().child_token();
    let watches = Watches::new(
        identities.clone(),
        discovery.clone(),
        WatchSettings::default(),
        cancel,
    );
    let in_use = Arc::new(InUse::default());
    metrics.observe(in_use.clone());

    let libraries = own_watch(&watches, "JsonnetLibrary");
    let plugins = Arc::new(Plugins::new(options.library_namespace.clone()));
    let policy = plugin_policy(options)?;
    let engine = engine(options, &policy)?;
    let idle = engine.clone();
    parts.start("idle instances", |cancel| async move {
        cancel.run_until_cancelled_owned(idle.drop_idle()).await;
    });
    let watched = own_watch(&watches, "Plugin");
    let process = plugins::Process {
        plugins: plugins.clone(),
        engine: engine.clone(),
        policy,
        identities: identities.clone(),
        resource: Arc::new(own_kind("Plugin", "plugins")),
        watched: watched.reader(),
        events: recorder.clone(),
    };
    let host = Arc::new(PluginHost::new(process, &options.plugins)?);
    let collecting = host.clone();
    parts.start("collecting plugins", |cancel| collecting.collect(cancel));
    parts.supervise("plugins", PluginKeeper(host), watched);
    let programs = Arc::new(Programs::new(template_plugin(options, &engine).await?, plugins));
    arrived(&libraries.reader()).await;
    let libraries = Arc::new(LibraryReader::new(libraries, options.library_namespace.clone()));
    let shared = admission::serve::Shared {
        client: identities.own().clone(),
        watches: watches.clone(),
        programs: programs.clone(),
        libraries: libraries.clone(),
        events: recorder.clone(),
        metrics: metrics.clone(),
    };
    admission::serve::start(parts, options, shared).await?;
    Ok(Arc::new(Environment {
        identities,
        discovery,
        watches,
        libraries,
        programs,
        events: recorder,
        metrics,
        in_use,
        managed_resources: Arc::new(own_kind("ManagedResource", "managedresources")),
        files: Arc::new(FilesFolder::new().context("the folder for granted files cannot be made")?),
        recordings: recordings(options)?,
        calls: Arc::default(),
    }))
}

fn recordings(options: &ControllerOptions) -> anyhow::Result<Option<Recordings>> {
    let folder = options.recordings_dir.as_deref();
    folder
        .map(Recordings::new)
        .transpose()
        .context("--recordings-dir")
}

fn plugin_policy(options: &ControllerOptions) -> anyhow::Result<Policy> {
    match &options.plugins.policy {
        Some(file) => Ok(Policy::read(file)?),
        None => Ok(Policy::default()),
    }
}

fn engine(options: &ControllerOptions, policy: &Policy) -> anyhow::Result<Engine> {
    let mut compiler = compile::compiler()?;
    compiler.memory = options.plugins.compile_memory;
    compiler.time = COMPILE_TIME;
    let mut config = EngineConfig::new(&options.plugins.cache_dir, compiler);
    config.ceilings = policy.ceilings().clone();
    config.memory_budget = options.limits.guest_memory;
    config.warm.memory = options.limits.warm_memory;
    Ok(Engine::new(config)?)
}

/// Loads the plugin that runs templates: the one that is there without a registry.
async fn template_plugin(options: &ControllerOptions, engine: &Engine) -> anyhow::Result<Plugin> {
    let Some(file) = &options.plugins.template_plugin else {
        return Ok(builtin::jsonnet(engine).await?);
    };
    let component = component_file::read(file).context("--template-plugin")?;
    Ok(engine.load(builtin::JSONNET_NAME, component.into()).await?)
}

/// Waits a while; instances cope with what is not there yet.
async fn arrived(reader: &Reader) {
    let mut states = reader.states();
    let synced = states.wait_for(|state| state.is_synced());
    if timeout(OWN_SYNC, synced).await.is_err() {
        tracing::warn!(state = ?reader.state(), "JsonnetLibrary objects are not there yet");
    }
}
