//! After the others: what they have left is searched for every secret that they made.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use std::{fs, path::Path};

use espejote_tests::{eventually, run};

/// The programs whose runs are searched.
const PROGRAMS: [&str; 2] = ["e2e", "lifecycle"];

/// No value of a Secret and no token is in a log, an event, a status or a metric.
#[test]
fn no_secret_of_the_last_runs_is_to_be_seen() {
    for program in PROGRAMS {
        let folder = run::folder_of(program);
        if !folder.exists() {
            eprintln!("{program} has not run: nothing to search");
            continue;
        }
        let secrets = fs::read_to_string(folder.join("secrets")).expect("the list of secrets");
        let secrets: Vec<&str> = secrets.lines().collect();
        assert!(!secrets.is_empty(), "a run makes secrets");
        assert!(secrets.iter().all(|secret| secret.len() > 8), "each is whole");
        for text in texts(&folder) {
            search(&text, &secrets);
        }
    }
}

/// The logs of all operators, and what users could see. A log is complete when its operator has ended.
fn texts(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder of a run");
    let folders = entries.map(|entry| entry.expect("an entry").path());
    let mut texts: Vec<_> = folders
        .map(|path| path.join("log"))
        .filter(|log| log.exists())
        .collect();
    assert!(!texts.is_empty(), "a run has a log");
    texts.push(folder.join("visible"));
    texts
}

fn search(path: &Path, secrets: &[&str]) {
    let mut length = 0;
    let bytes = eventually("the text is complete", || {
        let bytes = fs::read(path).map_err(|error| error.to_string())?;
        let before = std::mem::replace(&mut length, bytes.len());
        if before == bytes.len() {
            Ok(bytes)
        } else {
            Err("it grows".to_owned())
        }
    });
    let text = String::from_utf8_lossy(&bytes);
    for line in text.lines() {
        let shown = secrets.iter().any(|secret| line.contains(secret)) || line.contains("eyJhbGciOi");
        assert!(
            !shown,
            "{} holds a secret in: {}...",
            path.display(),
            line.get(..80).unwrap_or(line)
        );
    }
}
