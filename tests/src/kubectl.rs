//! kubectl, as an administrator types it.

use std::process::{Command, Output};

use crate::{Cluster, run};

/// Runs kubectl; what it prints.
pub fn kubectl(cluster: &Cluster, arguments: &[&str]) -> Result<String, String> {
    let output = output(cluster, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(text(&output.stderr))
    }
}

fn output(cluster: &Cluster, arguments: &[&str]) -> Output {
    Command::new(&run::control_plane().endpoints.kubectl)
        .arg("kubectl")
        .args(arguments)
        .env("KUBECONFIG", cluster.kubeconfig())
        .output()
        .expect("run kubectl")
}
