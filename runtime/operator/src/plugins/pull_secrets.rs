//! The credentials of a Plugin for its registry.
//!
//! Reads pull secrets with the rights of the Plugin's own ServiceAccount, and keeps nothing of them.

use espejote_api::{PluginSpec, plan::DEFAULT_SERVICE_ACCOUNT};
use espejote_core::PluginReason;
use espejote_oci::Credentials;
use k8s_openapi::api::core::v1::Secret;

use super::{
    host::PluginHost,
    progress::{Stage, Stop},
};
use crate::client::{Accept, ApiError, Client, Resource};

/// The key of a Secret of type `kubernetes.io/dockerconfigjson`.
const CONFIG_JSON: &str = ".dockerconfigjson";
/// The key of a Secret of type `kubernetes.io/dockercfg`.
const CFG: &str = ".dockercfg";

/// All credentials that a Plugin of a namespace names; anonymous if it names none.
pub(super) async fn credentials(
    host: &PluginHost,
    namespace: &str,
    spec: &PluginSpec,
) -> Result<Credentials, Stop> {
    let mut all = Credentials::anonymous();
    let Some(secrets) = spec
        .image_pull_secrets
        .as_ref()
        .filter(|secrets| !secrets.is_empty())
    else {
        return Ok(all);
    };
    let account = match spec.service_account_ref.name.as_str() {
        "" => DEFAULT_SERVICE_ACCOUNT,
        name => name,
    };
    let account = host.identities.service_account(namespace, account);
    account
        .ensure()
        .await
        .map_err(|error| unavailable(error.to_string()))?;
    let client = host.identities.client_as(&account);
    for secret in secrets {
        all.merge(read(&client, namespace, &secret.name).await?);
    }
    Ok(all)
}

async fn read(client: &Client, namespace: &str, name: &str) -> Result<Credentials, Stop> {
    let origin = format!("pull secret {namespace}/{name}");
    let answer = client.get(&secrets(), Some(namespace), name, Accept::Whole).await;
    let answer = answer.map_err(|error| unavailable(unreadable(&origin, &error)))?;
    // The parser's words could quote the Secret.
    let secret: Secret = serde_json::from_slice(&answer)
        .map_err(|_| unavailable(format!("{origin} is not a Secret that can be read")))?;
    let data = secret.data.unwrap_or_default();
    let parsed = match (data.get(CONFIG_JSON), data.get(CFG)) {
        (Some(config), _) => Credentials::from_docker_config_json(&origin, &config.0),
        (None, Some(config)) => Credentials::from_docker_cfg(&origin, &config.0),
        (None, None) => {
            let expected = format!(
                "{origin} has no key {CONFIG_JSON}: expected a Secret of type kubernetes.io/dockerconfigjson, as `kubectl create secret docker-registry` makes it"
            );
            return Err(unavailable(expected));
        }
    };
    parsed.map_err(|error| unavailable(error.to_string()))
}

fn unreadable(origin: &str, error: &ApiError) -> String {
    if error.is_not_found() {
        format!("{origin} does not exist: create it, or take it out of spec.imagePullSecrets")
    } else {
        format!("{origin} cannot be read: {error}")
    }
}

fn unavailable(message: String) -> Stop {
    Stop::new(Stage::Resolved, PluginReason::PullSecretUnavailable, message)
}

fn secrets() -> Resource {
    Resource::known("v1", "Secret", "secrets", true)
}
