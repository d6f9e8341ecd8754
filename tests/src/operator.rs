//! The real operator: the program that is shipped, with its own ServiceAccount's rights.

use std::{
    env, fs,
    fs::File,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use crate::{
    Cluster, admitting, built, components, deployment, eventually_within, http, metrics::Metrics, process,
    run,
};

/// How long a start may take that compiles plugins on a machine with other things to do.
const FIRST_START: Duration = Duration::from_secs(180);

/// How an operator is started.
pub struct OperatorOptions {
    /// Where its log and kubeconfig are.
    pub folder: PathBuf,
    /// Where compiled plugins are kept.
    pub plugins: PathBuf,
    /// Where the libraries are that everybody may import.
    pub libraries: String,
    /// Further arguments.
    pub arguments: Vec<String>,
    /// How the API server asks it about Admissions; none: it does not.
    pub webhooks: Option<Webhooks>,
}

/// How the API server reaches an operator.
#[derive(Clone, Copy, Debug)]
pub enum Webhooks {
    /// By a URL of this machine with this port.
    Url(u16),
    /// By the Service of the shipped manifests, which leads to this port of this machine.
    Service(u16),
}

impl OperatorOptions {
    /// A folder of this run, with the compiled plugins of earlier ones. Modules may be files of the run's folder for
    /// components, and are looked at again every second.
    pub fn named(name: &str) -> Self {
        let folder = run::folder().join(name);
        let policy = components::write_policy(&folder);
        Self {
            plugins: run::folder_of("plugins"),
            libraries: deployment::LIBRARIES.to_owned(),
            arguments: vec![
                format!("--plugin-policy={}", policy.display()),
                "--plugin-recheck-interval=1s".to_owned(),
                format!("--recordings-dir={}", folder.join("recordings").display()),
                format!(
                    "--registry-plain-http={}",
                    run::control_plane().endpoints.registry
                ),
            ],
            folder,
            webhooks: None,
        }
    }

    /// It serves Admissions, too. Only one operator of a control plane can: both configurations are its.
    pub fn with_webhooks(mut self, webhooks: Webhooks) -> Self {
        self.webhooks = Some(webhooks);
        self
    }
}

/// A running operator. It ends when this is dropped, and with this process.
pub struct Operator {
    process: Child,
    watchdog: Child,
    metrics_port: u16,
    health_port: u16,
    webhooks: Option<Webhooks>,
    log: PathBuf,
}

impl Operator {
    /// Starts the operator and returns when it says that it is ready.
    pub fn start(admin: &Cluster, options: &OperatorOptions) -> Self {
        let mut operator = Self::launch(admin, options);
        eventually_within(FIRST_START, "the operator is ready", || {
            operator.must_run();
            operator.probe("/readyz")
        });
        operator
    }

    /// Starts the operator and does not wait.
    pub fn launch(admin: &Cluster, options: &OperatorOptions) -> Self {
        let folder = &options.folder;
        fs::create_dir_all(folder).expect("create the operator's folder");
        let kubeconfig = folder.join("kubeconfig");
        if !kubeconfig.exists() {
            deployment::write_kubeconfig(admin, &run::control_plane().endpoints, &kubeconfig);
        }
        let (metrics_port, health_port) = (http::free_port(), http::free_port());
        let log = folder.join("log");
        let file = File::options()
            .create(true)
            .append(true)
            .open(&log)
            .expect("open the operator's log");
        let process = Command::new(built::espejote())
            .args(arguments(options, metrics_port, health_port))
            .args(webhook_arguments(options.webhooks))
            .args(&options.arguments)
            .env("KUBECONFIG", &kubeconfig)
            .env_remove("POD_NAMESPACE")
            .stdin(Stdio::null())
            .stdout(file.try_clone().expect("share the log"))
            .stderr(file)
            .spawn()
            .expect("start the operator");
        let watchdog = watchdog(process.id());
        Self {
            process,
            watchdog,
            metrics_port,
            health_port,
            webhooks: options.webhooks,
            log,
        }
    }

    /// Asks it about an AdmissionReview, as anybody could who trusts its authority.
    pub fn ask(&self, cluster: &Cluster, path: &str, review: &[u8]) -> Result<(u16, String), String> {
        let Some(Webhooks::Url(port)) = self.webhooks else {
            panic!("it serves no Admissions at a port of this machine");
        };
        let authority = admitting::authority(cluster).ok_or("there is no certificate yet")?;
        http::post_tls(port, path, review, &authority)
    }

    /// Panics if it has ended, with the last that it has written.
    fn must_run(&mut self) {
        if let Ok(Some(status)) = self.process.try_wait() {
            let log = self.log_lines("");
            let last = log.len().saturating_sub(5);
            panic!("the operator has ended: {status}\n{}", log[last..].join("\n"));
        }
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Where it records calls of a ManagedResource.
    pub fn recordings(&self, namespace: &str, name: &str) -> PathBuf {
        let folder = self.log.with_file_name("recordings");
        folder.join(namespace).join(name)
    }

    /// Its log's file.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// `Ok` if a probe answers 200.
    pub fn probe(&self, path: &str) -> Result<(), String> {
        match http::get(self.health_port, path)? {
            (200, _) => Ok(()),
            (code, body) => Err(format!("{path}: {code} {body}")),
        }
    }

    /// Its metrics now.
    pub fn metrics(&self) -> Metrics {
        let (code, text) = http::get(self.metrics_port, "/metrics").expect("metrics are served");
        assert_eq!(code, 200, "{text}");
        Metrics::parse(&text).expect("metrics in the text format")
    }

    /// The sum of a metric's samples that have these labels; zero without any.
    pub fn metric(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        self.metrics().sum(name, labels).unwrap_or_default()
    }

    /// The lines of its log that hold a text.
    pub fn log_lines(&self, text: &str) -> Vec<String> {
        let bytes = fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&bytes);
        log.lines()
            .filter(|line| line.contains(text))
            .map(str::to_owned)
            .collect()
    }

    /// Ends it with SIGTERM, and says how and after which time it ended.
    pub fn terminate(mut self) -> (ExitStatus, Duration) {
        let started = Instant::now();
        process::signal(self.pid(), "TERM");
        let status = self.process.wait().expect("wait for the operator");
        (status, started.elapsed())
    }

    /// Waits until it ends by itself.
    pub fn ends_within(mut self, patience: Duration) -> ExitStatus {
        eventually_within(patience, "the operator ends", || {
            let ended = self.process.try_wait().expect("ask for its end");
            ended.ok_or_else(|| "it runs".to_owned())
        })
    }

    /// Ends it at once, as the kernel does when memory is short.
    pub fn kill(mut self) {
        self.process.kill().expect("kill the operator");
        self.process.wait().expect("wait for the operator");
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            process::signal(self.pid(), "TERM");
            // A stopped process hears of it when it goes on.
            process::signal(self.pid(), "CONT");
            self.process.wait().ok();
        }
        self.watchdog.kill().ok();
        self.watchdog.wait().ok();
    }
}

