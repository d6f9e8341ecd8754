//! `espejote plugin sign`: a signature by a key, in cosign's format of old. For tests and for places without cosign.

use std::{collections::BTreeMap, fs, path::PathBuf, process::ExitCode};

use anyhow::Context as _;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use clap::Args;
use espejote_oci::{Digest, NewArtifact, Part, Reference};
use rcgen::{KeyPair, SigningKey as _};
use serde_json::json;

use super::registry::{self, Registry};
use crate::cli::plugin_flags::RegistryFlags;

/// The end of `--help`.
pub(super) const EXAMPLES: &str = "\
Example:
  espejote plugin sign --key key.pem ghcr.io/acme/team-labels:1.2.0

Signatures of others under the same tag are replaced; cosign adds to them.";

/// What cosign calls its payload.
const PAYLOAD: &str = "application/vnd.dev.cosign.simplesigning.v1+json";
const SIGNATURE: &str = "dev.cosignproject.cosign/signature";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";

/// Signs what a reference leads to with a key.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// A private key: ECDSA on P-256, PKCS #8 in PEM, not encrypted.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// What is signed.
    reference: String,
    #[command(flatten)]
    registries: RegistryFlags,
}

/// Runs the command.
pub(super) fn run(flags: Flags) -> anyhow::Result<ExitCode> {
    let reference = registry::reference(&flags.reference)?;
    let key =
        fs::read_to_string(&flags.key).with_context(|| format!("cannot read {}", flags.key.display()))?;
    let key = KeyPair::from_pem(&key).with_context(|| {
        format!(
            "{}: expected a private key, PKCS #8 in PEM, not encrypted",
            flags.key.display()
        )
    })?;
    let registry = Registry::new(flags.registries)?;
    let resolved = registry.resolve(&reference)?;
    let digest = resolved.index_digest.unwrap_or(resolved.manifest_digest);
    let artifact = signature(&reference, digest, &key)?;
    let tag = format!("sha256-{}.sig", digest.hex());
    let at = reference.tagged(&tag)?;
    registry.wait(
        registry
            .client
            .push_artifact(&at, Some(&tag), &registry.credentials, &artifact),
    )?;
    println!("signed {}@{digest}", reference.name());
    Ok(ExitCode::SUCCESS)
}

fn signature(reference: &Reference, digest: Digest, key: &KeyPair) -> anyhow::Result<NewArtifact> {
    let payload = json!({
        "critical": {
            "identity": {"docker-reference": reference.name()},
            "image": {"docker-manifest-digest": digest.to_string()},
            "type": "cosign container image signature",
        },
        "optional": null,
    })
    .to_string();
    let signature = STANDARD.encode(key.sign(payload.as_bytes())?);
    let config = json!({
        "architecture": "",
        "os": "",
        "config": {},
        "rootfs": {"type": "layers", "diff_ids": [Digest::of(payload.as_bytes()).to_string()]},
    });
    let layer = Part {
        annotations: BTreeMap::from([(SIGNATURE.to_owned(), signature)]),
        ..Part::new(PAYLOAD, payload.into_bytes())
    };
    Ok(NewArtifact {
        config: Part::new(CONFIG, config.to_string().into_bytes()),
        layers: vec![layer],
        ..NewArtifact::default()
    })
}
