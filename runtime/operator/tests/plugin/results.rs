//! What a component does: run, compared, measured, inspected.

use serde_json::Value;

use crate::workspace::{EXPECTED, Workspace, component, manifest_with, plugin_cache};

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
fn a_config_that_the_operator_refuses_is_refused_here_with_its_place() {
    let workspace = Workspace::with_versatile_project("{mode: 1}");
    let cache = plugin_cache();
    let run = ["run", "--plugin-cache-dir", &cache];
    let said = workspace.plugin(&run).failed();
    assert!(
        said.contains("config/mode: has to be a string"),
        "what the plugin finds: {said}"
    );
    let said = workspace
        .plugin(&[&run[..], &["--config", "[]"]].concat())
        .failed();
    assert!(
        said.contains(r#"config: [] is not of type "object""#),
        "what its schema finds: {said}"
    );
    let ran = test(&workspace, &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stdout.contains("FAILED  two: it does not render")
            && ran.stdout.contains("config/mode: has to be a string"),
        "{ran:?}"
    );
}

#[test]
fn a_refused_config_can_be_what_a_test_expects() {
    let workspace = Workspace::with_versatile_project("{mode: 1}");
    let said = test(&workspace, &["--update"]).succeeded();
    assert!(
        said.contains("two/expected.yaml, which expects a failure"),
        "{said}"
    );
    let expected =
        "---\n# Failure: {\"kind\":\"invalid-config\",\"message\":\"config/mode: has to be a string\"}\n";
    assert_eq!(workspace.read("tests/two/expected.yaml"), expected);
    test(&workspace, &[]).succeeded();
}

#[test]
fn a_test_can_expect_a_failure_and_what_is_told_with_it() {
    let workspace = Workspace::with_versatile_project("{mode: fail, kind: not-ready}");
    let ran = test(&workspace, &[]);
    assert!(
        ran.stdout.contains("general reconcile: because é")
            && ran.stdout.contains("to tests/two/expected.yaml with --update"),
        "{ran:?}"
    );
    test(&workspace, &["--update"]).succeeded();
    let written = workspace.read("tests/two/expected.yaml");
    assert!(
        written.starts_with("---\n# Failure: {\"kind\":\"not-ready\",\"message\":\"because é"),
        "{written}"
    );
    assert!(
        !written.contains("lost"),
        "nothing of what was emitted counts: {written}"
    );
    test(&workspace, &[]).succeeded();
    workspace.write("manifest.yaml", &manifest_with("{mode: fail, kind: internal}"));
    let ran = test(&workspace, &[]);
    assert_eq!(
        ran.code,
        Some(1),
        "another kind of failure is not the expected one: {ran:?}"
    );
    workspace.write("manifest.yaml", &manifest_with("{mode: nothing}"));
    let ran = test(&workspace, &[]);
    assert_eq!(ran.code, Some(1), "nor is a result: {ran:?}");
}

const TOLD: &str = r#"# Message: "all is well"
# Waiting: {"reason":"Copying","message":"three to go"}
# RequeueAfter: "1500ms"
# Condition: {"type":"Synced","status":"Unknown","reason":"Half","message":"some"}
"#;

#[test]
fn what_a_call_tells_counts_where_it_is_expected() {
    let workspace = Workspace::with_versatile_project("{mode: tell}");
    let (head, document) = ("---\n", "\"n\": 9007199254740993\n");
    workspace.write("tests/two/expected.yaml", &format!("{head}{document}"));
    test(&workspace, &[]).succeeded();
    workspace.write("tests/two/expected.yaml", &format!("{head}{TOLD}{document}"));
    test(&workspace, &[]).succeeded();
    let other = TOLD.replace("three to go", "two to go");
    workspace.write("tests/two/expected.yaml", &format!("{head}{other}{document}"));
    let ran = test(&workspace, &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    test(&workspace, &["--update"]).succeeded();
    assert_eq!(
        workspace.read("tests/two/expected.yaml"),
        format!("{head}{TOLD}{document}")
    );
}

#[test]
fn what_traps_cannot_be_expected() {
    let workspace = Workspace::with_versatile_project("{mode: panic}");
    let ran = test(&workspace, &["--update"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(workspace.read("tests/two/expected.yaml"), EXPECTED);
}

#[test]
fn a_run_of_several_inputs_names_the_one_that_fails() {
    let workspace = Workspace::with_versatile_project("{mode: fail}");
    let cache = plugin_cache();
    let run = ["run", "--plugin-cache-dir", &cache];
    let said = workspace.plugin(&run).failed();
    assert!(said.contains("Error: general reconcile: because"), "{said}");
    workspace.write(
        "tests/one/input.yaml",
        "context: [{name: things, resources: []}]\n",
    );
    let said = workspace.plugin(&run).failed();
    assert!(
        said.contains("tests/one/input.yaml: general reconcile: because"),
        "{said}"
    );
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
