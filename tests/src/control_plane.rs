//! A control plane that lives as long as this process: etcd, API server, controller manager and registry.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use serde::Deserialize;

use crate::built;

/// What a client needs to know about the control plane.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Endpoints {
    /// URL of the API server.
    pub api_server: String,
    /// The certificate authority's file.
    pub ca_file: String,
    /// The administrator's bearer token.
    pub admin_token: String,
    /// A kubeconfig of the administrator.
    pub kubeconfig: String,
    /// Host and port of the OCI registry, plain HTTP.
    pub registry: String,
    /// The program that is kubectl if its first argument says so.
    pub kubectl: String,
    /// The data directory, with a log of each component.
    pub dir: String,
    /// The process of each component.
    pub pids: std::collections::HashMap<String, u32>,
}

/// A running control plane. It ends when this is dropped, and when this process ends in whatever way: it reads a pipe
/// whose other end is held here.
pub struct ControlPlane {
    /// Where it is.
    pub endpoints: Endpoints,
    process: Child,
}

impl ControlPlane {
    /// Starts one, and returns when it is ready.
    pub fn start() -> Self {
        let mut process = Command::new(built::control_plane())
            .args(["up", "--until-stdin-closes"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("start the control plane");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("its output is a pipe");
        BufReader::new(stdout)
            .read_line(&mut line)
            .expect("read what the control plane prints");
        let endpoints = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("the control plane did not become ready: {error}: {line:?}"));
        Self { endpoints, process }
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        self.process.wait().ok();
    }
}
