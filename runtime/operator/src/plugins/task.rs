//! The life of one Plugin.
//!
//! Owns when the newest version is looked for: at once, at a change of the Plugin, again and again where a tag is to be
//! followed, and with back-off after a failure. What runs goes on running until something better can.

use std::{pin::pin, sync::Arc, time::Duration};

use espejote_api::{
    Plugin as PluginObject, PluginStatus,
    plugin::{Grants, ImagePullPolicy, Signer},
};
use espejote_core::PluginReason;
use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt;
use tokio::{sync::watch, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    Key, Ready,
    find::{Located, Seeker},
    host::PluginHost,
    progress::{Progress, Stage, Stop},
    pull_secrets,
    stages::{self, Asked, Found},
};
use crate::{
    events::{Occurrence, Reference, Severity},
    status::{StatusTarget, StatusWriter},
    trigger::BackOff,
};

/// Failures are tried again after this time at the latest.
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// When what cannot be compiled is tried again: the same bytes fail again, unless the machine was too busy.
const COMPILE_AGAIN: BackOff = BackOff {
    base: LONGEST_WAIT,
    max: Duration::from_secs(3_600),
    jitter: 0.0,
};
/// How many failures the first wait counts as: the first one is about a second.
const FIRST_WAIT: u32 = 8;
/// What takes longer is told in the status while it lasts.
const A_MOMENT: Duration = Duration::from_secs(1);
/// A status that could not be written is tried again after this time.
const STATUS_RETRY: Duration = Duration::from_secs(2);

/// The version that runs.
struct Running {
    found: Found,
    ready: Arc<Ready>,
    /// What its signatures were checked against.
    required: Vec<Vec<Signer>>,
}

/// Keeps one Plugin up to date.
pub(super) struct PluginTask {
    host: Arc<PluginHost>,
    key: Key,
    versions: watch::Receiver<Arc<PluginObject>>,
    cancel: CancellationToken,
    writer: StatusWriter<PluginStatus>,
    running: Option<Running>,
    /// What was last told as an event.
    told: Option<(PluginReason, Arc<str>)>,
    behind: bool,
    /// Another process tells.
    silent: bool,
}

impl PluginTask {
    pub(super) fn new(
        host: Arc<PluginHost>,
        versions: watch::Receiver<Arc<PluginObject>>,
        cancel: CancellationToken,
    ) -> Self {
        let of = versions.borrow().clone();
        let target = StatusTarget::of(&*of);
        let key = (target.namespace.clone(), target.name.clone());
        let shown = of.status.clone().unwrap_or_default();
        let silent = !host.identities.own().leading().may_write();
        let writer = StatusWriter::new(
            host.identities.own().clone(),
            host.resource.clone(),
            target,
            shown,
        );
        Self {
            host,
            key,
            versions,
            cancel,
            writer,
            running: None,
            told: None,
            behind: false,
            silent,
        }
    }

    /// Runs until cancelled; then the Plugin is not registered any more.
    pub(super) async fn run(mut self) {
        self.host
            .plugins
            .publish(&self.key, Err(being_prepared(&self.key)));
        let cancel = self.cancel.clone();
        cancel.run_until_cancelled(self.keep_up()).await;
        self.host.plugins.withdraw(&self.key);
    }

    async fn keep_up(&mut self) {
        let back_off = BackOff {
            max: LONGEST_WAIT,
            ..BackOff::default()
        };
        let mut failures = 0;
        loop {
            let version = self.versions.borrow_and_update().clone();
            let result = self.bring_up(&version).await;
            failures = match &result {
                Ok(_) => 0,
                Err(stop) if !stop.reason.may_pass() => failures,
                Err(_) => failures + 1,
            };
            let wait = match &result {
                Ok(recheck) => *recheck,
                Err(stop) if !stop.reason.may_pass() => Duration::MAX,
                Err(stop) if stop.reason == PluginReason::CompileFailed => COMPILE_AGAIN.delay(failures, 0.0),
                Err(_) => back_off.delay(FIRST_WAIT + failures - 1, 0.5),
            };
            self.tell(&version, result.err()).await;
            self.wait(wait).await;
        }
    }

