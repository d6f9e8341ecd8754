//! The promise of a certificate log, inside a certificate, to publish it (RFC 6962, section 3): whoever has a certificate
//! issued in secret does not get one.

use sha2::{Digest as _, Sha256};
use x509_parser::{
    certificate::X509Certificate,
    extensions::{ParsedExtension, SignedCertificateTimestamp},
    prelude::FromDer,
};

use super::{
    certificate::Certificate,
    der::{self, SEQUENCE},
    root::Log,
};

/// The extension's object identifier, 1.3.6.1.4.1.11129.2.4.2, as DER writes it.
const PROMISES: &[u8] = &[0x2b, 6, 1, 4, 1, 0xd6, 0x79, 2, 4, 2];

/// Whether a log of the trust root has promised to publish a certificate. `issuers` are all that may have issued it.
pub(super) fn promised(leaf: &[u8], issuers: &[Vec<u8>], logs: &[Log]) -> Result<(), String> {
    let none = || "its certificate has no promise of a certificate log".to_owned();
    let (_, certificate) = X509Certificate::from_der(leaf).map_err(|error| error.to_string())?;
    let promises = certificate
        .extensions()
        .iter()
        .find_map(|extension| match extension.parsed_extension() {
            ParsedExtension::SCT(promises) => Some(promises),
            _ => None,
        });
    let promises = promises.ok_or_else(none)?;
    let before = without_promises(certificate.tbs_certificate.as_ref()).ok_or_else(none)?;
    let holds = |promise: &SignedCertificateTimestamp<'_>| {
        issuers
            .iter()
            .filter_map(|issuer| Certificate::key_info(issuer))
            .any(|issuer| {
                let signed = signed(promise, &issuer, &before);
                logs.iter()
                    .any(|log| is_from(log, promise) && log.key.has_signed(&signed, promise.signature.data))
            })
    };
    if promises.iter().any(holds) {
        return Ok(());
    }
    Err("no certificate log of the trust root has promised to publish its certificate".to_owned())
}

fn is_from(log: &Log, promise: &SignedCertificateTimestamp<'_>) -> bool {
    let seconds = i64::try_from(promise.timestamp / 1_000).unwrap_or(i64::MAX);
    log.id == promise.id.key_id && log.period.includes(seconds)
}

/// What the log has signed: the certificate as it was before the promise was put in, and who issued it.
fn signed(promise: &SignedCertificateTimestamp<'_>, issuer: &[u8], before: &[u8]) -> Vec<u8> {
    const VERSION_1: u8 = 0;
    const CERTIFICATE_TIMESTAMP: u8 = 0;
    const PRECERTIFICATE: [u8; 2] = [0, 1];
    let mut signed = vec![VERSION_1, CERTIFICATE_TIMESTAMP];
    signed.extend(promise.timestamp.to_be_bytes());
    signed.extend(PRECERTIFICATE);
    signed.extend(Sha256::digest(issuer));
    // Three bytes of length.
    signed.extend(
        before
            .len()
            .to_be_bytes()
            .into_iter()
            .skip(size_of::<usize>() - 3),
    );
    signed.extend(before);
    signed.extend(
        promise
            .extensions
            .0
            .len()
            .to_be_bytes()
            .into_iter()
            .skip(size_of::<usize>() - 2),
    );
    signed.extend(promise.extensions.0);
    signed
}

/// The part of a certificate that is signed, without the extension with the promises.
fn without_promises(certificate: &[u8]) -> Option<Vec<u8>> {
    const EXTENSIONS: u8 = 0xa3;
    let (outer, rest) = der::first(certificate)?;
    let mut fields = Vec::new();
    for field in der::elements(outer.content)? {
        if field.tag == EXTENSIONS {
            let (list, _) = der::first(field.content)?;
            let kept: Vec<u8> = der::elements(list.content)?
                .into_iter()
                .filter(|extension| !is_promises(extension.content))
                .flat_map(|extension| extension.whole.iter().copied())
                .collect();
            fields.extend(der::encode(EXTENSIONS, &der::encode(SEQUENCE, &kept)));
        } else {
            fields.extend_from_slice(field.whole);
        }
    }
    (outer.tag == SEQUENCE && rest.is_empty()).then(|| der::encode(SEQUENCE, &fields))
}

fn is_promises(extension: &[u8]) -> bool {
    der::first(extension).is_some_and(|(id, _)| id.content == PROMISES)
}
