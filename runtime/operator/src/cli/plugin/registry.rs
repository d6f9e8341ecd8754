//! Registries, as the user of this command reaches them: flags, the docker configuration, and bars that show how far it is.

use std::{collections::BTreeMap, io, io::IsTerminal as _, path::PathBuf, time::Duration};

use anyhow::Context as _;
use espejote_oci::{Artifact, Client, Credentials, Digest, ModuleReference, Reference, Resolved, WasmConfig};
use indicatif::{ProgressBar, ProgressStyle};

use super::inspect::size;
use crate::{
    cli::{folder, plugin_flags::RegistryFlags},
    plugins::RegistryOptions,
};

/// A client with the user's credentials, and an executor to run it on.
pub(super) struct Registry {
    /// The client.
    pub client: Client,
    /// The user's.
    pub credentials: Credentials,
    runtime: tokio::runtime::Runtime,
    docker: PathBuf,
}

/// A reference as people write it, also with `oci://` in front.
pub(super) fn reference(text: &str) -> anyhow::Result<Reference> {
    match text.parse::<ModuleReference>()? {
        ModuleReference::Registry(reference) => Ok(reference),
        ModuleReference::File(path) => anyhow::bail!("{} is a file, expected a registry", path.display()),
    }
}

impl Registry {
    /// By the flags, with the credentials of `docker login`.
    pub fn new(flags: RegistryFlags) -> anyhow::Result<Self> {
        let docker = docker_folder();
        Ok(Self {
            client: RegistryOptions::from(flags).client()?,
            credentials: Credentials::from_docker_folder(&docker)?,
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?,
            docker,
        })
    }

    /// Waits for what a registry answers.
    pub fn wait<T, E>(&self, operation: impl Future<Output = Result<T, E>>) -> anyhow::Result<T>
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let result = self.runtime.block_on(operation);
        if self.credentials.has_unused_helpers() {
            return result.with_context(|| {
                format!(
                    "{} names credential helpers, which are programs and not run here: their logins were not used",
                    self.docker.join("config.json").display()
                )
            });
        }
        Ok(result?)
    }

    /// What a reference leads to.
    pub fn resolve(&self, reference: &Reference) -> anyhow::Result<Resolved> {
        self.wait(self.client.resolve(reference, &self.credentials))
    }

    /// Pushes a component, or whatever is encoded as one.
    pub fn push(
        &self,
        reference: &Reference,
        component: Vec<u8>,
        config: &WasmConfig,
        annotations: BTreeMap<String, String>,
    ) -> anyhow::Result<Digest> {
        let push = self.client.push(
            reference,
            &self.credentials,
            component.into(),
            config,
            annotations,
        );
        self.wait(push)
    }

    /// Fetches a component, with a bar on a terminal.
    pub fn pull(&self, reference: &Reference) -> anyhow::Result<Artifact> {
        let resolved = self.resolve(reference)?;
        let progress = Progress::bytes("pulling", &reference.to_string(), resolved.layer.size);
        let told = progress.clone();
        let pull = self
            .client
            .pull(reference, &resolved, &self.credentials, move |done, _| {
                told.at(done)
            });
        let artifact = self.wait(pull)?;
        progress.end();
        Ok(artifact)
    }
}

/// Those of `docker login`.
pub(in crate::cli) fn user_credentials() -> anyhow::Result<Credentials> {
    Ok(Credentials::from_docker_folder(&docker_folder())?)
}

/// Where `docker login` keeps what it knows.
fn docker_folder() -> PathBuf {
    folder::of("DOCKER_CONFIG")
        .or_else(|| Some(folder::of("HOME")?.join(".docker")))
        .unwrap_or_default()
}

/// How far a transfer is: a bar on a terminal, else one line at its start.
#[derive(Clone)]
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Of a number of bytes.
    pub fn bytes(what: &str, name: &str, total: u64) -> Self {
        let style = "{msg} [{bar:30}] {bytes}/{total_bytes}, {bytes_per_sec}";
        Self::new(what, name, total, || {
            let bar = ProgressBar::new(total);
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        })
    }

    /// Of something of which only start and end are known.
    pub fn waiting(what: &str, name: &str, total: u64) -> Self {
        Self::new(what, name, total, || {
            let bar = ProgressBar::new_spinner();
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        })
    }

    fn new(what: &str, name: &str, total: u64, bar: impl FnOnce() -> ProgressBar) -> Self {
        if !io::stderr().is_terminal() {
            eprintln!("{what} {name}: {}", size(total));
            return Self(None);
        }
        let message = format!("{what} {name}, {}", size(total));
        Self(Some(bar().with_message(message)))
    }

    fn at(&self, done: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(done);
        }
    }

    /// Takes the bar away.
    pub fn end(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_may_have_a_scheme_but_must_be_one_of_a_registry() {
        assert_eq!(
            reference("oci://ghcr.io/acme/labels:1").unwrap().to_string(),
            "ghcr.io/acme/labels:1"
        );
        assert!(reference("labels").is_err());
        assert!(reference("file:///x.wasm").is_err());
    }
}
