//! What a cluster needs before the operator can run in it, installed as an administrator does: the definitions, the
//! operator's rights and its ServiceAccount. The operator of a test has these rights and no others.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{Cluster, built, control_plane::Endpoints, kubectl::kubectl, objects, run};

/// The operator's namespace.
pub const NAMESPACE: &str = "espejote-system";
/// Its ServiceAccount.
pub const SERVICE_ACCOUNT: &str = "espejote-controller-manager";
/// Where the libraries are that everybody may import.
pub const LIBRARIES: &str = "jsonnetlibs";
/// Where the plugins are that everybody may run.
pub const PLUGINS: &str = LIBRARIES;

/// Installs all of it.
pub fn install(admin: &Cluster) {
    admin.ensure(&objects::namespace(LIBRARIES));
    for folder in ["crds", "deploy/rbac"] {
        let folder = built::repository().join(folder);
        let folder = folder.to_str().expect("a path of the repository is UTF-8");
        kubectl(
            admin,
            &["apply", "--server-side", "--force-conflicts", "-k", folder],
        )
        .expect("install");
    }
    let established = [
        "wait",
        "--for",
        "condition=Established",
        "--timeout=30s",
        "crd",
        "--all",
    ];
    kubectl(admin, &established).expect("the definitions are served");
}

/// Writes the kubeconfig of the operator's ServiceAccount.
pub fn write_kubeconfig(admin: &Cluster, endpoints: &Endpoints, file: &Path) {
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "operator",
        "clusters": [{"name": "plane", "cluster": {"server": endpoints.api_server, "certificate-authority": endpoints.ca_file}}],
        "users": [{"name": "operator", "user": {"token": token(admin, NAMESPACE, SERVICE_ACCOUNT)}}],
        "contexts": [{"name": "operator", "context": {"cluster": "plane", "user": "operator", "namespace": NAMESPACE}}],
    });
    fs::write(file, config.to_string()).expect("write the kubeconfig");
}

/// A fresh token of a ServiceAccount. It counts among the run's secrets.
pub fn token(admin: &Cluster, namespace: &str, name: &str) -> String {
    let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token");
    let request = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 86_400}});
    let answer = admin.send("POST", &path, "application/json", request.to_string().as_bytes());
    let answer: Value = serde_json::from_str(&answer.expect("a token")).expect("a TokenRequest");
    let token = answer["status"]["token"].as_str().expect("a token").to_owned();
    run::keep_secret(&token);
    token
}
