//! Where the process answers: `/metrics`, `/healthz`, `/readyz`.
//!
//! Owns the way from flags to servers. What is answered is up to `http_server` and `metrics`.

use std::time::Duration;

use anyhow::Context;

use crate::{
    api_authorizer::ApiAuthorizer,
    cli::controller::{ControllerOptions, Listen, MetricsOptions},
    client::Client,
    http_server::{Certificates, HttpServer, Limits, MetricsSite, Probes, Readiness, Site},
    metrics::Metrics,
    parts::Parts,
};

/// How often certificate files are looked at.
const CERTIFICATE_CHECK: Duration = Duration::from_secs(30);

/// Starts the probes.
pub async fn serve_probes(
    parts: &mut Parts,
    options: &ControllerOptions,
    ready: Readiness,
) -> anyhow::Result<()> {
    if let Some(server) = bind(&options.health, Probes::new(ready), Limits::default()).await? {
        tracing::info!(address = %server.address()?, "serving probes");
        parts.serve("probes", |cancel| server.serve(cancel));
    }
    Ok(())
}

/// Starts the metrics; with TLS and only for those who may read them if that is asked for.
pub async fn serve_metrics(
    parts: &mut Parts,
    options: &MetricsOptions,
    metrics: Metrics,
    client: Client,
) -> anyhow::Result<()> {
    if options.secure {
        let site = MetricsSite::guarded(metrics, ApiAuthorizer::new(client));
        let certificates = certificates(options).await?;
        let Some(server) = bind(&options.listen, site, Limits::default()).await? else {
            return Ok(());
        };
        let server = server.with_tls(&certificates);
        start_metrics(parts, server, true)?;
        parts.start("metrics certificate", |cancel| async move {
            certificates.keep_fresh(CERTIFICATE_CHECK, cancel.clone()).await;
            cancel.cancelled().await;
        });
    } else if let Some(server) = bind(&options.listen, MetricsSite::open(metrics), Limits::default()).await? {
        start_metrics(parts, server, false)?;
    }
    Ok(())
}

fn start_metrics<S: Site>(parts: &mut Parts, server: HttpServer<S>, tls: bool) -> anyhow::Result<()> {
    tracing::info!(address = %server.address()?, tls, "serving metrics");
    parts.serve("metrics", |cancel| server.serve(cancel));
    Ok(())
}

async fn certificates(options: &MetricsOptions) -> anyhow::Result<Certificates> {
    Ok(match &options.certificate {
        Some(files) => Certificates::from_files(files.certificate.clone(), files.key.clone()).await?,
        None => Certificates::self_signed(vec!["localhost".to_owned()])?,
    })
}

/// Listens; none if that is not wanted.
pub async fn bind<S: Site>(
    listen: &Listen,
    site: S,
    limits: Limits,
) -> anyhow::Result<Option<HttpServer<S>>> {
    let addresses = listen
        .addresses()
        .with_context(|| format!("cannot listen at {listen}"))?;
    if addresses.is_empty() {
        return Ok(None);
    }
    Ok(Some(HttpServer::bind(&addresses, site, limits).await?))
}
