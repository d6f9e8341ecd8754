//! `espejote plugin build`: a project becomes a component, by the compiler of its language.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::Context as _;
use clap::Args;

use super::{inspect::Description, languages, new::VENDORED, project::Project, toolchain::Toolchain, wit};

/// The end of `--help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  In the folder of a plugin:
    espejote plugin build

  From elsewhere, to another file:
    espejote plugin build --project plugins/team-labels --out /tmp/team-labels.wasm

The SDK is vendor/espejote-sdk of the project; where there is none, the one of this program.
The variable ESPEJOTE_SDK names another.";

/// The SDK to use, in place of the project's.
const SDK: &str = "ESPEJOTE_SDK";

/// Builds the component of a plugin.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The folder of the plugin.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// Where the component goes, in place of what plugin.toml says.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let project = Project::read(&flags.project)?;
    let out = match &flags.out {
        Some(out) => env::current_dir()?.join(out),
        None => project.component.clone(),
    };
    build(&project, &Toolchain::of(project.language)?, &out)?;
    let description = Description::of_file(&out)?;
    println!("{}", description.line());
    Ok(ExitCode::SUCCESS)
}

/// Builds a component. Once the toolchain is found, what was there before is gone, whether this succeeds or not.
fn build(project: &Project, toolchain: &Toolchain, out: &Path) -> anyhow::Result<()> {
    let mut script = toolchain.build_script()?;
    let own = project.root.join("build/espejote");
    let wit = own.join("wit");
    wit::write(&wit, &project.exports)?;
    remove(out)?;
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    script.env(SDK, sdk(project, &own)?).env("ESPEJOTE_WIT", wit);
    describe(&mut script, project, out)?;
    toolchain.run(&mut script, format!("the build of {}", project.name))?;
    if !out.is_file() {
        anyhow::bail!(
            "the build of {} ended well, but there is no {}",
            project.name,
            out.display()
        );
    }
    Ok(())
}

fn describe(script: &mut Command, project: &Project, out: &Path) -> anyhow::Result<()> {
    let words: Vec<&str> = project.exports.iter().map(|export| export.word()).collect();
    let own = env::current_exe().context("the program's own file cannot be found")?;
    script
        .current_dir(&project.root)
        .env("ESPEJOTE", own)
        .env("PLUGIN_NAME", &project.name)
        .env("PLUGIN_ROLES", words.join(" "))
        .env("PLUGIN_OUT", out);
    Ok(())
}

/// The SDK: what the caller says, else the project's, else that in this program.
fn sdk(project: &Project, own: &Path) -> anyhow::Result<PathBuf> {
    if let Some(given) = env::var_os(SDK).filter(|given| !given.is_empty()) {
        return Ok(env::current_dir()?.join(given));
    }
    let vendored = project.root.join(VENDORED);
    if vendored.is_dir() {
        return Ok(vendored);
    }
    let unpacked = own.join("sdk");
    languages::write_all(project.language.sdk, &unpacked)?;
    Ok(unpacked)
}

fn remove(file: &Path) -> anyhow::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", file.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::plugin::{project::Export, toolchain::tests::fake};

    fn project(root: &Path, build: &'static str) -> (Project, Toolchain) {
        let toolchain = fake(&root.join("toolchain"), build);
        toolchain.set_up().unwrap();
        let project = Project {
            root: root.to_owned(),
            name: "p".to_owned(),
            language: toolchain.language,
            exports: vec![Export::Reconcile, Export::Configuration],
            component: root.join("build/p.wasm"),
            annotations: Default::default(),
        };
        (project, toolchain)
    }

    #[test]
    fn the_build_script_is_told_what_to_build() {
        let dir = tempfile::tempdir().unwrap();
        let script = "#!/bin/sh\necho \"$PWD $PLUGIN_NAME $PLUGIN_ROLES $ESPEJOTE_SDK\" >\"$PLUGIN_OUT\"\n\
                      test -x \"$ESPEJOTE\" && test -f \"$ESPEJOTE_WIT/world.wit\"\n";
        let root = dir.path().canonicalize().unwrap();
        let (project, toolchain) = project(&root, script);
        fs::create_dir_all(root.join(VENDORED)).unwrap();
        build(&project, &toolchain, &project.component).unwrap();
        let told = fs::read_to_string(&project.component).unwrap();
        let root = root.display();
        assert_eq!(
            told,
            format!("{root} p reconcile configuration {root}/vendor/espejote-sdk\n")
        );
    }

    #[test]
    fn a_build_that_fails_leaves_no_component() {
        let dir = tempfile::tempdir().unwrap();
        let (project, toolchain) = project(dir.path(), "#!/bin/sh\nexit 3\n");
        fs::create_dir_all(dir.path().join("build")).unwrap();
        fs::write(&project.component, "old").unwrap();
        let error = build(&project, &toolchain, &project.component)
            .unwrap_err()
            .to_string();
        assert_eq!(error, "the build of p failed (exit status: 3)");
        assert!(!project.component.exists());
    }

    #[test]
    fn a_build_without_a_component_is_a_failure() {
        let dir = tempfile::tempdir().unwrap();
        let (project, toolchain) = project(dir.path(), "#!/bin/sh\n");
        let error = build(&project, &toolchain, &project.component)
            .unwrap_err()
            .to_string();
        assert!(error.contains("ended well, but there is no"), "{error}");
        assert!(dir.path().join("build/espejote/sdk/library.txt").is_file());
    }
}
