//! Compiles components, always in a process of its own.
//!
//! A component can make the compiler use hundreds of MiB, so it runs where that can be bounded and where the memory is
//! given back for good. Both sides of that process are here: [`in_child`] starts it, [`compile_child`] is what runs in it.

use std::{
    ffi::OsString,
    fs, io,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{ExitCode, ExitStatus, Stdio},
    time::Duration,
};

use espejote_core::text::cut;
use rustix::process::{Resource, Rlimit, setrlimit};
use tokio::{process::Command, time::timeout};
use wasmtime::Engine;

use crate::{
    config::{Allocation, Compiler},
    contract::MisfitError,
    engine::COMPONENT,
    inspect::inspect,
    limits::bytes,
    log::escaped,
    settings,
    source::{self, Source},
};

/// Why a component was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The compiler refuses it.
    #[error("it is no valid component: {0}")]
    Invalid(String),
    /// Compiling takes more memory than allowed.
    #[error(
        "compiling it takes more than the {allowed} of memory that are allowed: make it smaller, or raise \
         --plugin-compile-memory"
    )]
    Memory {
        /// The bound.
        allowed: String,
    },
    /// Compiling takes longer than allowed.
    #[error("compiling it takes longer than the {allowed:?} that are allowed")]
    Time {
        /// The bound.
        allowed: Duration,
    },
    /// The process did not start.
    #[error("cannot start the compiler {}", program.display())]
    Spawn {
        /// The executable.
        program: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The process ended in a way of its own.
    #[error("the compiler ended with {status}: {output}")]
    Ended {
        /// How.
        status: ExitStatus,
        /// What it printed.
        output: String,
    },
    /// Its bytes cannot be had, or the files for the compiler not be written.
    #[error("cannot hand files to the compiler")]
    Files(#[source] io::Error),
    /// Its bytes have changed since it was digested.
    #[error("its bytes have digest {got}; expected {expected}")]
    Altered {
        /// What it is known by.
        expected: String,
        /// What was found.
        got: String,
    },
}

/// Why there is no compiled code.
pub(crate) enum Uncompiled {
    /// It was not compiled.
    Failed(CompileError),
    /// It is no component: these are its first bytes.
    NoComponent(Vec<u8>),
    /// It is no plugin of this contract, which is found out before it is compiled.
    Misfit(String),
}

impl From<CompileError> for Uncompiled {
    fn from(error: CompileError) -> Self {
        Self::Failed(error)
    }
}

/// What is kept of the compiler's words.
const OUTPUT_BYTES: usize = 2048;
/// The child ends with this if the component is to blame.
const INVALID: u8 = 65;
/// The child ends with this if the component is none of our contract.
const MISFIT: u8 = 66;
/// The child ends with this if it cannot work at all.
const BROKEN: u8 = 70;

/// What is compiled.
pub(crate) struct Job {
    /// `sha256:…`
    pub digest: String,
    pub source: Source,
}

/// Compiles in a child process; gives the file with the compiled code, in `folder`.
pub(crate) async fn in_child(
    compiler: &Compiler,
    allocation: Allocation,
    job: Job,
    folder: &Path,
) -> Result<PathBuf, Uncompiled> {
    let (input, output) = (folder.join("component.wasm"), folder.join("artifact.cwasm"));
    hand_over(job, input.clone()).await?;
    let child = Command::new(&compiler.program)
        .args(&compiler.arguments)
        .arg(&input)
        .arg(&output)
        .arg(compiler.memory.to_string())
        .arg(word(allocation))
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|source| CompileError::Spawn {
            program: compiler.program.clone(),
            source,
        })?;
    let ended = timeout(compiler.time, child.wait_with_output()).await;
    let ended = ended.map_err(|_| CompileError::Time {
        allowed: compiler.time,
    })?;
    let ended = ended.map_err(CompileError::Files)?;
    judge(compiler, ended.status, &String::from_utf8_lossy(&ended.stderr))?;
    Ok(output)
}

/// Writes the component to where the compiler reads it.
async fn hand_over(job: Job, input: PathBuf) -> Result<(), Uncompiled> {
    let written = tokio::task::spawn_blocking(move || source::write(job.source, &input)).await;
    let written = written.map_err(io::Error::other).and_then(|written| written);
    let written = written.map_err(CompileError::Files)?;
    if written.digest != job.digest {
        let (expected, got) = (job.digest, written.digest);
        return Err(CompileError::Altered { expected, got }.into());
    }
    match written.header.starts_with(&COMPONENT) {
        true => Ok(()),
        false => Err(Uncompiled::NoComponent(written.header)),
    }
}

