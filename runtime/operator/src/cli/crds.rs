//! `espejote crds`: the CustomResourceDefinitions, as `crds/` of the repository holds them.

use std::{fs, io, path::PathBuf};

use clap::Args;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::yaml;

/// Prints the CustomResourceDefinitions.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// Write one file for each into this folder instead.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// One file of `crds/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// `<group>_<plural>.yaml`
    pub file: String,
    /// YAML.
    pub text: String,
}

/// All definitions, in the order in which they are printed.
pub fn all() -> Result<Vec<Definition>, serde_json::Error> {
    espejote_api::crds::all().iter().map(definition).collect()
}

fn definition(crd: &CustomResourceDefinition) -> Result<Definition, serde_json::Error> {
    Ok(Definition {
        file: format!("{}_{}.yaml", crd.spec.group, crd.spec.names.plural),
        text: yaml::to_yaml(&serde_json::to_value(crd)?),
    })
}

/// What goes to standard output.
pub(super) fn run(flags: Flags) -> anyhow::Result<String> {
    let definitions = all()?;
    match flags.dir {
        None => Ok(definitions
            .into_iter()
            .map(|definition| format!("---\n{}", definition.text))
            .collect()),
        Some(dir) => {
            let written: io::Result<()> = definitions
                .iter()
                .try_for_each(|d| fs::write(dir.join(&d.file), &d.text));
            written.map(|()| String::new()).map_err(Into::into)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// E5: the definitions of the repository are those of the Rust types.
    #[test]
    fn e5_the_files_in_crds_are_up_to_date() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crds");
        for Definition { file, text } in all().unwrap() {
            let there = fs::read_to_string(folder.join(&file)).unwrap_or_default();
            assert_eq!(
                there, text,
                "{file} is not what the Rust types say: run `make crds`"
            );
        }
    }
}
