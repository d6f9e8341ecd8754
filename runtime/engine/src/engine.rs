//! The engine of the process: loads plugins.
//!
//! Owns what all plugins share: the runtime, the linker, the ticking of epochs, the cache of compiled code. Nothing is
//! compiled in this process.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use sha2::{Digest as _, Sha256};
use wasmtime::component::{Component as Code, Linker};

use crate::{
    bindings::exports::espejote::plugin::{admit, configuration, provide, reconcile},
    cache::{Cache, CacheError},
    compile::{self, CompileError, Job, Uncompiled},
    config::{Allocation, EngineConfig},
    contract::{self, MisfitError},
    epoch::Epochs,
    fair_queue::FairQueue,
    host::{self, HostState},
    limits::Limits,
    measured::Turns,
    meter::Budget,
    outbound::Tls,
    plugin::{Compiled, Plugin},
    settings::{self, SettingsError},
    source::{HEADER, Source},
    warm::WarmPool,
};

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The runtime refuses its configuration, or the machine does.
    #[error("cannot set up the WebAssembly runtime")]
    Setup(#[source] SettingsError),
    /// An interface could not be linked.
    #[error("cannot link the host's interfaces: {0}")]
    Link(String),
    /// The thread that keeps guests interruptible did not start.
    #[error("cannot start the thread that interrupts guests")]
    Ticker(#[source] std::io::Error),
    /// The folder for compiled code cannot be used.
    #[error("cannot use the folder for compiled plugins")]
    Cache(#[source] CacheError),
}

/// Why a component cannot be used as a plugin.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Not WebAssembly at all.
    #[error("plugin {plugin} is no WebAssembly component: it begins with {begins}")]
    NotWasm {
        /// Its name.
        plugin: String,
        /// The first bytes.
        begins: String,
    },
    /// A core module.
    #[error(
        "plugin {plugin} is a core WebAssembly module, not a component: build it for the target wasm32-wasip2, or \
         make a component of it with `wasm-tools component new --adapt wasi_snapshot_preview1=<reactor adapter>`"
    )]
    CoreModule {
        /// Its name.
        plugin: String,
    },
    /// It could not be compiled.
    #[error("plugin {plugin} cannot be compiled")]
    Compile {
        /// Its name.
        plugin: String,
        /// Why.
        #[source]
        source: CompileError,
    },
    /// The compiled code could not be kept or found again.
    #[error("the compiled code of plugin {plugin} cannot be kept")]
    Cache {
        /// Its name.
        plugin: String,
        /// Why.
        #[source]
        source: CacheError,
    },
    /// It imports or exports other things than the contract says.
    #[error("plugin {plugin} does not fit: {misfit}")]
    Misfit {
        /// Its name.
        plugin: String,
        /// What does not fit.
        misfit: MisfitError,
    },
    /// Its names do not fit, which is found out before it is compiled; or its types do not.
    #[error("plugin {plugin} does not fit: {problem}")]
    Link {
        /// Its name.
        plugin: String,
        /// The runtime's words.
        problem: String,
    },
    /// A task of the host did not end.
    #[error("plugin {plugin} cannot be loaded now")]
    Interrupted {
        /// Its name.
        plugin: String,
        /// Why.
        #[source]
        source: tokio::task::JoinError,
    },
}

/// The first bytes of a component: magic number, version and layer (Component Model, binary format, preamble).
pub(crate) const COMPONENT: [u8; 8] = [0, b'a', b's', b'm', 0x0d, 0, 1, 0];
/// Those of a core module.
const CORE_MODULE: [u8; 8] = [0, b'a', b's', b'm', 1, 0, 0, 0];

/// Compilations at a time, of as many tenants: a slow one leaves a place to all others.
const COMPILATIONS: usize = 2;

/// A component that is to be loaded.
#[derive(Debug)]
pub struct Component<'a> {
    /// For error texts and the log.
    pub name: &'a str,
    /// On whose behalf: what one tenant has compiled does not keep the others waiting.
    pub tenant: &'a str,
    /// `sha256:…` of its bytes.
    pub digest: &'a str,
    /// Its bytes, if it has to be compiled.
    pub source: Source,
}

