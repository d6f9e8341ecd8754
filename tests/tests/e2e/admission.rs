//! Admissions and ClusterAdmissions: the API server asks, a template decides.

use std::time::{Duration, Instant};

use espejote_tests::{
    Namespace, Refusal,
    admitting::{self, Admitting},
    components, eventually, eventually_within,
    objects::{config_map, labelled, library, within},
    run, stays,
    waiting::{equal, holds},
};
use serde_json::{Value, json};

/// A template that decides on a request, `request`, with the functions for it at hand as `adm`.
pub(crate) fn deciding(body: &str) -> String {
    format!(
        "local adm = (import 'espejote.libsonnet').ALPHA.admission;\nlocal request = adm.admissionRequest();\n{body}"
    )
}

/// What is asked about ConfigMaps that are created or changed.
pub(crate) fn config_maps() -> Value {
    json!({"rules": [{
        "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["configmaps"],
    }]})
}

/// The same, of the whole cluster, but only about objects with a label that is this namespace's.
pub(crate) fn config_maps_of(ns: &Namespace<'_>) -> Value {
    let mut configuration = config_maps();
    configuration["objectSelector"] = json!({"matchLabels": {"test": ns.name}});
    configuration
}

fn spec(mutating: bool, template: &str, configuration: Value) -> Value {
    json!({"mutating": mutating, "template": template, "webhookConfiguration": configuration})
}

/// Tries to create a ConfigMap.
fn create(ns: &Namespace<'_>, name: &str) -> Result<Value, Refusal> {
    let object = labelled(name, json!({"test": ns.name}), json!({}));
    ns.cluster.create(&within(&ns.name, object))
}

/// Waits until a ConfigMap of this name is refused, and gives the refusal.
#[track_caller]
pub(crate) fn is_refused(ns: &Namespace<'_>, name: &str) -> Refusal {
    eventually(&format!("ConfigMap {name} is refused"), || {
        match create(ns, name) {
            Ok(_) => {
                ns.delete_config_map(name);
                Err("it was created".to_owned())
            }
            Err(refusal) => Ok(refusal),
        }
    })
}

/// A request as the API server sends it.
pub(crate) fn request(object: Value) -> Value {
    json!({
        "uid": run::unique("uid"), "operation": "CREATE", "userInfo": {"username": "testuser"},
        "kind": {"group": "", "version": "v1", "kind": "ConfigMap"}, "object": object,
    })
}

/// W12: what a template denies is refused, in its words; the rest is not.
#[test]
fn w12_a_template_denies_what_the_api_server_asks_about() {
    let ns = Namespace::new("w12");
    let template =
        deciding("if request.object.metadata.name == 'bad' then adm.denied('sod off') else adm.allowed()");
    let admission = ns.admission("guard", spec(false, &template, config_maps()));
    admission.is_ready();
    admission.says("Ready");
    let refusal = is_refused(&ns, "bad");
    assert_eq!(refusal.code, 403, "{refusal}");
    let words = format!(
        "admission webhook {:?} denied the request: sod off",
        admission.webhook()
    );
    assert!(refusal.message.contains(&words), "{refusal}");
    assert!(create(&ns, "good").is_ok());
    let neighbour = ns.neighbour();
    assert!(
        create(&neighbour, "bad").is_ok(),
        "another namespace is none of its business"
    );
}

fn both<'n>(ns: &'n Namespace<'n>, mutating: bool, body: &str) -> [Admitting<'n>; 2] {
    let template = deciding(body);
    let both = [
        ns.admission("adm", spec(mutating, &template, json!({}))),
        ns.cluster_admission("adm", spec(mutating, &template, json!({}))),
    ];
    both.iter().for_each(Admitting::is_ready);
    both
}