    /// Makes the newest version run. Gives how long it is taken to be the newest.
    async fn bring_up(&mut self, version: &PluginObject) -> Result<Duration, Stop> {
        let asked = stages::asked(&self.host, &self.key.0, &version.spec)?;
        self.stop_untrusted(&asked);
        self.take_away(&asked);
        let (host, key) = (self.host.clone(), self.key.clone());
        let running = self.running.as_ref().map(|running| running.found.clone());
        let locating = locate(&host, &key, version, &asked, running.as_ref());
        let Located { found, component } = self.showing(version, Stage::Resolved, false, locating).await?;
        let plugin = match (&self.running, component) {
            (Some(running), _) if running.found.component_digest == found.component_digest => {
                running.ready.plugin.clone()
            }
            (_, Some(source)) => {
                let loading = stages::load(&host, &key, &found, source);
                let verified = !found.signers.is_empty();
                self.showing(version, Stage::Compiled, verified, loading).await?
            }
            (_, None) => return Err(vanished()),
        };
        let ready = Arc::new(Ready {
            plugin,
            limits: asked.limits,
            grants: asked.grants,
        });
        let news = self
            .running
            .as_ref()
            .is_none_or(|running| !running.ready.same(&ready));
        if news {
            self.host.plugins.publish(&self.key, Ok(ready.clone()));
        }
        self.running = Some(Running {
            found,
            ready,
            required: asked.required,
        });
        Ok(match asked.pull {
            ImagePullPolicy::Always => self.host.recheck,
            ImagePullPolicy::IfNotPresent | ImagePullPolicy::Never => Duration::MAX,
        })
    }

    /// Waits for a stage. Where that takes a while, and is news, the status says what is waited for.
    async fn showing<T>(
        &mut self,
        version: &PluginObject,
        stage: Stage,
        verified: bool,
        work: impl Future<Output = Result<T, Stop>>,
    ) -> Result<T, Stop> {
        let shown = self.writer.shown().observed_generation;
        if self.running.is_some() && shown == version.metadata.generation {
            return work.await;
        }
        let mut work = pin!(work);
        if let Ok(done) = timeout(A_MOMENT, &mut work).await {
            return done;
        }
        let progress = Progress {
            under_way: Some(stage),
            verified,
            ..self.progress(None)
        };
        let (done, ()) = tokio::join!(work, self.show(version, &progress));
        done
    }

    /// What was checked against other signers than are asked for now does not go on running.
    fn stop_untrusted(&mut self, asked: &Asked) {
        if self
            .running
            .as_ref()
            .is_some_and(|running| running.required != asked.required)
        {
            self.running = None;
            let why = format!(
                "plugin {:?} is not ready: other signatures are asked for now",
                self.key.1
            );
            self.host.plugins.publish(&self.key, Err(why.into()));
        }
    }

    /// What is no longer granted or allowed is gone at once, whether the newest version can be had or not.
    fn take_away(&mut self, asked: &Asked) {
        let Some(running) = &mut self.running else { return };
        let left = Ready {
            plugin: running.ready.plugin.clone(),
            limits: running.ready.limits.capped(&asked.limits),
            grants: both(&running.ready.grants, &asked.grants),
        };
        if !left.same(&running.ready) {
            running.ready = Arc::new(left);
            self.host.plugins.publish(&self.key, Ok(running.ready.clone()));
        }
    }

    /// Says how far the newest version has come.
    async fn tell(&mut self, version: &PluginObject, stop: Option<Stop>) {
        if let (Some(stop), None) = (&stop, &self.running) {
            let why = format!(
                "plugin {:?} is not ready: {}: {}",
                self.key.1,
                stop.reason.word(),
                stop.message
            );
            self.host.plugins.publish(&self.key, Err(why.into()));
        }
        if self.is_silent() {
            return;
        }
        self.tell_event(version, stop.as_ref());
        let progress = self.progress(stop);
        self.show(version, &progress).await;
    }

    fn progress(&self, stop: Option<Stop>) -> Progress {
        let running = self.running.as_ref();
        Progress {
            stop,
            under_way: None,
            artifact: running.map(|running| running.found.artifact(&running.ready)),
            verified: running.is_some_and(|running| !running.found.signers.is_empty()),
        }
    }

