//! Which artifacts are plugins, in whose layout, and what is said of those that are none.

use espejote_oci::{Credentials, Digest, Error, OCI_INDEX, OCI_MANIFEST, WASM_LAYER};
use serde_json::{Value, json};

use crate::{
    faults::{MODULE, error, fetched, serving},
    faulty::Contents,
    modules::{client, manifest, pull, reference, wasm_manifest},
};

#[tokio::test]
async fn a_wrong_media_type_is_named() {
    let cases: [(Value, &str); 4] = [
        (
            manifest(&[("application/vnd.cncf.helm.chart.content.v1.tar+gzip", b"x")]),
            "helm.chart",
        ),
        (manifest(&[(WASM_LAYER, b"x"), (WASM_LAYER, b"y")]), "2 layers"),
        (manifest(&[]), "no layers"),
        (
            json!({"schemaVersion": 2, "mediaType": "application/x-other", "layers": []}),
            "application/x-other",
        ),
    ];
    for (document, named) in cases {
        let error = error(&serving(Contents::default().manifest("1", &document), |_| None).await).await;
        assert!(
            matches!(error, Error::NotAPlugin { .. } | Error::Manifest { .. }),
            "{error:?}"
        );
        assert!(error.to_string().contains(named), "{error}");
    }
    let html = Contents::default().document("1", "text/html", "<html>login</html>");
    let error = error(&serving(html, |_| None).await).await;
    assert!(matches!(error, Error::Manifest { .. }), "{error:?}");
}

#[tokio::test]
async fn digests_of_another_algorithm_are_refused_by_name() {
    let mut document = wasm_manifest(MODULE);
    document["layers"][0]["digest"] = format!("sha512:{}", "a".repeat(128)).into();
    let error = error(&serving(Contents::default().manifest("1", &document), |_| None).await).await;
    assert!(error.to_string().contains("sha512 are not supported"), "{error}");
}

#[tokio::test]
async fn each_layout_of_others_is_taken() {
    let kubewarden = manifest(&[("application/vnd.wasm.content.layer.v1+wasm", MODULE)]);
    let istio = manifest(&[("application/vnd.module.wasm.content.layer.v1+wasm", MODULE)]);
    for document in [kubewarden, istio] {
        let server = serving(Contents::default().manifest("1", &document).blob(MODULE), |_| {
            None
        })
        .await;
        assert_eq!(fetched(&server).await.unwrap(), MODULE);
    }
    let packed = archive("plugin.wasm", MODULE);
    for kind in [
        "application/vnd.oci.image.layer.v1.tar",
        "application/vnd.docker.image.rootfs.diff.tar",
    ] {
        let image = manifest(&[(kind, &packed)]);
        let server = serving(
            Contents::default().manifest("1", &image).blob(packed.clone()),
            |_| None,
        )
        .await;
        assert_eq!(fetched(&server).await.unwrap(), MODULE);
    }
    let image = manifest(&[(
        "application/vnd.oci.image.layer.v1.tar",
        &archive("README", b"no module"),
    )]);
    let contents = Contents::default()
        .manifest("1", &image)
        .blob(archive("README", b"no module"));
    let error = error(&serving(contents, |_| None).await).await;
    assert!(
        matches!(error, Error::Layer { .. }) && error.to_string().contains("no .wasm file"),
        "{error}"
    );
}

fn archive(name: &str, contents: &[u8]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(contents.len() as u64);
    archive.append_data(&mut header, name, contents).unwrap();
    archive.into_inner().unwrap()
}

#[tokio::test]
async fn an_index_leads_to_its_entry_for_webassembly() {
    let document = wasm_manifest(MODULE);
    let digest = Digest::of(document.to_string().as_bytes());
    let entry = |architecture: &str, os: &str| {
        json!({"mediaType": OCI_MANIFEST, "digest": digest, "size": document.to_string().len(),
            "platform": {"architecture": architecture, "os": os}})
    };
    let index = |entries: Value| json!({"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": entries});
    let both = index(json!([entry("amd64", "linux"), entry("wasm", "wasip2")]));
    let contents = Contents::default()
        .manifest("inner", &document)
        .manifest("1", &both)
        .blob(MODULE);
    let server = serving(contents, |_| None).await;
    let tagged = reference(&format!("{}/a:1", server.host));
    let client = client(&[&server.host]);
    let resolved = client.resolve(&tagged, &Credentials::anonymous()).await.unwrap();
    assert_eq!(resolved.manifest_digest, digest);
    assert_eq!(
        resolved.index_digest,
        Some(Digest::of(both.to_string().as_bytes()))
    );
    assert_eq!(
        pull(&client, &tagged, &resolved, &Credentials::anonymous())
            .await
            .unwrap(),
        MODULE
    );

    let images = index(json!([entry("amd64", "linux"), entry("arm64", "linux")]));
    let error = error(&serving(Contents::default().manifest("1", &images), |_| None).await).await;
    assert!(matches!(error, Error::NoVariant { .. }), "{error:?}");
    assert!(error.to_string().contains("amd64/linux, arm64/linux"), "{error}");
}