/// W11, W12, M10: the answers, asked for as the API server does, and how they are counted.
#[test]
fn w11_answers_have_the_code_and_the_message_of_the_decision() {
    let ns = Namespace::new("w11");
    let body = "if request.operation == 'CREATE' then adm.allowed('Nice job!') else adm.denied('sod off')";
    // Their series go with them.
    let admissions = both(&ns, false, body);
    for admission in &admissions {
        let mut asked = request(json!({}));
        let response = admission.ask(&asked);
        assert_eq!(response["allowed"], true);
        assert_eq!(response["status"], json!({"code": 200, "message": "Nice job!"}));
        asked["operation"] = json!("DELETE");
        let response = admission.ask(&asked);
        assert_eq!(response["allowed"], false);
        assert_eq!(
            (&response["status"]["code"], &response["status"]["message"]),
            (&json!(403), &json!("sod off"))
        );
        assert_eq!((admission.answered(200), admission.answered(403)), (1.0, 1.0));
    }
    let metrics = ns.operator.metrics();
    let help = metrics.help("espejote_admission_requests_total").unwrap();
    assert!(help.contains("admission requests"), "{help}");
}

/// W13: a patch, with integers around it.
#[test]
fn w13_a_patch_is_what_the_template_says() {
    let ns = Namespace::new("w13");
    let body = "adm.patched('get patched', adm.assertPatch([adm.jsonPatchOp('add', '/metadata/annotations/request-user', \
                request.userInfo.username)]))";
    for admission in both(&ns, true, body) {
        let object = json!({"metadata": {"annotations": {}}, "spec": {"replicas": 3, "big": 9_007_199_254_740_993_u64}});
        let response = admission.ask(&request(object));
        assert_eq!(response["allowed"], true);
        assert_eq!(
            (
                response["status"]["message"].as_str(),
                response["patchType"].as_str()
            ),
            (Some("get patched"), Some("JSONPatch"))
        );
        assert_eq!(
            admitting::patch(&response),
            r#"[{"op":"add","path":"/metadata/annotations/request-user","value":"testuser"}]"#
        );
    }
}

/// W14: a patch that does not apply is an error that says why.
#[test]
fn w14_a_patch_that_does_not_apply_is_told() {
    let ns = Namespace::new("w14");
    let body = "adm.patched('', adm.assertPatch([adm.jsonPatchOp('add', '/metadata/annotations/request-user', 'x')]))";
    for admission in both(&ns, true, body) {
        let response = admission.ask(&request(json!({"metadata": {}})));
        assert_eq!(
            (&response["allowed"], &response["status"]["code"]),
            (&json!(false), &json!(500))
        );
        let message = response["status"]["message"].as_str().unwrap();
        for words in [
            "add operation does not apply",
            "doc is missing path",
            "/metadata/annotations/request-user",
        ] {
            assert!(message.contains(words), "{message}");
        }
    }
}

