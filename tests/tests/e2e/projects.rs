//! What `espejote plugin new` puts into a project to install it, before the API server.

use espejote_tests::{
    command::{espejote, folder},
    kubectl::kubectl,
    run,
};

/// All kinds are known, all fields are declared, and nothing has to be filled in but the module.
#[test]
fn a_new_project_can_be_applied_as_it_is() {
    let cases = [
        (
            "rust",
            "reconcile",
            &["serviceaccount/a-plugin created", "clusterrolebinding"][..],
        ),
        (
            "c",
            "reconcile",
            &["managedresource.espejote.io/a-plugin created"],
        ),
        (
            "rust",
            "provide",
            &["rolebinding.rbac.authorization.k8s.io/a-plugin created"],
        ),
        ("go", "admit", &["admission.espejote.io/a-plugin created"]),
    ];
    // Its start brings the definitions.
    run::operator();
    for (language, role, expected) in cases {
        let folder = folder("project");
        let new = [
            "plugin", "new", "--lang", language, "--role", role, "a-plugin", ".",
        ];
        espejote(None, &folder, &new).succeeded();
        let path = |name: &str| folder.join(name).to_str().map(str::to_owned).expect("a path");
        let (deploy, manifest) = (path("deploy"), path("manifest.yaml"));
        let apply = [
            "apply",
            "--dry-run=server",
            "--validate=strict",
            "-f",
            &deploy,
            "-f",
            &manifest,
        ];
        let said = kubectl(run::admin(), &apply).unwrap_or_else(|error| panic!("{language} {role}: {error}"));
        let plugin = "plugin.espejote.io/a-plugin created (server dry run)";
        for words in expected.iter().chain([&plugin]) {
            assert!(said.contains(words), "{language} {role}: {words}: {said}");
        }
    }
}
