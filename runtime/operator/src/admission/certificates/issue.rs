//! Makes authorities and certificates, and reads them again.

use std::time::{Duration, SystemTime};

use k8s_openapi::jiff::Timestamp;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose,
};
use rustls::pki_types::{CertificateDer, pem::PemObject as _};
use time::OffsetDateTime;
use x509_parser::{certificate::X509Certificate, extensions::GeneralName, prelude::FromDer as _};

/// How long an authority lasts.
const AUTHORITY_LIFE: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// How long a certificate lasts.
const CERTIFICATE_LIFE: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// Clocks of machines differ.
pub(super) const SKEW: Duration = Duration::from_secs(300);

/// A certificate that cannot be made or read. Never holds a key.
#[derive(Debug, thiserror::Error)]
pub enum IssueError {
    /// It cannot be made.
    #[error("a certificate cannot be made: {0}")]
    Make(#[source] rcgen::Error),
    /// It cannot be read.
    #[error("{what} cannot be read: {problem}")]
    Read {
        /// Which of them.
        what: &'static str,
        /// Why.
        problem: String,
    },
}

/// A certificate with its key, both in PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct Pair {
    /// The certificate.
    pub certificate: String,
    /// The private key.
    pub key: String,
}

/// What a certificate says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) subject: String,
    pub(super) issuer: String,
    pub(super) not_before: SystemTime,
    pub(super) not_after: SystemTime,
    pub(super) names: Vec<String>,
}

impl Facts {
    /// Two thirds of its life are over.
    pub(super) fn is_old(&self, now: SystemTime) -> bool {
        let life = self.not_after.duration_since(self.not_before).unwrap_or_default();
        now >= self.not_before + life * 2 / 3
    }

    /// Nobody trusts it any more.
    pub(super) fn is_over(&self, now: SystemTime) -> bool {
        now >= self.not_after
    }
}

/// A new authority.
pub(super) fn authority(now: SystemTime) -> Result<Pair, IssueError> {
    let key = KeyPair::generate().map_err(IssueError::Make)?;
    // A name of its own, so that nobody takes one authority for another.
    let id = key
        .public_key_raw()
        .iter()
        .rev()
        .take(4)
        .fold(0u32, |id, byte| id << 8 | u32::from(*byte));
    let mut params = CertificateParams::default();
    params.distinguished_name = named(&format!("espejote-webhook-authority-{id:08x}"));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    (params.not_before, params.not_after) = (date(now - SKEW), date(now + AUTHORITY_LIFE));
    let certificate = params.self_signed(&key).map_err(IssueError::Make)?;
    Ok(Pair {
        certificate: certificate.pem(),
        key: key.serialize_pem(),
    })
}

/// A new certificate for a server of these names, by an authority. It does not outlive that.
pub(super) fn certificate(by: &Pair, names: &[String], now: SystemTime) -> Result<Pair, IssueError> {
    let facts = facts(&by.certificate, "the authority")?;
    let mut authority = CertificateParams::default();
    authority.distinguished_name = named(&facts.subject);
    let issuer = Issuer::new(authority, KeyPair::from_pem(&by.key).map_err(IssueError::Make)?);
    let key = KeyPair::generate().map_err(IssueError::Make)?;
    let mut params = CertificateParams::new(names).map_err(IssueError::Make)?;
    params.distinguished_name = named("espejote-webhook");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    let until = facts.not_after.min(now + CERTIFICATE_LIFE);
    (params.not_before, params.not_after) = (date(now - SKEW), date(until));
    let certificate = params.signed_by(&key, &issuer).map_err(IssueError::Make)?;
    Ok(Pair {
        certificate: certificate.pem(),
        key: key.serialize_pem(),
    })
}

/// Whether a key is that of its certificate: what is signed with another one is trusted by nobody.
pub(super) fn check_key(pair: &Pair) -> Result<(), IssueError> {
    let read = |problem: String| IssueError::Read {
        what: "the key of the authority",
        problem,
    };
    let key = KeyPair::from_pem(&pair.key).map_err(|error| read(error.to_string()))?;
    let der = der(&pair.certificate).map_err(read)?;
    let (_, certificate) = X509Certificate::from_der(&der).map_err(|error| read(error.to_string()))?;
    match *certificate.public_key().subject_public_key.data == *key.public_key_raw() {
        true => Ok(()),
        false => Err(read("it is not that of the certificate".to_owned())),
    }
}

fn der(pem: &str) -> Result<CertificateDer<'static>, String> {
    CertificateDer::from_pem_slice(pem.as_bytes()).map_err(|error| error.to_string())
}

/// Reads a certificate in PEM.
pub(super) fn facts(pem: &str, what: &'static str) -> Result<Facts, IssueError> {
    let read = |problem: String| IssueError::Read { what, problem };
    let der = der(pem).map_err(read)?;
    let (_, certificate) = X509Certificate::from_der(&der).map_err(|error| read(error.to_string()))?;
    let validity = certificate.validity();
    Ok(Facts {
        subject: common_name(certificate.subject()),
        issuer: common_name(certificate.issuer()),
        not_before: moment(validity.not_before.timestamp()),
        not_after: moment(validity.not_after.timestamp()),
        names: names(&certificate),
    })
}

fn common_name(name: &x509_parser::x509::X509Name<'_>) -> String {
    let first = name.iter_common_name().next();
    first
        .and_then(|attribute| attribute.as_str().ok())
        .unwrap_or_default()
        .to_owned()
}

fn names(certificate: &X509Certificate<'_>) -> Vec<String> {
    let extension = certificate.subject_alternative_name().ok().flatten();
    let names = extension
        .iter()
        .flat_map(|extension| &extension.value.general_names);
    names.filter_map(name).collect()
}

fn name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => address(bytes),
        _ => None,
    }
}

fn address(bytes: &[u8]) -> Option<String> {
    let four = <[u8; 4]>::try_from(bytes).map(|bytes| std::net::IpAddr::from(bytes).to_string());
    let sixteen = <[u8; 16]>::try_from(bytes).map(|bytes| std::net::IpAddr::from(bytes).to_string());
    four.or(sixteen).ok()
}

fn named(common_name: &str) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, common_name);
    name
}

fn date(at: SystemTime) -> OffsetDateTime {
    OffsetDateTime::from(at)
}

fn moment(seconds: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
}

/// For people.
pub(super) fn shown(at: SystemTime) -> String {
    Timestamp::try_from(at).map_or_else(|_| "?".to_owned(), |at| at.to_string())
}