    fn tell_event(&mut self, version: &PluginObject, stop: Option<&Stop>) {
        let (severity, reason, note) = match (stop, &self.running) {
            (Some(stop), _) => (Severity::Warning, stop.reason, stop.message.clone()),
            (None, Some(running)) => {
                let note = format!(
                    "registered {} as {}",
                    version.spec.module, running.found.component_digest
                );
                (Severity::Normal, PluginReason::Registered, note.into())
            }
            (None, None) => return,
        };
        if self.told.as_ref() == Some(&(reason, note.clone())) {
            return;
        }
        let word = match severity {
            Severity::Normal => "PluginRegistered",
            Severity::Warning => reason.word(),
        };
        tracing::info!(namespace = self.key.0, name = self.key.1, reason = word, message = %note, "plugin");
        self.host.events.record(Occurrence::of_plugin(
            Reference::of(version),
            severity,
            word,
            note.to_string(),
        ));
        self.told = Some((reason, note));
    }

    async fn show(&mut self, version: &PluginObject, progress: &Progress) {
        if self.is_silent() {
            return;
        }
        let generation = version.metadata.generation.unwrap_or_default();
        let status = progress.status(generation, &self.writer.shown().conditions, Timestamp::now());
        self.behind = match self.writer.show(status).await {
            Ok(_) => false,
            Err(error) => {
                tracing::warn!(namespace = self.key.0, name = self.key.1, %error, "status of plugin cannot be written");
                true
            }
        };
    }

    /// Until there is a new version, or time to look again. A status that is not written yet is a reason to.
    async fn wait(&mut self, wait: Duration) {
        let wait = if self.behind { wait.min(STATUS_RETRY) } else { wait };
        let wake = tokio::time::Instant::now().checked_add(wait);
        let leading = self.writer.leading().clone();
        tokio::select! {
            Ok(()) = self.versions.changed() => {}
            () = sleep_until(wake) => {}
            () = leading.begun(), if self.silent => self.begin_telling(),
        }
    }

    /// Whether another process tells: not any more once this one leads.
    fn is_silent(&mut self) -> bool {
        if self.silent && self.writer.leading().may_write() {
            self.begin_telling();
        }
        self.silent
    }

    /// This process leads from now on. What another one has told in the meantime is what the cluster shows.
    fn begin_telling(&mut self) {
        self.silent = false;
        let plugins = self.host.watched.read().collection;
        let shown = plugins
            .object(&self.key.0, &self.key.1)
            .and_then(|object| serde_json::from_str::<PluginObject>(object.json()).ok());
        self.writer
            .doubt(shown.and_then(|plugin| plugin.status).unwrap_or_default());
    }
}

/// Finds the newest component, when it is the namespace's turn.
async fn locate(
    host: &PluginHost,
    key: &Key,
    version: &PluginObject,
    asked: &Asked,
    running: Option<&Found>,
) -> Result<Located, Stop> {
    let _turn = host.pulling.turn(&key.0).await;
    let uid = version.uid().unwrap_or_default();
    let seeker = Seeker {
        host,
        namespace: &key.0,
        uid: &uid,
        asked,
        credentials: pull_secrets::credentials(host, &key.0, &version.spec).await?,
        running,
    };
    seeker.find().await
}

/// What two of them grant.
fn both(one: &Grants, other: &Grants) -> Grants {
    let files = one.files.clone().map(|mut files| {
        files.retain(|file| other.files.iter().flatten().any(|kept| kept == file));
        files
    });
    let http = one.http.clone().map(|mut http| {
        http.hosts
            .retain(|host| other.http.iter().any(|of| of.hosts.contains(host)));
        http
    });
    Grants { files, http }
}

fn being_prepared((namespace, name): &Key) -> Arc<str> {
    format!("plugin {name:?} of namespace {namespace} is not ready yet: it is being pulled and compiled")
        .into()
}

/// What runs is not what was found to run: only a bug can say so.
fn vanished() -> Stop {
    Stop::new(
        Stage::Resolved,
        PluginReason::HostFault,
        "the component has vanished while it was looked for",
    )
}

async fn sleep_until(wake: Option<tokio::time::Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_compiled_is_tried_more_and_more_seldom() {
        let minutes = |failures| COMPILE_AGAIN.delay(failures, 0.0).as_secs() / 60;
        assert_eq!([1, 2, 3, 4, 5, 40].map(minutes), [5, 10, 20, 40, 60, 60]);
    }
}
