//! The renderer as a component, in the operator's program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::json;

use crate::outcome::Files;

/// The operator's program, and a folder for what it reads.
pub struct Component {
    program: PathBuf,
    /// A component to use instead of the program's own.
    plugin: Option<PathBuf>,
    folder: PathBuf,
}

impl Component {
    /// As the end-to-end tests find them; with a folder of its own for each test.
    pub fn find(test: &str, files: &Files) -> Self {
        let variable = |name| std::env::var_os(name).map(PathBuf::from);
        let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let program = variable("ESPEJOTE_BIN").unwrap_or_else(|| temporary.join("../release/espejote"));
        assert!(
            program.exists(),
            "{}: build it first: cargo build --release",
            program.display()
        );
        let component = Self {
            program,
            plugin: variable("ESPEJOTE_TEST_TEMPLATE_PLUGIN"),
            folder: temporary.join("jsonnet-differential").join(test),
        };
        fs::create_dir_all(&component.folder).unwrap();
        component.write("input.json", &input(files));
        component
    }

    /// What standard output and standard error have of a template.
    pub fn render(&self, template: &str) -> (String, String) {
        let Output { stdout, stderr, .. } = self.run(template);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(stdout), text(stderr))
    }

    fn run(&self, template: &str) -> Output {
        let manifest = json!({
            "apiVersion": "espejote.io/v1alpha1",
            "kind": "ManagedResource",
            "metadata": {"name": "cases", "namespace": "own"},
            "spec": {"template": template},
        });
        self.write("manifest.json", &manifest);
        let mut command = Command::new(&self.program);
        command.args(["render", "manifest.json", "--input", "input.json"]);
        command.args(["--plugin-cache-dir", "../cache"]);
        if let Some(plugin) = &self.plugin {
            self.write("config.json", &json!({"template": template}));
            command.args(["--config", "config.json", "--plugin"]).arg(plugin);
        }
        command.current_dir(&self.folder).output().unwrap()
    }

    fn write(&self, name: &str, json: &serde_json::Value) {
        fs::write(self.folder.join(name), json.to_string()).unwrap();
    }
}

/// Libraries are texts: what is none cannot be imported there.
fn input(files: &Files) -> serde_json::Value {
    let texts = files
        .iter()
        .filter_map(|(name, bytes)| Some((name.clone(), String::from_utf8(bytes.clone()).ok()?.into())));
    json!({"libraries": texts.collect::<serde_json::Map<_, _>>()})
}
