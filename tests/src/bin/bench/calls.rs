//! Single calls, each in a fresh instance, as `espejote render` makes them: no cluster, no watch, no write.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use espejote_tests::{built, components, objects::esp, run};
use serde_json::{Value, json};

use crate::figure::{Budget, Figure};

/// Calls in one run of the program. The median counts.
const CALLS: usize = 40;
/// Objects in the context that a template filters.
const NAMESPACES: usize = 1_000;
/// Objects in the context that a plugin reads, and the bytes of each.
const READ: usize = 3_000;
const READ_BYTES: usize = 3_000;

/// A template, and plugins built with Rust.
pub fn measure() -> Vec<Figure> {
    let folder = run::folder().join("calls");
    fs::create_dir_all(&folder).expect("create the folder");
    let guests = folder.join("guests.wasm");
    fs::write(&guests, components::guests()).expect("write the guests");
    let nothing = took(&folder, json!({"mode": "nothing"}), Some(&guests), Vec::new());
    let reading = took(&folder, json!({"mode": "readall"}), Some(&guests), maps());
    let filtering = took(&folder, json!({"template": filter()}), None, namespaces());
    vec![
        Figure::once(
            "one render, cold",
            filtering / 1_000.0,
            "ms",
            Budget::AtMost(12.0),
        ),
        Figure::once(
            "a plugin's call, nothing read",
            nothing,
            "us",
            Budget::AtMost(50.0),
        ),
        Figure::once(
            "a plugin reads 9 MB",
            reading / 1_000.0,
            "ms",
            Budget::AtMost(5.0),
        ),
    ]
}

/// What the template of the event workload does.
fn filter() -> String {
    esp("local odd = [n.metadata.name for n in esp.context().things if std.get(n.metadata.labels, 'odd') == 'yes'];
        {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out'}, data: {names: std.join(',', odd)}}")
}

fn namespaces() -> Vec<Value> {
    let one = |index: usize| {
        let odd = if index % 2 == 1 { "yes" } else { "no" };
        json!({
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {
                "name": format!("bench-ns-{index}"), "uid": format!("00000000-0000-0000-0000-{index:012}"),
                "resourceVersion": index.to_string(), "creationTimestamp": "2026-01-01T00:00:00Z",
                "labels": {"bench": "yes", "odd": odd, "kubernetes.io/metadata.name": format!("bench-ns-{index}")},
            },
            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
        })
    };
    (0..NAMESPACES).map(one).collect()
}

fn maps() -> Vec<Value> {
    let text = "x".repeat(READ_BYTES - 150);
    let one = |index: usize| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": format!("map-{index}"), "namespace": "default"}, "data": {"text": text},
        })
    };
    (0..READ).map(one).collect()
}

/// Microseconds of the median call.
fn took(folder: &Path, config: Value, plugin: Option<&Path>, things: Vec<Value>) -> f64 {
    let kind = things
        .first()
        .map_or(json!("ConfigMap"), |thing| thing["kind"].clone());
    let spec = json!({"context": [{"name": "things", "resource": {"apiVersion": "v1", "kind": kind}}]});
    let mut manifest = json!({
        "apiVersion": "espejote.io/v1alpha1", "kind": "ManagedResource",
        "metadata": {"name": "bench", "namespace": "default"}, "spec": spec,
    });
    match plugin {
        Some(_) => manifest["spec"]["plugin"] = json!({"name": "guests", "config": config}),
        None => manifest["spec"]["template"] = config["template"].clone(),
    }
    let input = json!({
        "triggers": vec![json!({}); CALLS],
        "context": [{"name": "things", "resources": things}],
    });
    let (manifest, input) = (
        written(folder, "manifest", &manifest),
        written(folder, "input", &input),
    );
    let mut render = Command::new(built::espejote());
    render
        .arg("render")
        .arg(manifest)
        .arg("-I")
        .arg(input)
        .arg("--explain");
    render.arg("--plugin-cache-dir").arg(folder.join("compiled"));
    if let Some(plugin) = plugin {
        render.arg("--plugin").arg(plugin);
    }
    let output = render.output().expect("run the program");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    let mut times: Vec<f64> = told.lines().filter_map(time).collect();
    assert_eq!(times.len(), CALLS, "{told}");
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// JSON is YAML.
fn written(folder: &Path, name: &str, value: &Value) -> PathBuf {
    let path = folder.join(format!("{name}.yaml"));
    fs::write(&path, value.to_string()).expect("write a file of the bench");
    path
}

/// Microseconds of a line like `#   took: 322.1µs, 1.2 MiB of memory`.
fn time(line: &str) -> Option<f64> {
    let text = line.trim_start_matches('#').trim().strip_prefix("took: ")?;
    let (text, _) = text.split_once(',')?;
    let units = [("µs", 1.0), ("ms", 1_000.0), ("s", 1_000_000.0)];
    let (number, factor) = units
        .iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    Some(number.parse::<f64>().ok()? * factor)
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_are_read_in_every_unit() {
        assert_eq!(time("#   took: 322.1µs, 1.2 MiB of memory"), Some(322.1));
        assert_eq!(time("#   took: 2.5ms, 1 MiB of memory"), Some(2_500.0));
        assert_eq!(time("#   told: took: 1s, x"), None);
    }
}