/// W15, W16, W18: what goes wrong has the code 500 and a beginning that people know.
#[test]
fn w15_what_goes_wrong_is_an_answer_too() {
    let ns = Namespace::new("w15");
    for (body, code, words) in [
        ("error 'no'", 500, "failed to evaluate jsonnet: RUNTIME ERROR: no"),
        ("'yes'", 500, "failed to unmarshal response: "),
        ("{allowed: 'yes'}", 500, "failed to unmarshal response: "),
        ("{message: 'because', more: 1}", 403, "because"),
        ("adm.patched('', {})", 500, "patches must be an array"),
        ("adm.denied(1)", 500, "msg must be a string"),
        (
            "adm.patched('', [adm.jsonPatchOp('spoil', '/')])",
            500,
            r#"op must be one of ["add","remove","replace","move","copy","test"], is: spoil"#,
        ),
        ("adm.denied(request.kind.kind)", 403, "ConfigMap"),
    ] {
        let admission = ns.admission("adm", spec(true, &deciding(body), json!({})));
        let ask = || {
            let response = admission.ask(&request(json!({"metadata": {}})));
            let message = response["status"]["message"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            (
                response["allowed"].clone(),
                response["status"]["code"].clone(),
                message,
            )
        };
        eventually(&format!("{body}: {code} {words}"), || {
            let (allowed, is, message) = ask();
            holds(allowed == false && is == code && message.contains(words), || {
                format!("{is} {message}")
            })
        });
    }
    let response = ns.ask("/dynamic/", &request(json!({})));
    assert_eq!(
        (&response["status"]["code"], &response["status"]["message"]),
        (&json!(400), &json!("missing namespace and name in context"))
    );
}

/// W10: what is not there lets everything go on.
#[test]
fn w10_an_admission_that_does_not_exist_allows() {
    let ns = Namespace::new("w10");
    for (path, message) in [
        (format!("/dynamic/{}/none", ns.name), "Admission not found"),
        ("/dynamic-cluster/none".to_owned(), "ClusterAdmission not found"),
    ] {
        let response = ns.ask(&path, &request(json!({})));
        assert_eq!(response["allowed"], true);
        assert_eq!(response["status"], json!({"code": 200, "message": message}));
    }
}

/// W19: creator annotations, as everybody's first example has them.
#[test]
fn w19_an_annotation_is_put_in_and_stays_what_it_is() {
    let ns = Namespace::new("w19");
    let put_in = deciding(
        "local annotations = std.get(request.object.metadata, 'annotations', null);
         adm.patched('', adm.assertPatch(
           (if annotations == null then [adm.jsonPatchOp('add', '/metadata/annotations', {})] else [])
           + [adm.jsonPatchOp('add', '/metadata/annotations/creator', request.userInfo.username)]))",
    );
    let keep = deciding(
        "local creator(object) = std.get(std.get(object.metadata, 'annotations', {}), 'creator', '');
         if creator(request.object) == creator(request.oldObject) then adm.allowed()
         else adm.denied('creator annotation is immutable')",
    );
    let on = |operation: &str| {
        let mut configuration = config_maps();
        configuration["rules"][0]["operations"] = json!([operation]);
        configuration
    };
    let admissions = [
        ns.admission("creator", spec(true, &put_in, on("CREATE"))),
        ns.admission("immutable", spec(false, &keep, on("UPDATE"))),
    ];
    admissions.iter().for_each(Admitting::is_ready);
    let named = eventually("a ConfigMap gets its creator", || {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "cm-", "namespace": ns.name}});
        let created = ns
            .cluster
            .create(&object)
            .map_err(|refusal| refusal.to_string())?;
        let creator = created["metadata"]["annotations"]["creator"].clone();
        holds(creator.is_string(), || format!("{created}"))?;
        Ok(created["metadata"]["name"].as_str().unwrap().to_owned())
    });
    let object = within(
        &ns.name,
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": named, "annotations": {"creator": "me"}}}),
    );
    eventually("its creator cannot be changed", || {
        let refusal = ns.cluster.apply(&object).err().ok_or("it was changed")?;
        holds(
            refusal.message.contains("creator annotation is immutable"),
            || refusal.to_string(),
        )
    });
}

/// W19: the same for a kind without namespaces, by a ClusterAdmission.
#[test]
fn w19_a_cluster_admission_is_asked_about_kinds_without_namespaces() {
    let ns = Namespace::new("w19-cluster");
    let put_in = deciding(
        "adm.patched('', [adm.jsonPatchOp('add', '/metadata/annotations', {creator: request.userInfo.username})])",
    );
    let rules = json!([{
        "apiGroups": ["rbac.authorization.k8s.io"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["clusterroles"],
    }]);
    let configuration = json!({"rules": rules, "objectSelector": {"matchLabels": {"test": ns.name}}});
    let admission = ns.cluster_admission("creator", spec(true, &put_in, configuration));
    admission.is_ready();
    eventually("a ClusterRole gets its creator", || {
        let role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": run::unique(&ns.name), "labels": {"test": ns.name}},
        });
        let created = ns.cluster.create(&role).map_err(|refusal| refusal.to_string())?;
        holds(created["metadata"]["annotations"]["creator"].is_string(), || {
            created.to_string()
        })
    });
}

