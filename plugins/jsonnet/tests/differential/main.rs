//! Our Jsonnet against go-jsonnet, which evaluated these templates before: thousands of expressions, made from tables of edge
//! values, are evaluated by both. Each must give the same value, or fail in both, unless `known-differences.txt` has it with
//! the reason.
//!
//! `recipes/` says what is compared. `cases/` is what the recipes make, a file for each function of the standard library and
//! for each part of the language; after a change of a recipe, `ESPEJOTE_MAKE_CASES=1` makes it anew.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod component;
#[path = "../renderer/fake.rs"]
#[allow(dead_code, reason = "the renderer's own tests use the rest")]
mod fake;
mod known;
mod oracle;
mod outcome;
mod recipe;
mod renderer;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use component::Component;
use known::Known;
use outcome::{Files, Outcome};
use recipe::Cases;

/// The file whose errors must have the same words.
const MESSAGES: &str = "messages";
/// Fewer would mean that cases got lost.
const AT_LEAST: usize = 1500;
/// The page that tells the differences to people.
const PAGE: &str = "docs/reference/jsonnet-differences.md";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential")
}

fn read(file: &str) -> String {
    fs::read_to_string(folder().join(file)).unwrap()
}

fn known() -> Known {
    Known::parse(&read("known-differences.txt"))
}

/// The committed cases.
fn cases() -> Cases {
    let files = fs::read_dir(folder().join("cases")).unwrap();
    files
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, recipe::from_text(&fs::read_to_string(path).unwrap()))
        })
        .collect()
}

/// What an expression can import.
fn files() -> Files {
    let files = fs::read_dir(folder().join("files")).unwrap();
    files
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = format!("files/{}", path.file_name().unwrap().to_str().unwrap());
            (name, fs::read(path).unwrap())
        })
        .collect()
}