/// What a process prints that gets no memory: from Rust's allocator, the kernel, and where a thread gets no stack.
const NO_MEMORY: [&str; 4] = [
    "memory allocation of",
    "cannot read the component: out of memory",
    "Cannot allocate memory",
    "Resource temporarily unavailable",
];

fn judge(compiler: &Compiler, status: ExitStatus, printed: &str) -> Result<(), Uncompiled> {
    let words = || escaped(cut(printed.trim(), OUTPUT_BYTES));
    let out_of_memory = NO_MEMORY.iter().any(|words| printed.contains(words));
    if status.success() {
        Ok(())
    } else if out_of_memory || status.signal() == Some(9) {
        // The kernel's own killer leaves no words.
        let allowed = bytes(compiler.memory);
        Err(CompileError::Memory { allowed }.into())
    } else if status.code() == Some(INVALID.into()) {
        Err(CompileError::Invalid(words()).into())
    } else if status.code() == Some(MISFIT.into()) {
        Err(Uncompiled::Misfit(words()))
    } else {
        let output = words();
        Err(CompileError::Ended { status, output }.into())
    }
}

const fn word(allocation: Allocation) -> &'static str {
    match allocation {
        Allocation::Pooling => "pooling",
        Allocation::OnDemand => "on-demand",
    }
}

/// Runs in the child process: compiles one component and ends.
///
/// `arguments` are those that the engine appended to [`Compiler::arguments`]. To be called before anything else that
/// needs memory; what it returns is the code to end the process with.
pub fn compile_child(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    match parse(&arguments) {
        Some(task) => report(task.run()),
        None => {
            eprintln!("expected: INPUT OUTPUT BYTES pooling|on-demand");
            ExitCode::from(BROKEN)
        }
    }
}

struct Task {
    input: PathBuf,
    output: PathBuf,
    memory: u64,
    allocation: Allocation,
}

#[derive(Debug, thiserror::Error)]
enum JobError {
    #[error("cannot bound memory: {0}")]
    Bound(rustix::io::Errno),
    #[error("cannot set up the compiler: {0:#}")]
    Setup(wasmtime::Error),
    #[error("cannot read the component: {0}")]
    Read(io::Error),
    #[error("{0}")]
    Misfit(MisfitError),
    #[error("{0:#}")]
    Compile(wasmtime::Error),
    #[error("cannot write the result: {0}")]
    Write(io::Error),
}

fn parse(arguments: &[OsString]) -> Option<Task> {
    let [input, output, memory, allocation] = arguments else {
        return None;
    };
    Some(Task {
        input: input.into(),
        output: output.into(),
        memory: memory.to_str()?.parse().ok()?,
        allocation: [Allocation::Pooling, Allocation::OnDemand]
            .into_iter()
            .find(|&a| allocation == word(a))?,
    })
}

impl Task {
    fn run(self) -> Result<(), JobError> {
        let bound = Rlimit {
            current: Some(self.memory),
            maximum: Some(self.memory),
        };
        setrlimit(Resource::As, bound).map_err(JobError::Bound)?;
        let engine = Engine::new(&settings::shared(self.allocation)).map_err(JobError::Setup)?;
        let component = fs::read(&self.input).map_err(JobError::Read)?;
        // Reading names takes no time; compiling may take minutes.
        if let Some(misfit) = inspect(&component).ok().and_then(|found| found.misfit) {
            return Err(JobError::Misfit(misfit));
        }
        let artifact = engine
            .precompile_component(&component)
            .map_err(JobError::Compile)?;
        fs::write(&self.output, artifact).map_err(JobError::Write)
    }
}

fn report(ended: Result<(), JobError>) -> ExitCode {
    let code = match &ended {
        Ok(()) => return ExitCode::SUCCESS,
        Err(JobError::Compile(_)) => INVALID,
        Err(JobError::Misfit(_)) => MISFIT,
        Err(_) => BROKEN,
    };
    if let Err(error) = ended {
        eprintln!("{error}");
    }
    ExitCode::from(code)
}
