//! Certificates and keys in PEM.

use rustls::pki_types::{CertificateDer, SubjectPublicKeyInfoDer, pem::PemObject};

/// The first certificate or public key, in DER.
pub(super) fn first(pem: &[u8]) -> Option<Vec<u8>> {
    let certificate = CertificateDer::from_pem_slice(pem).map(|der| der.to_vec());
    certificate
        .or_else(|_| SubjectPublicKeyInfoDer::from_pem_slice(pem).map(|der| der.to_vec()))
        .ok()
}

/// All certificates, in DER; none if one of them is not valid.
pub(super) fn certificates(pem: &[u8]) -> Option<Vec<Vec<u8>>> {
    CertificateDer::pem_slice_iter(pem)
        .map(|der| der.map(|der| der.to_vec()).ok())
        .collect()
}
