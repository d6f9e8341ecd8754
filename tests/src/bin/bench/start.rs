//! From the start of the process to the first object that it writes.

use std::{fs, time::Instant};

use espejote_tests::{Namespace, Operator, OperatorOptions, cluster::kind_path, objects::writes, run};
use serde_json::json;

use crate::{
    figure::{Budget, Figure},
    load::shipped,
};

/// With compiled plugins on disk, and with none.
pub fn measure() -> Vec<Figure> {
    let mut options = shipped("start");
    options.plugins = options.folder.join("plugins");
    let name = prepare(&options);
    let again = first_object(&options, &name);
    fs::remove_dir_all(&options.plugins).expect("remove compiled plugins");
    let first = first_object(&options, &name);
    run::admin().delete_all("espejote.io/v1alpha1", "ManagedResource", &name);
    vec![
        Figure::once(
            "start to first object",
            again * 1_000.0,
            "ms",
            Budget::AtMost(150.0),
        ),
        Figure::once("first start to first object", first, "s", Budget::AtMost(5.0)),
    ]
}

/// A namespace with a ManagedResource that is ready.
fn prepare(options: &OperatorOptions) -> String {
    let operator = Operator::start(run::admin(), options);
    let ns = Namespace::served_by(run::admin(), &operator, "bench-start");
    ns.managed("test", json!({"template": writes("out", "'x'")}))
        .is_ready();
    let name = ns.name.clone();
    // It stays for the operators to come.
    std::mem::forget(ns);
    name
}

/// Seconds from the start of the process until the API server has the object, which is not there before.
fn first_object(options: &OperatorOptions, namespace: &str) -> f64 {
    let admin = run::admin();
    admin.delete("v1", "ConfigMap", namespace, "out");
    let list = admin
        .read(&kind_path("v1", "ConfigMap", namespace))
        .expect("a list");
    let list: serde_json::Value = serde_json::from_str(&list).expect("a list");
    let version = list["metadata"]["resourceVersion"].as_str().expect("a version");
    let path = kind_path("v1", "ConfigMap", namespace);
    let path = format!("{path}?watch=true&fieldSelector=metadata.name%3Dout&resourceVersion={version}");
    let mut watch = admin.watch(&path).expect("open a watch");
    let started = Instant::now();
    let operator = Operator::launch(admin, options);
    watch.next_event().expect("the object comes");
    let time = started.elapsed().as_secs_f64();
    operator.terminate();
    time
}
