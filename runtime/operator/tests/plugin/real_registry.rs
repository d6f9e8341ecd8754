//! The real registry, the CNCF's, as a process of its own.

use std::{
    env, fs,
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// A registry with a folder of its own. It ends when this is dropped.
pub struct RealRegistry {
    /// `127.0.0.1:port`.
    pub host: String,
    process: Child,
    folder: TempDir,
}

impl RealRegistry {
    /// Plain HTTP, for everyone.
    pub fn open() -> Self {
        Self::start(|_| String::new())
    }

    /// Plain HTTP, for one name and password; the line is of a password file.
    pub fn with_password(line: &str) -> Self {
        Self::start(|folder| {
            let file = folder.join("htpasswd");
            fs::write(&file, line).unwrap();
            format!(
                "auth:\n  htpasswd:\n    realm: test\n    path: {}\n",
                file.display()
            )
        })
    }

    /// `more` is the end of the configuration; what it puts first belongs to `http`.
    fn start(more: impl Fn(&Path) -> String) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = free_address();
        let storage = folder.path().join("storage");
        let configuration = format!(
            "version: 0.1\nlog:\n  level: error\n  accesslog:\n    disabled: true\n\
             storage:\n  filesystem:\n    rootdirectory: {}\n  delete:\n    enabled: true\nhttp:\n  addr: {address}\n{}",
            storage.display(),
            more(folder.path())
        );
        let file = folder.path().join("registry.yaml");
        fs::write(&file, configuration).unwrap();
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let process = Command::new(&*PROGRAM)
            .arg("registry")
            .arg(&file)
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .stdin(Stdio::null())
            .env("OTEL_TRACES_EXPORTER", "none")
            .spawn()
            .unwrap();
        let mut registry = Self {
            host: address.to_string(),
            process,
            folder,
        };
        registry.wait_for(address);
        registry
    }

    fn wait_for(&mut self, address: SocketAddr) {
        let started = Instant::now();
        eventually(|| {
            if TcpStream::connect(address).is_ok() {
                return true;
            }
            let ended = self.process.try_wait().unwrap().is_some();
            let late = started.elapsed() > Duration::from_secs(30);
            assert!(!ended && !late, "the registry did not start: {}", self.log());
            false
        });
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for RealRegistry {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Asks until the answer is yes.
fn eventually(mut ask: impl FnMut() -> bool) {
    while !ask() {
        thread::sleep(Duration::from_millis(20));
    }
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// The program with the registry in it, built if it is not there yet.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(repository.join("tests/controlplane/build"))
        .env("CARGO_TARGET_DIR", target())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
});

/// Cargo's target directory, in whose `release/deps` this test is.
fn target() -> PathBuf {
    let program = env::current_exe().unwrap();
    program.ancestors().nth(3).unwrap().to_path_buf()
}
