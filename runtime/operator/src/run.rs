//! The operator as a process: what is started, in which order, and what ends it.
//!
//! ```text
//! watch ──► cache ──► trigger queue ──► reconcile( engine ─► desired tree ─► apply ) ──► status, events, metrics
//! ```
//!
//! Probes and metrics come up first. Every task is owned by one set; what ends before it is told to ends the process.
//! Read on in `reconcile.rs`, the middle of the picture; `managed_resources.rs` and `instance/` are what calls it.

use std::{future::Future, sync::Arc, time::Duration};

use anyhow::Context;
use espejote_engine::{Engine, EngineConfig, Plugin};
use tokio::{task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;

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
    events,
    granted::FilesFolder,
    http_server::Readiness,
    identity::Identities,
    in_use::InUse,
    libraries::LibraryReader,
    logic::Programs,
    managed_resources::ManagedResources,
    metrics::Metrics,
    own_kinds::{own_kind, own_watch},
    plugins::{self, PluginHost, PluginKeeper, Plugins, Policy},
    recording::Recordings,
    shutdown,
    supervisor::{Keeper, Supervisor},
    watch::{WatchHandle, WatchSettings, Watches},
};

/// How long the first instances wait for the libraries.
const OWN_SYNC: Duration = Duration::from_secs(10);
/// How long what is under way may take once the process is told to end.
const GRACE: Duration = Duration::from_secs(20);
/// The check of `/readyz`.
const STARTED: &str = "started";

/// Runs until the process is told to end, or a part of it ends by itself.
pub async fn run(options: ControllerOptions) -> anyhow::Result<()> {
    let mut parts = Parts::default();
    let metrics = Metrics::new();
    let ready = Readiness::default();
    ready.unready(STARTED, "the operator is starting");
    if options.leader_elect {
        tracing::warn!("--leader-elect has no effect in this version: run one replica");
    }
    endpoints::serve_probes(&mut parts, &options, ready.clone()).await?;
    let environment = start(&mut parts, &options, metrics).await?;

    let watches = environment.watches.clone();
    let managed = own_watch(&watches, "ManagedResource");
    parts.supervise("managed resources", ManagedResources(environment), managed);
    ready.ready(STARTED);

    let ended = parts.run().await;
    watches.close().await;
    ended
}

/// Starts what all ManagedResources share.
async fn start(
    parts: &mut Parts,
    options: &ControllerOptions,
    metrics: Metrics,
) -> anyhow::Result<Arc<Environment>> {
    let config = kube::Config::infer()
        .await
        .context("no way to the API server is configured")?;
    let limits = Limits {
        rate: options.limits.rate,
        ..Limits::default()
    };
    let identities = Identities::new(&config, limits)?;
    metrics.observe_waiting(identities.waited());
    let own = identities.own().clone();
    endpoints::serve_metrics(parts, &options.metrics, metrics.clone(), own.clone()).await?;

    let discovery = Discovery::new(own.clone());
    let looking = discovery.clone();
    parts.start("discovery", |cancel| async move { looking.run(cancel).await });
    let cancel = parts.cancel.child_token();
    let watches = Watches::new(
        identities.clone(),
        discovery.clone(),
        WatchSettings::default(),
        cancel,
    );
    let (recorder, recording) = events::Recorder::new(
        ApiEventSink::new(own),
        events::Settings::default(),
        metrics.event_losses(),
    );
    parts.start("events", |cancel| recording.run(cancel));
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

/// The tasks of the process.
#[derive(Default)]
pub struct Parts {
    tasks: JoinSet<&'static str>,
    cancel: CancellationToken,
}

impl Parts {
    /// Starts a task that runs until its token is cancelled.
    pub fn start<F>(&mut self, name: &'static str, run: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let task = run(self.cancel.clone());
        self.tasks.spawn(async move {
            task.await;
            name
        });
    }

    /// Starts a task for each object that a watch holds.
    pub fn supervise<K: Keeper>(&mut self, name: &'static str, keeper: K, objects: WatchHandle) {
        self.start(name, |cancel| async move {
            let reader = objects.reader();
            let changes = reader.subscribe();
            Supervisor::new(keeper, reader).run(changes, cancel).await;
        });
    }

    /// Waits for a signal, or for a task that ends by itself; then ends all tasks.
    async fn run(mut self) -> anyhow::Result<()> {
        let failed = tokio::select! {
            signal = shutdown::signal() => {
                tracing::info!(signal = signal?, "ending");
                None
            }
            Some(ended) = self.tasks.join_next() => Some(ended),
        };
        self.cancel.cancel();
        let drain = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(GRACE, drain).await.is_err() {
            tracing::warn!("some work was cut off");
        }
        match failed {
            None => Ok(()),
            Some(Ok(name)) => anyhow::bail!("{name} ended by itself"),
            Some(Err(error)) => Err(error).context("a part of the operator failed"),
        }
    }
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
