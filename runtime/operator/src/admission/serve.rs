//! From flags to running tasks: the webhooks' server, its certificate, the configurations, and a task for each object.

use std::{sync::Arc, time::Duration};

use anyhow::Context;
use espejote_api::{Admission, ClusterAdmission};
use serde_json::{Value, json};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use super::{
    certificates::{ApiSecretStore, CertificateKeeper},
    configuration::{Address, Sort},
    decider::Decider,
    host::AdmissionHost,
    installed::Installed,
    keeper::AdmissionKeeper,
    lockout::Lockout,
    site::AdmissionSite,
    sources::Sources,
    store::ConfigurationStore,
    writer::{self, ConfigurationWriter, Trust},
};
use crate::{
    cli::controller::{AdmissionOptions, ControllerOptions},
    client::{Client, Resource},
    endpoints,
    events::Recorder,
    http_server::{Certificates, Limits},
    libraries::LibraryReader,
    logic::Programs,
    metrics::Metrics,
    own_kinds::{OWN_WATCH, own_watch},
    parts::Parts,
    watch::{Tenant, WatchHandle, WatchKey, Watches},
};

/// How often certificate files are looked at.
const CERTIFICATE_CHECK: Duration = Duration::from_secs(30);
/// How long the start waits for what the first answers need.
const PATIENCE: Duration = Duration::from_secs(10);
/// The server goes on for so long when the process is told to end: the Service leads here until everybody has heard of it.
const LINGER: Duration = Duration::from_secs(3);
/// What belongs to a ServiceAccount, and not to a person.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// What admission takes of the rest of the process.
pub struct Shared {
    /// The operator's own client.
    pub client: Client,
    /// Opens watches.
    pub watches: Watches,
    /// Plugins.
    pub programs: Arc<Programs>,
    /// JsonnetLibrary objects.
    pub libraries: Arc<LibraryReader>,
    /// Writes events.
    pub events: Recorder,
    /// Counts requests.
    pub metrics: Metrics,
}

/// Starts all of it, if that is asked for.
pub async fn start(parts: &mut Parts, options: &ControllerOptions, shared: Shared) -> anyhow::Result<()> {
    if !options.admission.enabled {
        return Ok(());
    }
    let admissions = own_watch(&shared.watches, "Admission");
    let of_cluster = own_watch(&shared.watches, "ClusterAdmission");
    let sources = Sources::new(admissions.reader(), of_cluster.reader());
    let trust = serve(parts, options, &shared, sources.clone()).await?;
    let (installed, _) = watch::channel(Installed::default());
    let lockout = lockout(options, &shared.client).await;
    let host = Arc::new(AdmissionHost {
        programs: shared.programs,
        client: shared.client.clone(),
        events: shared.events,
        metrics: shared.metrics,
        installed: installed.clone(),
        lockout: lockout.clone(),
    });
    let name = &options.admission.webhook_name;
    let live = Sort::ALL.map(|sort| shared.watches.acquire(&named(sort, name), OWN_WATCH));
    let writer = writer::Parts {
        store: ConfigurationStore::new(shared.client, name.clone()),
        address: address(options),
        lockout,
        sources: sources.clone(),
        live: live.each_ref().map(WatchHandle::reader),
        trust: trust.clone(),
    };
    parts.lead("webhook configurations", |cancel| async move {
        ConfigurationWriter::new(writer, installed).run(cancel).await;
        drop(live);
    });
    let keeper = AdmissionKeeper::<Admission>::new(host.clone());
    parts.supervise_leading("admissions", keeper, admissions);
    let keeper = AdmissionKeeper::<ClusterAdmission>::new(host);
    parts.supervise_leading("cluster admissions", keeper, of_cluster);
    arrived(sources, trust).await;
    Ok(())
}

/// Starts the server; gives whom the API server has to trust.
async fn serve(
    parts: &mut Parts,
    options: &ControllerOptions,
    shared: &Shared,
    sources: Sources,
) -> anyhow::Result<watch::Receiver<Trust>> {
    let (certificates, trust) = certificates(parts, options, shared.client.clone()).await?;
    let decider = Decider::new(
        sources,
        shared.client.clone(),
        shared.programs.clone(),
        shared.libraries.clone(),
        shared.metrics.clone(),
    );
    let limits = Limits {
        drain: Duration::from_secs(10),
        ..Limits::default()
    };
    let site = AdmissionSite::new(Arc::new(decider));
    let server = endpoints::bind(&options.admission.listen, site, limits).await?;
    let Some(server) = server else {
        anyhow::bail!(
            "--webhook-bind-address is 0: use --enable-dynamic-admission-webhook=false to serve no webhooks"
        );
    };
    let server = server.with_tls(&certificates);
    tracing::info!(address = %server.address()?, "serving webhooks");
    let linger = match &options.admission.url {
        Some(_) => Duration::ZERO,
        None => LINGER,
    };
    parts.serve("webhooks", |cancel| async move {
        let ending = tokio_util::sync::CancellationToken::new();
        let ended = ending.clone();
        let late = async move {
            cancel.cancelled().await;
            sleep(linger).await;
            ending.cancel();
        };
        tokio::join!(server.serve(ended), late);
    });
    Ok(trust)
}

