//! What `docs/guide` and the README show is tried: YAML and manifests are read, templates are rendered.
//!
//! A block that is one ManagedResource with a template is rendered with the input of its name, and compared with what is
//! expected of it if the page says so. An input is a block marked `yaml input NAME`, or a comment `<!-- input NAME`, which
//! readers do not see; what is expected is a comment `<!-- expected NAME`. Jsonnet is rendered on its own; `jsonnet given: a, b`
//! says which variables it takes for granted. `…` in a block stands for what is left out, and keeps it from being tried.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod espejote;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use espejote::render;
use espejote_operator::cli::{input::InputFile, manifest, yaml};
use tempfile::TempDir;

/// What a page shows, and where.
struct Block {
    place: String,
    /// The words behind the fence, or at the head of the comment.
    mark: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<PathBuf> {
    let guide = fs::read_dir(root().join("docs/guide")).unwrap();
    let mut pages: Vec<PathBuf> = guide.map(|entry| entry.unwrap().path()).collect();
    pages.push(root().join("README.md"));
    pages.retain(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages
}

fn blocks_of(page: &Path) -> Vec<Block> {
    let text = fs::read_to_string(page).unwrap();
    let mut lines = text.lines().enumerate();
    let mut blocks = Vec::new();
    while let Some((number, line)) = lines.next() {
        let (mark, end) = match (line.strip_prefix("```"), line.strip_prefix("<!-- ")) {
            (Some(mark), _) => (mark, "```"),
            (None, Some(mark)) if mark.starts_with("input ") || mark.starts_with("expected ") => {
                (mark, "-->")
            }
            _ => continue,
        };
        let inside = lines.by_ref().map(|(_, line)| line);
        let inside: Vec<&str> = inside.take_while(|line| *line != end).collect();
        blocks.push(Block {
            place: format!("{}:{}", page.file_name().unwrap().display(), number + 1),
            mark: mark.to_owned(),
            text: inside.join("\n") + "\n",
        });
    }
    blocks
}

impl Block {
    fn is_yaml(&self) -> bool {
        self.mark == "yaml" || self.mark.starts_with("yaml ")
    }

    fn leaves_out(&self) -> bool {
        self.text.contains('…')
    }

    /// The manifest, if this is one.
    fn manifest(&self) -> Option<manifest::Manifest> {
        let is_one = self.is_yaml() && !self.leaves_out() && self.text.contains("\nkind: ManagedResource\n");
        is_one
            .then(|| manifest::parse(&self.text).unwrap_or_else(|error| panic!("{}: {error:?}", self.place)))
    }

    fn name_after(&self, word: &str) -> Option<&str> {
        let mark = self.mark.strip_prefix("yaml ").unwrap_or(&self.mark);
        mark.strip_prefix(word)?.strip_prefix(' ')
    }
}

/// The blocks of all pages that are marked with a word and a name, by that name.
fn named<'a>(blocks: &'a [Block], word: &str) -> BTreeMap<&'a str, &'a Block> {
    let named = blocks
        .iter()
        .filter_map(|block| Some((block.name_after(word)?, block)));
    named.collect()
}

fn all_blocks() -> Vec<Block> {
    pages().iter().flat_map(|page| blocks_of(page)).collect()
}

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }
}

/// `context()` and libraries, as for a ManagedResource without contexts in a cluster with the contrib library.
fn contrib_input() -> String {
    let manifest = fs::read_to_string(root().join("deploy/contrib-library.yaml")).unwrap();
    let library = yaml::read(&manifest).unwrap();
    let data = library["spec"]["data"].as_object().unwrap();
    let files = data
        .iter()
        .map(|(key, text)| (format!("lib/contrib/{key}"), text.clone()));
    serde_json::json!({ "libraries": files.collect::<serde_json::Map<_, _>>() }).to_string()
}

/// An object of the cluster for each variable that a piece of Jsonnet takes for granted.
fn with_given(block: &Block) -> String {
    let given = block.mark.strip_prefix("jsonnet given: ").unwrap_or_default();
    let given = given
        .split(", ")
        .filter(|name| !name.is_empty() && !block.text.contains(&format!("local {name} ")));
    let object = "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'x', namespace: 'n'}}";
    let locals: String = given.map(|name| format!("local {name} = {object}; ")).collect();
    format!("local esp = import 'espejote.libsonnet'; {locals}{}", block.text)
}

#[test]
fn yaml_in_the_guide_is_yaml_and_manifests_have_no_unknown_field() {
    let blocks = all_blocks();
    let mut manifests = 0;
    for block in blocks.iter().filter(|block| block.is_yaml()) {
        let read = yaml::read_all(&block.text);
        assert!(read.is_ok(), "{}: {:?}", block.place, read.err());
        manifests += usize::from(block.manifest().is_some());
    }
    assert!(manifests > 1, "no manifest was found");
    let inputs = blocks.iter().filter(|block| block.name_after("input").is_some());
    for block in inputs {
        let parsed = InputFile::parse(&block.text);
        assert!(parsed.is_ok(), "{}: {:?}", block.place, parsed.err());
    }
}

#[test]
fn templates_in_the_guide_render_to_what_is_said_of_them() {
    let (blocks, files) = (all_blocks(), Files::new());
    let (inputs, expected) = (named(&blocks, "input"), named(&blocks, "expected"));
    for block in &blocks {
        let Some(manifest) = block.manifest().filter(|one| one.plugin.is_none()) else {
            continue;
        };
        let name = manifest.resource.metadata.name.unwrap();
        let input = inputs.get(name.as_str());
        let input = input.unwrap_or_else(|| panic!("{}: there is no input for {name}", block.place));
        let path = files.write("manifest.yaml", &block.text);
        let ran = render(&path, &files.write("input.yaml", &input.text), &["--strict"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", block.place);
        if let Some(expected) = expected.get(name.as_str()) {
            assert_eq!(ran.stdout, expected.text, "{}", block.place);
        }
    }
}

#[test]
fn jsonnet_in_the_guide_can_be_evaluated() {
    let (blocks, files) = (all_blocks(), Files::new());
    let input = files.write("input.yaml", &contrib_input());
    let pieces = blocks.iter().filter(|block| block.mark.starts_with("jsonnet"));
    for block in pieces.filter(|block| !block.leaves_out()) {
        let template = with_given(block).replace('\n', "\n    ");
        let manifest = format!(
            "apiVersion: espejote.io/v1alpha1\nkind: ManagedResource\nmetadata: {{name: a, namespace: b}}\nspec:\n  \
             template: |\n    {template}\n"
        );
        let ran = render(&files.write("manifest.yaml", &manifest), &input, &[]);
        assert_eq!(ran.code, Some(0), "{}: {}", block.place, ran.stderr);
    }
}
