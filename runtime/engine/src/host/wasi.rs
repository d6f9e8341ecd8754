//! WASI 0.2, whole and empty.
//!
//! Languages' runtimes import all of it, used or not, so all is there and nothing is behind it: no addresses, no
//! environment, no arguments; files and requests only as granted. What is printed goes to the log; clock and randomness
//! follow from the call.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime::component::Linker;
use wasmtime_wasi::{
    FsPerms, HostWallClock, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView, async_trait,
    cli::{IsTerminal, StdoutStream},
    p2::{OutputStream, Pollable, StreamResult},
};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use super::{HostState, clocks, clocks::Monotonic, http::Requests};
use crate::{
    call::HostError,
    grants::GrantedDirectory,
    log::{Level, Log},
    random::Seeded,
};

/// The WASI part of a store.
pub(super) struct Wasi {
    context: WasiCtx,
    http: WasiHttpCtx,
    requests: Requests,
    pub monotonic: Monotonic,
    stdout: Printer,
    stderr: Printer,
}

impl Wasi {
    /// `clock` in nanoseconds since 1970.
    pub fn new(
        clock: u64,
        seed: u64,
        log: &Log,
        directories: &[GrantedDirectory],
        requests: Requests,
    ) -> Result<Self, HostError> {
        let stdout = Printer::new(log.clone(), Stream::Out);
        let stderr = Printer::new(log.clone(), Stream::Err);
        Ok(Self {
            context: context(clock, seed, [&stdout, &stderr], directories)?,
            http: WasiHttpCtx::new(),
            requests,
            monotonic: Monotonic::default(),
            stdout,
            stderr,
        })
    }

    /// Starts clocks, randomness and requests anew, for another call of the same instance.
    pub fn renew(
        &mut self,
        clock: u64,
        seed: u64,
        directories: &[GrantedDirectory],
        requests: Requests,
    ) -> Result<(), HostError> {
        self.context = context(clock, seed, [&self.stdout, &self.stderr], directories)?;
        self.requests = requests;
        self.monotonic = Monotonic::default();
        Ok(())
    }

    /// Logs what was printed without a newline at its end.
    pub fn flush(&self) {
        self.stdout.flush();
        self.stderr.flush();
    }
}

/// `clock` in nanoseconds since 1970.
fn context(
    clock: u64,
    seed: u64,
    [stdout, stderr]: [&Printer; 2],
    directories: &[GrantedDirectory],
) -> Result<WasiCtx, HostError> {
    let mut builder = WasiCtx::builder();
    builder
        .stdout(stdout.clone())
        .stderr(stderr.clone())
        .wall_clock(Standing(Duration::from_nanos(clock)))
        .secure_random(Seeded::new(seed, 0))
        .insecure_random(Seeded::new(seed, 1))
        .insecure_random_seed(insecure_seed(seed));
    for directory in directories {
        preopen(&mut builder, directory)?;
    }
    Ok(builder.build())
}

/// A folder is opened once; what is asked for is looked up from there, and never leads out of it.
fn preopen(builder: &mut WasiCtxBuilder, directory: &GrantedDirectory) -> Result<(), HostError> {
    let opened = builder.preopened_dir(&directory.host_path, &directory.guest_path, FsPerms::ReadOnly);
    opened.map(|_| ()).map_err(|error| HostError::Directory {
        path: directory.guest_path.clone(),
        problem: format!("{error:#}"),
    })
}

fn insecure_seed(seed: u64) -> u128 {
    let mut numbers = Seeded::new(seed, 2);
    u128::from(numbers.next()) << 64 | u128::from(numbers.next())
}

impl HostState {
    /// Logs what was printed without a newline at its end.
    pub fn flush(&self) {
        self.wasi.flush();
    }
}

impl WasiView for HostState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi.context,
            table: &mut self.table,
        }
    }
}

impl WasiHttpView for HostState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView {
            hooks: &mut self.wasi.requests,
            table: &mut self.table,
            ctx: &mut self.wasi.http,
        }
    }
}

/// A clock that stands still.
struct Standing(Duration);

impl HostWallClock for Standing {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        self.0
    }
}

#[derive(Clone, Copy, Debug)]
enum Stream {
    Out,
    Err,
}

/// Cuts what is printed into lines. Clones print to the same.
#[derive(Clone)]
struct Printer {
    log: Log,
    stream: Stream,
    line: Arc<Mutex<Vec<u8>>>,
}

/// What of a line is kept until its end comes.
const LINE_BYTES: usize = 8 * 1024;
/// What a guest may print at once.
const WRITE_BYTES: usize = 64 * 1024;

impl Printer {
    fn new(log: Log, stream: Stream) -> Self {
        Self {
            log,
            stream,
            line: Arc::default(),
        }
    }

    fn line(&self) -> MutexGuard<'_, Vec<u8>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn print(&self, bytes: &[u8]) {
        let mut line = self.line();
        for part in bytes.split_inclusive(|&b| b == b'\n') {
            let text = part.strip_suffix(b"\n");
            let room = LINE_BYTES.saturating_sub(line.len());
            line.extend(text.unwrap_or(part).iter().take(room));
            if text.is_some() {
                self.log(&mem::take(&mut *line));
            }
        }
    }

    fn flush(&self) {
        let line = mem::take(&mut *self.line());
        if !line.is_empty() {
            self.log(&line);
        }
    }

    fn log(&self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        match self.stream {
            Stream::Out => self.log.line(Level::Info, &text, &[]),
            Stream::Err => self.log.error_line(&text),
        }
    }
}

impl IsTerminal for Printer {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Printer {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[async_trait]
impl Pollable for Printer {
    async fn ready(&mut self) {}
}

impl OutputStream for Printer {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.print(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES)
    }
}

/// Links WASI and wasi:http.
pub(super) fn link(linker: &mut Linker<HostState>) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_async(linker)?;
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(linker)?;
    linker.allow_shadowing(true);
    clocks::link(linker)?;
    linker.allow_shadowing(false);
    Ok(())
}
