//! Signatures as cosign makes them with a key.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use espejote_oci::{Client, ClientConfig, Credentials, Digest, NewArtifact, Part, Reference};
use rcgen::{KeyPair, PublicKeyData, SigningKey};
use serde_json::json;

/// The media type of what is signed.
const PAYLOAD: &str = "application/vnd.dev.cosign.simplesigning.v1+json";
/// Where the signature stands.
const ANNOTATION: &str = "dev.cosignproject.cosign/signature";

/// A key that plugins are signed with.
pub struct Signer(KeyPair);

impl Default for Signer {
    fn default() -> Self {
        Self(KeyPair::generate().expect("a key"))
    }
}

impl Signer {
    /// The public key in PEM.
    pub fn public_key(&self) -> String {
        let der = STANDARD.encode(self.0.subject_public_key_info());
        format!("-----BEGIN PUBLIC KEY-----\n{der}\n-----END PUBLIC KEY-----\n")
    }

    /// Signs `digest`, and pushes that as the signature of `of` in the repository of a reference.
    pub fn sign(&self, reference: &str, digest: Digest, of: Digest) {
        let reference: Reference = reference.parse().expect("a reference");
        let payload = json!({
            "critical": {
                "identity": {"docker-reference": reference.name()},
                "image": {"docker-manifest-digest": digest.to_string()},
                "type": "cosign container image signature",
            },
            "optional": null,
        })
        .to_string();
        let signature = self.0.sign(payload.as_bytes()).expect("sign");
        let mut layer = Part::new(PAYLOAD, payload);
        layer.annotations = BTreeMap::from([(ANNOTATION.to_owned(), STANDARD.encode(signature))]);
        let artifact = NewArtifact {
            config: Part::new("application/vnd.oci.image.config.v1+json", "{}"),
            layers: vec![layer],
            ..NewArtifact::default()
        };
        let tag = format!("sha256-{}.sig", of.hex());
        let config = ClientConfig {
            plain_http: [reference.registry().to_owned()].into(),
            ..ClientConfig::default()
        };
        let client = Client::new(config).expect("a registry client");
        let pushing = async {
            client
                .push_artifact(&reference, Some(&tag), &Credentials::anonymous(), &artifact)
                .await
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let pushed = runtime.expect("a runtime").block_on(pushing);
        pushed.expect("push a signature");
    }
}
