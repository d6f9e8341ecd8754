//! The command as its users type it, with their own rights.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::json;

use crate::{Cluster, built, deployment, run};

/// What a command printed, and how it ended.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Ran {
    /// What it printed, if it ended well.
    #[track_caller]
    pub fn succeeded(self) -> String {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self.stdout
    }

    /// What it said, if it failed.
    #[track_caller]
    pub fn failed(self) -> String {
        assert_eq!(self.code, Some(1), "{self:#?}");
        self.stderr
    }
}

/// A folder of this run with nothing in it.
pub fn folder(stem: &str) -> PathBuf {
    let folder = run::folder().join("commands").join(run::unique(stem));
    std::fs::create_dir_all(&folder).expect("make a folder");
    folder
}

/// Runs `espejote` in a folder with somebody's kubeconfig; none: without a cluster.
pub fn espejote(kubeconfig: Option<&Path>, folder: &Path, arguments: &[&str]) -> Ran {
    let output = Command::new(built::espejote())
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("HOME", run::folder_of("home"))
        .env(
            "KUBECONFIG",
            kubeconfig.unwrap_or(Path::new("/no/such/kubeconfig")),
        )
        .stdin(Stdio::null())
        .output()
        .expect("run espejote");
    let text = |bytes| String::from_utf8(bytes).expect("a text");
    Ran {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// Writes the kubeconfig of somebody who has the rights of a ServiceAccount, and a namespace of their own that nothing is in.
pub fn kubeconfig(admin: &Cluster, namespace: &str, account: &str, folder: &Path) -> PathBuf {
    let endpoints = &run::control_plane().endpoints;
    let token = deployment::token(admin, namespace, account);
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "user",
        "clusters": [{"name": "plane", "cluster": {"server": endpoints.api_server, "certificate-authority": endpoints.ca_file}}],
        "users": [{"name": "user", "user": {"token": token}}],
        "contexts": [{"name": "user", "context": {"cluster": "plane", "user": "user", "namespace": "kube-public"}}],
    });
    let file = folder.join("kubeconfig");
    std::fs::write(&file, config.to_string()).expect("write the kubeconfig");
    file
}