/// What plugins need of the engine.
pub(crate) struct Shared {
    pub wasmtime: wasmtime::Engine,
    pub epochs: Epochs,
    pub turns: Turns,
    pub ceilings: Limits,
    pub memory: Arc<Budget>,
    pub warm: Arc<WarmPool>,
    pub stack: usize,
    pub tls: Arc<Tls>,
    linker: Linker<HostState>,
    allocation: Allocation,
}

/// Loads plugins. Cheap to clone; one for each process.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
    config: Arc<EngineConfig>,
    cache: Arc<Cache>,
    loaded: Arc<Mutex<HashMap<String, Weak<Compiled>>>>,
    /// One load of compiled code at a time, which takes milliseconds: so each digest is loaded once.
    loading: Arc<tokio::sync::Mutex<()>>,
    queue: Arc<FairQueue>,
}

impl Engine {
    /// Sets up the runtime and the folder for compiled code.
    pub fn new(config: EngineConfig) -> Result<Self, EngineError> {
        let (wasmtime, allocation) = settings::engine(&config).map_err(EngineError::Setup)?;
        let mut linker = Linker::new(&wasmtime);
        host::link(&mut linker).map_err(|error| EngineError::Link(format!("{error:#}")))?;
        let cache = Cache::open(&config.cache_dir, &wasmtime).map_err(EngineError::Cache)?;
        let shared = Shared {
            epochs: Epochs::start(&wasmtime).map_err(EngineError::Ticker)?,
            turns: Turns::new(),
            ceilings: config.ceilings.clone(),
            memory: Budget::new(config.memory_budget),
            warm: Arc::new(WarmPool::new(config.warm.clone())),
            stack: config.stack,
            tls: Arc::new(Tls::new(config.tls_roots.clone())),
            wasmtime,
            linker,
            allocation,
        };
        Ok(Self {
            shared: Arc::new(shared),
            config: Arc::new(config),
            cache: Arc::new(cache),
            loaded: Arc::default(),
            loading: Arc::default(),
            queue: Arc::new(FairQueue::new(1, COMPILATIONS)),
        })
    }

    /// Makes a plugin of a component's bytes.
    ///
    /// Compiled once for each digest, in a child process, and kept on disk; loaded once for each digest. `name` is for
    /// error texts and the log.
    pub async fn load(&self, name: &str, component: Arc<[u8]>) -> Result<Plugin, LoadError> {
        if !component.starts_with(&COMPONENT) {
            return Err(no_component(name, &component));
        }
        self.load_known(Component {
            name,
            tenant: "",
            digest: &digest(&component),
            source: Source::of(component),
        })
        .await
    }

    /// The same for a component whose digest is known.
    pub async fn load_known(&self, component: Component<'_>) -> Result<Plugin, LoadError> {
        let name = component.name.into();
        let compiled = match self.loaded(component.digest) {
            Some(compiled) => compiled,
            None => self.load_anew(component).await?,
        };
        Ok(Plugin {
            name,
            compiled,
            engine: self.shared.clone(),
        })
    }

    /// Gives back the memory of instances that nobody has used for a while, for ever: to be run beside the calls.
    pub async fn drop_idle(&self) {
        self.shared.warm.keep_tidy().await;
    }

    /// How many instances wait for their next call, and the bytes of linear memory that they hold.
    pub fn waiting(&self) -> (usize, u64) {
        self.shared.warm.held()
    }

    fn loaded(&self, digest: &str) -> Option<Arc<Compiled>> {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.get(digest).and_then(Weak::upgrade)
    }

    fn remember(&self, compiled: &Arc<Compiled>) {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.retain(|_, compiled| compiled.strong_count() > 0);
        loaded.insert(compiled.digest.clone(), Arc::downgrade(compiled));
    }

    async fn load_anew(&self, component: Component<'_>) -> Result<Arc<Compiled>, LoadError> {
        if let Some(compiled) = self.load_compiled(component.name, component.digest).await? {
            return Ok(compiled);
        }
        let _turn = self.queue.turn(component.tenant).await;
        // Whoever had the turn before may have compiled the same.
        let known = self.load_compiled(component.name, component.digest).await?;
        match known {
            Some(compiled) => Ok(compiled),
            None => self.compile(component).await,
        }
    }

    /// What is compiled already.
    async fn load_compiled(&self, name: &str, digest: &str) -> Result<Option<Arc<Compiled>>, LoadError> {
        let _one_at_a_time = self.loading.lock().await;
        if let Some(compiled) = self.loaded(digest) {
            return Ok(Some(compiled));
        }
        let Some(component) = self.cached(name, digest).await? else {
            return Ok(None);
        };
        let compiled = Arc::new(self.shared.check(name, digest, &component)?);
        self.remember(&compiled);
        Ok(Some(compiled))
    }

