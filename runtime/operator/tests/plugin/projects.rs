//! From an empty folder to a component.

use std::fs;

use crate::workspace::{Workspace, component};

#[test]
fn a_new_project_has_the_sdk_and_says_what_to_do_next() {
    let workspace = Workspace::new();
    let said = workspace
        .plugin(&["new", "--lang", "c", "team-labels"])
        .succeeded();
    assert!(said.contains("cd team-labels"), "{said}");
    assert!(said.contains("espejote plugin setup --lang c"), "{said}");
    assert!(
        said.contains("espejote plugin build && espejote plugin test"),
        "{said}"
    );
    let toml = workspace.read("team-labels/plugin.toml");
    assert!(toml.contains("name = \"team-labels\""), "{toml}");
    assert!(workspace.path("team-labels/.gitignore").is_file());
    assert!(
        workspace
            .path("team-labels/vendor/espejote-sdk/include/espejote.h")
            .is_file()
    );
}

#[test]
fn a_project_is_not_made_over_something_else() {
    let workspace = Workspace::new();
    workspace.write("mine/notes.txt", "keep");
    let said = workspace.plugin(&["new", "--lang", "c", "mine"]).failed();
    assert!(said.contains("mine is not empty"), "{said}");
    assert_eq!(fs::read_dir(workspace.path("mine")).unwrap().count(), 1);
}

#[test]
fn an_unknown_language_is_an_error_with_those_that_there_are() {
    let ran = Workspace::new().plugin(&["new", "--lang", "cobol", "x"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("expected one of c, go, js"), "{ran:?}");
}

#[test]
fn a_build_without_a_toolchain_says_how_to_set_it_up() {
    let workspace = Workspace::with_project();
    let said = workspace.plugin(&["build"]).failed();
    assert!(said.contains("espejote plugin setup --lang c"), "{said}");
    assert!(
        workspace.path("build/greeter.wasm").is_file(),
        "nothing is lost before a build begins"
    );
}

#[test]
fn a_folder_that_is_no_project_is_an_error() {
    let said = Workspace::new().plugin(&["build"]).failed();
    assert!(said.contains("there is no plugin.toml in ."), "{said}");
}

#[test]
fn a_core_module_becomes_a_component_of_the_world() {
    let workspace = Workspace::new();
    workspace.write("wit/w.wit", "package a:b@0.1.0;\nworld plugin {}\n");
    fs::write(workspace.path("core.wasm"), b"\0asm\x01\0\0\0").unwrap();
    let words = [
        "componentize",
        "core.wasm",
        "--wit",
        "wit",
        "--world",
        "plugin",
        "--out",
    ];
    workspace
        .plugin(&[&words[..], &["out.wasm"]].concat())
        .succeeded();
    let made = fs::read(workspace.path("out.wasm")).unwrap();
    assert!(made.starts_with(b"\0asm\x0d\0\x01\0"));
    fs::copy(component(), workspace.path("core.wasm")).unwrap();
    let said = workspace.plugin(&[&words[..], &["again.wasm"]].concat()).failed();
    assert!(said.contains("core.wasm is a component already"), "{said}");
    assert!(!workspace.path("again.wasm").exists());
}
