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
    project::{self, Export, PLUGIN_TOML},
};

/// The end of `--help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  A plugin in Rust, in the new folder team-labels:
    espejote plugin new --lang rust team-labels

  A plugin in Go, in a folder that is there and empty:
    espejote plugin new --lang go team-labels .

  A plugin that computes entries of context, or one that admits objects, in Rust or Go:
    espejote plugin new --lang rust --role provide team-count
    espejote plugin new --lang go --role admit team-required";

/// Where a project keeps the SDK.
pub(super) const VENDORED: &str = "vendor/espejote-sdk";
/// Where a project keeps the manifests that install it.
const DEPLOY_FOLDER: &str = "deploy";
/// Files of a template have this ending where their own would disturb the tools of the template's repository.
const ENDING: &str = ".in";

/// Makes the project of a new plugin.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The language.
    #[arg(long, value_name = "LANG", value_parser = languages::language, help = format!("The language: {}", languages::names()))]
    lang: &'static Language,
    /// What the component is going to export; a template has to have it. May be repeated. Default: reconcile.
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
    let template = template(flags.lang, &flags.role)?;
    let exports = exports(&template)?;
    write_template(&template, &flags.name, &folder)?;
    write_template(&deploy(&exports), &flags.name, &folder.join(DEPLOY_FOLDER))?;
    languages::write_all(flags.lang.sdk, &folder.join(VENDORED))?;
    report(&flags, &folder, &exports);
    Ok(ExitCode::SUCCESS)
}

/// The template that has all roles, or the first one if none is asked for. A role of which there is no code would make a
/// project that does not build.
fn template(language: &Language, roles: &[Export]) -> anyhow::Result<Vec<&'static File>> {
    let mut offered = Vec::new();
    for files in templates(language) {
        let exports = exports(&files)?;
        if roles.iter().all(|role| exports.contains(role)) {
            return Ok(files);
        }
        let words: Vec<&str> = exports.iter().map(|role| role.word()).collect();
        offered.push(words.join(" and "));
    }
    let asked: Vec<&str> = roles.iter().map(|role| role.word()).collect();
    anyhow::bail!(
        "in {} there is no template with {}; there is one with {}. Begin with that, write the rest as the README of the SDK \
         says, and name it under roles in plugin.toml",
        language.name,
        asked.join(" and "),
        offered.join(", one with ")
    )
}

/// All of a language. Those of other roles have the first one's files, but for tests, where they have none of their own.
fn templates(language: &Language) -> Vec<Vec<&'static File>> {
    let with = |own: &'static [File]| {
        let others = language
            .template
            .iter()
            .filter(|file| !file.path.starts_with("tests/") && own.iter().all(|own| own.path != file.path));
        others.chain(own).collect()
    };
    let first = language.template.iter().collect();
    [first]
        .into_iter()
        .chain(language.roles.iter().map(|own| with(own)))
        .collect()
}

/// What the component of a template exports.
fn exports(files: &[&File]) -> anyhow::Result<Vec<Export>> {
    let file = files.iter().find(|file| file.path == PLUGIN_TOML);
    let text = file.map(|file| filled(&String::from_utf8_lossy(file.bytes), "name"));
    Ok(project::exports_of(
        &text.context("the template has no plugin.toml")?,
    )?)
}

/// What installs a plugin with these roles: the first of them that has such files.
fn deploy(exports: &[Export]) -> Vec<&'static File> {
    let of = |export: &Export| languages::DEPLOY.iter().find(|(role, _)| *role == export.word());
    let found = exports.iter().find_map(of);
    found.map(|(_, files)| files.iter().collect()).unwrap_or_default()
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

fn write_template(files: &[&File], name: &str, folder: &Path) -> anyhow::Result<()> {
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

fn report(flags: &Flags, folder: &Path, exports: &[Export]) {
    let lang = flags.lang.name;
    println!(
        "{}: a plugin in {lang}; see its README.md. Next:",
        folder.display()
    );
    println!("  cd {}", folder.display());
    println!("  espejote plugin setup --lang {lang}    # once: installs what building needs");
    // Recorded tests are of reconciles.
    let test = match exports.contains(&Export::Reconcile) {
        true => " && espejote plugin test",
        false => "",
    };
    println!("  espejote plugin build{test}");
}

#[cfg(test)]
mod tests {
    use super::{super::project::Project, *};

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
            for files in templates(language) {
                let roles = exports(&files).unwrap();
                let dir = tempfile::tempdir().unwrap();
                run(flags(language.name, &roles, dir.path())).unwrap();
                let project = Project::read(dir.path()).unwrap();
                assert_eq!(
                    (project.name.as_str(), project.language.name, project.exports),
                    ("team-labels2", language.name, roles)
                );
                for file in files {
                    let path = filled(file.path, "team-labels2");
                    let path = dir.path().join(path.strip_suffix(ENDING).unwrap_or(&path));
                    let text = fs::read_to_string(&path).unwrap();
                    assert!(!text.contains("{{name"), "{}", path.display());
                }
                let plugin = fs::read_to_string(dir.path().join("deploy/plugin.yaml")).unwrap();
                assert!(
                    plugin.contains("name: team-labels2") && !plugin.contains("{{"),
                    "{plugin}"
                );
                assert!(
                    dir.path().join(VENDORED).is_dir() && !dir.path().join(VENDORED).join("roles").exists()
                );
            }
        }
    }

    #[test]
    fn rust_and_go_have_templates_for_every_role() {
        for lang in ["rust", "go"] {
            for role in [Export::Reconcile, Export::Provide, Export::Admit] {
                let dir = tempfile::tempdir().unwrap();
                run(flags(lang, &[role], dir.path())).unwrap();
                assert!(Project::read(dir.path()).unwrap().exports.contains(&role));
                assert_eq!(dir.path().join("tests").is_dir(), role == Export::Reconcile);
            }
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
    fn a_role_without_a_template_is_refused_before_anything_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let error = run(flags("c", &[Export::Reconcile, Export::Provide], dir.path())).unwrap_err();
        let begins =
            "in c there is no template with reconcile and provide; there is one with reconcile. Begin";
        assert!(error.to_string().starts_with(begins), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        run(flags("c", &[Export::Reconcile], dir.path())).unwrap();
        assert_eq!(Project::read(dir.path()).unwrap().exports, [Export::Reconcile]);
    }
}
