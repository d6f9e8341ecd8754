//! `espejote render` and `espejote collect-input` against the cluster, with the rights of whoever runs them.

use std::{fs, path::PathBuf};

use espejote_tests::{
    Namespace,
    command::{self, Ran, espejote, folder, kubeconfig},
    components,
    deployment::LIBRARIES,
    namespace::READ,
    objects::{config_map, labelled, library, managed_resource, within, writes},
    run,
};
use serde_json::{Value, json};

/// Somebody who may read ConfigMaps and what is ours in one namespace, with a manifest in a folder.
struct User<'n> {
    ns: &'n Namespace<'static>,
    folder: PathBuf,
    kubeconfig: PathBuf,
}

impl<'n> User<'n> {
    fn of(ns: &'n Namespace<'static>, spec: Value) -> Self {
        let folder = folder("user");
        ns.service_account("user");
        ns.grant_to((&ns.name, "user"), "", &["configmaps"], READ);
        let ours = ["jsonnetlibraries", "managedresources", "plugins"];
        ns.grant_to((&ns.name, "user"), "espejote.io", &ours, READ);
        let kubeconfig = kubeconfig(ns.cluster, &ns.name, "user", &folder);
        let user = Self {
            ns,
            folder,
            kubeconfig,
        };
        user.manifest(spec);
        user
    }

    fn manifest(&self, spec: Value) {
        let text = managed_resource("test", spec).to_string();
        fs::write(self.folder.join("manifest.yaml"), text).unwrap();
    }

    fn runs(&self, command: &str, more: &[&str]) -> Ran {
        let fixed = [command, "manifest.yaml", "--namespace", &self.ns.name];
        espejote(Some(&self.kubeconfig), &self.folder, &[&fixed, more].concat())
    }

    /// What is collected, read by another program.
    fn collects(&self) -> Value {
        let input = self.runs("collect-input", &[]).succeeded();
        fs::write(self.folder.join("input.yaml"), &input).unwrap();
        from_yaml(&input)
    }
}

/// A document that `kubectl` reads as well.
fn from_yaml(text: &str) -> Value {
    let file = folder("yaml").join("x.yaml");
    let indented: String = text
        .trim_start_matches("---\n")
        .lines()
        .map(|line| format!("  {line}\n"))
        .collect();
    let object = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: x}}\nx:\n{indented}");
    fs::write(&file, object).unwrap();
    let arguments = [
        "create",
        "--dry-run=client",
        "--validate=false",
        "-o",
        "json",
        "-f",
        file.to_str().unwrap(),
    ];
    let json = espejote_tests::kubectl::kubectl(run::admin(), &arguments).unwrap();
    serde_json::from_str::<Value>(&json).unwrap()["x"].take()
}

fn names(list: &Value) -> Vec<String> {
    let name = |object: &Value| object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    list.as_array().unwrap().iter().map(name).collect()
}

/// Ten ConfigMaps, of which the odd ones have a label; one of those is ignored.
fn ten(ns: &Namespace<'_>) -> Value {
    for index in 0..10 {
        let labels = if index % 2 == 1 {
            json!({"odd": ""})
        } else {
            json!({})
        };
        ns.apply(labelled(
            &format!("test-{index}"),
            labels,
            json!({"n": index.to_string()}),
        ));
    }
    let all: Vec<String> = (0..10).map(|index| format!("test-{index}")).collect();
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "matchNames": all, "ignoreNames": ["test-3"],
        "labelSelector": {"matchExpressions": [{"key": "odd", "operator": "Exists"}]},
    })
}

const ODD: [&str; 4] = ["test-1", "test-5", "test-7", "test-9"];

/// I1, I2, I3: the input has the general reconcile, one trigger for each object, and the context; without managedFields.
#[test]
fn i1_i2_i3_what_triggers_and_contexts_hold_is_collected() {
    let ns = Namespace::new("i2");
    let watched = ten(&ns);
    let user = User::of(
        &ns,
        json!({
            "triggers": [{"name": "configmap", "watchResource": watched}],
            "context": [{"name": "all", "resource": watched}],
            "template": writes("out", "std.length(esp.context().all)"),
        }),
    );
    let input = user.collects();
    let triggers = input["triggers"].as_array().unwrap();
    assert_eq!(triggers[0], json!({}));
    let objects: Vec<Value> = triggers[1..]
        .iter()
        .map(|trigger| trigger["watchResource"].clone())
        .collect();
    assert!(
        triggers[1..].iter().all(|trigger| trigger["name"] == "configmap"),
        "{triggers:?}"
    );
    assert_eq!(names(&json!(objects)), ODD);
    assert_eq!(input["context"][0]["name"], "all");
    assert_eq!(names(&input["context"][0]["resources"]), ODD);
    assert_eq!(input["context"][0]["resources"][0]["data"], json!({"n": "1"}));
    let text = fs::read_to_string(user.folder.join("input.yaml")).unwrap();
    assert!(!text.contains("managedFields"), "{text}");
    let keys: Vec<&String> = input.as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 2, "a template needs nothing else: {keys:?}");
}

