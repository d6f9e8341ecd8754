//! What a template sees: trigger, contexts, libraries, numbers; and what it is told when it fails.

use std::rc::Rc;

use crate::fake::{Fake, document, id};
use espejote_jsonnet::host::{ReadErrorReason, UnavailableReason};
use espejote_jsonnet::{Renderer, validate};
use espejote_sdk::FailureKind::{InvalidConfig, InvalidInput, NotReady};

const ESP: &str = "local esp = import 'espejote.libsonnet'; ";

fn esp(expression: &str) -> String {
    format!("{ESP}{expression}")
}

/// T5, T7, C13:
#[test]
fn t5_an_object_that_exists_is_event_and_resource() {
    let event = id("networking.k8s.io/v1", "NetworkPolicy", "", "x");
    let fake = Fake::new().trigger(
        "ns",
        Some(event),
        Some(r#"{"kind":"NetworkPolicy","metadata":{"name":"x"}}"#),
    );
    assert_eq!(
        fake.render(&esp("[esp.triggerName(), esp.triggerData()]"))
            .document(),
        r#"["ns",{"resource":{"kind":"NetworkPolicy","metadata":{"name":"x"}},"resourceEvent":{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","name":"x","namespace":""}}]"#
    );
}

#[test]
fn t6_an_object_that_is_gone_has_an_event_and_no_resource() {
    let fake = Fake::new().trigger("cm", Some(id("v1", "ConfigMap", "n", "x")), None);
    assert_eq!(
        fake.render(&esp("esp.triggerData()")).document(),
        r#"{"resource":null,"resourceEvent":{"apiVersion":"v1","kind":"ConfigMap","name":"x","namespace":"n"}}"#
    );
}

/// T8, T9:
#[test]
fn t9_an_interval_has_a_name_and_no_data() {
    let fake = Fake::new().trigger("interval", None, None);
    assert_eq!(
        fake.render(&esp("[esp.triggerName(), esp.triggerData()]"))
            .document(),
        r#"["interval",null]"#
    );
}

#[test]
fn t16_the_general_reconcile_has_neither() {
    assert_eq!(
        document(&esp("[esp.triggerName(), esp.triggerData()]")),
        "[null,null]"
    );
}

#[test]
fn the_trigger_object_is_asked_for_only_when_touched() {
    let fake = || Fake::new().trigger("cm", Some(id("v1", "ConfigMap", "n", "x")), Some("{}"));
    let outcome = fake().render(&esp("esp.triggerData().resourceEvent.name"));
    assert_eq!(
        (outcome.document().as_str(), outcome.fake.object_reads.get()),
        ("\"x\"", 0)
    );
    let outcome = fake().render(&esp("[esp.triggerData().resource, esp.triggerData().resource]"));
    assert_eq!(
        (outcome.document().as_str(), outcome.fake.object_reads.get()),
        ("[{},{}]", 1)
    );
}

#[test]
fn c1_contexts_are_lists_by_name_even_if_empty() {
    let fake = Fake::new().context("a", &[]).context("b", &[r#"{"kind":"X"}"#]);
    assert_eq!(
        fake.render(&esp("esp.context()")).document(),
        r#"{"a":[],"b":[{"kind":"X"}]}"#
    );
    assert_eq!(document(&esp("esp.context()")), "{}");
}

/// C13, and what templates do with objects: all of them behave as Jsonnet's own.
#[test]
fn c13_objects_from_a_context_are_ordinary_objects() {
    let fake = Fake::new().context("cms", &[r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"x/y":"1"}},"data":{"k":"v"}}"#]);
    let template = esp(
        "local o = esp.context().cms[0]; [o.apiVersion, o.kind, std.objectFields(o), o.metadata.labels['x/y'],
         std.get(o.metadata, 'none', 'default'), 'data' in o, (o { data+: { l: 'w' } }).data, o == o, std.length(o),
         std.objectHas(o.data, 'k'), { [k]: o[k] for k in ['kind'] }, std.mergePatch(o.data, { k: null })]",
    );
    assert_eq!(
        fake.render(&template).document(),
        r#"["v1","ConfigMap",["apiVersion","data","kind","metadata"],"1","default",true,{"k":"v","l":"w"},true,4,true,{"kind":"ConfigMap"},{}]"#
    );
}

#[test]
fn a_context_that_is_not_touched_is_not_opened() {
    let fake = Fake::new()
        .context("a", &["{}"])
        .unavailable("b", UnavailableReason::Forbidden);
    let outcome = fake.render(&esp("std.length(esp.context().a)"));
    assert_eq!(outcome.document(), "1");
    assert_eq!(*outcome.fake.opened.borrow(), ["a"]);
}

#[test]
fn a_context_that_cannot_be_read_fails_when_touched() {
    for (reason, kind) in [
        (UnavailableReason::NotSynced, NotReady),
        (UnavailableReason::Forbidden, InvalidInput),
        (UnavailableReason::Failed, InvalidInput),
    ] {
        let text = Fake::new()
            .unavailable("pods", reason)
            .render(&esp("esp.context().pods"))
            .fails_with(kind);
        assert!(
            text.contains("context \"pods\" is not available: pods is forbidden"),
            "{text}"
        );
    }
}

#[test]
fn p6_a_provided_value_is_a_context_as_it_is() {
    let mut fake = Fake::new();
    fake.provided.push(("greeting".into(), "\"Hello\"".into()));
    assert_eq!(
        fake.render(&esp("esp.context().greeting")).document(),
        "\"Hello\""
    );
}

#[test]
fn broken_objects_hurt_only_when_touched() {
    let fake = || Fake::new().context("a", &[r#"{"x":1}"#, "{"]);
    assert_eq!(fake().render(&esp("esp.context().a[0].x")).document(), "1");
    let text = fake()
        .render(&esp("esp.context().a[1].x"))
        .fails_with(InvalidInput);
    assert!(text.contains("no JSON"), "{text}");
}

#[test]
fn a_kept_renderer_reads_only_what_changed_and_says_the_same() {
    let renderer = Renderer::default();
    let template = esp("[o.n for o in esp.context().a]");
    let run = |objects: &[&str]| {
        let outcome = Rc::new(Fake::new().context("a", objects)).render_with(&renderer, &template);
        (outcome.document(), outcome.fake.read.get())
    };
    let (a, b, c, d) = (r#"{"n":"a"}"#, r#"{"n":"b"}"#, r#"{"n":"c"}"#, r#"{"n":"d"}"#);
    assert_eq!(run(&[a, b, c]), (r#"["a","b","c"]"#.into(), 3));
    assert_eq!(run(&[a, b, c]), (r#"["a","b","c"]"#.into(), 0));
    assert_eq!(run(&[a, d, c]), (r#"["a","d","c"]"#.into(), 1));
    assert_eq!(run(&[c, a]), (r#"["c","a"]"#.into(), 0));
    assert_eq!(run(&[a, a]), (r#"["a","a"]"#.into(), 1));
}

#[test]
fn values_of_one_call_are_not_those_of_the_next() {
    let renderer = Renderer::default();
    let of_library =
        "local esp = import 'espejote.libsonnet'; local n = esp.triggerName(); { n: n, c: esp.context().a }";
    let templates = [
        esp("[esp.triggerName(), esp.triggerData(), esp.context().a]"),
        "local own = import 'own/a.libsonnet'; [own.n, null, own.c]".to_owned(),
    ];
    for template in templates {
        for (name, object) in [("one", "1"), ("two", "2")] {
            let fake = Fake::new()
                .trigger(name, None, None)
                .context("a", &[object])
                .library("own/a.libsonnet", of_library);
            let outcome = Rc::new(fake).render_with(&renderer, &template);
            assert_eq!(outcome.document(), format!("[\"{name}\",null,[{object}]]"));
        }
    }
}

#[test]
fn a_kept_renderer_serves_a_call_after_one_that_failed() {
    let renderer = Renderer::default();
    let run = |template: &str| Rc::new(Fake::new().context("a", &["{}"])).render_with(&renderer, template);
    run(&esp("[esp.context().a[0], error 'x']")).failure();
    assert_eq!(run(&esp("esp.context().a")).document(), "[{}]");
}

/// L1, L5:
#[test]
fn l1_own_and_shared_libraries_are_imported() {
    let fake = Fake::new()
        .library("own/a.jsonnet", "(import 'lib/shared/a.jsonnet') + '-own'")
        .library("lib/shared/a.jsonnet", "'shared'");
    assert_eq!(
        fake.render("[import 'own/a.jsonnet', import 'lib/shared/a.jsonnet']")
            .document(),
        r#"["shared-own","shared"]"#
    );
}

#[test]
fn l2_a_library_imports_its_own_keys_with_and_without_dot() {
    let fake = Fake::new()
        .library("own/a.jsonnet", "[import 'b.jsonnet', import './b.jsonnet']")
        .library("own/b.jsonnet", "'b'");
    assert_eq!(fake.render("import 'own/a.jsonnet'").document(), r#"["b","b"]"#);
}

#[test]
fn l3_a_path_stays_in_the_namespace_of_its_file() {
    let fake = || {
        Fake::new()
            .library("lib/test/test.jsonnet", "import 'test2/test.jsonnet'")
            .library("test/test.jsonnet", "import 'test2/test.jsonnet'")
            .library("lib/test2/test.jsonnet", "'world-ns'")
            .library("test2/test.jsonnet", "'local-world-ns'")
    };
    assert_eq!(
        fake().render("import 'lib/test/test.jsonnet'").document(),
        r#""world-ns""#
    );
    assert_eq!(
        fake().render("import 'test/test.jsonnet'").document(),
        r#""local-world-ns""#
    );
}

#[test]
fn l4_the_built_in_wins_unless_a_dot_says_otherwise() {
    let fake = Fake::new()
        .library(
            "own/a.jsonnet",
            "[(import 'espejote.libsonnet').triggerName(), import './espejote.libsonnet']",
        )
        .library("own/espejote.libsonnet", "'own'");
    assert_eq!(
        fake.render("import 'own/a.jsonnet'").document(),
        r#"[null,"own"]"#
    );
}

#[test]
fn l6_without_namespace_local_imports_fail_and_the_others_work() {
    let fake = || {
        let mut fake = Fake::new().library("lib/shared/a.jsonnet", "1");
        fake.library_error = Some(ReadErrorReason::NoNamespace);
        fake
    };
    let text = fake().render("import 'own/a.jsonnet'").fails_with(InvalidInput);
    assert!(
        text.contains("own/a.jsonnet") && text.contains("no local namespace configured"),
        "{text}"
    );
    let both = "[import 'lib/shared/a.jsonnet', (import 'espejote.libsonnet').triggerName()]";
    assert_eq!(fake().render(both).document(), "[1,null]");
}

#[test]
fn l7_an_import_that_cannot_work_says_why_and_what_to_write() {
    let fake = || {
        Fake::new()
            .library("own/a.jsonnet", "import 'missing.jsonnet'")
            .library("own/b", "import '../x/y'")
    };
    for (template, words) in [
        (
            "import 'x.jsonnet'",
            r#"import "x.jsonnet" not available: invalid path; write "<library>/x.jsonnet" or "lib/<library>/x.jsonnet" (import "x.jsonnet" from "template" absolute "x.jsonnet")"#,
        ),
        (
            "import 'own/c'",
            r#"import "own/c" not available: key "c" not found in manifest "own" (import "own/c" from "template" absolute "own/c")"#,
        ),
        (
            "import 'own/a.jsonnet'",
            r#"import "missing.jsonnet" not available: key "missing.jsonnet" not found in manifest "own" (import "missing.jsonnet" from "own/a.jsonnet" absolute "own/missing.jsonnet")"#,
        ),
        (
            "import 'nope/c'",
            r#"import "nope/c" not available: manifest "nope" not found"#,
        ),
        (
            "import './espejote.libsonnet'",
            r#"invalid path; write "espejote.libsonnet""#,
        ),
        ("import 'own/b'", r#"import "../x/y" not available: invalid path"#),
    ] {
        let text = fake().render(template).fails_with(InvalidInput);
        assert!(text.contains(words), "{template}: {text}");
    }
}

#[test]
fn l8_a_file_is_read_once_in_a_call_and_again_in_the_next() {
    let renderer = Renderer::default();
    let run = || {
        let fake = Rc::new(Fake::new().library("own/a", "1"));
        let outcome = fake.render_with(&renderer, "[import 'own/a', importstr 'own/a', import 'own/a']");
        assert_eq!(outcome.document(), r#"[1,"1",1]"#);
        assert_eq!(*outcome.fake.library_reads.borrow(), ["own/a"]);
    };
    run();
    run();
}

#[test]
fn a_library_that_cannot_be_read_now_is_waited_for() {
    let mut fake = Fake::new();
    fake.library_error = Some(ReadErrorReason::Unavailable);
    let text = fake.render("import 'own/a'").fails_with(NotReady);
    assert!(text.contains("words of the host"), "{text}");
}

#[test]
fn l10_json_files_are_jsonnet() {
    let fake = Fake::new().library("flags/flags.json", r#"{"a": [1, 2.5, "x", null]}"#);
    assert_eq!(
        fake.render("import 'flags/flags.json'").document(),
        r#"{"a":[1,2.5,"x",null]}"#
    );
}

#[test]
fn l11_imports_and_the_request_are_lazy() {
    let lazy = "local d = import 'github.com/jsonnet-libs/docsonnet/doc-util/main.libsonnet';
                local request = std.extVar('__internal_use_espejote_lib_admissionrequest'); 1";
    assert_eq!(document(lazy), "1");
    let text = Fake::new()
        .render(&esp("esp.ALPHA.admission.admissionRequest()"))
        .fails_with(InvalidInput);
    assert!(
        text.contains("Undefined external variable: __internal_use_espejote_lib_admissionrequest"),
        "{text}"
    );
}

#[test]
fn l12_the_template_is_named_template() {
    let text = Fake::new().render("\n  error 'x'").fails_with(InvalidInput);
    assert!(text.starts_with("RUNTIME ERROR: x\n\ttemplate:2:"), "{text}");
    assert_eq!(document("std.thisFile"), "\"\"", "a snippet is no file");
}

/// W13, W17:
#[test]
fn w17_the_patch_function_returns_a_pair_and_keeps_integers() {
    let native = "local patch = std.native('__internal_use_espejote_lib_function_apply_json_patch'); ";
    let good = "patch({replicas: 3}, [{op: 'test', path: '/replicas', value: 3.0}, {op: 'replace', path: '/replicas', value: 4}])";
    assert_eq!(document(&format!("{native}{good}")), r#"[{"replicas":4},null]"#);
    assert_eq!(
        document(&format!("{native}patch({{}}, [{{op: 'remove', path: '/a'}}])")),
        r#"[null,"remove operation does not apply: doc is missing key: \"/a\": missing value"]"#
    );
    assert_eq!(document("std.native('unknown')"), "null");
}

/// W13, W14:
#[test]
fn w14_assert_patch_returns_the_patches_or_fails_with_the_reason() {
    let patch = "[esp.ALPHA.admission.jsonPatchOp('add', '/metadata/annotations/request-user', 'u')]";
    let with = |metadata: &str| {
        Fake::new().render(&esp(&format!(
            "esp.ALPHA.admission.assertPatch({patch}, {{metadata: {metadata}}})"
        )))
    };
    assert_eq!(
        with("{annotations: {}}").document(),
        r#"[{"op":"add","path":"/metadata/annotations/request-user","value":"u"}]"#
    );
    let text = with("{}").fails_with(InvalidInput);
    for words in [
        "JSON patch failed: add operation does not apply",
        "doc is missing path",
        "/metadata/annotations/request-user",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn w18_the_helpers_assert_the_right_field() {
    for (call, words) in [
        (
            "jsonPatchOp('spoil', '/a')",
            r#"op must be one of ["add","remove","replace","move","copy","test"], is: spoil"#,
        ),
        ("allowed(1)", "msg must be a string"),
        ("denied({})", "msg must be a string"),
        ("patched('ok', {})", "patches must be an array"),
        ("patched(1, [])", "msg must be a string"),
        ("assertPatch({}, {})", "patches must be an array"),
    ] {
        let text = Fake::new()
            .render(&esp(&format!("esp.ALPHA.admission.{call}")))
            .fails_with(InvalidInput);
        assert!(text.contains(words), "{call}: {text}");
    }
    assert_eq!(
        document(&esp(
            "local a = esp.ALPHA.admission; [a.allowed(), a.denied('no'), a.patched('ok', []), a.jsonPatchOp('move', '/a', from='/b')]"
        )),
        r#"[{"allowed":true,"message":""},{"allowed":false,"message":"no"},{"allowed":true,"message":"ok","patches":[]},{"from":"/b","op":"move","path":"/a","value":null}]"#
    );
}

/// The numbers of a real object come out as they went in.
#[test]
fn numbers_pass_through() {
    let big = r#"{"kind":"Big","spec":{"id":9007199254740993,"ratio":0.1,"count":3.0,"neg":-0,"huge":1e21}}"#;
    let outcome = Fake::new()
        .context("big", &[big])
        .render(&esp("esp.context().big[0]"));
    assert_eq!(
        outcome.applied(),
        [r#"{"kind":"Big","spec":{"count":3,"huge":1e+21,"id":9007199254740993,"neg":0,"ratio":0.1}}"#]
    );
}

#[test]
fn integers_beyond_doubles_work_with_their_like_and_refuse_the_others() {
    let run = |expression: &str| {
        Fake::new()
            .context("big", &[r#"{"id":9007199254740993}"#])
            .render(&esp(&format!("local id = esp.context().big[0].id; {expression}")))
    };
    assert_eq!(run("id + id").document(), "18014398509481986");
    assert_eq!(
        run("[id == id, id < id, std.toString(id)]").document(),
        r#"[true,false,"9007199254740993"]"#
    );
    let text = run("id + 1").fails_with(InvalidInput);
    assert!(
        text.contains("beyond ±2^53") && text.contains("losing digits"),
        "{text}"
    );
}

#[test]
fn a_broken_template_is_an_invalid_config_and_told_by_line_and_column() {
    for (template, words) in [
        ("glug", "template:1:1-5 Unknown variable: glug"),
        ("{a: 1, b: glug(2)}", "template:1:11-15 Unknown variable: glug"),
        ("{a: ", "template:1:"),
        ("[1,\n2", "template:2:"),
    ] {
        let text = Fake::new().render(template).fails_with(InvalidConfig);
        assert!(text.starts_with(words), "{template}: {text}");
    }
}

#[test]
fn a_broken_library_is_an_invalid_input_and_named() {
    let fake = Fake::new().library("own/a", "{a: ").library("own/b", "glug");
    let text = fake.render("import 'own/a'").fails_with(InvalidInput);
    assert!(text.starts_with("own/a:1:"), "{text}");
    let text = Fake::new()
        .library("own/b", "glug")
        .render("import 'own/b'")
        .fails_with(InvalidInput);
    assert!(text.starts_with("own/b:1:1-5 Unknown variable: glug"), "{text}");
}

#[test]
fn errors_have_the_words_of_go_jsonnet() {
    for (template, words) in [
        ("error 'x'", "RUNTIME ERROR: x\n"),
        ("assert false : 'bad'; 1", "RUNTIME ERROR: bad\n"),
        ("assert false; 1", "RUNTIME ERROR: Assertion failed\n"),
        (
            "{a: {}.b}",
            "RUNTIME ERROR: Field does not exist: b\n\ttemplate:1:8-9\tfield <b> is read here\n\tField \"a\"",
        ),
        (
            "[1][3]",
            "RUNTIME ERROR: Index 3 out of bounds, not within [0, 1)",
        ),
        ("1/0", "RUNTIME ERROR: Division by zero."),
        (
            "std.extVar('x')",
            "RUNTIME ERROR: Undefined external variable: x\n",
        ),
        (
            "{a: function(x) x}",
            "RUNTIME ERROR: couldn't manifest function as JSON\n\tField \"a\"",
        ),
        (
            "local f(x) = error 'boom'; {a: f(1)}",
            "RUNTIME ERROR: boom\n\ttemplate:1:14-",
        ),
    ] {
        let text = Fake::new().render(template).fails_with(InvalidInput);
        assert!(text.starts_with(words), "{template}: {text}");
    }
}

/// Case 9: the neighbours of this template must live.
#[test]
fn endless_recursion_is_an_error_with_its_line() {
    let text = Fake::new()
        .render("local f(x) = f(x + 1) + 1;\nf(0)")
        .fails_with(InvalidInput);
    assert!(
        text.starts_with("RUNTIME ERROR: max stack frames exceeded.\n\ttemplate:1:"),
        "{text}"
    );
    assert!(text.contains("\n\t...\n"), "long traces are cut: {text}");
    let list = "local f(n) = [f(n + 1)]; f(0)";
    assert!(
        Fake::new()
            .render(list)
            .fails_with(InvalidInput)
            .contains("max stack frames exceeded.")
    );
    let object = "local f(n) = {a: f(n + 1)}; f(0)";
    assert!(
        Fake::new()
            .render(object)
            .fails_with(InvalidInput)
            .contains("max stack frames exceeded.")
    );
}

/// What go-jsonnet evaluates within its 500 frames.
#[test]
fn deep_but_finite_recursion_works() {
    assert_eq!(
        document("local f(x) = if x == 0 then 0 else 1 + f(x - 1); f(495)"),
        "495"
    );
    assert_eq!(
        document("local f(x) = if x == 0 then [] else [f(x - 1)]; std.length(f(160))"),
        "1"
    );
}

/// Case 8: what templates make of numbers, as go-jsonnet writes it.
#[test]
fn texts_of_numbers_are_those_of_go_jsonnet() {
    for (expression, text) in [
        ("std.toString(0.97)", "0.96999999999999997"),
        (
            "std.toString({a: 0.1, b: [], c: {}})",
            "{\"a\": 0.10000000000000001, \"b\": [ ], \"c\": { }}",
        ),
        (
            "std.manifestJsonMinified([0.97, 1e21, 1e-7])",
            "[0.97,1000000000000000000000,0.0000001]",
        ),
        ("std.manifestJson([0.97, {}])", "[\n    0.97,\n    {\n\n    }\n]"),
        (
            "std.manifestJsonEx({a: [1]}, '  ', ' ', '=')",
            "{   \"a\"=[     1   ] }",
        ),
    ] {
        let expected = serde_json::to_string(text).unwrap();
        assert_eq!(document(expression), expected, "{expression}");
    }
}

#[test]
fn std_trace_goes_to_the_log() {
    let outcome = Fake::new().render("std.trace('hello', 1)");
    assert_eq!(outcome.document(), "1");
    assert_eq!(
        *outcome.fake.logged.borrow(),
        [r#"Level::Info std.trace [("message", "hello")]"#]
    );
}

#[test]
fn a_function_without_required_parameters_is_called() {
    assert_eq!(document("function(x=1) x"), "1");
    Fake::new().render("function(x) x").failure();
}

#[test]
fn validation_finds_what_is_no_jsonnet_and_runs_nothing() {
    assert!(validate(r#"{"template": "error 'not run'"}"#).is_empty());
    assert!(validate(r#"{"template": "import 'not/read'"}"#).is_empty());
    let problems = validate(r#"{"template": "{"}"#);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].path, "/template");
    assert!(
        problems[0].message.starts_with("template:1:"),
        "{}",
        problems[0].message
    );
    assert!(
        validate(r#"{"template": "glug"}"#)[0]
            .message
            .contains("Unknown variable: glug")
    );
    assert_eq!(validate("{}")[0].path, "");
}