    /// What was compiled before, if it is what we wrote.
    async fn cached(&self, name: &str, digest: &str) -> Result<Option<Code>, LoadError> {
        let (cache, wasmtime, digest) = (
            self.cache.clone(),
            self.shared.wasmtime.clone(),
            digest.to_owned(),
        );
        let loaded = tokio::task::spawn_blocking(move || cache.load(&wasmtime, &digest)).await;
        loaded.map_err(|source| interrupted(name, source))
    }

    async fn compile(&self, component: Component<'_>) -> Result<Arc<Compiled>, LoadError> {
        let (name, digest) = (component.name, component.digest);
        let cache = |source| LoadError::Cache {
            plugin: name.to_owned(),
            source,
        };
        let work = self.cache.scratch().map_err(cache)?;
        let job = Job {
            digest: digest.to_owned(),
            source: component.source,
        };
        let artifact =
            compile::in_child(&self.config.compiler, self.shared.allocation, job, work.path()).await;
        let artifact = artifact.map_err(|why| uncompiled(name, why))?;
        tracing::info!(plugin = name, digest, "compiled");
        let (store, known_by) = (self.cache.clone(), digest.to_owned());
        tokio::task::spawn_blocking(move || store.keep(&known_by, &artifact))
            .await
            .map_err(|source| interrupted(name, source))?
            .map_err(cache)?;
        let compiled = self.load_compiled(name, digest).await?;
        compiled.ok_or_else(|| cache(CacheError::Vanished))
    }
}

impl Shared {
    /// Links a component and finds its exports, or says what does not fit.
    fn check(&self, name: &str, digest: &str, component: &Code) -> Result<Compiled, LoadError> {
        let misfit = |misfit| LoadError::Misfit {
            plugin: name.to_owned(),
            misfit,
        };
        let link = |error: wasmtime::Error| LoadError::Link {
            plugin: name.to_owned(),
            problem: format!("{error:#}"),
        };
        let ty = component.component_type();
        let exports = contract::exports(&self.wasmtime, &ty);
        let roles = contract::roles(&exports).map_err(misfit)?;
        contract::check_imports(&self.wasmtime, &ty).map_err(misfit)?;
        let pre = self.linker.instantiate_pre(component).map_err(link)?;
        let exported = |interface| contract::exported(&exports, interface);
        let reconcile = exported("reconcile").then(|| reconcile::GuestIndices::new(&pre));
        let admit = exported("admit").then(|| admit::GuestIndices::new(&pre));
        let provide = exported("provide").then(|| provide::GuestIndices::new(&pre));
        let configuration = exported("configuration").then(|| configuration::GuestIndices::new(&pre));
        Ok(Compiled {
            digest: digest.to_owned(),
            reconcile: reconcile.transpose().map_err(link)?,
            admit: admit.transpose().map_err(link)?,
            provide: provide.transpose().map_err(link)?,
            configuration: configuration.transpose().map_err(link)?,
            imports: contract::imports(&self.wasmtime, &ty),
            exports,
            roles,
            pre,
        })
    }
}

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{:x}", Sha256::digest(bytes))
}

fn interrupted(name: &str, source: tokio::task::JoinError) -> LoadError {
    LoadError::Interrupted {
        plugin: name.to_owned(),
        source,
    }
}

fn uncompiled(name: &str, why: Uncompiled) -> LoadError {
    let plugin = name.to_owned();
    match why {
        Uncompiled::Failed(source) => LoadError::Compile { plugin, source },
        Uncompiled::NoComponent(header) => no_component(name, &header),
        Uncompiled::Misfit(problem) => LoadError::Link { plugin, problem },
    }
}

/// What the first bytes say it is instead.
fn no_component(name: &str, bytes: &[u8]) -> LoadError {
    let plugin = name.to_owned();
    if bytes.starts_with(&CORE_MODULE) {
        return LoadError::CoreModule { plugin };
    }
    let begins = String::from_utf8_lossy(bytes.get(..HEADER).unwrap_or(bytes));
    LoadError::NotWasm {
        plugin,
        begins: format!("{begins:?}"),
    }
}
