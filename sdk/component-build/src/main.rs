//! `component-build PACKAGE [--example NAME] --target-dir DIR -o FILE`: the library as a command, for the Makefile.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use espejote_component_build::Guest;

const USAGE: &str =
    "usage: component-build PACKAGE [--example NAME] [--workspace DIR] [--target-dir DIR] -o FILE";

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", with_causes(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let wanted = Wanted::parse(arguments)?;
    let built = wanted.guest()?.build()?;
    let size = std::fs::copy(built.component(), &wanted.output)
        .map_err(|error| format!("cannot write {}: {error}", wanted.output.display()))?;
    eprintln!(
        "{}: {size} bytes, toolchain {}",
        wanted.output.display(),
        built.toolchain()
    );
    Ok(())
}

#[derive(Debug, Default, PartialEq)]
struct Wanted {
    package: String,
    example: Option<String>,
    workspace: Option<PathBuf>,
    target_dir: Option<PathBuf>,
    output: PathBuf,
}

impl Wanted {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut wanted = Self::default();
        while let Some(word) = arguments.next() {
            let mut value = || {
                arguments
                    .next()
                    .ok_or_else(|| format!("{word} needs a value\n{USAGE}"))
            };
            match word.as_str() {
                "--example" => wanted.example = Some(value()?),
                "--workspace" => wanted.workspace = Some(value()?.into()),
                "--target-dir" => wanted.target_dir = Some(value()?.into()),
                "-o" => wanted.output = value()?.into(),
                package if wanted.package.is_empty() && !package.starts_with('-') => {
                    package.clone_into(&mut wanted.package)
                }
                other => return Err(format!("unexpected argument {other}\n{USAGE}")),
            }
        }
        let complete = !wanted.package.is_empty() && wanted.output != PathBuf::new();
        complete.then_some(wanted).ok_or_else(|| USAGE.to_owned())
    }

    fn guest(&self) -> std::io::Result<Guest> {
        let workspace = self.workspace.clone().map_or_else(std::env::current_dir, Ok)?;
        let target_dir = self
            .target_dir
            .clone()
            .unwrap_or_else(|| workspace.join("target/guest"));
        let guest = Guest::new(workspace, &self.package, target_dir);
        Ok(match &self.example {
            Some(example) => guest.example(example),
            None => guest,
        })
    }
}

fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Wanted, String> {
        Wanted::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_in_any_order() {
        let wanted = parse("-o out.wasm team-labels --target-dir t --example spin").unwrap();
        assert_eq!(
            wanted,
            Wanted {
                package: "team-labels".into(),
                example: Some("spin".into()),
                workspace: None,
                target_dir: Some("t".into()),
                output: "out.wasm".into(),
            }
        );
    }

    #[test]
    fn what_is_missing_or_unknown_shows_the_usage() {
        for line in [
            "",
            "team-labels",
            "-o x",
            "team-labels -o",
            "a b -o x",
            "a --what -o x",
        ] {
            assert!(parse(line).unwrap_err().contains("usage:"), "{line}");
        }
    }
}
