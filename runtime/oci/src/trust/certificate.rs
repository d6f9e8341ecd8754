//! Signing certificates: who they name, and whether an authority of the trust root issued them for that moment.

use rustls::pki_types::{CertificateDer, TrustAnchor};
use webpki::{EndEntityCert, KeyUsage, anchor_from_trusted_cert, ring as algorithms};
use x509_parser::{
    certificate::X509Certificate,
    extensions::{GeneralName, ParsedExtension},
    prelude::FromDer,
};

use super::{
    der,
    key::PublicKey,
    root::{Authority, unix_time},
};

/// The issuer of the identity token, as DER text and, of old, as bare text.
const ISSUER: &str = "1.3.6.1.4.1.57264.1.8";
const ISSUER_OF_OLD: &str = "1.3.6.1.4.1.57264.1.1";

/// What a certificate is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    CodeSigning,
    TimeStamping,
}

impl Usage {
    /// The extended key usage's object identifier, as DER writes it.
    fn id(self) -> &'static [u8] {
        match self {
            Self::CodeSigning => &[0x2b, 6, 1, 5, 5, 7, 3, 3],
            Self::TimeStamping => &[0x2b, 6, 1, 5, 5, 7, 3, 8],
        }
    }

    /// Whether a certificate says so itself.
    fn is_of(self, certificate: &X509Certificate<'_>) -> bool {
        let usages = certificate.extended_key_usage().ok().flatten();
        usages.is_some_and(|usages| match self {
            Self::CodeSigning => usages.value.code_signing,
            Self::TimeStamping => usages.value.time_stamping,
        })
    }
}

/// A certificate, parsed.
#[derive(Clone, Debug)]
pub(super) struct Certificate {
    pub(super) der: Vec<u8>,
    pub(super) key: PublicKey,
    /// Who it names: addresses and names.
    pub(super) subjects: Vec<String>,
    /// Who vouched for them.
    pub(super) issuer: Option<String>,
}

impl Certificate {
    /// From DER; else why it cannot be read.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let (rest, certificate) = X509Certificate::from_der(bytes)
            .map_err(|error| format!("the certificate is not valid: {error}"))?;
        if !rest.is_empty() {
            return Err("there is something behind the certificate".to_owned());
        }
        let key = PublicKey::from_der(certificate.tbs_certificate.subject_pki.raw)
            .map_err(|error| format!("the certificate's key: {error}"))?;
        Ok(Self {
            der: bytes.to_vec(),
            key,
            subjects: subjects(&certificate),
            issuer: extension(&certificate, ISSUER)
                .and_then(der_text)
                .or_else(|| extension(&certificate, ISSUER_OF_OLD).and_then(text)),
        })
    }

    /// The digest of the issuer's key is in what a certificate log signs; so each that may have issued it is given back.
    pub(super) fn key_info(bytes: &[u8]) -> Option<Vec<u8>> {
        let (_, certificate) = X509Certificate::from_der(bytes).ok()?;
        Some(certificate.tbs_certificate.subject_pki.raw.to_vec())
    }

    /// The identity in words.
    pub(super) fn words(&self) -> String {
        let subjects = if self.subjects.is_empty() {
            "nobody".to_owned()
        } else {
            self.subjects.join(", ")
        };
        let issuer = self.issuer.as_deref().unwrap_or("nobody");
        format!("{subjects} (vouched for by {issuer})")
    }
}

/// Whether one of the authorities that were in use at a time issued a certificate that was valid then and may be used for
/// `usage`; those between may say nothing of what they are for. Else why not.
pub(super) fn issued(
    leaf: &[u8],
    between: &[Vec<u8>],
    authorities: &[Authority],
    usage: Usage,
    seconds: i64,
) -> Result<(), String> {
    let (_, parsed) = X509Certificate::from_der(leaf).map_err(|error| error.to_string())?;
    if !usage.is_of(&parsed) {
        return Err(format!("its certificate is not for {usage:?}"));
    }
    let in_use: Vec<&Authority> = authorities
        .iter()
        .filter(|authority| authority.period.includes(seconds))
        .collect();
    let roots: Vec<_> = in_use
        .iter()
        .filter_map(|authority| authority.chain.last())
        .map(|root| CertificateDer::from(root.as_slice()))
        .collect();
    let anchors: Vec<TrustAnchor<'_>> = roots
        .iter()
        .filter_map(|root| anchor_from_trusted_cert(root).ok())
        .collect();
    let known = in_use.iter().flat_map(|authority| authority.chain.iter());
    let between: Vec<_> = known
        .chain(between)
        .map(|der| CertificateDer::from(der.as_slice()))
        .collect();
    let der = CertificateDer::from(leaf);
    let leaf =
        EndEntityCert::try_from(&der).map_err(|error| format!("the certificate is not valid: {error}"))?;
    let time = unix_time(seconds).ok_or_else(|| format!("{seconds} is no time"))?;
    leaf.verify_for_usage(
        ALGORITHMS,
        &anchors,
        &between,
        time,
        KeyUsage::required_if_present(usage.id()),
        None,
        None,
    )
    .map(drop)
    .map_err(|error| format!("no authority of the trust root issued its certificate for that time: {error}"))
}

const ALGORITHMS: &[&dyn rustls::pki_types::SignatureVerificationAlgorithm] = &[
    algorithms::ECDSA_P256_SHA256,
    algorithms::ECDSA_P256_SHA384,
    algorithms::ECDSA_P384_SHA256,
    algorithms::ECDSA_P384_SHA384,
    algorithms::ED25519,
    algorithms::RSA_PKCS1_2048_8192_SHA256,
    algorithms::RSA_PKCS1_2048_8192_SHA384,
    algorithms::RSA_PKCS1_2048_8192_SHA512,
];

fn subjects(certificate: &X509Certificate<'_>) -> Vec<String> {
    let extensions = certificate.extensions().iter();
    let names = extensions.filter_map(|extension| match extension.parsed_extension() {
        ParsedExtension::SubjectAlternativeName(names) => Some(&names.general_names),
        _ => None,
    });
    names.flatten().filter_map(name).collect()
}

/// Mail addresses, URIs, and the names that Sigstore has for other logins.
fn name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::RFC822Name(text) | GeneralName::URI(text) | GeneralName::DNSName(text) => {
            Some((*text).to_owned())
        }
        GeneralName::OtherName(id, value) if id.to_id_string() == "1.3.6.1.4.1.57264.1.7" => {
            let (inner, _) = der::first(value)?;
            // The parser may or may not have taken the explicit tag away.
            if inner.tag == 0xa0 {
                der_text(inner.content)
            } else {
                text(inner.content)
            }
        }
        _ => None,
    }
}

fn extension<'a>(certificate: &'a X509Certificate<'_>, id: &str) -> Option<&'a [u8]> {
    let mut extensions = certificate.extensions().iter();
    extensions
        .find(|extension| extension.oid.to_id_string() == id)
        .map(|extension| extension.value)
}

fn der_text(bytes: &[u8]) -> Option<String> {
    let (element, rest) = der::first(bytes)?;
    // UTF8String
    (element.tag == 0x0c && rest.is_empty())
        .then(|| text(element.content))
        .flatten()
}

fn text(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}
