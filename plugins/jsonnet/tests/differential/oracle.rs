//! go-jsonnet, built from `tests/jsonnet-oracle`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::outcome::{Files, Outcome};

#[derive(Deserialize)]
struct Answer {
    ok: Option<String>,
    error: Option<String>,
}

/// What go-jsonnet makes of each snippet.
pub fn evaluate(files: &Files, snippets: &[String]) -> Vec<Outcome> {
    let mut child = Command::new(build())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the oracle starts");
    let mut stdin = child.stdin.take().unwrap();
    let files: serde_json::Map<_, _> = files
        .iter()
        .map(|(name, bytes)| (name.clone(), bytes.as_slice().into()))
        .collect();
    let question = serde_json::json!({"files": files, "snippets": snippets}).to_string();
    let writer = std::thread::spawn(move || stdin.write_all(question.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "the oracle failed");
    let answers: Vec<Outcome> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(outcome)
        .collect();
    assert_eq!(answers.len(), snippets.len());
    answers
}

fn outcome(line: &str) -> Outcome {
    let answer: Answer = serde_json::from_str(line).unwrap();
    match answer.ok {
        Some(json) => Outcome::value(&json),
        None => Outcome::error(&answer.error.unwrap()),
    }
}

/// Go's own cache makes this quick after the first time.
fn build() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/jsonnet-oracle");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("jsonnet-oracle");
    let built = Command::new(go())
        .args(["build", "-trimpath", "-buildvcs=false", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(source)
        .envs([
            ("CGO_ENABLED", "0"),
            ("GOFLAGS", "-mod=readonly"),
            ("GOTOOLCHAIN", "local"),
            ("GOWORK", "off"),
        ])
        .status()
        .expect("Go is installed");
    assert!(built.success(), "go-jsonnet cannot be built");
    program
}

/// The machine's, else the one that `tests/controlplane/build` has installed.
fn go() -> PathBuf {
    let installed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../controlplane/go/bin/go");
    let found = Command::new("go")
        .arg("version")
        .output()
        .is_ok_and(|ran| ran.status.success());
    if found { PathBuf::from("go") } else { installed }
}
