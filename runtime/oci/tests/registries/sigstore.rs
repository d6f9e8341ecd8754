//! A Sigstore of the tests: an authority, logs and a timestamp service of its own, and what a signer makes with them.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use espejote_oci::Digest;
use rcgen::{
    BasicConstraints, CertificateParams, CustomExtension, DistinguishedName, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, PublicKeyData, SanType, SerialNumber,
};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair},
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use time::{Duration, OffsetDateTime};
use x509_parser::{certificate::X509Certificate, prelude::FromDer};

/// When everything is signed: 2026-01-02T03:04:05Z.
pub const NOW: i64 = 1_767_323_045;

pub const GITHUB: &str = "https://token.actions.githubusercontent.com";
pub const WORKFLOW: &str = "https://github.com/acme/labels/.github/workflows/release.yaml@refs/tags/v1";

/// A key on P-256.
pub struct Key(KeyPair);

impl Key {
    pub fn new() -> Self {
        Self(KeyPair::generate().unwrap())
    }

    /// `SubjectPublicKeyInfo`.
    pub fn der(&self) -> Vec<u8> {
        self.0.subject_public_key_info()
    }

    pub fn pem(&self) -> String {
        pem("PUBLIC KEY", &self.der())
    }

    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        let pair =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &self.0.serialize_der(), &random)
                .unwrap();
        pair.sign(&random, message).unwrap().as_ref().to_vec()
    }

    fn id(&self) -> [u8; 32] {
        sha256(&self.der())
    }
}

/// How a certificate comes to its signer.
#[derive(Clone)]
pub struct Request {
    pub subject: String,
    pub issuer: String,
    /// Whether the certificate log has promised to publish it.
    pub promised: bool,
    /// Whether it is for signing code.
    pub for_code: bool,
    pub from: i64,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            subject: WORKFLOW.into(),
            issuer: GITHUB.into(),
            promised: true,
            for_code: true,
            from: NOW - 60,
        }
    }
}

/// A signer with a certificate.
pub struct Signer {
    pub key: Key,
    pub certificate: Vec<u8>,
}

/// All servers of an instance.
pub struct Sigstore {
    authority: Issuer<'static, KeyPair>,
    authority_der: Vec<u8>,
    root_der: Vec<u8>,
    pub log: Key,
    pub certificate_log: Key,
    service: Key,
    service_der: Vec<u8>,
}

