//! `espejote plugin verify`: whether somebody who is trusted has signed an artifact, by the checks of the operator.

use std::{fs, path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::Context as _;
use clap::Args;
use espejote_oci::trust::{Pattern, PublicKey, Requirements, Signer, TrustRoot};

use super::registry::{self, Registry};
use crate::cli::plugin_flags::RegistryFlags;

/// The end of `--help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  By key:
    espejote plugin verify ghcr.io/acme/team-labels:1.2.0 --key cosign.pub

  Keyless, signed by a workflow:
    espejote plugin verify ghcr.io/acme/team-labels:1.2.0 \\
      --issuer https://token.actions.githubusercontent.com \\
      --subject https://github.com/acme/team-labels/.github/workflows/release.yaml@refs/tags/v1.2.0 \\
      --trust-root trusted_root.json

Nobody but the registry is asked: a trusted_root.json of Sigstore says what vouches for
keyless signatures. `cosign trusted-root create` writes one.";

/// Checks who signed a component in a registry.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// Where it is.
    reference: String,
    /// A public key in PEM whose signature is enough. May be repeated.
    #[arg(long, value_name = "FILE", required_unless_present = "issuer")]
    key: Vec<PathBuf>,
    /// Where the signer has logged in.
    #[arg(long, value_name = "URL", requires = "trust_root")]
    issuer: Option<String>,
    /// Who the signer is there: a mail address, or the address of a workflow.
    #[arg(long, value_name = "SUBJECT", requires = "issuer")]
    subject: Option<String>,
    /// The same as a regular expression that matches all of it.
    #[arg(long, value_name = "REGEXP", requires = "issuer", conflicts_with = "subject")]
    subject_regexp: Option<String>,
    /// What vouches for keyless signatures: a trusted_root.json.
    #[arg(long, value_name = "FILE", requires = "issuer")]
    trust_root: Option<PathBuf>,
    #[command(flatten)]
    registries: RegistryFlags,
}

/// Runs the command.
pub(super) fn run(flags: Flags) -> anyhow::Result<ExitCode> {
    let reference = registry::reference(&flags.reference)?;
    let requirements = requirements(&flags)?;
    let registry = Registry::new(flags.registries)?;
    let resolved = registry.resolve(&reference)?;
    let verify = registry
        .client
        .verify(&reference, &resolved, &registry.credentials, &requirements);
    let verified = registry.wait(verify)?;
    println!("{}@{} is signed by", reference.name(), resolved.manifest_digest);
    for signer in &verified.signers {
        println!("  {signer}");
    }
    Ok(ExitCode::SUCCESS)
}

fn requirements(flags: &Flags) -> anyhow::Result<Requirements> {
    let mut any_of = flags
        .key
        .iter()
        .map(key)
        .collect::<anyhow::Result<Vec<Signer>>>()?;
    any_of.extend(keyless(flags)?);
    Ok(Requirements { any_of })
}

fn key(path: &PathBuf) -> anyhow::Result<Signer> {
    let pem = fs::read(path).with_context(|| format!("cannot read --key {}", path.display()))?;
    let key = PublicKey::from_pem(&pem).with_context(|| format!("--key {}", path.display()))?;
    Ok(Signer::Key { key, log: None })
}

fn keyless(flags: &Flags) -> anyhow::Result<Option<Signer>> {
    let (Some(issuer), Some(path)) = (&flags.issuer, &flags.trust_root) else {
        return Ok(None);
    };
    let json = fs::read(path).with_context(|| format!("cannot read --trust-root {}", path.display()))?;
    let root = TrustRoot::from_json(&json).with_context(|| format!("--trust-root {}", path.display()))?;
    let subject = match (&flags.subject, &flags.subject_regexp) {
        (Some(subject), _) => Pattern::exactly(subject),
        (None, Some(pattern)) => Pattern::matching(pattern).context("--subject-regexp")?,
        (None, None) => anyhow::bail!("--issuer needs --subject or --subject-regexp: who has to have signed"),
    };
    Ok(Some(Signer::Keyless {
        issuer: Pattern::exactly(issuer),
        subject,
        root: Arc::new(root),
    }))
}
