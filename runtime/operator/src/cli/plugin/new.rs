//! `espejote plugin new`: a project out of a language's template, with the SDK in it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use clap::Args;

use super::{
    languages::{self, File, Language},
    project::{self, Export, PLUGIN_TOML, Project},
};

/// The end of `--help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  A plugin in Rust, in the new folder team-labels:
    espejote plugin new --lang rust team-labels

  A plugin in Go, in a folder that is there and empty:
    espejote plugin new --lang go team-labels .";

/// Where a project keeps the SDK.
pub(super) const VENDORED: &str = "vendor/espejote-sdk";
/// Files of a template have this ending where their own would disturb the tools of the template's repository.
const ENDING: &str = ".in";

/// Makes the project of a new plugin.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The language.
    #[arg(long, value_name = "LANG", value_parser = languages::language, help = format!("The language: {}", languages::names()))]
    lang: &'static Language,
    /// What the component is going to export, in place of what the template does. May be repeated.
    #[arg(long, value_name = "ROLE")]
    role: Vec<Export>,
    /// The name of the plugin: lower-case letters, digits and -.
    name: String,
    /// The folder, which must be empty or not there yet. Default: the name.
    dir: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(flags: Flags) -> anyhow::Result<ExitCode> {
    if let Err(expected) = project::check_name(&flags.name) {
        anyhow::bail!("{:?} is no name of a plugin: {expected}", flags.name);
    }
    let folder = flags.dir.clone().unwrap_or_else(|| PathBuf::from(&flags.name));
    check_empty(&folder)?;
    write_template(flags.lang.template, &flags.name, &folder)?;
    languages::write_all(flags.lang.sdk, &folder.join(VENDORED))?;
    let templates = Project::read(&folder)?.exports;
    if !flags.role.is_empty() {
        set_roles(&folder.join(PLUGIN_TOML), &flags.role)?;
    }
    report(&flags, &folder, &templates);
    Ok(ExitCode::SUCCESS)
}

fn check_empty(folder: &Path) -> anyhow::Result<()> {
    let shown = folder.display();
    match fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => {
                anyhow::bail!("{shown} is not empty: name an empty folder, or one that is not there yet")
            }
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot use {shown} as a folder")),
    }
}

fn write_template(files: &[File], name: &str, folder: &Path) -> anyhow::Result<()> {
    for file in files {
        let path = filled(file.path, name);
        let path = path.strip_suffix(ENDING).unwrap_or(&path);
        match std::str::from_utf8(file.bytes) {
            Ok(text) => {
                languages::write(&folder.join(path), filled(text, name).as_bytes(), file.executable)?;
            }
            Err(_) => languages::write(&folder.join(path), file.bytes, file.executable)?,
        }
    }
    Ok(())
}

/// With the name in the places for it.
fn filled(text: &str, name: &str) -> String {
    text.replace("{{name}}", name)
        .replace("{{name_snake}}", &name.replace('-', "_"))
        .replace("{{NamePascal}}", &pascal(name))
}

fn pascal(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    name.split('-').map(capital).collect()
}

/// Puts other roles into `plugin.toml`, and leaves the rest as it is written.
fn set_roles(path: &Path, roles: &[Export]) -> anyhow::Result<()> {
    let words: Vec<String> = roles.iter().map(|role| format!("{:?}", role.word())).collect();
    let line = format!("roles = [{}]", words.join(", "));
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().map(|old| match old.starts_with("roles ") {
        true => line.as_str(),
        false => old,
    });
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    languages::write(path, text.as_bytes(), false)?;
    Ok(())
}

fn report(flags: &Flags, folder: &Path, templates: &[Export]) {
    let lang = flags.lang.name;
    println!(
        "{}: a plugin in {lang}; see its README.md. Next:",
        folder.display()
    );
    println!("  cd {}", folder.display());
    println!("  espejote plugin setup --lang {lang}    # once: installs what building needs");
    println!("  espejote plugin build && espejote plugin test");
    for role in flags.role.iter().filter(|role| !templates.contains(role)) {
        eprintln!("The template does not have the role {role}: write it before the first build.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(lang: &str, role: &[Export], dir: &Path) -> Flags {
        Flags {
            lang: languages::language(lang).unwrap(),
            role: role.to_vec(),
            name: "team-labels2".to_owned(),
            dir: Some(dir.to_owned()),
        }
    }

    #[test]
    fn names_are_filled_in_as_languages_write_them() {
        assert_eq!(
            filled("{{name}} {{name_snake}} {{NamePascal}} {{other}}", "team-labels2"),
            "team-labels2 team_labels2 TeamLabels2 {{other}}"
        );
    }

    #[test]
    fn every_template_becomes_a_project_without_a_place_left_open() {
        for language in languages::LANGUAGES {
            let dir = tempfile::tempdir().unwrap();
            run(flags(language.name, &[], dir.path())).unwrap();
            let project = Project::read(dir.path()).unwrap();
            assert_eq!(
                (project.name.as_str(), project.language.name),
                ("team-labels2", language.name)
            );
            for file in language.template {
                let path = filled(file.path, "team-labels2");
                let path = dir.path().join(path.strip_suffix(ENDING).unwrap_or(&path));
                let text = fs::read_to_string(&path).unwrap();
                assert!(!text.contains("{{name"), "{}", path.display());
            }
            assert!(dir.path().join(VENDORED).is_dir());
        }
    }

    #[test]
    fn a_folder_that_is_not_empty_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("mine"), "").unwrap();
        let error = run(flags("c", &[], dir.path())).unwrap_err().to_string();
        assert!(error.contains("is not empty"), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn roles_of_the_authors_choice_are_written() {
        let dir = tempfile::tempdir().unwrap();
        run(flags(
            "c",
            &[Export::Reconcile, Export::Configuration],
            dir.path(),
        ))
        .unwrap();
        assert_eq!(
            Project::read(dir.path()).unwrap().exports,
            [Export::Reconcile, Export::Configuration]
        );
    }
}