/// The server's certificate, which is kept up to date from now on, and whom the API server has to trust.
async fn certificates(
    parts: &mut Parts,
    options: &ControllerOptions,
    client: Client,
) -> anyhow::Result<(Arc<Certificates>, watch::Receiver<Trust>)> {
    let names = server_names(options)?;
    if let Some(files) = &options.admission.certificate {
        let certificates = Certificates::from_files(files.certificate.clone(), files.key.clone()).await;
        let certificates = Arc::new(certificates.context("--webhook-cert-path")?);
        let kept = certificates.clone();
        parts.start("webhook certificate", |cancel| async move {
            kept.keep_fresh(CERTIFICATE_CHECK, cancel.clone()).await;
            cancel.cancelled().await;
        });
        // Whoever made the files says whom to trust, as cert-manager does.
        return Ok((certificates, watch::channel(Ok(None)).1));
    }
    let certificates = Arc::new(Certificates::self_signed(names.clone())?);
    let (trust, trusted) =
        watch::channel::<Trust>(Err("there is no certificate for the webhooks yet".into()));
    let leading = client.leading().clone();
    let store = ApiSecretStore::new(client, options.namespace.clone());
    let keeper = CertificateKeeper::new(store, names, certificates.clone(), trust).while_leading(leading);
    parts.start("webhook certificate", |cancel| keeper.run(cancel));
    Ok((certificates, trusted))
}

fn address(options: &ControllerOptions) -> Address {
    let AdmissionOptions {
        service_name,
        service_port,
        url,
        ..
    } = &options.admission;
    match url {
        Some(url) => Address::Url(url.clone()),
        None => Address::Service {
            namespace: options.namespace.clone(),
            name: service_name.clone(),
            port: *service_port,
        },
    }
}

/// The names by which the API server knows this process.
fn server_names(options: &ControllerOptions) -> anyhow::Result<Vec<String>> {
    match address(options) {
        Address::Service { namespace, name, .. } => Ok(vec![
            format!("{name}.{namespace}.svc"),
            format!("{name}.{namespace}.svc.cluster.local"),
        ]),
        Address::Url(url) => {
            let host = url.parse::<http::Uri>().ok().and_then(|uri| {
                let https = uri.scheme_str() == Some("https");
                https.then(|| uri.host().map(|host| host.trim_matches(['[', ']']).to_owned()))?
            });
            let host = host.with_context(|| {
                format!("--dynamic-admission-webhook-url is {url:?}: expected https://HOST:PORT")
            })?;
            // An address in the form in which certificates are read again.
            let address: Result<std::net::IpAddr, _> = host.parse();
            Ok(vec![address.map_or(host, |address| address.to_string())])
        }
    }
}

/// What no webhook may keep from working.
async fn lockout(options: &ControllerOptions, client: &Client) -> Lockout {
    let inside = options.admission.url.is_none();
    Lockout {
        namespace: inside.then(|| options.namespace.clone()),
        user: own_user(client).await,
    }
}

/// Who this process is for the API server; none if that is a person, who would wonder why nobody is asked.
async fn own_user(client: &Client) -> Option<String> {
    let resource = Resource::known(
        "authentication.k8s.io/v1",
        "SelfSubjectReview",
        "selfsubjectreviews",
        false,
    );
    let review = json!({"apiVersion": resource.api_version, "kind": resource.kind});
    let answer = client.review(&resource, review.to_string().into()).await;
    match answer {
        Ok(json) => {
            let review: Value = serde_json::from_slice(&json).unwrap_or_default();
            let user = review.pointer("/status/userInfo/username")?.as_str()?;
            user.starts_with(SERVICE_ACCOUNT).then(|| user.to_owned())
        }
        Err(error) => {
            tracing::warn!(%error, "the API server does not say who the operator is: its own requests are subject to its webhooks");
            None
        }
    }
}

fn named(sort: Sort, name: &str) -> WatchKey {
    WatchKey {
        name: Some(name.to_owned()),
        ..WatchKey::all(Tenant::Operator, &sort.resource().api_version, sort.kind(), None)
    }
}

/// Waits a while; what is asked before all is there is refused.
async fn arrived(sources: Sources, mut trust: watch::Receiver<Trust>) {
    let all = async {
        sources.synced().await;
        // Whoever keeps the certificate lives as long as the process.
        let _ = trust.wait_for(Result::is_ok).await;
    };
    if timeout(PATIENCE, all).await.is_err() {
        tracing::warn!("not all that admission needs is there yet");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::controller::tests::options;

    /// W4: where the configurations lead.
    #[test]
    fn w4_the_service_is_in_the_operators_namespace() {
        let options = options("--controller-namespace=espejote-system --dynamic-admission-webhook-port=443");
        let expected = Address::Service {
            namespace: "espejote-system".into(),
            name: "espejote-webhook-service".into(),
            port: 443,
        };
        assert_eq!(address(&options), expected);
        assert_eq!(
            server_names(&options).unwrap(),
            [
                "espejote-webhook-service.espejote-system.svc",
                "espejote-webhook-service.espejote-system.svc.cluster.local"
            ]
        );
    }

    #[test]
    fn the_certificate_is_for_the_host_of_the_url() {
        let names = |url: &str| server_names(&options(&format!("--dynamic-admission-webhook-url={url}")));
        assert_eq!(names("https://127.0.0.1:9443").unwrap(), ["127.0.0.1"]);
        assert_eq!(names("https://[0::1]:9443/").unwrap(), ["::1"]);
        assert_eq!(names("https://dev.example.com").unwrap(), ["dev.example.com"]);
        let error = names("http://127.0.0.1").unwrap_err().to_string();
        assert!(error.contains("expected https://HOST:PORT"), "{error}");
    }
}
