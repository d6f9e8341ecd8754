//! What an entry of a transparency log records: which signature, by whom, over what. Entries of Rekor 1 and 2.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use super::log::About;

/// Whether the entry is about that signature by that key over that payload.
pub(super) fn is_about(body: &[u8], about: &About<'_>) -> Result<(), String> {
    let entry: Value =
        serde_json::from_slice(body).map_err(|error| format!("its log entry cannot be read: {error}"))?;
    let read = |found: Option<Recorded>| found.ok_or_else(|| unknown(&entry));
    let recorded = read(match at(&entry, "/kind").as_str() {
        Some("hashedrekord") => hashed(at(&entry, "/spec")),
        Some("dsse") => envelope(at(&entry, "/spec")),
        Some("intoto") => statement(at(&entry, "/spec")),
        _ => None,
    })?;
    let right = about.payloads.iter().any(|payload| recorded.payload == *payload)
        && recorded.signature == about.signature
        && recorded.verifier == about.verifier;
    if right {
        Ok(())
    } else {
        Err("its log entry is about another signature".to_owned())
    }
}

fn unknown(entry: &Value) -> String {
    format!(
        "its log entry is of a kind that is not known ({} {})",
        at(entry, "/kind"),
        at(entry, "/apiVersion")
    )
}

/// What an entry records.
struct Recorded {
    payload: Vec<u8>,
    signature: Vec<u8>,
    verifier: Vec<u8>,
}

fn hashed(spec: &Value) -> Option<Recorded> {
    if let Some(spec) = spec.get("hashedRekordV002") {
        return Some(Recorded {
            payload: base64(at(spec, "/data/digest"))?,
            signature: base64(at(spec, "/signature/content"))?,
            verifier: raw(at(spec, "/signature/verifier"))?,
        });
    }
    Some(Recorded {
        payload: sha256(at(spec, "/data/hash"))?,
        signature: base64(at(spec, "/signature/content"))?,
        verifier: pem(at(spec, "/signature/publicKey/content"))?,
    })
}

fn envelope(spec: &Value) -> Option<Recorded> {
    if let Some(spec) = spec.get("dsseV002") {
        let signature = only(at(spec, "/signatures"))?;
        return Some(Recorded {
            payload: base64(at(spec, "/payloadHash/digest"))?,
            signature: base64(at(signature, "/content"))?,
            verifier: raw(at(signature, "/verifier"))?,
        });
    }
    let signature = only(at(spec, "/signatures"))?;
    Some(Recorded {
        payload: sha256(at(spec, "/payloadHash"))?,
        signature: base64(at(signature, "/signature"))?,
        verifier: pem(at(signature, "/verifier"))?,
    })
}

fn statement(spec: &Value) -> Option<Recorded> {
    let content = at(spec, "/content");
    let signature = only(at(content, "/envelope/signatures"))?;
    Some(Recorded {
        payload: sha256(at(content, "/payloadHash"))?,
        // This kind has the text of the signature encoded once more.
        signature: STANDARD.decode(base64(at(signature, "/sig"))?).ok()?,
        verifier: pem(at(signature, "/publicKey"))?,
    })
}

/// What is at a path, null if there is nothing.
fn at<'a>(value: &'a Value, path: &str) -> &'a Value {
    value.pointer(path).unwrap_or(&Value::Null)
}

fn only(list: &Value) -> Option<&Value> {
    match list.as_array()?.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

fn base64(value: &Value) -> Option<Vec<u8>> {
    STANDARD.decode(value.as_str()?).ok()
}

fn sha256(hash: &Value) -> Option<Vec<u8>> {
    let right = at(hash, "/algorithm").as_str()?.eq_ignore_ascii_case("sha256");
    let digest: crate::Digest = format!("sha256:{}", at(hash, "/value").as_str()?).parse().ok()?;
    right.then(|| digest.as_bytes().to_vec())
}

/// The DER in a PEM that is encoded once more.
fn pem(value: &Value) -> Option<Vec<u8>> {
    let text = base64(value)?;
    super::pem::first(&text)
}

fn raw(verifier: &Value) -> Option<Vec<u8>> {
    let certificate = base64(at(verifier, "/x509Certificate/rawBytes"));
    certificate.or_else(|| base64(at(verifier, "/publicKey/rawBytes")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PAYLOAD: [u8; 32] = [7; 32];
    const SIGNATURE: &[u8] = b"signature";
    const VERIFIER: &[u8] = b"certificate";

    /// An entry of each kind about the same signature.
    fn entries() -> Vec<Value> {
        let (digest, signature) = (STANDARD.encode(PAYLOAD), STANDARD.encode(SIGNATURE));
        let hash = json!({"algorithm": "sha256", "value": "07".repeat(32)});
        let der = STANDARD.encode(VERIFIER);
        let pem = STANDARD.encode(format!(
            "-----BEGIN CERTIFICATE-----\n{der}\n-----END CERTIFICATE-----\n"
        ));
        let raw = json!({"x509Certificate": {"rawBytes": der}});
        let (old, new) = ("0.0.1", "0.0.2");
        let signed = json!({"content": signature, "verifier": raw});
        vec![
            json!({"kind": "hashedrekord", "apiVersion": old, "spec": {"data": {"hash": hash},
                "signature": {"content": signature, "publicKey": {"content": pem}}}}),
            json!({"kind": "dsse", "apiVersion": old, "spec": {"payloadHash": hash,
                "signatures": [{"signature": signature, "verifier": pem}]}}),
            json!({"kind": "intoto", "apiVersion": new, "spec": {"content": {"payloadHash": hash, "envelope": {
                "signatures": [{"sig": STANDARD.encode(&signature), "publicKey": pem}]}}}}),
            json!({"kind": "hashedrekord", "apiVersion": new, "spec": {"hashedRekordV002": {
                "data": {"algorithm": "SHA2_256", "digest": digest}, "signature": signed}}}),
            json!({"kind": "dsse", "apiVersion": new, "spec": {"dsseV002": {
                "payloadHash": {"algorithm": "SHA2_256", "digest": digest}, "signatures": [signed]}}}),
        ]
    }

    #[test]
    fn each_kind_of_entry_is_about_its_payload_signature_and_verifier() {
        let payloads = [PAYLOAD];
        let right = || About {
            payloads: &payloads,
            signature: SIGNATURE,
            verifier: VERIFIER,
        };
        for entry in entries() {
            let body = entry.to_string();
            let check = |about| is_about(body.as_bytes(), &about);
            assert_eq!(check(right()), Ok(()), "{entry}");
            for wrong in [
                About {
                    payloads: &[[8; 32]],
                    ..right()
                },
                About {
                    signature: b"other",
                    ..right()
                },
                About {
                    verifier: b"other",
                    ..right()
                },
            ] {
                assert!(check(wrong).is_err(), "{entry}");
            }
        }
    }

    #[test]
    fn a_kind_that_is_not_known_is_named() {
        let about = About {
            payloads: &[],
            signature: b"",
            verifier: b"",
        };
        let error = is_about(br#"{"kind": "rpm", "apiVersion": "0.0.1"}"#, &about).unwrap_err();
        assert!(error.contains(r#""rpm" "0.0.1""#), "{error}");
        assert!(is_about(b"{}", &about).is_err() && is_about(b"", &about).is_err());
    }
}