/// I4, R8: exactly the libraries that are imported, also by libraries; rendering them works as in the cluster.
#[test]
fn i4_r8_libraries_that_are_imported_are_collected_and_rendered() {
    let ns = Namespace::new("i4");
    ns.apply(library(
        "jsonnetlibrary-sample",
        json!({
            "sample.libsonnet": "{Sample: (import './relrel.libsonnet').Rel}",
            "relrel.libsonnet": "{Rel: (import 'rel.libsonnet').Name}",
            "rel.libsonnet": "{Name: 'of a library'}",
            "unused.libsonnet": "{}",
        }),
    ));
    ns.apply(library("other", json!({"x": "{}"})));
    let shared = run::unique("shared");
    ns.apply(within(LIBRARIES, library(&shared, json!({"a": "'!'"}))));
    ns.cluster.ensure(&json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
        "metadata": {"name": shared, "namespace": LIBRARIES},
        "rules": [{"apiGroups": ["espejote.io"], "resources": ["jsonnetlibraries"], "verbs": READ}],
    }));
    let user = User::of(
        &ns,
        json!({
            "triggers": [{"name": "tick", "interval": "1h"}],
            "template": writes("out", &format!(
                "if esp.triggerName() == 'tick' then (import 'jsonnetlibrary-sample/sample.libsonnet').Sample + (import 'lib/{shared}/a') else ''",
            )),
        }),
    );
    ns.cluster.ensure(&json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": {"name": shared, "namespace": LIBRARIES},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": shared},
        "subjects": [{"kind": "ServiceAccount", "namespace": ns.name, "name": "user"}],
    }));
    let libraries = ["--jsonnet-library-namespace", LIBRARIES];
    let input = user.runs("collect-input", &libraries).succeeded();
    let collected = from_yaml(&input)["libraries"].clone();
    let paths: Vec<&String> = collected.as_object().unwrap().keys().collect();
    let lib_path = format!("lib/{shared}/a");
    let mut expected: Vec<String> = ["rel", "relrel", "sample"]
        .map(|name| format!("jsonnetlibrary-sample/{name}.libsonnet"))
        .to_vec();
    expected.push(lib_path);
    assert_eq!(paths, expected.iter().collect::<Vec<_>>());
    fs::write(user.folder.join("input.yaml"), input).unwrap();
    let live = user.runs("render", &libraries).succeeded();
    assert!(live.contains("text: of a library!"), "{live}");
    let replayed = user.runs("render", &["-I", "input.yaml"]).succeeded();
    assert_eq!(replayed, live);
}

/// I5, I6: a trigger on a context gives the same; an interval has a name only.
#[test]
fn i5_i6_triggers_on_contexts_and_intervals_are_collected() {
    let ns = Namespace::new("i5");
    let watched = ten(&ns);
    let user = User::of(
        &ns,
        json!({
            "triggers": [{"name": "configmap", "watchContextResource": {"name": "all"}}, {"name": "tick", "interval": "1h"}],
            "context": [{"name": "all", "resource": watched}],
            "template": "null",
        }),
    );
    let input = user.collects();
    let triggers = input["triggers"].as_array().unwrap();
    let objects: Vec<Value> = triggers[1..5]
        .iter()
        .map(|trigger| trigger["watchResource"].clone())
        .collect();
    assert_eq!(names(&json!(objects)), ODD);
    assert_eq!(triggers[5..], [json!({"name": "tick"})]);
    user.manifest(json!({"triggers": [{"name": "t", "watchContextResource": {"name": "c"}}]}));
    let error = user.runs("collect-input", &[]).failed();
    assert!(
        error.contains(r#"trigger "t" references unknown context "c""#),
        "{error}"
    );
}

/// I7: the user's rights count, not those of the ManagedResource's ServiceAccount.
#[test]
fn i7_what_the_user_may_not_read_is_not_collected() {
    let ns = Namespace::new("i7");
    ns.grant("", &["secrets"], READ);
    let watched = json!({"apiVersion": "v1", "kind": "Secret"});
    let spec = json!({"context": [{"name": "secrets", "resource": watched}], "template": "null"});
    let user = User::of(&ns, spec);
    let error = user.runs("collect-input", &[]).failed();
    let who = format!(
        "\"system:serviceaccount:{}:user\" cannot list resource \"secrets\"",
        ns.name
    );
    assert!(
        error.contains("context \"secrets\"") && error.contains(&who),
        "{error}"
    );
}

/// R7: from the cluster, one block for the general reconcile and one for each object.
#[test]
fn r7_the_cluster_is_rendered() {
    let ns = Namespace::new("r7");
    let watched = ten(&ns);
    let template = "local esp = import 'espejote.libsonnet';
        { trigger: esp.triggerName(),
          triggerInfo: if esp.triggerData() == null then null else esp.triggerData().resource.metadata.name,
          all: [cm.metadata.name for cm in esp.context().all] }";
    let user = User::of(
        &ns,
        json!({
            "triggers": [{"name": "configmap", "watchResource": watched}],
            "context": [{"name": "all", "resource": watched}],
            "template": template,
        }),
    );
    let all = "all:\n- test-1\n- test-5\n- test-7\n- test-9\n";
    let mut expected = format!("---\n{all}trigger: null\ntriggerInfo: null\n");
    for name in ODD {
        let object = format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMap","name":"{name}","namespace":"{}"}}"#,
            ns.name
        );
        expected += &format!(
            "---\n# Trigger: {{\"TriggerName\":\"configmap\",\"WatchResource\":{object}}}\n{all}trigger: configmap\ntriggerInfo: {name}\n"
        );
    }
    assert_eq!(user.runs("render", &[]).succeeded(), expected);
    user.collects();
    assert_eq!(user.runs("render", &["-I", "input.yaml"]).succeeded(), expected);
}

