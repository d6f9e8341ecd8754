//! Namespaced and cluster-scoped objects.

use espejote_tests::{
    Namespace, eventually,
    namespace::{EDIT, READ},
    objects::{esp, watched},
};
use serde_json::json;

/// A4, case 10: the default is for every namespaced object, deletions too; a cluster-scoped one has none.
#[test]
fn a4_every_namespaced_object_defaults_and_no_other() {
    let ns = Namespace::new("case10");
    ns.grant_everywhere("rbac.authorization.k8s.io", &["clusterroles"], EDIT);
    let foreign = espejote_tests::run::unique("case10-foreign");
    ns.cluster.ensure(&espejote_tests::objects::namespace(&foreign));
    ns.config_map("old", json!({}));
    let role = format!("{}:app.v1.example", ns.name);
    let template = esp(&format!(
        "local cm(name) = {{apiVersion: 'v1', kind: 'ConfigMap', metadata: {{name: name}}}};
        local rbac(kind, metadata) = {{apiVersion: 'rbac.authorization.k8s.io/v1', kind: kind, metadata: metadata, rules: []}};
        [
            cm('app.v1.example'), cm('{long}'),
            rbac('ClusterRole', {{name: '{role}'}}),
            esp.markForDelete(cm('old')),
            rbac('Role', {{name: 'out', namespace: '{foreign}'}}),
        ]",
        long = "n".repeat(253),
    ));
    let managed = ns.managed("test", json!({"template": template}));
    managed.is("ApplyError");
    managed.warns("ApplyError", &["Role", &format!("{foreign}/out"), "forbidden"]);
    ns.has("app.v1.example");
    ns.has(&"n".repeat(253));
    eventually("the old one is gone", || {
        ns.get_config_map("old")
            .map_or(Ok(()), |_| Err("it is there".to_owned()))
    });
    let path = format!(
        "/apis/rbac.authorization.k8s.io/v1/clusterroles/{}",
        role.replace(':', "%3A")
    );
    ns.cluster.read(&path).expect("the ClusterRole is there");
}

/// Case 10: a namespace on a cluster-scoped object names the object in its error.
#[test]
fn a4_a_namespace_on_a_cluster_scoped_object_is_the_api_servers_to_judge() {
    let ns = Namespace::new("case10-stray");
    ns.grant_everywhere("", &["namespaces"], EDIT);
    let stray = espejote_tests::run::unique("case10-stray");
    let template =
        format!("{{apiVersion: 'v1', kind: 'Namespace', metadata: {{name: '{stray}', namespace: 'x'}}}}");
    let managed = ns.managed("test", json!({"template": template}));
    eventually("it is judged", || {
        let status = managed.status();
        let warned = managed
            .warnings()
            .iter()
            .any(|warning| warning.note.contains(&stray));
        let made = ns.cluster.get("v1", "Namespace", "", &stray).is_some();
        match (status.as_str(), made, warned) {
            ("Ready", true, _) | ("ApplyError", false, true) => Ok(()),
            other => Err(format!("{other:?}")),
        }
    });
}

/// T18, case 10: a namespace on a cluster-scoped watch is ignored.
#[test]
fn t18_a_namespace_on_a_cluster_scoped_watch_is_ignored() {
    let ns = Namespace::new("case10-watch");
    ns.grant_everywhere("", &["namespaces"], READ);
    let watched = watched(
        "v1",
        "Namespace",
        json!({"name": ns.name, "namespace": "default"}),
    );
    ns.managed(
        "test",
        json!({
            "context": [{"name": "ns", "resource": watched}],
            "triggers": [{"name": "ns", "watchContextResource": {"name": "ns"}}],
            "template": espejote_tests::objects::writes("out", "std.join(',', [n.metadata.name for n in esp.context().ns])"),
        }),
    );
    ns.has_data("out", json!({"text": ns.name}));
}
