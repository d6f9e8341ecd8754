//! The engine of the process: loads plugins.
//!
//! Owns what all plugins share: the runtime, the linker, the ticking of epochs, the cache of compiled code. Nothing is
//! compiled in this process.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use sha2::{Digest as _, Sha256};
use wasmtime::component::{Component, Linker};

use crate::{
    bindings::exports::espejote::plugin::{admit, configuration, provide, reconcile},
    cache::{Cache, CacheError},
    compile::{self, CompileError},
    config::{Allocation, EngineConfig},
    contract::{self, MisfitError},
    epoch::Epochs,
    host::{self, HostState},
    limits::Limits,
    measured::Turns,
    meter::Budget,
    outbound::Tls,
    plugin::{Compiled, Plugin},
    settings::{self, SettingsError},
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
    /// Its names fit and its types do not.
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
    /// One compilation at a time.
    compiling: Arc<tokio::sync::Mutex<()>>,
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
            compiling: Arc::default(),
        })
    }

    /// Makes a plugin of a component's bytes.
    ///
    /// Compiled once for each digest, in a child process, and kept on disk; loaded once for each digest. `name` is for
    /// error texts and the log.
    pub async fn load(&self, name: &str, component: Arc<[u8]>) -> Result<Plugin, LoadError> {
        check_header(name, &component)?;
        let digest = digest(&component);
        self.load_known(name, &digest, || component).await
    }

    /// The same for a component whose digest (`sha256:…`) is known to be right, as of what the host itself carries. Its
    /// bytes are asked for only if it has to be compiled.
    pub async fn load_known(
        &self,
        name: &str,
        digest: &str,
        component: impl FnOnce() -> Arc<[u8]>,
    ) -> Result<Plugin, LoadError> {
        let compiled = match self.loaded(digest) {
            Some(compiled) => compiled,
            None => self.load_anew(name, digest, component).await?,
        };
        Ok(Plugin {
            name: name.into(),
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

    async fn load_anew(
        &self,
        name: &str,
        digest: &str,
        bytes: impl FnOnce() -> Arc<[u8]>,
    ) -> Result<Arc<Compiled>, LoadError> {
        let _one_at_a_time = self.compiling.lock().await;
        if let Some(compiled) = self.loaded(digest) {
            return Ok(compiled);
        }
        let component = match self.cached(name, digest).await? {
            Some(component) => component,
            None => self.compile(name, digest, bytes()).await?,
        };
        let compiled = Arc::new(self.shared.check(name, digest, &component)?);
        self.remember(&compiled);
        Ok(compiled)
    }

    /// What was compiled before, if it is what we wrote.
    async fn cached(&self, name: &str, digest: &str) -> Result<Option<Component>, LoadError> {
        let (cache, wasmtime, digest) = (
            self.cache.clone(),
            self.shared.wasmtime.clone(),
            digest.to_owned(),
        );
        tokio::task::spawn_blocking(move || cache.load(&wasmtime, &digest))
            .await
            .map_err(|source| LoadError::Interrupted {
                plugin: name.to_owned(),
                source,
            })
    }

    async fn compile(&self, name: &str, digest: &str, bytes: Arc<[u8]>) -> Result<Component, LoadError> {
        let plugin = || name.to_owned();
        let cache = |source| LoadError::Cache {
            plugin: plugin(),
            source,
        };
        let work = self.cache.scratch().map_err(cache)?;
        let artifact = compile::in_child(&self.config.compiler, self.shared.allocation, bytes, work.path())
            .await
            .map_err(|source| LoadError::Compile {
                plugin: plugin(),
                source,
            })?;
        tracing::info!(plugin = name, digest, "compiled");
        self.cache.keep(digest, &artifact).map_err(cache)?;
        self.cached(name, digest)
            .await?
            .ok_or_else(|| cache(CacheError::Vanished))
    }
}

impl Shared {
    /// Links a component and finds its exports, or says what does not fit.
    fn check(&self, name: &str, digest: &str, component: &Component) -> Result<Compiled, LoadError> {
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

fn check_header(name: &str, bytes: &[u8]) -> Result<(), LoadError> {
    let plugin = name.to_owned();
    match bytes.get(..8) {
        Some([0, b'a', b's', b'm', 0x0d, 0, 1, 0]) => Ok(()),
        Some([0, b'a', b's', b'm', 1, 0, 0, 0]) => Err(LoadError::CoreModule { plugin }),
        _ => Err(LoadError::NotWasm {
            plugin,
            begins: format!("{:?}", String::from_utf8_lossy(bytes.get(..16).unwrap_or(bytes))),
        }),
    }
}
