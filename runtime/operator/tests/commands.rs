//! Commands that need neither a cluster nor a plugin of one's own, as processes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod espejote;

use std::{
    fs,
    process::{Command, Stdio},
};

use espejote::{espejote, render, text};

/// I1: the flags of `collect-input`; what it reads the cluster for is tested with one.
#[test]
fn i1_collect_input_takes_a_manifest_and_where_it_is() {
    let help = espejote(&["collect-input", "--help"]);
    assert_eq!(help.code, Some(0));
    for flag in ["-n, --namespace", "--jsonnet-library-namespace", "<PATH>"] {
        assert!(help.stdout.contains(flag), "{flag}: {}", help.stdout);
    }
    assert_eq!(espejote(&["collect-input"]).code, Some(2));
    let missing = espejote(&["collect-input", "/no/such/manifest.yaml"]);
    assert!(
        missing.code == Some(1)
            && missing
                .stderr
                .contains("/no/such/manifest.yaml: cannot read the manifest"),
        "{missing:?}"
    );
}

#[test]
fn completion_scripts_name_the_commands_that_are_shown() {
    for shell in ["bash", "zsh", "fish"] {
        let script = espejote(&["completion", shell]);
        assert_eq!(script.code, Some(0), "{script:?}");
        for word in [
            "controller",
            "render",
            "collect-input",
            "plugin",
            "inspect",
            "show-log",
        ] {
            assert!(script.stdout.contains(word), "{shell}: {word}");
        }
        for hidden in ["espejote__compile", "\"crds\"", "(crds)"] {
            assert!(!script.stdout.contains(hidden), "{shell}: {hidden}");
        }
    }
    assert_eq!(espejote(&["completion", "tcsh"]).code, Some(2));
}

#[test]
fn bash_completes_a_command_and_a_flag() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("espejote.bash");
    fs::write(&script, espejote(&["completion", "bash"]).stdout).unwrap();
    let ask = |line: &str| {
        let words = line
            .split(' ')
            .map(|word| format!("'{word}'"))
            .collect::<Vec<_>>()
            .join(" ");
        let last = line.split(' ').count() - 1;
        let run = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD={last}; _espejote espejote \"${{COMP_WORDS[{last}]}}\" \"${{COMP_WORDS[{}]}}\"; \
             echo \"${{COMPREPLY[*]}}\"",
            text(&script),
            last - 1
        );
        let output = Command::new("bash")
            .args(["-c", &run])
            .stderr(Stdio::inherit())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(ask("espejote coll"), "collect-input");
    assert_eq!(ask("espejote render --jsonn"), "--jsonnet-library-namespace");
}

/// A number that neither an integer nor a float of 64 bits can hold is printed as it is; a text stays a text.
#[test]
fn numbers_are_printed_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("manifest.yaml");
    let input = folder.path().join("input.yaml");
    let spec = "{context: [{name: c, resource: {apiVersion: v1, kind: X}}], template: \"(import 'espejote.libsonnet').context().c[0]\"}";
    let head =
        "apiVersion: espejote.io/v1alpha1\nkind: ManagedResource\nmetadata: {name: m, namespace: ns}\nspec: ";
    fs::write(&manifest, format!("{head}{spec}\n")).unwrap();
    let object = "{kind: X, metadata: {name: x}, id: 123456789012345678901234567890, text: '123456789012345678901234567890'}";
    fs::write(&input, format!("context: [{{name: c, resources: [{object}]}}]\n")).unwrap();
    let printed = render(&manifest, &input, &[]);
    let expected = "---\nid: 123456789012345678901234567890\nkind: X\nmetadata:\n  name: x\ntext: \"123456789012345678901234567890\"\n";
    assert_eq!(printed.stdout, expected, "{printed:?}");
}
