//! The registry of the control plane: real, plain HTTP, no login.

use std::{
    collections::BTreeMap,
    fs,
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

use espejote_oci::{Client, ClientConfig, Credentials, Digest, Reference, WasmConfig};

use crate::{built, eventually, http, run};

/// A registry of one test, which it can end.
pub struct OwnRegistry {
    /// Host and port.
    pub host: String,
    process: Child,
}

impl OwnRegistry {
    /// Starts one in a folder, with what it held there before.
    pub fn start(folder: &Path) -> Self {
        fs::create_dir_all(folder).expect("create the registry's folder");
        let host = format!("127.0.0.1:{}", http::free_port());
        let file = folder.join("registry.yaml");
        let storage = folder.join("storage");
        let config = format!(
            "version: 0.1\nlog: {{level: error, accesslog: {{disabled: true}}}}\n\
             storage: {{filesystem: {{rootdirectory: {}}}}}\nhttp: {{addr: '{host}'}}\n",
            storage.display()
        );
        fs::write(&file, config).expect("write the registry's configuration");
        let process = Command::new(built::control_plane())
            .arg("registry")
            .arg(&file)
            .env("OTEL_TRACES_EXPORTER", "none")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("start a registry");
        let registry = Self { host, process };
        eventually("the registry listens", || {
            TcpStream::connect(&registry.host).map_err(|error| error.to_string())
        });
        registry
    }
}

impl Drop for OwnRegistry {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// A reference into the registry.
pub fn reference(repository: &str, tag: &str) -> String {
    format!("{}/{repository}:{tag}", run::control_plane().endpoints.registry)
}

/// Pushes a component. Gives the digest of its manifest.
pub fn push(reference: &str, component: &[u8]) -> Digest {
    let reference: Reference = reference.parse().expect("a reference");
    let config = ClientConfig {
        plain_http: [reference.registry().to_owned()].into(),
        ..ClientConfig::default()
    };
    let client = Client::new(config).expect("a registry client");
    let pushing = async {
        let config = WasmConfig::default();
        let component = component.to_vec().into();
        client
            .push(
                &reference,
                &Credentials::anonymous(),
                component,
                &config,
                BTreeMap::new(),
            )
            .await
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let pushed = runtime.expect("a runtime").block_on(pushing);
    pushed.expect("push a component")
}