/// R9: without a namespace anywhere it is `default`, not that of the kubeconfig, and there is a warning.
#[test]
fn r9_without_a_namespace_the_default_one_is_rendered_with_a_warning() {
    let ns = Namespace::new("r9");
    let name = run::unique("r9");
    ns.cluster
        .ensure(&within("default", config_map(&name, json!({}))));
    let folder = folder("r9");
    let watched = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name});
    let spec = json!({"context": [{"name": "c", "resource": watched}], "template": writes("out", "std.length(esp.context().c)")});
    fs::write(folder.join("m.yaml"), managed_resource("test", spec).to_string()).unwrap();
    let admin = Some(ns.cluster.kubeconfig());
    let ran = espejote(admin, &folder, &["render", "m.yaml"]);
    assert!(ran.stdout.contains("text: 1"), "{ran:?}");
    let warning = "WARNING: No namespace in --namespace or given managed resource. Using 'default'. This impacts triggers, \
                   context, and library loading.";
    assert!(ran.stderr.contains(warning), "{ran:?}");
}

#[test]
fn a_plugin_and_a_computed_context_are_fetched_recorded_and_replayed() {
    let ns = Namespace::new("collect-plugin");
    let reference = components::put(&run::unique("guests"), components::guests());
    ns.plugin("guests", json!({"module": reference}));
    ns.config_map("one", json!({"html": "<b> & more"}));
    let plugin = |config: Value| json!({"name": "guests", "config": config});
    let computed =
        |name: &str, data: Value| json!({"name": name, "plugin": {"name": "guests", "data": data}});
    let user = User::of(
        &ns,
        json!({
            "context": [
                computed("later", json!({"mode": "wait"})),
                {"name": "one", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "one"}},
                computed("looked", json!({"mode": "look"})),
            ],
            "plugin": plugin(json!({"mode": "witness"})),
        }),
    );
    let uid = ns.managed("test", json!({"template": "null"})).get()["metadata"]["uid"].clone();
    let input = user.collects();
    assert_eq!(input["owner"]["uid"], uid);
    assert!(
        input["clock"].is_string() && input["provided"]["looked"]["random"].is_string(),
        "{input}"
    );
    assert_eq!(input["unavailable"]["later"]["reason"], "not-synced");
    let component = reference.trim_start_matches("file://");
    let replay = || {
        user.runs("render", &["-I", "input.yaml", "--plugin", component])
            .succeeded()
    };
    let replayed = replay();
    let words: Vec<&str> = replayed.split_whitespace().collect();
    let told = words.join(" ");
    assert!(
        told.contains("failed to run plugin") && told.contains("still counting"),
        "{replayed}"
    );
    assert_eq!(replay(), replayed);
    let live = user.runs("render", &[]).succeeded();
    assert!(
        live.contains("u003cb"),
        "objects are the bytes of the API server: {live}"
    );
}

#[test]
fn a_template_that_fails_is_told_and_its_input_is_collected_all_the_same() {
    let ns = Namespace::new("collect-fails");
    let user = User::of(&ns, json!({"template": "error 'broken'"}));
    let ran = user.runs("collect-input", &[]);
    assert!(
        ran.stderr.contains("general reconcile: ") && ran.stderr.contains("broken"),
        "{ran:?}"
    );
    assert_eq!(ran.succeeded(), "triggers:\n- {}\n");
}

#[test]
fn without_a_cluster_it_is_said_how_to_do_without() {
    let ns = Namespace::new("no-cluster");
    let user = User::of(&ns, json!({"template": "null"}));
    let error = command::espejote(None, &user.folder, &["render", "manifest.yaml", "-n", "x"]).failed();
    assert!(error.contains("--input FILE"), "{error}");
}
