//! A certificate authority of the tests.

use std::sync::Arc;

use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::{ServerConfig, pki_types::PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

pub struct Tls {
    /// The authority's certificate, in PEM.
    pub authority: String,
    /// A certificate for 127.0.0.1 and its key, in PEM.
    pub certificate: String,
    pub key: String,
    leaf: Certificate,
    leaf_key: KeyPair,
}

impl Tls {
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority_key = KeyPair::generate().unwrap();
        let authority = params.self_signed(&authority_key).unwrap();
        let issuer = Issuer::new(params, authority_key);
        let leaf_key = KeyPair::generate().unwrap();
        let leaf = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let leaf = leaf.signed_by(&leaf_key, &issuer).unwrap();
        Self {
            authority: authority.pem(),
            certificate: leaf.pem(),
            key: leaf_key.serialize_pem(),
            leaf,
            leaf_key,
        }
    }

    /// For a server of ours.
    pub fn acceptor(&self) -> TlsAcceptor {
        let key = PrivatePkcs8KeyDer::from(self.leaf_key.serialize_der());
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.leaf.der().clone()], key.into())
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }
}
