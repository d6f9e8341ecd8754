//! `espejote render`, as a process, on files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod espejote;

use std::{fs, path::PathBuf};

use espejote::{Ran, espejote, plugin_cache, text};
use tempfile::TempDir;

const TRIGGERS: &str = "
triggers:
- {}
- name: namespace
  watchResource: {apiVersion: v1, kind: Namespace, metadata: {name: blub}}
- name: tick
";

/// A manifest and inputs in a folder of their own.
struct Case {
    folder: TempDir,
}

impl Case {
    fn new(namespace: &str, spec: &str, template: &str) -> Self {
        let case = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let indented = template.replace('\n', "\n    ");
        case.write(
            "manifest.yaml",
            &format!(
                "apiVersion: espejote.io/v1alpha1\nkind: ManagedResource\nmetadata:\n  annotations:\n  name: test\n  \
                 {namespace}\nspec:\n{spec}  template: |\n    {indented}\n"
            ),
        );
        case
    }

    fn template(template: &str) -> Self {
        Self::new("namespace: own", "", template)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn render(&self, input: &str, more: &[&str]) -> Ran {
        let input = self.write("input.yaml", input);
        espejote::render(&self.folder.path().join("manifest.yaml"), &input, more)
    }
}

fn ok(ran: Ran) -> String {
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    ran.stdout
}

const GOLDEN_TEMPLATE: &str = r#"local esp = import 'espejote.libsonnet';
[
  {kind: 'ConfigMap', apiVersion: 'v1', metadata: {name: 'a'}, data: {trigger: esp.triggerName(), n: 12345678.5, big: 1e21}},
  {names: [o.metadata.name for o in esp.context().cms], kind: 'List', text: 'x\ny\n', data: esp.triggerData()},
]"#;

const GOLDEN: &str = "\
---
- apiVersion: v1
  data:
    big: 1e+21
    \"n\": 1.23456785e+07
    trigger: null
  kind: ConfigMap
  metadata:
    name: a
- data: null
  kind: List
  names:
  - one
  - two
  text: |
    x
    y
---
# Trigger: {\"TriggerName\":\"namespace\",\"WatchResource\":{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"name\":\"blub\"}}
- apiVersion: v1
  data:
    big: 1e+21
    \"n\": 1.23456785e+07
    trigger: namespace
  kind: ConfigMap
  metadata:
    name: a
- data:
    resource:
      apiVersion: v1
      kind: Namespace
      metadata:
        name: blub
    resourceEvent:
      apiVersion: v1
      kind: Namespace
      name: blub
      namespace: \"\"
  kind: List
  names:
  - one
  - two
  text: |
    x
    y
---
# Trigger: {\"TriggerName\":\"tick\",\"WatchResource\":{}}
- apiVersion: v1
  data:
    big: 1e+21
    \"n\": 1.23456785e+07
    trigger: tick
  kind: ConfigMap
  metadata:
    name: a
- data: null
  kind: List
  names:
  - one
  - two
  text: |
    x
    y
";

const CONTEXT: &str = "  context:\n  - {name: cms, resource: {apiVersion: v1, kind: ConfigMap}}\n";
const OBJECTS: &str = "context:\n- name: cms\n  resources:\n  - {apiVersion: v1, kind: ConfigMap, metadata: {name: two}}\n  \
                       - {apiVersion: v1, kind: ConfigMap, metadata: {name: one}}\n";

fn golden(trigger: &str) -> String {
    let triggers =
        format!("  triggers:\n  - {{name: namespace, {trigger}}}\n  - {{name: tick, interval: 10s}}\n");
    let case = Case::new("namespace: own", &format!("{CONTEXT}{triggers}"), GOLDEN_TEMPLATE);
    ok(case.render(&format!("{TRIGGERS}{OBJECTS}"), &[]))
}

/// R2, R4, R5: byte for byte, without a cluster.
#[test]
fn r2_r4_the_output_is_exact() {
    assert_eq!(
        golden("watchResource: {apiVersion: v1, kind: Namespace, name: blub}"),
        GOLDEN
    );
}

/// R6: a trigger on a context prints the same.
#[test]
fn r6_a_trigger_on_a_context_prints_the_same() {
    assert_eq!(golden("watchContextResource: {name: cms}"), GOLDEN);
}

/// R1: exactly one manifest; inputs can be repeated.
#[test]
fn r1_one_manifest_and_any_number_of_inputs() {
    let case = Case::template("[]");
    let cache = plugin_cache();
    let manifest = text(&case.folder.path().join("manifest.yaml")).to_owned();
    let input = case.write("a.yaml", "");
    let common = ["render", &manifest, "--plugin-cache-dir", text(&cache)];
    let twice = espejote(
        &[
            &common[..],
            &["-I", text(&input), "--input", text(&input), "-n", "x"],
        ]
        .concat(),
    );
    assert_eq!(
        (twice.code, twice.stdout.as_str()),
        (Some(0), "---\n[]\n---\n[]\n")
    );
    let two_manifests = espejote(&[&common[..], &[&manifest, "-I", text(&input)]].concat());
    assert_eq!(two_manifests.code, Some(2), "{two_manifests:?}");
    let none = espejote(&["render"]);
    assert_eq!((none.code, none.stdout.as_str()), (Some(2), ""));
}

/// E6: failures go to standard error and exit non-zero.
#[test]
fn e6_failures_go_to_standard_error() {
    let case = Case::template("[]");
    let manifest = text(&case.folder.path().join("manifest.yaml")).to_owned();
    let without_cluster = espejote(&["render", &manifest]);
    assert_eq!(
        (without_cluster.code, without_cluster.stdout.as_str()),
        (Some(1), "")
    );
    assert!(
        without_cluster.stderr.contains("--input FILE"),
        "{without_cluster:?}"
    );
    let no_file = espejote(&["render", "/no/such/manifest.yaml", "--input", "x"]);
    assert_eq!((no_file.code, no_file.stdout.as_str()), (Some(1), ""));
    assert!(
        no_file
            .stderr
            .starts_with("Error: /no/such/manifest.yaml: cannot read the manifest"),
        "{no_file:?}"
    );
}

/// R9: a warning, and the namespace is `default`.
#[test]
fn r9_without_a_namespace_there_is_a_warning() {
    let case = Case::new("labels:", "", "null");
    let warning = "WARNING: No namespace in --namespace or given managed resource. Using 'default'. This impacts triggers, \
                   context, and library loading.\n";
    let without = case.render("", &[]);
    assert_eq!(
        (without.code, without.stdout.as_str(), without.stderr.as_str()),
        (Some(0), "---\nnull\n", warning)
    );
    assert_eq!(ok(case.render("", &["--namespace", "given"])), "---\nnull\n");
}

/// R10: what is rendered is shown, right or wrong.
#[test]
fn r10_a_result_that_breaks_a_rule_is_printed_all_the_same() {
    let case = Case::template("{metadata: {name: 'a'}}");
    let shown = case.render("", &[]);
    assert_eq!(
        (shown.code, shown.stdout.as_str()),
        (Some(0), "---\nmetadata:\n  name: a\n")
    );
    assert!(shown.stderr.contains("'Kind' is missing"), "{shown:?}");
    let strict = case.render("", &["--strict"]);
    assert_eq!(
        (strict.code, strict.stdout.as_str()),
        (Some(1), "---\nmetadata:\n  name: a\n")
    );
    let named = Case::template("{kind: 'NoSuchKind', metadata: {name: 'a'}}");
    assert_eq!(
        ok(named.render("", &["--strict"])),
        "---\nkind: NoSuchKind\nmetadata:\n  name: a\n"
    );
}

/// R10: nothing of what is likely a mistake changes what is printed.
#[test]
fn likely_mistakes_are_told_and_fail_a_strict_command_only() {
    let triggers = "  triggers: [{name: t, watchContextResource: {name: nope}}]\n";
    let case = Case::new("namespace: own", triggers, "{kind: 'A', metadata: {}}");
    let printed = "---\nkind: A\nmetadata: {}\n";
    assert_eq!(ok(case.render("", &[])), printed);
    for (flag, code) in [("--strict", 1), ("--explain", 0)] {
        let ran = case.render("", &[flag]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), printed), "{flag}");
        for told in [
            r#"WARNING: general reconcile: an object of kind "A" has no metadata.name"#,
            r#"the operator refuses this spec: context "nope" not found for trigger "t""#,
        ] {
            assert!(ran.stderr.contains(told), "{told}: {}", ran.stderr);
        }
    }
}