#[test]
fn the_cases_are_what_the_recipes_make() {
    let made: BTreeMap<PathBuf, String> = recipe::expand_folder(&folder().join("recipes"))
        .iter()
        .map(|(name, cases)| {
            (
                folder().join("cases").join(format!("{name}.txt")),
                recipe::to_text(cases),
            )
        })
        .collect();
    if std::env::var_os("ESPEJOTE_MAKE_CASES").is_some() {
        fs::remove_dir_all(folder().join("cases")).unwrap();
        fs::create_dir(folder().join("cases")).unwrap();
        made.iter()
            .for_each(|(path, text)| fs::write(path, text).unwrap());
    }
    let committed: BTreeSet<PathBuf> = fs::read_dir(folder().join("cases"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let names: BTreeSet<PathBuf> = made.keys().cloned().collect();
    assert_eq!(committed, names, "ESPEJOTE_MAKE_CASES=1 makes the cases anew");
    for (path, text) in made {
        let stale = fs::read_to_string(&path).unwrap() != text;
        assert!(
            !stale,
            "{}: ESPEJOTE_MAKE_CASES=1 makes the cases anew",
            path.display()
        );
    }
}

#[test]
fn every_function_of_the_standard_library_has_cases() {
    let asked = "[name for name in std.objectFieldsAll(std) if name[0] != '$']".to_owned();
    let Outcome::Value(names) = oracle::evaluate(&files(), &[asked]).remove(0) else {
        panic!("std has fields");
    };
    let cases = cases();
    let missing: Vec<String> = serde_json::from_str::<Vec<String>>(&names)
        .unwrap()
        .into_iter()
        .filter(|name| !cases.contains_key(&format!("std.{name}")))
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

/// What is no function, and two whose arguments have a default here only.
const NO_ARGUMENTS: [&str; 4] = ["std.pi", "std.thisFile", "std.slice", "std.trace"];

/// As far as the arguments have no default: a call without one names it.
#[test]
fn parameters_have_the_names_that_they_have_in_go_jsonnet() {
    let functions = cases()
        .into_keys()
        .filter(|name| name.starts_with("std.") && !NO_ARGUMENTS.contains(&name.as_str()));
    let calls: Vec<String> = functions
        .flat_map(|function| (0..4).map(move |given| format!("{function}({})", vec!["{}"; given].join(", "))))
        .collect();
    let ours = renderer::evaluate(&files(), &calls);
    let theirs = oracle::evaluate(&files(), &calls);
    let missing =
        |outcome: &Outcome| matches!(outcome, Outcome::Error(text) if text.contains("Missing argument"));
    let outcomes = calls.iter().zip(ours.iter().zip(&theirs));
    let compared: Vec<_> = outcomes
        .filter(|(_, (ours, theirs))| missing(ours) || missing(theirs))
        .collect();
    assert!(compared.len() > 150, "only {}", compared.len());
    let differ: Vec<String> = compared
        .iter()
        .filter(|(_, (ours, theirs))| ours != theirs)
        .map(|(call, (ours, theirs))| format!("{call}\n    # ours   {ours}\n    # theirs {theirs}"))
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// One expression, and what came of it here and there.
struct Compared {
    file: String,
    case: String,
    ours: Outcome,
    theirs: Outcome,
}

impl Compared {
    fn agrees(&self) -> bool {
        self.ours.agrees(&self.theirs, self.file == MESSAGES)
    }
}

fn compare() -> Vec<Compared> {
    let cases: Vec<(String, String)> = cases()
        .into_iter()
        .flat_map(|(file, cases)| cases.into_iter().map(move |case| (file.clone(), case)))
        .collect();
    let code: Vec<String> = cases.iter().map(|(_, case)| recipe::code(case)).collect();
    let ours = renderer::evaluate(&files(), &code);
    let theirs = oracle::evaluate(&files(), &code);
    cases
        .into_iter()
        .zip(ours.into_iter().zip(theirs))
        .map(|((file, case), (ours, theirs))| Compared {
            file,
            case,
            ours,
            theirs,
        })
        .collect()
}

#[test]
fn the_renderer_evaluates_as_go_jsonnet_does() {
    let (known, compared) = (known(), compare());
    assert!(compared.len() >= AT_LEAST, "only {} cases", compared.len());
    let differ: Vec<&Compared> = compared.iter().filter(|compared| !compared.agrees()).collect();
    report(compared.len(), &known);
    let differing: BTreeSet<&str> = differ.iter().map(|compared| compared.case.as_str()).collect();
    let mended: Vec<&str> = known.cases().filter(|case| !differing.contains(case)).collect();
    let unexplained: Vec<String> = differ
        .iter()
        .filter(|compared| known.reason(&compared.case).is_none())
        .map(|compared| {
            let Compared {
                file,
                case,
                ours,
                theirs,
            } = compared;
            format!("{case}\n    # {file}\n    # ours   {ours}\n    # theirs {theirs}")
        })
        .collect();
    assert!(
        mended.is_empty() && unexplained.is_empty(),
        "{} unexplained differences; mend them, or add them to known-differences.txt with a reason:\n{}\n\n\
         {} that are no longer different; take them off known-differences.txt:\n{}",
        unexplained.len(),
        unexplained.join("\n"),
        mended.len(),
        mended.join("\n")
    );
}

/// Cases that the component evaluates at once.
const BATCH: usize = 200;

/// Where WebAssembly differs from the machine: in the last digit of a cosine, and in the sign of zero.
const APART: [&str; 2] = ["std.cos(1e15)", "std.min(0, -0.0)"];

/// A short text for the value of a case; equal values have the same.
fn hashed(case: &str) -> String {
    format!(
        "std.sha256(std.manifestJsonMinified((\n{}\n)))",
        recipe::code(case)
    )
}

/// Compiled for WebAssembly, with another library of mathematics and integers of 32 bits.
#[test]
fn the_component_evaluates_as_the_renderer_on_this_machine_does() {
    let cases: Vec<String> = cases()
        .into_values()
        .flatten()
        .filter(|case| !case.contains("bytes.bin") && !APART.contains(&case.as_str()))
        .collect();
    let code: Vec<String> = cases.iter().map(|case| hashed(case)).collect();
    let here = renderer::evaluate(&files(), &code);
    let values: Vec<(&str, &str)> = cases
        .iter()
        .zip(&here)
        .filter_map(|(case, outcome)| match outcome {
            Outcome::Value(hash) => Some((case.as_str(), hash.trim_matches('"'))),
            _ => None,
        })
        .collect();
    let component = Component::find("values", &files());
    let mut differ = Vec::new();
    for batch in values.chunks(BATCH) {
        let code: Vec<String> = batch.iter().map(|(case, _)| hashed(case)).collect();
        let (out, err) = component.render(&format!("[{}]", code.join(",\n")));
        let hashes: Vec<&str> = out.lines().filter_map(|line| line.strip_prefix("- ")).collect();
        assert_eq!(hashes.len(), batch.len(), "{err}");
        let pairs = batch.iter().zip(hashes);
        differ.extend(
            pairs.filter_map(|((case, here), there)| {
                (*here != there.trim_matches(['"', '\''])).then_some(*case)
            }),
        );
    }
    assert_eq!(differ, Vec::<&str>::new());
    tell(&format!(
        "{} values compared with the component's\n",
        values.len()
    ));
}

#[test]
fn the_component_fails_in_the_same_words() {
    let cases = cases().remove(MESSAGES).unwrap();
    let code: Vec<String> = cases.iter().map(|case| recipe::code(case)).collect();
    let component = Component::find("errors", &files());
    let mut compared = 0;
    for (code, here) in code.iter().zip(renderer::evaluate(&files(), &code)) {
        if let Outcome::Error(message) = here {
            let (_, err) = component.render(code);
            assert!(err.contains(&message), "{code}\n{message}\n{err}");
            compared += 1;
        }
    }
    tell(&format!("{compared} errors compared with the component's\n"));
}

fn report(compared: usize, known: &Known) {
    let mut lines = format!(
        "{compared} expressions compared with go-jsonnet, {} known differences:\n",
        known.cases().count()
    );
    for (reason, cases) in known.reasons() {
        lines.push_str(&format!("{cases:>6}  {reason}\n"));
    }
    tell(&lines);
}

/// Past the test's capture: the figures are part of what a run tells.
fn tell(text: &str) {
    std::io::stderr().write_all(text.as_bytes()).unwrap();
}

#[test]
fn every_reason_for_a_difference_is_told_on_the_page() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(PAGE);
    let page = fs::read_to_string(page).unwrap();
    let told: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .collect();
    let known = known();
    assert_eq!(told, known.reasons().into_keys().collect(), "headings of {PAGE}");
}
