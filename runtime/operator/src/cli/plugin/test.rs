//! `espejote plugin test`: what the component makes of recorded inputs, compared with what it should.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use anyhow::Context as _;
use clap::Args;

use super::{
    cases::{self, Case},
    diff, languages,
    project::Project,
    run::built,
};
use crate::cli::render::told;

/// The end of `--help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  All tests in tests/:
    espejote plugin test

  One of them, whose result is to be written anew:
    espejote plugin test greeting --update

Each folder in tests/ with an input.yaml is a test: manifest.yaml is rendered with the
component and that input, and the result is compared with expected.yaml beside it. What a
call tells (a failure, a message, conditions, waiting, when it wants to be called again) is
compared if expected.yaml has it, as the comments that --update writes.";

/// Compares what the component makes of recorded inputs with what is expected.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The names of the tests. Default: all.
    tests: Vec<String>,
    /// Write what comes out to expected.yaml, instead of comparing.
    #[arg(long)]
    update: bool,
    /// The manifest of the ManagedResource. Default: manifest.yaml of the plugin.
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// The folder of the plugin.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// Where compiled plugins are kept.
    #[arg(long, value_name = "DIR")]
    plugin_cache_dir: Option<PathBuf>,
}

/// How one test ended.
enum Verdict {
    /// As expected.
    Passed,
    /// What was expected has been written.
    Updated {
        /// It is a failure.
        fails: bool,
    },
    /// Otherwise, for a reason of some lines.
    Failed(String),
}

/// Runs the command.
pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let project = Project::read(&flags.project)?;
    let component = built(&project)?;
    let cases = chosen(cases::all(&project)?, &flags.tests)?;
    let manifest = flags.manifest.clone().unwrap_or_else(|| project.manifest());
    let mut failed = 0_usize;
    for case in &cases {
        let verdict = judge(flags, &manifest, component, case)?;
        failed += usize::from(matches!(verdict, Verdict::Failed(_)));
        println!("{}", told(case, &verdict));
    }
    println!("{} passed, {failed} failed", cases.len() - failed);
    Ok(match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn told(case: &Case, verdict: &Verdict) -> String {
    match verdict {
        Verdict::Passed => format!("ok      {}", case.name),
        Verdict::Updated { fails } => {
            let shown = Project::shown(&case.expected);
            let note = if *fails { ", which expects a failure" } else { "" };
            format!("updated {}: {shown}{note}", case.name)
        }
        Verdict::Failed(why) => format!("FAILED  {}: {}", case.name, why.trim_end()),
    }
}

fn chosen(cases: Vec<Case>, names: &[String]) -> anyhow::Result<Vec<Case>> {
    for name in names {
        if !cases.iter().any(|case| case.name == *name) {
            let there: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
            anyhow::bail!("there is no test {name:?}; there are {}", there.join(", "));
        }
    }
    let is_chosen = |case: &Case| names.is_empty() || names.contains(&case.name);
    Ok(cases.into_iter().filter(is_chosen).collect())
}

fn judge(flags: &Flags, manifest: &Path, component: &Path, case: &Case) -> anyhow::Result<Verdict> {
    let made = rendered(flags, manifest, component, case)?;
    if !made.ended_well {
        return Ok(Verdict::Failed(does_not_render(&made)));
    }
    let shown = Project::shown(&case.expected);
    let expected = match fs::read_to_string(&case.expected) {
        Ok(expected) => Some(expected),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
    };
    if flags.update && expected.as_ref() != Some(&made.text) {
        languages::write(&case.expected, made.text.as_bytes(), false)?;
        return Ok(Verdict::Updated {
            fails: told::fails(&made.text),
        });
    }
    Ok(compared(expected.as_deref(), &made, &shown))
}

/// What is told beside a result counts where it is expected that something is told.
fn compared(expected: Option<&str>, made: &Made, shown: &str) -> Verdict {
    let all_counts = expected.is_some_and(told::tells);
    if !all_counts && told::fails(&made.text) {
        return Verdict::Failed(format!(
            "{}If it has to fail, have that written to {shown} with --update",
            does_not_render(made)
        ));
    }
    let result = match all_counts {
        true => made.text.clone(),
        false => told::without(&made.text),
    };
    match expected {
        Some(expected) if expected == result => Verdict::Passed,
        Some(expected) => Verdict::Failed(format!(
            "the result (+) differs from {shown} (-)\n{}",
            diff::lines(expected, &result)
        )),
        None => Verdict::Failed(format!(
            "there is no {shown}: write it, or have it written with --update"
        )),
    }
}

fn does_not_render(made: &Made) -> String {
    format!("it does not render\n{}", made.problems)
}

/// What came of a test's input.
struct Made {
    /// Whether there is anything to compare.
    ended_well: bool,
    /// The results, with all that was told.
    text: String,
    /// What failed.
    problems: String,
}

/// What `espejote render` prints, by a process of its own: a test cannot disturb the next one.
fn rendered(flags: &Flags, manifest: &Path, component: &Path, case: &Case) -> anyhow::Result<Made> {
    let own = env::current_exe().context("the program's own file cannot be found")?;
    let mut command = Command::new(&own);
    command.arg("render").arg(manifest).arg("--told");
    command.arg("--input").arg(&case.input);
    command.arg("--plugin").arg(component);
    if let Some(cache) = &flags.plugin_cache_dir {
        command.arg("--plugin-cache-dir").arg(cache);
    }
    let ran = command.stdin(Stdio::null()).output();
    let ran = ran.with_context(|| format!("cannot run {}", own.display()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Made {
        ended_well: ran.status.success(),
        text: text(&ran.stdout),
        problems: text(&ran.stderr),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(name: &str) -> Case {
        Case {
            name: name.to_owned(),
            input: PathBuf::new(),
            expected: PathBuf::new(),
        }
    }

    #[test]
    fn a_test_that_does_not_exist_is_an_error_with_those_that_do() {
        let cases = vec![case("one"), case("two")];
        assert_eq!(chosen(cases.clone(), &[]).unwrap().len(), 2);
        assert_eq!(chosen(cases.clone(), &["two".to_owned()]).unwrap(), [case("two")]);
        let error = chosen(cases, &["tow".to_owned()]).unwrap_err().to_string();
        assert_eq!(error, "there is no test \"tow\"; there are one, two");
    }
}
