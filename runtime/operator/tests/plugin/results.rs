//! What a component does: run, compared, measured, inspected.

use serde_json::Value;

use crate::workspace::{EXPECTED, Workspace, component, plugin_cache};

fn test(workspace: &Workspace, more: &[&str]) -> crate::ran::Ran {
    let cache = plugin_cache();
    workspace.plugin(&[&["test", "--plugin-cache-dir", &cache], more].concat())
}

#[test]
fn a_run_shows_what_the_tests_inputs_give() {
    let workspace = Workspace::with_project();
    let cache = plugin_cache();
    let shown = workspace
        .plugin(&["run", "--plugin-cache-dir", &cache])
        .succeeded();
    assert_eq!(shown, EXPECTED);
    let other = [
        "run",
        "--config",
        r#"{"greeting": "Moin"}"#,
        "--plugin-cache-dir",
        &cache,
    ];
    let shown = workspace.plugin(&other).succeeded();
    assert!(shown.contains("text: Moin, 2 things"), "{shown}");
}

#[test]
fn a_run_shows_what_the_plugin_logs() {
    let workspace = Workspace::new();
    workspace.write(
        "plugin.toml",
        "name = \"p\"\nversion = \"1\"\nlanguage = \"rust\"\nroles = [\"reconcile\"]\ncomponent = \"p.wasm\"\n",
    );
    let template = "std.trace('as it is told', null)";
    workspace.write(
        "manifest.yaml",
        &format!(
            "apiVersion: espejote.io/v1alpha1\nkind: ManagedResource\nmetadata: {{name: m, namespace: ns}}\nspec:\n  plugin: \
             {{name: p, config: {{template: \"{template}\"}}}}\n"
        ),
    );
    workspace.write("tests/one/input.yaml", "{}");
    std::fs::write(workspace.path("p.wasm"), espejote_operator::builtin::JSONNET).unwrap();
    let ran = workspace.plugin(&["run"]);
    let line = ran.stderr.lines().find(|line| line.contains("as it is told"));
    assert!(line.is_some_and(|line| line.starts_with("#   log ")), "{ran:?}");
    assert_eq!(ran.stdout, "---\nnull\n");
}

#[test]
fn a_test_passes_when_the_result_is_the_expected_one() {
    let said = test(&Workspace::with_project(), &[]).succeeded();
    assert_eq!(said, "ok      two\n1 passed, 0 failed\n");
}

#[test]
fn a_test_that_fails_shows_the_lines_that_differ() {
    let workspace = Workspace::with_project();
    workspace.write(
        "tests/two/expected.yaml",
        &EXPECTED.replace("2 things", "3 things"),
    );
    workspace.write(
        "tests/one/input.yaml",
        "context: [{name: things, resources: []}]\n",
    );
    let ran = test(&workspace, &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stdout
            .contains("FAILED  one: there is no tests/one/expected.yaml"),
        "{ran:?}"
    );
    assert!(
        ran.stdout.contains("FAILED  two: the result (+) differs"),
        "{ran:?}"
    );
    assert!(
        ran.stdout
            .contains("  -     text: Hi, 3 things\n  +     text: Hi, 2 things\n"),
        "{ran:?}"
    );
    assert!(ran.stdout.ends_with("0 passed, 2 failed\n"), "{ran:?}");
}

#[test]
fn expected_results_are_written_on_request() {
    let workspace = Workspace::with_project();
    workspace.write(
        "tests/one/input.yaml",
        "context: [{name: things, resources: []}]\n",
    );
    let said = test(&workspace, &["one", "--update"]).succeeded();
    assert!(said.starts_with("updated one: tests/one/expected.yaml"), "{said}");
    assert!(
        workspace
            .read("tests/one/expected.yaml")
            .contains("text: Hi, 0 things")
    );
    test(&workspace, &[]).succeeded();
}

#[test]
fn a_test_whose_input_cannot_be_rendered_fails_with_the_reason() {
    let workspace = Workspace::with_project();
    workspace.write("tests/two/input.yaml", "context: []\n");
    let ran = test(&workspace, &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("FAILED  two: it does not render"), "{ran:?}");
    assert!(ran.stdout.contains("context \"things\" not found"), "{ran:?}");
}

#[test]
fn a_project_that_was_not_built_says_so() {
    let workspace = Workspace::with_project();
    std::fs::remove_file(workspace.path("build/greeter.wasm")).unwrap();
    let said = test(&workspace, &[]).failed();
    assert!(
        said.contains("there is no build/greeter.wasm: build it first"),
        "{said}"
    );
}

#[test]
fn what_a_component_costs_is_measured() {
    let workspace = Workspace::with_project();
    let figures = workspace
        .plugin(&["bench", "--count", "3", "--output", "json"])
        .succeeded();
    let figures: Value = serde_json::from_str(&figures).unwrap();
    assert_eq!(figures["call"]["count"], 3, "{figures}");
    for time in ["load", "instantiate", "call"] {
        assert!(
            figures[time]["medianMilliseconds"].as_f64().unwrap() > 0.0,
            "{time}: {figures}"
        );
    }
    assert!(figures["compiledSize"].as_u64().unwrap() > figures["size"].as_u64().unwrap());
    assert!(figures["memory"].as_u64().unwrap() >= 1 << 16, "{figures}");
    let table = workspace.plugin(&["bench", "--count", "1"]).succeeded();
    assert!(
        table.contains("instantiate ") && table.contains("in the median of 1"),
        "{table}"
    );
}

#[test]
fn a_component_is_inspected_without_running_it() {
    let workspace = Workspace::new();
    let file = component();
    let file = file.to_str().unwrap();
    let text = workspace.plugin(&["inspect", file]).succeeded();
    assert!(text.contains("roles     reconcile"), "{text}");
    assert!(text.contains("  espejote:plugin/state@0.1.0: "), "{text}");
    assert!(text.contains("imports of WASI (no right"), "{text}");
    let json = workspace.plugin(&["inspect", file, "-o", "json"]).succeeded();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["contractVersion"], "0.1.0");
    assert_eq!(json["roles"], serde_json::json!(["reconcile"]));
    assert_eq!(json["exports"][0], "espejote:plugin/reconcile@0.1.0");
    assert_eq!(json["misfit"], Value::Null);
    let said = workspace.plugin(&["inspect", "nowhere.wasm"]).failed();
    assert!(said.contains("neither a file nor a reference"), "{said}");
}
