//! Certificate authorities of tests.

use std::time::{Duration, SystemTime};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rcgen::{BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair};

/// How long what it signs lasts, from its beginning.
const LIFE: Duration = Duration::from_secs(365 * 24 * 3_600);

/// An authority with one key and one name, whose certificates may begin at any time.
pub struct Authority {
    name: String,
    key: String,
}

impl Authority {
    /// A new key.
    pub fn new(name: &str) -> Self {
        let key = KeyPair::generate().expect("make a key").serialize_pem();
        crate::run::keep_secret(key.lines().nth(1).expect("a key has lines"));
        Self {
            name: name.to_owned(),
            key,
        }
    }

    /// Its key, in PEM.
    pub fn key(&self) -> String {
        self.key.clone()
    }

    /// Its own certificate, in PEM, that began so long ago.
    pub fn certificate(&self, since: Duration) -> String {
        let certificate = self.params(since).self_signed(&self.pair());
        certificate.expect("make a certificate").pem()
    }

    /// Its certificate as a webhook configuration has it.
    pub fn bundle(&self) -> String {
        STANDARD.encode(self.certificate(Duration::from_secs(3_600)))
    }

    /// Certificate and key of a server, in PEM; the certificate began so long ago.
    pub fn server(&self, name: &str, since: Duration) -> (String, String) {
        let issuer = Issuer::new(self.params(since), self.pair());
        let mut params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        (params.not_before, params.not_after) = period(since);
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate().expect("make a key");
        let certificate = params.signed_by(&key, &issuer).expect("make a certificate");
        (certificate.pem(), key.serialize_pem())
    }

    fn pair(&self) -> KeyPair {
        KeyPair::from_pem(&self.key).expect("its own key")
    }

    fn params(&self, since: Duration) -> CertificateParams {
        let mut name = DistinguishedName::new();
        name.push(DnType::CommonName, self.name.as_str());
        let mut params = CertificateParams::default();
        params.distinguished_name = name;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        (params.not_before, params.not_after) = period(since);
        params
    }
}

fn period(since: Duration) -> (time::OffsetDateTime, time::OffsetDateTime) {
    let begin = SystemTime::now() - since;
    (begin.into(), (begin + LIFE).into())
}