/// L1, L3: libraries of the namespace, and those of everybody.
#[test]
fn a_template_imports_libraries_as_any_other() {
    let ns = Namespace::new("admission-library");
    ns.apply(library(
        "rules",
        json!({"rules.libsonnet": "{text: 'from a library'}"}),
    ));
    let template = deciding("adm.denied((import 'rules/rules.libsonnet').text)");
    let admission = ns.admission("adm", spec(false, &template, json!({})));
    eventually("the library's text is the answer", || {
        let response = admission.ask(&request(json!({})));
        equal(response["status"]["message"].as_str(), Some("from a library"))
    });
    let of_cluster = ns.cluster_admission("adm", spec(false, &template, json!({})));
    let response = of_cluster.ask(&request(json!({})));
    let message = response["status"]["message"].as_str().unwrap();
    assert!(message.contains("no local namespace configured"), "{message}");
}

/// W20: a template that cannot work shows in the status, and a mended one is ready.
#[test]
fn w20_a_broken_template_shows_in_the_status() {
    let ns = Namespace::new("w20");
    let admission = ns.admission("adm", spec(false, "glug", config_maps()));
    admission.is_not_ready("InvalidConfig", &["Unknown variable: glug"]);
    admission.says("TemplateError");
    eventually("there is a warning", || {
        let warnings = admission.warnings();
        let told = |warning: &espejote_tests::Warning| {
            warning.reason == "TemplateError" && warning.note.contains("glug")
        };
        holds(warnings.iter().any(told), || format!("{warnings:?}"))
    });
    let refusal = is_refused(&ns, "x");
    assert_eq!(refusal.code, 500, "{refusal}");
    assert!(
        refusal.message.contains("failed to evaluate jsonnet"),
        "{refusal}"
    );
    admission.update(spec(false, &deciding("adm.allowed()"), config_maps()));
    admission.is_ready();
    admission.says("Ready");
    assert!(create(&ns, "x").is_ok());
}

/// Only one of both can be the logic.
#[test]
fn template_and_plugin_exclude_each_other() {
    let ns = Namespace::new("admission-both");
    for kind in ["Admission", "ClusterAdmission"] {
        let object = json!({
            "apiVersion": "espejote.io/v1alpha1", "kind": kind, "metadata": {"name": ns.name, "namespace": ns.name},
            "spec": {"template": "x", "plugin": {"name": "lib/p"}},
        });
        let mut object = object;
        if kind == "ClusterAdmission" {
            object["metadata"].as_object_mut().unwrap().remove("namespace");
        }
        let refusal = ns.cluster.create(&object).unwrap_err();
        assert!(
            refusal.message.contains("template and plugin cannot both be set"),
            "{refusal}"
        );
    }
}

/// A change by one who is not said to make any is an error, not a surprise.
#[test]
fn who_is_not_mutating_changes_nothing() {
    let ns = Namespace::new("not-mutating");
    let body = "adm.patched('', [adm.jsonPatchOp('add', '/metadata/labels', {a: 'b'})])";
    let admission = ns.admission("adm", spec(false, &deciding(body), config_maps()));
    admission.is_ready();
    let refusal = is_refused(&ns, "x");
    assert!(refusal.message.contains("spec.mutating is not true"), "{refusal}");
}

/// A request that is none, too large, or of another sort, is answered without anybody being asked.
#[test]
fn odd_requests_are_refused() {
    let ns = Namespace::new("admission-odd");
    let admission = ns.admission("adm", spec(false, &deciding("adm.allowed()"), json!({})));
    admission.is_ready();
    let ask = |body: &[u8]| ns.operator.ask(ns.cluster, &admission.path(), body).unwrap();
    let (code, body) = ask(b"hush");
    assert_eq!(code, 400);
    assert!(
        body.contains("expected an AdmissionReview") && !body.contains("hush"),
        "{body}"
    );
    // It may hang up before all of it is sent.
    let large = ns
        .operator
        .ask(ns.cluster, &admission.path(), &vec![b' '; (8 << 20) + 1]);
    assert!(!matches!(large, Ok((code, _)) if code != 413), "{large:?}");
    let (code, _) = ns.operator.ask(ns.cluster, "/metrics", b"{}").unwrap();
    assert_eq!(code, 404);
    assert_eq!(admission.answered(200) + admission.answered(400), 0.0);
}

