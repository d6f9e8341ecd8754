//! The real registry, the CNCF's, as a process of its own.

use std::{
    env, fs,
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

    /// TLS with a certificate and key in PEM.
    pub fn with_tls(certificate: &str, key: &str) -> Self {
        Self::start(|folder| {
            let (certificate_file, key_file) = (folder.join("tls.crt"), folder.join("tls.key"));
            fs::write(&certificate_file, certificate).unwrap();
            fs::write(&key_file, key).unwrap();
            let (certificate, key) = (certificate_file.display(), key_file.display());
            format!("  tls:\n    certificate: {certificate}\n    key: {key}\n")
        })
    }

    /// `more` is the end of the configuration; what it puts first belongs to `http`.
    fn start(more: impl Fn(&Path) -> String) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let storage = folder.path().join("storage");
        let configuration = format!(
            "version: 0.1\nlog:\n  level: info\n  accesslog:\n    disabled: true\n\
             storage:\n  filesystem:\n    rootdirectory: {}\nhttp:\n  addr: 127.0.0.1:0\n{}",
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
            host: String::new(),
            process,
            folder,
        };
        registry.host = registry.address();
        registry
    }

    /// Where it listens, which it logs: the port is one that was free.
    fn address(&mut self) -> String {
        let started = Instant::now();
        eventually(|| {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            let after = log.split_once("listening on ").map(|(_, after)| after);
            let address = after
                .and_then(|after| after.split_once(['"', ',']))
                .map(|(address, _)| address);
            let ended = self.process.try_wait().unwrap().is_some();
            let late = started.elapsed() > Duration::from_secs(60);
            assert!(!ended && !late, "the registry did not start: {log}");
            address.map(str::to_owned)
        })
    }
}

impl Drop for RealRegistry {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Asks until there is an answer.
fn eventually<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    loop {
        match ask() {
            Some(answer) => return answer,
            None => thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// The program with the registry in it, built if it is not there yet.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let build = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("tests/controlplane/build"))
        .find(|build| build.exists())
        .unwrap();
    let output = Command::new(build)
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
