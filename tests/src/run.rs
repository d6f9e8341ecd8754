//! What all tests of this process share: one control plane, one operator, one folder, and the list of secrets made.
//!
//! The folder stays until the next run of the same program: `$CARGO_TARGET_DIR/e2e/<program>`.

use std::{
    env,
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::{
    Cluster, Operator, OperatorOptions, built, control_plane::ControlPlane, deployment, http,
    operator::Webhooks,
};

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = folder_of(&program());
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder).expect("create the run's folder");
    folder
});

static CONTROL_PLANE: LazyLock<ControlPlane> = LazyLock::new(ControlPlane::start);

static ADMIN: LazyLock<Cluster> = LazyLock::new(|| {
    let admin = Cluster::of(&control_plane().endpoints);
    deployment::install(&admin);
    admin
});

static OPERATOR: LazyLock<Operator> = LazyLock::new(|| {
    let webhooks = Webhooks::Url(http::free_port());
    Operator::start(
        admin(),
        &OperatorOptions::named("operator").with_webhooks(webhooks),
    )
});

/// The folder of a program's last run.
pub fn folder_of(program: &str) -> PathBuf {
    built::target().join("e2e").join(program)
}

/// The folder of this run.
pub fn folder() -> &'static Path {
    &FOLDER
}

/// The control plane of this run.
pub fn control_plane() -> &'static ControlPlane {
    &CONTROL_PLANE
}

/// The administrator of the control plane, on which everything is installed.
pub fn admin() -> &'static Cluster {
    &ADMIN
}

/// The operator that most tests share.
pub fn operator() -> &'static Operator {
    &OPERATOR
}

/// A name that nothing else in this run has.
pub fn unique(stem: &str) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(1);
    format!("{stem}-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// A value for a Secret. No log, event, status or metric may ever hold it.
pub fn secret_value(stem: &str) -> String {
    let value = unique(&format!("hush-{}-{stem}", std::process::id()));
    keep_secret(&value);
    value
}

/// Notes a secret that the end of the run searches for.
pub fn keep_secret(value: &str) {
    append("secrets", value);
}

/// Notes what a user can see of a test's namespace, to be searched like the logs.
pub fn keep_visible(text: &str) {
    append("visible", text);
}

/// In one piece: tests run at the same time.
fn append(name: &str, text: &str) {
    let path = folder().join(name);
    let file = File::options().create(true).append(true).open(path);
    let mut file = file.expect("open a file of the run");
    let line = format!("{text}\n");
    file.write_all(line.as_bytes())
        .expect("write to a file of the run");
}

/// This program's name, without the hash that cargo adds.
fn program() -> String {
    let path = env::current_exe().expect("this program has a path");
    let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
    stem.rsplit_once('-')
        .map_or(stem.clone(), |(name, _)| name.to_owned())
}