/// A plugin that never ends is ended before the API server gives up, with a reason; others go on meanwhile.
#[test]
fn a_plugin_that_never_ends_is_a_clear_refusal_in_time() {
    let ns = Namespace::new("admission-hostile");
    let reference = components::put(&run::unique("module"), components::guests());
    let limits = json!({"timeout": "50s", "cpu": "50s"});
    ns.plugin("guests", json!({"module": reference, "limits": limits}))
        .is_registered();
    let of = |mode: &str| json!({"plugin": {"name": "guests", "config": {"mode": mode}}, "webhookConfiguration": {}});
    let spinning = ns.admission("spin", of("spin"));
    let napping = ns.admission("nap", of("nap"));
    let trapping = ns.admission("trap", of("panic"));
    let growing = ns.admission("grow", of("grow"));
    let patient = ns.admission("allow", of("allow"));
    [&napping, &trapping, &growing, &patient]
        .into_iter()
        .for_each(Admitting::is_ready);
    // This one does not end when its config is looked at, either.
    spinning.is_not_ready("LimitExceeded", &["went over its limit on "]);
    // Long enough for a machine with other things to do.
    const WAITS: Duration = Duration::from_secs(5);
    let refused = |admission: &Admitting<'_>, words: &str| {
        let started = Instant::now();
        let response = ns.ask(&format!("{}?timeout=5s", admission.path()), &request(json!({})));
        let took = started.elapsed();
        assert_eq!(
            (&response["allowed"], &response["status"]["code"]),
            (&json!(false), &json!(500))
        );
        let message = response["status"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{message}");
        took
    };
    std::thread::scope(|scope| {
        // More than have a turn at a time.
        let many: Vec<_> = (0..8).map(|_| scope.spawn(|| refused(&spinning, ""))).collect();
        let started = Instant::now();
        assert_eq!(patient.ask(&request(json!({})))["allowed"], true);
        assert!(started.elapsed() < WAITS);
        for took in many {
            assert!(took.join().unwrap() < WAITS);
        }
    });
    assert!(refused(&spinning, "went over its limit on ") < WAITS);
    assert!(refused(&napping, "went over its limit on ") < WAITS);
    refused(&trapping, "trapped");
    refused(&growing, "limit on memory");
    assert!(spinning.answered(500) >= 9.0);
}

/// A plugin in Rust refuses, warns, and changes the whole object.
#[test]
fn a_plugin_decides_and_gives_the_whole_object() {
    let ns = Namespace::new("image-guard");
    let reference = components::put(&run::unique("module"), &components::build("image-guard"));
    let of = |mutating: bool, config: Value| {
        let rules = json!([{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]);
        json!({
            "mutating": mutating, "plugin": {"name": "image-guard", "config": config},
            "webhookConfiguration": {"rules": rules},
        })
    };
    let guard = ns.admission("guard", of(false, json!({"allowed": ["mirror.example.com"]})));
    guard.is_not_ready("PluginNotReady", &["image-guard"]);
    guard.says("PluginNotReady");
    let plugin = ns.plugin("image-guard", json!({"module": reference}));
    assert_eq!(plugin.is_registered()["artifact"]["world"], "admit");
    guard.is_ready();
    let mirrors =
        json!({"allowed": ["mirror.example.com"], "mirrors": {"docker.io": "mirror.example.com/hub"}});
    let mirror = ns.admission("mirror", of(true, json!({"allow": []})));
    mirror.is_not_ready("InvalidConfig", &["allowed"]);
    mirror.update(of(true, mirrors));
    mirror.is_ready();
    let create = |image: &str| {
        let metadata = json!({"name": run::unique("pod"), "namespace": ns.name});
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {
            "terminationGracePeriodSeconds": 7, "containers": [{"name": "c", "image": image}],
        }});
        ns.cluster.create(&pod)
    };
    eventually("an image of another registry is refused", || {
        let refusal = create("quay.io/x/y:1").err().ok_or("it was created")?;
        let words = "images from mirror.example.com only, not quay.io/x/y:1";
        holds(refusal.code == 403 && refusal.message.contains(words), || {
            refusal.to_string()
        })
    });
    eventually("an image that has a mirror comes from there", || {
        let pod = create("nginx:1").map_err(|refusal| refusal.to_string())?;
        equal(
            pod["spec"]["containers"][0]["image"].as_str(),
            Some("mirror.example.com/hub/library/nginx:1"),
        )?;
        equal(&pod["spec"]["terminationGracePeriodSeconds"], &json!(7))
    });
}

