//! `espejote controller`: the flags, and what the operator gets of them.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;

pub use super::flag::Listen;
pub use super::limit_flags::LimitOptions;
pub use super::plugin_flags::PluginOptions;
use super::{color, flag, folder, limit_flags::LimitFlags, log_flags::LogFlags, plugin_flags::PluginFlags};
use crate::telemetry::{self, LogOptions};

/// The end of `espejote controller --help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  On a developer's machine, with the kubeconfig's rights:
    espejote controller --metrics-secure=false --enable-dynamic-admission-webhook=false

  In a cluster:
    espejote controller --metrics-bind-address=:8443 --leader-elect --zap-devel=false";

/// Everything that the operator is told by its command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerOptions {
    /// Where metrics are served, and how.
    pub metrics: MetricsOptions,
    /// Where `/healthz` and `/readyz` are served.
    pub health: Listen,
    /// Whether only the holder of the lease works.
    pub leader_elect: bool,
    /// The operator's own namespace.
    pub namespace: String,
    /// The namespace of the libraries that everybody may import as `lib/…`.
    pub library_namespace: String,
    /// The admission webhooks.
    pub admission: AdmissionOptions,
    /// Plugins.
    pub plugins: PluginOptions,
    /// What the process may use.
    pub limits: LimitOptions,
    /// Where calls are recorded; none: nowhere.
    pub recordings_dir: Option<PathBuf>,
    /// The log, set up already.
    pub log: LogOptions,
}

/// Where metrics are served, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricsOptions {
    /// Where.
    pub listen: Listen,
    /// With TLS, and only to those who may read them.
    pub secure: bool,
    /// The certificate; self-signed if there is none.
    pub certificate: Option<CertificateFiles>,
}

/// The admission webhooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdmissionOptions {
    /// Whether there are any.
    pub enabled: bool,
    /// Where they are served.
    pub listen: Listen,
    /// The Service that leads to this process, as the webhook configurations name it.
    pub service_name: String,
    /// The port of that Service.
    pub service_port: u16,
    /// The URL that leads to this process, instead of a Service.
    pub url: Option<String>,
    /// The name of both webhook configurations.
    pub webhook_name: String,
    /// The certificate; if there is none, the operator makes one and keeps it in a Secret.
    pub certificate: Option<CertificateFiles>,
}

/// A certificate and its key, which may be replaced at any time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFiles {
    /// The certificate, with its chain.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// Runs the operator: watches ManagedResources, and serves them.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// Where metrics are served, as HOST:PORT or :PORT; 0 for nowhere.
    #[arg(long, value_name = "ADDRESS", default_value = ":8080")]
    metrics_bind_address: Listen,
    /// Where /healthz and /readyz are served, as HOST:PORT or :PORT; 0 for nowhere.
    #[arg(long, value_name = "ADDRESS", default_value = ":8081")]
    health_probe_bind_address: Listen,
    /// Work only while holding the lease f7157d46.espejote.io of the controller's namespace: of several replicas, one works. The
    /// others answer admission requests, and wait.
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = flag::boolean,
          num_args = 0..=1, require_equals = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    leader_elect: bool,
    /// The namespace that the operator runs in.
    #[arg(
        long,
        value_name = "NAMESPACE",
        env = "POD_NAMESPACE",
        default_value = "default"
    )]
    controller_namespace: String,
    /// The namespace of the JsonnetLibraries that everybody may import, as lib/NAME/KEY.
    #[arg(
        long,
        value_name = "NAMESPACE",
        env = "POD_NAMESPACE",
        default_value = "default"
    )]
    jsonnet_library_namespace: String,
    /// A folder for recordings of ManagedResources with the annotation espejote.io/record-input. They hold what the
    /// ServiceAccounts may read. Default: nothing is recorded.
    #[arg(long, value_name = "DIR")]
    recordings_dir: Option<PathBuf>,
    #[command(flatten)]
    plugins: PluginFlags,
    #[command(flatten)]
    limits: LimitFlags,
    #[command(flatten)]
    admission: AdmissionFlags,
    #[command(flatten)]
    metrics: MetricsFlags,
    #[command(flatten)]
    log: LogFlags,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Admission")]
