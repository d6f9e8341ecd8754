//! Calls that are recorded by an annotation, and what becomes of a recording.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, time::Duration};

use espejote_tests::{
    Namespace, command, components, eventually,
    namespace::READ,
    objects::{config_maps, labelled, library, secret},
    run, stays,
    waiting::{equal, holds},
};
use serde_json::{Value, json};

const RECORDED: &str = "espejote.io/record-input";

fn annotated(word: &str) -> Value {
    json!({"metadata": {"annotations": {RECORDED: word}}})
}

/// A recording that is whole, once it is there and says something.
fn recording(folder: &Path, says: &str) -> (String, String) {
    eventually(&format!("{} says {says:?}", folder.display()), || {
        let read =
            |name: &str| fs::read_to_string(folder.join(name)).map_err(|error| format!("{name}: {error}"));
        let (input, expected) = (read("input.yaml")?, read("expected.yaml")?);
        holds(input.contains(says), || input.clone())?;
        Ok((input, expected))
    })
}

/// The plugin with a clock, chance, a trigger's object, contexts, computed values and a library: recorded by the operator, it
/// comes out the same to the byte from `render`, `plugin run` and `plugin test`.
#[test]
fn a_recorded_call_is_repeated_to_the_byte() {
    let ns = Namespace::new("recorded");
    let component = components::put(&run::unique("guests"), components::guests());
    ns.plugin("guests", json!({"module": component}));
    ns.grant("", &["secrets"], READ);
    let hush = run::secret_value("recorded");
    ns.create(secret("mine", json!({"password": hush})));
    ns.apply(library("mine", json!({"a.txt": "a <library>\n"})));
    ns.apply(library("other", json!({"b.txt": "not read"})));
    let labels = json!({"labelSelector": {"matchLabels": {"in": "yes"}}});
    let computed =
        |name: &str, data: Value| json!({"name": name, "plugin": {"name": "guests", "data": data}});
    let managed = ns.managed(
        "test",
        json!({
            "triggers": [{"name": "Config/Maps", "watchResource": config_maps(labels)}],
            "context": [
                computed("later", json!({"mode": "wait"})),
                {"name": "secrets", "resource": {"apiVersion": "v1", "kind": "Secret"}},
                computed("looked", json!({"mode": "look"})),
            ],
            "plugin": {"name": "guests", "config": {"mode": "witness", "library": "mine/a.txt"}},
        }),
    );
    managed.is_ready();
    let folder = ns.operator.recordings(&ns.name, "test");
    assert!(!folder.exists(), "without the annotation nothing is recorded");
    managed.merge(&annotated("true"));
    ns.apply(labelled(
        "one",
        json!({"in": "yes"}),
        json!({"html": "<b> & more", "number": "1e+21"}),
    ));
    let recorded = folder.join("trigger-%43onfig%2F%4Daps");
    let (input, expected) = recording(&recorded, "<b> & more");
    let (_, general) = recording(&folder.join("general"), "uid: ");
    for part in [
        "mine/a.txt: |\n",
        "clock: ",
        "seed: ",
        "reason: not-synced",
        "password: ",
    ] {
        assert!(input.contains(part), "{part:?} in {input}");
    }
    assert!(!input.contains("not read"), "{input}");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode(&folder), mode(&recorded.join("input.yaml"))),
        (0o700, 0o600)
    );

    // What was written to the cluster is what the recording says.
    let applied = ns.has("witness")["data"]["seen"].as_str().unwrap().to_owned();
    let clock = |seen: &str| serde_json::from_str::<Value>(seen).unwrap()["clock"].clone();
    let project = project(&folder, &recorded, component.trim_start_matches("file://"));
    let espejote = |arguments: &[&str]| command::espejote(None, &project, arguments);
    let rendered = espejote(&[
        "render",
        "manifest.yaml",
        "-I",
        "tests/recorded/input.yaml",
        "--plugin",
        "guests.wasm",
    ]);
    assert_eq!(rendered.succeeded(), expected);
    assert_eq!(espejote(&["plugin", "run"]).succeeded(), expected);
    let tested = espejote(&["plugin", "test"]).succeeded();
    assert!(
        tested.contains("ok      recorded\n1 passed, 0 failed"),
        "{tested}"
    );
    let list = espejote(&[
        "render",
        "manifest.yaml",
        "-I",
        "tests/recorded/input.yaml",
        "--plugin",
        "guests.wasm",
        "--config",
        r#"{"mode":"witness","library":"mine/a.txt","name":"other"}"#,
    ]);
    assert!(list.succeeded() != expected, "the comparison can fail");
    let nanoseconds = clock(&applied).as_str().unwrap().to_owned();
    assert!(
        [expected, general].iter().any(|one| one.contains(&nanoseconds)),
        "what is in the cluster is of one of the calls: {applied}"
    );
}