/// A ClusterAdmission has no namespace to find a plugin in.
#[test]
fn a_cluster_admission_runs_a_plugin_of_everybody() {
    let ns = Namespace::new("cluster-plugin");
    let name = run::unique("guests");
    let reference = components::put(&name, components::guests());
    ns.cluster.ensure(&json!({
        "apiVersion": "espejote.io/v1alpha1", "kind": "Plugin",
        "metadata": {"name": name, "namespace": espejote_tests::deployment::PLUGINS}, "spec": {"module": reference},
    }));
    let of = |name: &str| {
        let config = json!({"mode": "decide", "allowed": false, "code": 418, "message": "no"});
        json!({"plugin": {"name": name, "config": config}})
    };
    let admission = ns.cluster_admission("adm", of(&name));
    admission.is_not_ready("InvalidSpec", &["write \"lib/", "has no namespace"]);
    admission.update(of(&format!("lib/{name}")));
    admission.is_ready();
    let response = admission.ask(&request(json!({})));
    assert_eq!(
        (&response["allowed"], &response["status"]["code"]),
        (&json!(false), &json!(418))
    );
}

/// What a plugin may not do is said where it is looked at: a role that it does not have, files that nobody reads for it.
#[test]
fn a_plugin_that_cannot_decide_shows_in_the_status() {
    let ns = Namespace::new("no-admitter");
    let reference = components::put(&run::unique("module"), &components::build("team-labels"));
    ns.plugin("labels", json!({"module": reference})).is_registered();
    let config = json!({"teams": "a/b.json"});
    let admission = ns.admission("adm", json!({"plugin": {"name": "labels", "config": config}}));
    admission.is_not_ready(
        "InvalidConfig",
        &["cannot be the logic of an Admission: it exports reconcile, not admit"],
    );
    admission.says("PluginError");
    let reference = components::put(&run::unique("module"), components::guests());
    let files = json!([{"path": "/etc/x", "configMap": {"name": "x"}}]);
    ns.plugin("files", json!({"module": reference, "grants": {"files": files}}))
        .is_registered();
    let admission = ns.admission(
        "files",
        json!({"plugin": {"name": "files", "config": {"mode": "allow"}}}),
    );
    admission.is_not_ready("InvalidSpec", &["is granted files", "an Admission has none"]);
}

/// Series of an Admission go with it.
#[test]
fn a_deleted_admission_leaves_no_series() {
    let ns = Namespace::new("admission-gone");
    let admission = ns.admission("adm", spec(false, &deciding("adm.allowed()"), json!({})));
    admission.is_ready();
    admission.ask(&request(json!({})));
    assert_eq!(admission.answered(200), 1.0);
    admission.delete();
    eventually_within(Duration::from_secs(10), "its series are gone", || {
        equal(
            ns.operator
                .metrics()
                .sum("espejote_admission_requests_total", &[("namespace", &ns.name)]),
            None,
        )
    });
    stays(Duration::from_secs(1), "ConfigMaps are created", || {
        let created = ns
            .cluster
            .create(&within(&ns.name, config_map(&run::unique("cm"), json!({}))));
        holds(created.is_ok(), || format!("{created:?}"))
    });
}