struct AdmissionFlags {
    /// Serve Admissions and ClusterAdmissions.
    #[arg(long, value_name = "BOOL", default_value = "true", value_parser = flag::boolean,
          num_args = 0..=1, require_equals = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    enable_dynamic_admission_webhook: bool,
    /// The Service that leads to this process.
    #[arg(long, value_name = "NAME", default_value = "espejote-webhook-service")]
    dynamic_admission_webhook_service_name: String,
    /// The name of the MutatingWebhookConfiguration and the ValidatingWebhookConfiguration.
    #[arg(long, value_name = "NAME", default_value = "espejote-dynamic-webhook")]
    dynamic_admission_webhook_name: String,
    /// The port of the Service, as the API server has to use it. Where this process listens is another matter.
    #[arg(long, value_name = "PORT", default_value_t = 9443)]
    dynamic_admission_webhook_port: u16,
    /// The URL that leads to this process from the API server, instead of a Service.
    #[arg(long, value_name = "URL")]
    dynamic_admission_webhook_url: Option<String>,
    /// Where this process answers the API server, as HOST:PORT or :PORT.
    #[arg(long, value_name = "ADDRESS", default_value = ":9443")]
    webhook_bind_address: Listen,
    /// The folder of the webhooks' certificate; empty for one that the operator makes itself, in a Secret of its namespace.
    #[arg(long, value_name = "DIR", default_value = "")]
    webhook_cert_path: String,
    /// The certificate's file in that folder.
    #[arg(long, value_name = "FILE", default_value = "tls.crt")]
    webhook_cert_name: String,
    /// The key's file in that folder.
    #[arg(long, value_name = "FILE", default_value = "tls.key")]
    webhook_cert_key: String,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Metrics")]
struct MetricsFlags {
    /// Serve metrics with TLS, to those who may read them.
    #[arg(long, value_name = "BOOL", default_value = "true", value_parser = flag::boolean,
          num_args = 0..=1, require_equals = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    metrics_secure: bool,
    /// The folder of the metrics' certificate; empty for a self-signed one.
    #[arg(long, value_name = "DIR", default_value = "")]
    metrics_cert_path: String,
    /// The certificate's file in that folder.
    #[arg(long, value_name = "FILE", default_value = "tls.crt")]
    metrics_cert_name: String,
    /// The key's file in that folder.
    #[arg(long, value_name = "FILE", default_value = "tls.key")]
    metrics_cert_key: String,
}

/// Sets up the log and the runtime, and hands over to the operator.
pub(super) fn run(flags: Flags) -> anyhow::Result<ExitCode> {
    let options = ControllerOptions::from(flags);
    telemetry::start(options.log, color::on_stderr())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(crate::run::run(options))?;
    Ok(ExitCode::SUCCESS)
}

/// Where compiled plugins are kept if nothing is said: in the user's cache folder.
pub(super) fn default_plugin_cache_dir() -> PathBuf {
    folder::cache()
        .unwrap_or_else(std::env::temp_dir)
        .join("espejote")
        .join("plugins")
}

impl From<Flags> for ControllerOptions {
    fn from(flags: Flags) -> Self {
        Self {
            metrics: flags.metrics.at(flags.metrics_bind_address),
            health: flags.health_probe_bind_address,
            leader_elect: flags.leader_elect,
            namespace: namespace(flags.controller_namespace),
            library_namespace: namespace(flags.jsonnet_library_namespace),
            admission: flags.admission.into(),
            plugins: flags.plugins.options(default_plugin_cache_dir),
            limits: flags.limits.into(),
            recordings_dir: flags.recordings_dir,
            log: flags.log.into(),
        }
    }
}

impl From<AdmissionFlags> for AdmissionOptions {
    fn from(flags: AdmissionFlags) -> Self {
        Self {
            enabled: flags.enable_dynamic_admission_webhook,
            listen: flags.webhook_bind_address,
            service_name: flags.dynamic_admission_webhook_service_name,
            service_port: flags.dynamic_admission_webhook_port,
            url: flags.dynamic_admission_webhook_url.filter(|url| !url.is_empty()),
            webhook_name: flags.dynamic_admission_webhook_name,
            certificate: certificate(
                &flags.webhook_cert_path,
                &flags.webhook_cert_name,
                &flags.webhook_cert_key,
            ),
        }
    }
}

impl MetricsFlags {
    fn at(self, listen: Listen) -> MetricsOptions {
        let certificate = certificate(
            &self.metrics_cert_path,
            &self.metrics_cert_name,
            &self.metrics_cert_key,
        );
        MetricsOptions {
            listen,
            secure: self.metrics_secure,
            certificate,
        }
    }
}

/// An empty variable in the environment is no namespace.
fn namespace(given: String) -> String {
    if given.is_empty() {
        "default".to_owned()
    } else {
        given
    }
}

fn certificate(folder: &str, name: &str, key: &str) -> Option<CertificateFiles> {
    let folder = Some(folder).filter(|folder| !folder.is_empty()).map(Path::new)?;
    Some(CertificateFiles {
        certificate: folder.join(name),
        key: folder.join(key),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Only {
        #[command(flatten)]
        flags: Flags,
    }

    pub(crate) fn options(line: &str) -> ControllerOptions {
        let words = ["espejote"].into_iter().chain(line.split_whitespace());
        Only::try_parse_from(words).unwrap().flags.into()
    }

    fn listen(text: &str) -> Listen {
        text.parse().unwrap()
    }

    /// E1: the defaults. (`POD_NAMESPACE` is not set where tests run.)
    #[test]
    fn e1_every_flag_has_its_default() {
        let options = options("");
        assert_eq!(
            (options.metrics.listen, options.health),
            (listen(":8080"), listen(":8081"))
        );
        assert!(options.metrics.secure && options.metrics.certificate.is_none() && !options.leader_elect);
        assert_eq!(
            (options.namespace.as_str(), options.library_namespace.as_str()),
            ("default", "default")
        );
        let expected = AdmissionOptions {
            enabled: true,
            listen: listen(":9443"),
            service_name: "espejote-webhook-service".into(),
            service_port: 9443,
            url: None,
            webhook_name: "espejote-dynamic-webhook".into(),
            certificate: None,
        };
        assert_eq!(options.admission, expected);
    }

    /// E4: the arguments of the shipped manifests.
    #[test]
    fn e4_the_arguments_of_the_shipped_manifests_are_taken() {
        let options = options(
            "--metrics-bind-address=:8443 --leader-elect --webhook-cert-path=/certs \
             --dynamic-admission-webhook-port=443 --metrics-cert-path=/m --metrics-cert-key=k",
        );
        assert!(options.leader_elect);
        assert_eq!(
            (options.metrics.listen, options.admission.service_port),
            (listen(":8443"), 443)
        );
        let files = |certificate: &str, key: &str| {
            Some(CertificateFiles {
                certificate: certificate.into(),
                key: key.into(),
            })
        };
        assert_eq!(
            options.admission.certificate,
            files("/certs/tls.crt", "/certs/tls.key")
        );
        assert_eq!(options.metrics.certificate, files("/m/tls.crt", "/m/k"));
    }

    /// E1: booleans as Go programs take them.
    #[test]
    fn e1_booleans_are_switched_off_with_an_equals_sign() {
        let options = options("--leader-elect=false --metrics-secure=0 --enable-dynamic-admission-webhook=f");
        assert!(!options.leader_elect && !options.metrics.secure && !options.admission.enabled);
        let words = ["espejote", "--leader-elect", "false"];
        assert!(
            Only::try_parse_from(words).is_err(),
            "a word of its own is an argument"
        );
    }

    #[test]
    fn an_empty_namespace_is_the_default_one() {
        assert_eq!(options("--controller-namespace=").namespace, "default");
        assert_eq!(options("--controller-namespace=x").namespace, "x");
    }
}
