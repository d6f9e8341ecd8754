//! How the engine is set up.

use std::{ffi::OsString, path::PathBuf, sync::Arc, time::Duration};

use crate::limits::Limits;

/// The program that compiles components, in a process of its own.
///
/// Called as `program arguments… <what the engine appends>`; it has to hand what is appended to
/// [`compile_child`](crate::compile_child) and to end with the code that it returns.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The executable: mostly the running one.
    pub program: PathBuf,
    /// The arguments that lead to `compile_child`, such as a hidden subcommand.
    pub arguments: Vec<OsString>,
    /// Address space that it may use, in bytes. Default: 768 MiB. (Python components need 350 MiB of memory.)
    pub memory: u64,
    /// Time on the wall that it may take. Default: 5 minutes.
    pub time: Duration,
}

impl Compiler {
    /// A compiler with default bounds.
    pub fn new(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            memory: 768 << 20,
            time: Duration::from_secs(300),
        }
    }
}

/// Where instances get their memory from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// From a pool of slots, reserved at the start; from the system where that many addresses cannot be had.
    Pooling,
    /// From the system, at each call.
    OnDemand,
}

/// By which certificates the servers are known that plugins send requests to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TlsRoots {
    /// Those of the machine, or of the image. Read at the first request.
    #[default]
    System,
    /// These alone: certificates in PEM, one after the other.
    Pem(Arc<[u8]>),
}

/// What is kept of calls whose guests ask for their instance to be kept.
#[derive(Clone, Debug)]
pub struct WarmConfig {
    /// Bytes of linear memory that instances may hold together while they wait. 0: none is kept. Default: 64 MiB.
    pub memory: u64,
    /// How many may wait, each in a slot of the pool. Default: 64.
    pub instances: usize,
    /// How long one waits. Default: 5 seconds.
    pub idle: Duration,
    /// How many calls one serves: what a guest never lets go of goes with its instance. Default: 1,000.
    pub calls: u32,
}

impl Default for WarmConfig {
    fn default() -> Self {
        Self {
            memory: 64 << 20,
            instances: 64,
            idle: Duration::from_secs(5),
            calls: 1_000,
        }
    }
}

/// How the engine is set up.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// Compiled components are kept here. Made with mode 0700 if it does not exist; has to be on a private path.
    pub cache_dir: PathBuf,
    /// Compiles components.
    pub compiler: Compiler,
    /// Where instances get their memory from. Default: pooling.
    pub allocation: Allocation,
    /// How many calls may run at the same time, each with a provider that it waits for (two slots of the pool). More fail:
    /// the caller keeps the bound. Default: 64.
    pub concurrent_calls: u32,
    /// Bytes of each linear memory that stay resident in the pool after a call, so that the next one finds its pages;
    /// at most for as many slots as calls have run at once. Default: 6 MiB: reading 9 MB then takes half the time.
    pub keep_resident: usize,
    /// Bytes of stack for WebAssembly code. Default: 8 MiB: recursive interpreters get to their own limit first.
    pub stack: usize,
    /// No call gets more than this.
    pub ceilings: Limits,
    /// Bytes of linear memory that all calls may hold together, beside 16 MiB that each may have in any case. Default:
    /// 512 MiB.
    pub memory_budget: u64,
    /// What is kept between calls.
    pub warm: WarmConfig,
    /// By which certificates the servers are known that plugins send requests to.
    pub tls_roots: TlsRoots,
}

impl EngineConfig {
    /// A setup with defaults.
    pub fn new(cache_dir: impl Into<PathBuf>, compiler: Compiler) -> Self {
        Self {
            cache_dir: cache_dir.into(),
            compiler,
            allocation: Allocation::Pooling,
            concurrent_calls: 64,
            keep_resident: 6 << 20,
            stack: 8 << 20,
            ceilings: Limits::default_ceilings(),
            memory_budget: 512 << 20,
            warm: WarmConfig::default(),
            tls_roots: TlsRoots::System,
        }
    }
}