/// A folder as `espejote plugin new` makes it, with a recording as its test.
fn project(recordings: &Path, recorded: &Path, component: &str) -> std::path::PathBuf {
    let project = command::folder("project");
    let toml = "name = \"guests\"\nversion = \"1\"\nlanguage = \"rust\"\nroles = [\"reconcile\"]\ncomponent = \"guests.wasm\"\n";
    fs::write(project.join("plugin.toml"), toml).unwrap();
    fs::copy(component, project.join("guests.wasm")).unwrap();
    fs::copy(recordings.join("manifest.yaml"), project.join("manifest.yaml")).unwrap();
    let test = project.join("tests/recorded");
    fs::create_dir_all(&test).unwrap();
    for name in ["input.yaml", "expected.yaml"] {
        fs::copy(recorded.join(name), test.join(name)).unwrap();
    }
    project
}

#[test]
fn a_template_is_recorded_with_what_it_applied() {
    let ns = Namespace::new("recorded-template");
    ns.apply(library("mine", json!({"a.libsonnet": "{text: 'of a library'}"})));
    ns.config_map("source", json!({"a": "b"}));
    let source = config_maps(json!({"name": "source"}));
    let template = "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out'},
        data: (import 'mine/a.libsonnet') + (import 'espejote.libsonnet').context().source[0].data}";
    let managed = ns.managed(
        "test",
        json!({"context": [{"name": "source", "resource": source}], "template": template}),
    );
    managed.is_ready();
    managed.merge(&annotated("true"));
    let folder = ns.operator.recordings(&ns.name, "test");
    let (_, expected) = recording(&folder.join("general"), "mine/a.libsonnet");
    let manifest = folder.join("manifest.yaml");
    let input = folder.join("general/input.yaml");
    let rendered = command::espejote(
        None,
        &folder,
        &[
            "render",
            manifest.to_str().unwrap(),
            "-I",
            input.to_str().unwrap(),
        ],
    );
    assert_eq!(rendered.succeeded(), expected);
    assert!(
        expected.contains("a: b") && expected.contains("text: of a library"),
        "{expected}"
    );
}

#[test]
fn only_failures_are_recorded_where_that_is_asked_for() {
    let ns = Namespace::new("recorded-failures");
    let trigger =
        json!([{"name": "cm", "watchResource": config_maps(json!({"matchNames": ["good", "bad"]}))}]);
    let template = "local esp = import 'espejote.libsonnet';
        if esp.triggerName() == null then null
        else if esp.triggerData().resource.data.text == 'bad' then error 'as asked' else null";
    let managed = ns.managed("test", json!({"triggers": trigger, "template": template}));
    managed.is_ready();
    managed.merge(&annotated("failures"));
    let before = managed.reconciles("cm");
    ns.config_map("good", json!({"text": "good"}));
    eventually("the good one has run", || {
        holds(managed.reconciles("cm") > before, || "not yet".to_owned())
    });
    let folder = ns.operator.recordings(&ns.name, "test");
    assert!(!folder.exists());
    ns.config_map("bad", json!({"text": "bad"}));
    let input = folder.join("trigger-cm/input.yaml");
    eventually("the failure is recorded", || {
        holds(input.exists(), || "not yet".to_owned())
    });
    assert!(!folder.join("trigger-cm/expected.yaml").exists() && !folder.join("general").exists());
    let manifest = folder.join("manifest.yaml");
    let rendered = command::espejote(
        None,
        &folder,
        &[
            "render",
            manifest.to_str().unwrap(),
            "-I",
            input.to_str().unwrap(),
        ],
    );
    assert!(rendered.failed().contains("as asked"));
    // Once switched off, nothing is written any more.
    managed.merge(&json!({"metadata": {"annotations": {RECORDED: null}}}));
    managed.settles();
    fs::remove_dir_all(&folder).unwrap();
    ns.config_map("bad", json!({"text": "bad", "again": "yes"}));
    stays(Duration::from_secs(1), "nothing is recorded", || {
        equal(folder.exists(), false)
    });
}