fn arguments(options: &OperatorOptions, metrics_port: u16, health_port: u16) -> Vec<String> {
    let mut arguments = vec![
        "controller".to_owned(),
        format!("--metrics-bind-address=127.0.0.1:{metrics_port}"),
        "--metrics-secure=false".to_owned(),
        format!("--health-probe-bind-address=127.0.0.1:{health_port}"),
        format!("--controller-namespace={}", deployment::NAMESPACE),
        format!("--jsonnet-library-namespace={}", options.libraries),
        format!("--plugin-cache-dir={}", options.plugins.display()),
    ];
    // The renderer's bytes from outside, as anybody's plugin: everything has to hold in the same way.
    if let Some(plugin) = env::var_os("ESPEJOTE_TEST_TEMPLATE_PLUGIN") {
        arguments.push(format!("--template-plugin={}", Path::new(&plugin).display()));
    }
    arguments
}

fn webhook_arguments(webhooks: Option<Webhooks>) -> Vec<String> {
    let bind = |port: u16| format!("--webhook-bind-address=127.0.0.1:{port}");
    match webhooks {
        None => vec!["--enable-dynamic-admission-webhook=false".to_owned()],
        Some(Webhooks::Url(port)) => vec![
            bind(port),
            format!("--dynamic-admission-webhook-url=https://127.0.0.1:{port}"),
        ],
        Some(Webhooks::Service(port)) => vec![bind(port), format!("--dynamic-admission-webhook-port={port}")],
    }
}

/// Ends a process when this one ends, in whatever way: it reads a pipe whose other end is held here.
fn watchdog(pid: u32) -> Child {
    Command::new("sh")
        .args(["-c", "cat >/dev/null; kill -TERM \"$1\" 2>/dev/null", "watchdog"])
        .arg(pid.to_string())
        .stdin(Stdio::piped())
        .spawn()
        .expect("start a watchdog")
}
