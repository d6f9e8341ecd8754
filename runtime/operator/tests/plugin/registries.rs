//! To the real registry and back.

use std::{fs, process::Command};

use serde_json::{Value, json};

use crate::{
    real_registry::RealRegistry,
    workspace::{Workspace, component},
};

/// The password `correct horse`, for the name `robot`, as `htpasswd -B` writes it.
const PASSWORD_LINE: &str = "robot:$2y$05$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2";

/// The digest in what a command said of `reference`.
fn digest_of(said: &str, reference: &str) -> String {
    let (_, rest) = said
        .split_once(&format!("{reference}@"))
        .unwrap_or_else(|| panic!("{said}"));
    rest.split_whitespace().next().unwrap().to_owned()
}

/// Plain text of a document in a registry.
fn get(host: &str, path: &str, accept: &str) -> Value {
    let output = Command::new("curl")
        .args(["--silent", "--fail", "--noproxy", "*", "--header"])
        .arg(format!("Accept: {accept}"))
        .arg(format!("http://{host}/v2/{path}"))
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

#[test]
fn a_component_comes_back_as_it_was_pushed() {
    let registry = RealRegistry::open();
    let workspace = Workspace::with_project();
    let reference = format!("{}/acme/greeter:1.2.3", registry.host);
    let plain = ["--registry-plain-http", &registry.host];
    let push = ["push", &reference, "--annotation", "org.acme.team=platform"];
    let pushed = workspace.plugin(&[&push[..], &plain].concat());
    assert!(
        pushed.stderr.contains(&format!("pushing {reference}: ")),
        "{pushed:?}"
    );
    let pushed = pushed.succeeded();
    let digest = digest_of(&pushed, &reference);
    assert!(
        pushed.contains(&format!("    module: {reference}@{digest}\n")),
        "{pushed}"
    );

    let manifest = get(&registry.host, "acme/greeter/manifests/1.2.3", MANIFEST);
    assert_eq!(
        manifest["annotations"],
        json!({
            "org.acme.team": "platform",
            "org.opencontainers.image.description": "Greets",
            "org.opencontainers.image.title": "greeter",
            "org.opencontainers.image.version": "1.2.3",
        })
    );
    let config = manifest["config"]["digest"].as_str().unwrap();
    let config = get(&registry.host, &format!("acme/greeter/blobs/{config}"), "*/*");
    assert_eq!(
        config["component"]["exports"],
        json!(["espejote:plugin/reconcile@0.1.0"])
    );

    let pull = ["pull", &reference, "-o", "back.wasm"];
    let pulled = workspace.plugin(&[&pull[..], &plain].concat()).succeeded();
    assert!(pulled.starts_with("back.wasm: "), "{pulled}");
    assert!(pulled.contains(&digest), "{pulled}");
    assert_eq!(
        fs::read(workspace.path("back.wasm")).unwrap(),
        fs::read(component()).unwrap()
    );
    let inspect = ["inspect", &reference, "-o", "json"];
    let inspected = workspace.plugin(&[&inspect[..], &plain].concat()).succeeded();
    let inspected: Value = serde_json::from_str(&inspected).unwrap();
    assert_eq!(inspected["manifestDigest"], digest.as_str());
}

#[test]
fn pushing_twice_gives_one_digest() {
    let registry = RealRegistry::open();
    let workspace = Workspace::with_project();
    let reference = format!("{}/acme/greeter:1", registry.host);
    let push = ["push", &reference, "--registry-plain-http", &registry.host];
    let once = workspace.plugin(&push).succeeded();
    assert_eq!(once, workspace.plugin(&push).succeeded());
}

#[test]
fn the_users_docker_login_is_used() {
    let registry = RealRegistry::with_password(PASSWORD_LINE);
    let workspace = Workspace::with_project();
    let reference = format!("{}/acme/greeter:1", registry.host);
    let push = ["push", &reference, "--registry-plain-http", &registry.host];
    let said = workspace.plugin(&push).failed();
    assert!(said.contains(&registry.host) && said.contains("401"), "{said}");
    // robot:correct horse
    let auths = json!({"auths": {&registry.host: {"auth": "cm9ib3Q6Y29ycmVjdCBob3JzZQ=="}}});
    fs::create_dir(workspace.home(".docker")).unwrap();
    fs::write(workspace.home(".docker/config.json"), auths.to_string()).unwrap();
    workspace.plugin(&push).succeeded();
}

#[test]
fn what_is_no_plugin_is_not_pushed() {
    let workspace = Workspace::new();
    fs::write(workspace.path("core.wasm"), b"\0asm\x01\0\0\0").unwrap();
    let said = workspace
        .plugin(&["push", "core.wasm", "127.0.0.1:1/a:1"])
        .failed();
    assert!(said.contains("core.wasm is a core module"), "{said}");
}

#[test]
fn the_contract_is_pushed_as_a_package() {
    let registry = RealRegistry::open();
    let workspace = Workspace::new();
    let reference = format!("{}/acme/espejote/plugin:0.1.0", registry.host);
    let push = ["push-wit", &reference, "--registry-plain-http", &registry.host];
    let said = workspace.plugin(&push).succeeded();
    assert!(said.starts_with("pushed espejote:plugin@0.1.0 as "), "{said}");
    let manifest = get(&registry.host, "acme/espejote/plugin/manifests/0.1.0", MANIFEST);
    assert_eq!(manifest["layers"][0]["mediaType"], "application/wasm");
    assert_eq!(
        manifest["config"]["mediaType"],
        "application/vnd.wasm.config.v0+json"
    );
    let pull = [
        "pull",
        &reference,
        "-o",
        "p.wasm",
        "--registry-plain-http",
        &registry.host,
    ];
    workspace.plugin(&pull).succeeded();
    let package = fs::read(workspace.path("p.wasm")).unwrap();
    let decoded = wit_component::decode(&package).unwrap();
    assert!(matches!(decoded, wit_component::DecodedWasm::WitPackage(..)));
}

#[test]
fn a_registry_that_is_not_there_is_named() {
    let said = Workspace::with_project()
        .plugin(&["push", "127.0.0.1:1/a:1", "--registry-plain-http", "127.0.0.1:1"])
        .failed();
    assert!(said.contains("127.0.0.1:1"), "{said}");
}

#[test]
fn a_signature_is_found_and_only_the_right_key_counts() {
    let registry = RealRegistry::open();
    let workspace = Workspace::with_project();
    let reference = format!("{}/acme/greeter:1", registry.host);
    let plain = ["--registry-plain-http", &registry.host];
    let plugin = |words: &[&str]| workspace.plugin(&[words, &plain].concat());
    plugin(&["push", &reference]).succeeded();
    let [(private, public), (_, other)] = [key(), key()];
    workspace.write("key.pem", &private);
    workspace.write("key.pub", &public);
    workspace.write("other.pub", &other);
    let said = plugin(&["verify", &reference, "--key", "key.pub"]).failed();
    assert!(said.contains("is not signed"), "{said}");
    plugin(&["sign", &reference, "--key", "key.pem"]).succeeded();
    let said = plugin(&["verify", &reference, "--key", "other.pub", "--key", "key.pub"]).succeeded();
    assert!(said.contains("is signed by\n  the key SHA256:"), "{said}");
    let said = plugin(&["verify", &reference, "--key", "other.pub"]).failed();
    assert!(said.contains("is not signed by the key"), "{said}");
    let said = plugin(&["verify", &reference, "--key", "key.pem"]).failed();
    assert!(said.contains("--key key.pem: this is no public key"), "{said}");
}

/// A private key and its public half, in PEM.
fn key() -> (String, String) {
    let key = rcgen::KeyPair::generate().unwrap();
    (key.serialize_pem(), key.public_key_pem())
}