impl Sigstore {
    pub fn new() -> Self {
        let (root, root_der) = authority("test root", None);
        let (authority, authority_der) = authority("test authority", Some(&root));
        let service = Key::new();
        let mut params = self::params(NOW - 1_000_000, 400);
        params
            .distinguished_name
            .push(rcgen::DnType::CommonName, "test timestamps");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::TimeStamping];
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        let service_der = params.signed_by(&service.0, &authority).unwrap().der().to_vec();
        Self {
            authority,
            authority_der,
            root_der,
            log: Key::new(),
            certificate_log: Key::new(),
            service,
            service_der,
        }
    }

    /// Its `trusted_root.json`.
    pub fn root(&self) -> Value {
        let log = |key: &Key, url: &str| {
            json!({"baseUrl": url, "hashAlgorithm": "SHA2_256", "logId": {"keyId": encode(&key.id())}, "publicKey": {
                "rawBytes": encode(&key.der()), "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                "validFor": {"start": "2025-12-01T00:00:00Z"}}})
        };
        let chain = |certificates: &[&[u8]]| {
            let certificates: Vec<_> = certificates
                .iter()
                .map(|der| json!({"rawBytes": encode(der)}))
                .collect();
            json!({"uri": "https://authority.test", "subject": {"organization": "test", "commonName": "test"},
                "certChain": {"certificates": certificates}, "validFor": {"start": "2025-12-01T00:00:00.000Z"}})
        };
        json!({
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [log(&self.log, "https://rekor.test")],
            "ctlogs": [log(&self.certificate_log, "https://ctfe.test")],
            "certificateAuthorities": [chain(&[&self.authority_der, &self.root_der])],
            "timestampAuthorities": [chain(&[&self.service_der, &self.authority_der, &self.root_der])],
        })
    }

    /// A key and a certificate for it that is valid for ten minutes.
    pub fn signer(&self, request: &Request) -> Signer {
        let key = Key::new();
        let mut params = params(request.from, 0);
        params.subject_alt_names = vec![
            if request.subject.contains('@') && !request.subject.contains("://") {
                SanType::Rfc822Name(request.subject.as_str().try_into().unwrap())
            } else {
                SanType::URI(request.subject.as_str().try_into().unwrap())
            },
        ];
        params.serial_number = Some(SerialNumber::from(4_711_u64));
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        if request.for_code {
            params.extended_key_usages = vec![ExtendedKeyUsagePurpose::CodeSigning];
        }
        let issuer = yasna::construct_der(|writer| writer.write_utf8_string(&request.issuer));
        // As Fulcio does it: of old the bare text, today a text in DER.
        params.custom_extensions = vec![
            CustomExtension::from_oid_content(
                &[1, 3, 6, 1, 4, 1, 57264, 1, 1],
                request.issuer.clone().into_bytes(),
            ),
            CustomExtension::from_oid_content(&[1, 3, 6, 1, 4, 1, 57264, 1, 8], issuer),
        ];
        let before = params.signed_by(&key.0, &self.authority).unwrap().der().to_vec();
        if !request.promised {
            return Signer {
                key,
                certificate: before,
            };
        }
        let promise = self.promise(&before);
        let id = [1, 3, 6, 1, 4, 1, 11129, 2, 4, 2];
        params
            .custom_extensions
            .push(CustomExtension::from_oid_content(&id, promise));
        let certificate = params.signed_by(&key.0, &self.authority).unwrap().der().to_vec();
        Signer { key, certificate }
    }

    /// The certificate log's promise to publish a certificate, as an extension has it (RFC 6962, section 3.3).
    fn promise(&self, before: &[u8]) -> Vec<u8> {
        let (_, certificate) = X509Certificate::from_der(before).unwrap();
        let (_, authority) = X509Certificate::from_der(&self.authority_der).unwrap();
        let tbs = certificate.tbs_certificate.as_ref();
        let time = (NOW as u64 * 1_000).to_be_bytes();
        let mut signed = vec![0, 0];
        signed.extend(time);
        signed.extend([0, 1]);
        signed.extend(sha256(authority.tbs_certificate.subject_pki.raw));
        signed.extend(&(tbs.len() as u32).to_be_bytes()[1..]);
        signed.extend(tbs);
        signed.extend([0, 0]);
        let signature = self.certificate_log.sign(&signed);
        let mut promise = vec![0];
        promise.extend(self.certificate_log.id());
        promise.extend(time);
        promise.extend([0, 0, 4, 3]);
        promise.extend((signature.len() as u16).to_be_bytes());
        promise.extend(signature);
        let mut list = (promise.len() as u16 + 2).to_be_bytes().to_vec();
        list.extend((promise.len() as u16).to_be_bytes());
        list.extend(promise);
        yasna::construct_der(|writer| writer.write_bytes(&list))
    }

    /// A log entry with promise and proof, as bundles have it.
    pub fn entry(&self, body: &Value, time: i64) -> Value {
        let body = body.to_string();
        let (others, number) = ([leaf(b"one"), leaf(b"two")], 1_000_007);
        let root = node(&node(&others[0], &leaf(body.as_bytes())), &others[1]);
        let text = format!("rekor.test - 4242\n3\n{}\n", encode(&root));
        let hinted = [&self.log.id()[..4], &self.log.sign(text.as_bytes())].concat();
        let checkpoint = format!("{text}\n\u{2014} rekor.test {}\n", encode(&hinted));
        json!({
            "logIndex": number.to_string(), "logId": {"keyId": encode(&self.log.id())},
            "kindVersion": {"kind": "dsse", "version": "0.0.1"}, "integratedTime": time.to_string(),
            "inclusionPromise": {"signedEntryTimestamp": encode(&self.promise_entry(&body, time, number))},
            "inclusionProof": {"logIndex": "1", "rootHash": encode(&root), "treeSize": "3",
                "hashes": others.iter().map(|hash| encode(hash)).collect::<Vec<_>>(),
                "checkpoint": {"envelope": checkpoint}},
            "canonicalizedBody": encode(body.as_bytes()),
        })
    }

    fn promise_entry(&self, body: &str, time: i64, number: i64) -> Vec<u8> {
        let id: String = self.log.id().iter().map(|byte| format!("{byte:02x}")).collect();
        let body = encode(body.as_bytes());
        let signed =
            format!(r#"{{"body":"{body}","integratedTime":{time},"logID":"{id}","logIndex":{number}}}"#);
        self.log.sign(signed.as_bytes())
    }

    /// A timestamp over a signature (RFC 3161).
    pub fn timestamp(&self, signature: &[u8], time: &str) -> Vec<u8> {
        crate::timestamps::response(signature, time, &self.service_der, |attributes| {
            self.service.sign(attributes)
        })
    }

    /// A keyless signature in the bundle format.
    pub fn bundle(&self, signer: &Signer, digest: Digest) -> Value {
        let mut bundle = key_bundle(&signer.key, digest);
        let body = dsse_body(&bundle, &pem("CERTIFICATE", &signer.certificate));
        bundle["verificationMaterial"] = json!({
            "certificate": {"rawBytes": encode(&signer.certificate)},
            "tlogEntries": [self.entry(&body, NOW)],
        });
        bundle
    }

    /// A keyless signature in the format of old: payload and annotations.
    pub fn simple(&self, signer: &Signer, digest: Digest) -> (String, BTreeMap<String, String>) {
        let (payload, mut annotations) = key_simple(&signer.key, digest);
        let certificate = pem("CERTIFICATE", &signer.certificate);
        let hash: String = sha256(payload.as_bytes())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let body = json!({"apiVersion": "0.0.1", "kind": "hashedrekord", "spec": {
            "data": {"hash": {"algorithm": "sha256", "value": hash}},
            "signature": {"content": annotations["dev.cosignproject.cosign/signature"],
                "publicKey": {"content": encode(certificate.as_bytes())}}}})
        .to_string();
        let id: String = self.log.id().iter().map(|byte| format!("{byte:02x}")).collect();
        let entry = json!({
            "SignedEntryTimestamp": encode(&self.promise_entry(&body, NOW, 77)),
            "Payload": {"body": encode(body.as_bytes()), "integratedTime": NOW, "logIndex": 77, "logID": id}});
        annotations.insert("dev.sigstore.cosign/certificate".into(), certificate);
        annotations.insert(
            "dev.sigstore.cosign/chain".into(),
            pem("CERTIFICATE", &self.authority_der),
        );
        annotations.insert("dev.sigstore.cosign/bundle".into(), entry.to_string());
        (payload, annotations)
    }
}

/// A log's record of a bundle.
pub fn dsse_body(bundle: &Value, verifier: &str) -> Value {
    let envelope = &bundle["dsseEnvelope"];
    let payload = STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap();
    let hex = |bytes: &[u8]| {
        sha256(bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    json!({"apiVersion": "0.0.1", "kind": "dsse", "spec": {
        "envelopeHash": {"algorithm": "sha256", "value": hex(envelope.to_string().as_bytes())},
        "payloadHash": {"algorithm": "sha256", "value": hex(&payload)},
        "signatures": [{"signature": envelope["signatures"][0]["sig"], "verifier": encode(verifier.as_bytes())}]}})
}

/// A signature by key in the bundle format.
pub fn key_bundle(key: &Key, digest: Digest) -> Value {
    bundle_of(key, digest, "https://sigstore.dev/cosign/sign/v1")
}

/// A signed statement about a manifest.
pub fn bundle_of(key: &Key, digest: Digest, predicate: &str) -> Value {
    let statement = json!({
        "_type": "https://in-toto.io/Statement/v1", "subject": [{"digest": {"sha256": digest.hex()}}],
        "predicateType": predicate, "predicate": {}})
    .to_string();
    let kind = "application/vnd.in-toto+json";
    let message = format!("DSSEv1 {} {kind} {} {statement}", kind.len(), statement.len());
    json!({
        "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
        "verificationMaterial": {"publicKey": {"hint": encode(&key.id())}},
        "dsseEnvelope": {"payload": encode(statement.as_bytes()), "payloadType": kind,
            "signatures": [{"sig": encode(&key.sign(message.as_bytes()))}]},
    })
}

/// A signature by key in the format of old.
pub fn key_simple(key: &Key, digest: Digest) -> (String, BTreeMap<String, String>) {
    let payload = payload(digest);
    let signature = encode(&key.sign(payload.as_bytes()));
    (
        payload,
        BTreeMap::from([("dev.cosignproject.cosign/signature".to_owned(), signature)]),
    )
}

/// What is signed in the format of old.
pub fn payload(digest: Digest) -> String {
    json!({"critical": {"identity": {"docker-reference": "registry.example/acme/labels"},
        "image": {"docker-manifest-digest": digest}, "type": "cosign container image signature"}, "optional": null})
    .to_string()
}

pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub fn pem(label: &str, der: &[u8]) -> String {
    let encoded = encode(der);
    let lines: Vec<_> = encoded
        .as_bytes()
        .chunks(64)
        .map(|line| String::from_utf8_lossy(line))
        .collect();
    format!(
        "-----BEGIN {label}-----\n{}\n-----END {label}-----\n",
        lines.join("\n")
    )
}

/// A certificate authority, by itself or under another. It says nothing of what its certificates are for.
fn authority(name: &str, above: Option<&Issuer<'static, KeyPair>>) -> (Issuer<'static, KeyPair>, Vec<u8>) {
    let key = KeyPair::generate().unwrap();
    let mut params = params(NOW - 1_000_000, 400);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    let certificate = match above {
        None => params.self_signed(&key),
        Some(above) => params.signed_by(&key, above),
    };
    let der = certificate.unwrap().der().to_vec();
    (Issuer::new(params, key), der)
}

fn params(from: i64, days: i64) -> CertificateParams {
    let from = OffsetDateTime::from_unix_timestamp(from).unwrap();
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.use_authority_key_identifier_extension = true;
    params.not_before = from;
    params.not_after = from + Duration::days(days) + Duration::minutes(10);
    params
}

pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

fn leaf(entry: &[u8]) -> [u8; 32] {
    sha256(&[&[0], entry].concat())
}

fn node(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    sha256(&[&[1], &left[..], &right[..]].concat())
}