/// What the selection would leave out is rendered, and told.
#[test]
fn what_the_manifest_would_not_select_is_told_by_its_place() {
    let context =
        "  context:\n  - {name: cms, resource: {apiVersion: v1, kind: ConfigMap, matchNames: [one]}}\n";
    let case = Case::new("namespace: own", context, "null");
    assert_eq!(ok(case.render(OBJECTS, &[])), "---\nnull\n");
    let strict = case.render(OBJECTS, &["--strict"]);
    assert_eq!((strict.code, strict.stdout.as_str()), (Some(1), "---\nnull\n"));
    assert!(
        strict.stderr.contains(
            "context[0] \"cms\", resources[0]: the operator would not read this object: its name \"two\""
        ),
        "{}",
        strict.stderr
    );
}

#[test]
fn an_empty_list_of_triggers_prints_nothing_and_says_so() {
    let ran = Case::template("null").render("triggers: []", &[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
    assert!(
        ran.stderr
            .ends_with("input.yaml: triggers is an empty list: nothing is called\n"),
        "{ran:?}"
    );
}

#[test]
fn a_list_holds_what_is_applied_and_names_what_is_deleted() {
    let case = Case::template(
        "local esp = import 'espejote.libsonnet';\n\
         local cm(name) = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: name}};\n\
         [esp.markForDelete(cm('old')), [esp.applyOptions(cm('new'), force=true)], null]",
    );
    let ran = case.render("", &["--output", "list"]);
    let list = "---\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: new\n    \
                namespace: own\nkind: List\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), list));
    assert_eq!(
        ran.stderr,
        "general reconcile: left out: the deletion of old ConfigMap\n"
    );
}

#[test]
fn a_manifest_is_read_from_standard_input() {
    let case = Case::template("'x'");
    let input = case.write("input.yaml", "");
    let manifest = fs::File::open(case.folder.path().join("manifest.yaml")).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_espejote"))
        .args(["render", "-", "--input", text(&input), "--plugin-cache-dir"])
        .arg(plugin_cache())
        .stdin(manifest)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "---\nx\n");
    let both = espejote(&["render", "-", "--input", "-"]);
    assert!(
        both.code == Some(2) && both.stderr.contains("standard input"),
        "{both:?}"
    );
}

#[test]
fn a_library_that_the_input_lacks_is_asked_for() {
    let ran = Case::template("import 'lib/contrib/accessors.libsonnet'").render("", &[]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr
            .contains("add \"lib/contrib/accessors.libsonnet\" under libraries"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_manifest_without_a_template_is_told_as_the_operator_tells_it() {
    let case = Case::template("null");
    let manifest = "apiVersion: espejote.io/v1alpha1\nkind: ManagedResource\nmetadata: {name: a, namespace: own}\nspec: {}\n";
    case.write("manifest.yaml", manifest);
    let ran = case.render("", &[]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("the template is empty: spec.template"),
        "{ran:?}"
    );
}

#[test]
fn a_failed_evaluation_is_told_with_its_line_and_column() {
    let failed = Case::template("{\n  a: glug,\n}").render("triggers: [{name: t}]", &[]);
    assert_eq!((failed.code, failed.stdout.as_str()), (Some(1), ""));
    assert!(
        failed.stderr.starts_with("Error: trigger \"t\": "),
        "{}",
        failed.stderr
    );
    assert!(
        failed.stderr.contains("glug") && failed.stderr.contains("template:2:6"),
        "{}",
        failed.stderr
    );
}

/// R11: what is missing in the input.
#[test]
fn r11_what_is_missing_in_the_input_is_named() {
    let case = Case::new("namespace: own", CONTEXT, "import 'a/b'");
    let context = case.render("context: []", &[]);
    assert_eq!(context.code, Some(1));
    assert!(
        context.stderr.contains(r#"context "cms" not found"#),
        "{context:?}"
    );
    let twice = case.render("context: [{name: cms}, {name: cms}]", &[]);
    assert!(twice.stderr.contains("duplicate context name: cms"), "{twice:?}");
    let library = case.render(OBJECTS, &[]);
    assert!(
        library.code == Some(1) && library.stderr.contains(r#""a/b""#),
        "{library:?}"
    );
}

#[test]
fn explanations_go_to_standard_error() {
    let case = Case::new("namespace: own", CONTEXT, "{kind: 'A', metadata: {name: 'a'}}");
    let ran = case.render(OBJECTS, &["--explain"]);
    assert_eq!(ran.stdout, "---\nkind: A\nmetadata:\n  name: a\n");
    for part in [
        "# general reconcile\n",
        "can read: cms (2 objects)\n",
        "emitted: 1 to apply\n",
        "MiB of memory\n",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
}

/// The built-in renderer and the same component from a file do the same: nobody asks which it is.
#[test]
fn a_plugin_from_a_file_is_called_with_its_config() {
    let case = Case::template("{kind: 'FromManifest'}");
    let component = case.write("other.wasm", "no wasm");
    let no_wasm = case.render("", &["--plugin", text(&component)]);
    assert!(
        no_wasm.code == Some(1)
            && no_wasm
                .stderr
                .contains("plugin other is no WebAssembly component"),
        "{no_wasm:?}"
    );
    fs::write(&component, espejote_operator::builtin::JSONNET).unwrap();
    let plugin = ["--plugin", text(&component)];
    assert_eq!(ok(case.render("", &plugin)), "---\nkind: FromManifest\n");
    let config = ["--config", r#"{"template": "{kind: 'FromConfig'}"}"#];
    assert_eq!(
        ok(case.render("", &[plugin, config].concat())),
        "---\nkind: FromConfig\n"
    );
    assert_eq!(
        case.render("", &config).code,
        Some(2),
        "--config without --plugin"
    );
}

const LIBRARIES: &str = r#"
libraries:
  lib/test/test.jsonnet: "(import 'hello.jsonnet') + '-' + (import 'test2/test.jsonnet')"
  lib/test/hello.jsonnet: "'world'"
  lib/test2/test.jsonnet: "'ns'"
  test/test.jsonnet: "(import './hello.jsonnet') + '-' + (import 'test2/test.jsonnet')"
  test/hello.jsonnet: "'local-world'"
  test2/test.jsonnet: "'ns'"
  test/shared.jsonnet: "import 'lib/test/test.jsonnet'"
  test/espejote.libsonnet: "'own'"
  test/own.jsonnet: "import './espejote.libsonnet'"
  test/flags.json: '{"flags": ["--a"]}'
"#;

fn imported(path: &str) -> Ran {
    Case::template(&format!("{{kind: 'A', value: import '{path}'}}")).render(LIBRARIES, &[])
}

fn value(path: &str) -> String {
    ok(imported(path))
        .trim_start_matches("---\nkind: A\nvalue: ")
        .trim_end()
        .to_owned()
}

/// L1, L2, L3: paths, and what is relative to what.
#[test]
fn l1_l2_l3_imports_lead_where_they_say() {
    assert_eq!(value("lib/test/test.jsonnet"), "world-ns");
    assert_eq!(value("test/test.jsonnet"), "local-world-ns");
}

/// L4, L5: the built-in library, a key of its name, and shared libraries from local ones.
#[test]
fn l4_l5_the_built_in_library_and_shared_ones_are_reached_from_libraries() {
    assert_eq!(value("test/own.jsonnet"), "own");
    assert_eq!(value("test/shared.jsonnet"), "world-ns");
}

/// L10: JSON is imported as Jsonnet.
#[test]
fn l10_json_is_imported() {
    assert_eq!(
        ok(imported("test/flags.json")),
        "---\nkind: A\nvalue:\n  flags:\n  - --a\n"
    );
}

/// L7: what cannot be imported is told with the way to it.
#[test]
fn l7_a_missing_key_is_named_with_the_import_that_leads_to_it() {
    let ran = imported("test/nothing.jsonnet");
    assert_eq!(ran.code, Some(1));
    for part in [
        r#"import "test/nothing.jsonnet" not available"#,
        r#"key "nothing.jsonnet" not found in manifest "test""#,
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
}

/// L12: templates are called `template` in messages.
#[test]
fn l12_places_in_templates_are_told_by_the_name_template() {
    assert!(
        Case::template("error 'x'")
            .render("", &[])
            .stderr
            .contains("template:1")
    );
}

/// R13: `FORCE_COLOR` colours help that goes to a pipe.
#[test]
fn r13_force_color_colours_what_goes_to_a_pipe() {
    let help = |variable: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_espejote"));
        let output = command
            .arg("--help")
            .env_clear()
            .env(variable, "1")
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(help("FORCE_COLOR").contains("\u{1b}[1;33mALPHA\u{1b}[0m"));
    assert!(!help("NO_COLOR").contains('\u{1b}') && help("NO_COLOR").contains("ALPHA"));
}
