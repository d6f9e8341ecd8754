//! The example of each language: what its component weighs, and what compiling, loading, instantiating and a call cost.
//!
//! Built and measured by `espejote plugin`, each with the toolchain that it sets up. Budgets are for Rust: other languages
//! bring a runtime along, and what that costs is shown.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use espejote_tests::{built, run};
use serde_json::Value;

use crate::figure::{Budget, Figure};

/// Language and example.
const EXAMPLES: [(&str, &str); 5] = [
    ("rust", "team-labels"),
    ("c", "quota-guard"),
    ("go", "gateway-listeners"),
    ("js", "webapp-api"),
    ("python", "cluster-api-versions"),
];
/// Calls of each.
const CALLS: &str = "50";

/// Six figures for each language.
pub fn measure() -> Vec<Figure> {
    EXAMPLES
        .iter()
        .flat_map(|(language, example)| of(language, example))
        .collect()
}

fn of(language: &str, example: &str) -> Vec<Figure> {
    let example = repository().join("examples").join(example);
    let told = bench(&example, &component(language, &example));
    let number = |path: &str| told.pointer(path).and_then(Value::as_f64).expect("a figure");
    let instantiate = match language {
        "rust" => Budget::AtMost(0.05),
        _ => Budget::None,
    };
    let figure =
        |what: &str, value, unit, budget| Figure::once(format!("{language}: {what}"), value, unit, budget);
    vec![
        figure("size", number("/size") / 1_024.0, "KiB", Budget::None),
        figure(
            "compiling, once",
            number("/compileMilliseconds"),
            "ms",
            Budget::None,
        ),
        figure(
            "loading compiled code",
            number("/load/minMilliseconds"),
            "ms",
            Budget::None,
        ),
        figure(
            "instantiating",
            number("/instantiate/minMilliseconds"),
            "ms",
            instantiate,
        ),
        figure(
            "a call of the example",
            number("/call/medianMilliseconds"),
            "ms",
            Budget::None,
        ),
        figure("memory", number("/memory") / 1_048_576.0, "MiB", Budget::None),
    ]
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Builds the example's component, unless an earlier run has.
fn component(language: &str, example: &Path) -> PathBuf {
    let folder = built::target().join("bench-components");
    std::fs::create_dir_all(&folder).expect("create the folder");
    let component = folder.join(format!("{language}.wasm"));
    if component.exists() {
        return component;
    }
    succeeds(plugin(language, "setup").args(["--lang", language]));
    let mut build = plugin(language, "build");
    build.arg("--project").arg(example.join("plugin"));
    succeeds(build.arg("--out").arg(&component));
    component
}

fn plugin(language: &str, command: &str) -> Command {
    let mut program = Command::new(built::espejote());
    program
        .args(["plugin", command])
        .env("ESPEJOTE_SDK", repository().join("sdk").join(language))
        .env("ESPEJOTE_TOOLCHAIN", built::target().join("toolchains"));
    program
}

fn bench(example: &Path, component: &Path) -> Value {
    let mut command = Command::new(built::espejote());
    command
        .args(["plugin", "bench", "--output", "json", "--count", CALLS])
        .arg(component)
        .arg("--manifest")
        .arg(example.join("manifest.yaml"))
        .arg("-I")
        .arg(example.join("input.yaml"))
        .current_dir(run::folder());
    serde_json::from_str(&succeeds(&mut command)).expect("figures as JSON")
}

fn succeeds(command: &mut Command) -> String {
    let output = command.output().expect("run the program");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{errors}");
    String::from_utf8(output.stdout).expect("text")
}
