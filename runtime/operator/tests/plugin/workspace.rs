//! A folder to work in, and the command as a user runs it there.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::ran::Ran;

impl Ran {
    /// What it printed, if it ended well.
    #[track_caller]
    pub fn succeeded(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.stdout
    }

    /// What it said, if it failed.
    #[track_caller]
    pub fn failed(self) -> String {
        assert_eq!(self.code, Some(1), "{self:?}");
        self.stderr
    }
}

/// A folder with a home beside it. Gone when this is dropped.
pub struct Workspace {
    folder: TempDir,
}

impl Workspace {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        Self { folder }
    }

    /// With the project `greeter`, whose component is a fixture that was written in C.
    pub fn with_project() -> Self {
        let workspace = Self::new();
        workspace.write("plugin.toml", PLUGIN_TOML);
        workspace.write("manifest.yaml", MANIFEST);
        workspace.write("tests/two/input.yaml", INPUT);
        workspace.write("tests/two/expected.yaml", EXPECTED);
        fs::create_dir(workspace.path("build")).unwrap();
        fs::copy(component(), workspace.path("build/greeter.wasm")).unwrap();
        workspace
    }

    /// The same project with the component that does what its config says.
    pub fn with_versatile_project(config: &str) -> Self {
        let workspace = Self::with_project();
        fs::copy(versatile_component(), workspace.path("build/greeter.wasm")).unwrap();
        workspace.write("manifest.yaml", &manifest_with(config));
        workspace
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    pub fn home(&self, name: &str) -> PathBuf {
        self.folder.path().join("home").join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// `espejote plugin` with words.
    pub fn plugin(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_espejote"));
        command.arg("plugin").args(arguments).current_dir(self.path(""));
        command.env_clear().env("HOME", self.home(""));
        command.output().unwrap().into()
    }
}

/// Compiled plugins of all tests.
pub fn plugin_cache() -> String {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugins");
    cache.to_str().unwrap().to_owned()
}

/// A component that reconciles.
pub fn component() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/contract-0.1.0/hello-c.wasm")
}

/// A component that has every role, and does what `mode` of its config says.
pub fn versatile_component() -> PathBuf {
    component().with_file_name("every-function.wasm")
}

/// The manifest of a project whose component is called with a config.
pub fn manifest_with(config: &str) -> String {
    MANIFEST.replace("{greeting: Hi}", config)
}

const PLUGIN_TOML: &str = r#"
name = "greeter"
version = "1.2.3"
language = "c"
roles = ["reconcile"]
description = "Greets"
"#;

const MANIFEST: &str = "
apiVersion: espejote.io/v1alpha1
kind: ManagedResource
metadata: {name: greeter, namespace: own}
spec:
  context:
  - name: things
    resource: {apiVersion: v1, kind: ConfigMap}
  plugin: {name: greeter, config: {greeting: Hi}}
";

const INPUT: &str = "
context:
- name: things
  resources:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: own}}
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: own}}
";

pub const EXPECTED: &str = "---
- apiVersion: v1
  data:
    text: Hi, 2 things
  kind: ConfigMap
  metadata:
    name: greeting
";
