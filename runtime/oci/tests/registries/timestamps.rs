//! Answers of a timestamp service (RFC 3161), put together by another library than takes them apart.

use sha2::{Digest as _, Sha256};
use x509_parser::{certificate::X509Certificate, prelude::FromDer};
use yasna::{DERWriter, Tag, construct_der, models::ObjectIdentifier};

fn id(numbers: &[u64]) -> ObjectIdentifier {
    ObjectIdentifier::from_slice(numbers)
}

/// An answer that `signature` was there at `time`, signed by `sign` with the key of `certificate`.
pub fn response(
    signature: &[u8],
    time: &str,
    certificate: &[u8],
    sign: impl Fn(&[u8]) -> Vec<u8>,
) -> Vec<u8> {
    let statement_id = id(&[1, 2, 840, 113549, 1, 9, 16, 1, 4]);
    let statement = statement(signature, time);
    let attributes = attributes(&statement_id, &statement, certificate);
    let signed = construct_der(|writer| {
        writer.write_set_of(|writer| {
            attributes
                .iter()
                .for_each(|attribute| writer.next().write_der(attribute))
        });
    });
    let signature = sign(&signed);
    // The same content, tagged as a part of what is around it.
    let mut implicit = signed;
    implicit[0] = 0xa0;
    construct_der(|writer| {
        writer.write_sequence(|writer| {
            writer.next().write_sequence(|writer| writer.next().write_u8(0));
            writer.next().write_sequence(|writer| {
                writer.next().write_oid(&id(&[1, 2, 840, 113549, 1, 7, 2]));
                writer.next().write_tagged(Tag::context(0), |writer| {
                    writer.write_sequence(|writer| {
                        writer.next().write_u8(3);
                        writer.next().write_set_of(|writer| algorithm(writer.next()));
                        writer.next().write_sequence(|writer| {
                            writer.next().write_oid(&statement_id);
                            writer
                                .next()
                                .write_tagged(Tag::context(0), |writer| writer.write_bytes(&statement));
                        });
                        writer.next().write_tagged_implicit(Tag::context(0), |writer| {
                            writer.write_set_of(|writer| writer.next().write_der(certificate));
                        });
                        writer
                            .next()
                            .write_set_of(|writer| signer(writer.next(), certificate, &implicit, &signature));
                    });
                });
            });
        });
    })
}

fn algorithm(writer: DERWriter<'_>) {
    writer.write_sequence(|writer| {
        writer.next().write_oid(&id(&[2, 16, 840, 1, 101, 3, 4, 2, 1]));
    });
}

fn statement(signature: &[u8], time: &str) -> Vec<u8> {
    construct_der(|writer| {
        writer.write_sequence(|writer| {
            writer.next().write_u8(1);
            writer.next().write_oid(&id(&[1, 3, 6, 1, 4, 1, 57264, 2]));
            writer.next().write_sequence(|writer| {
                algorithm(writer.next());
                writer.next().write_bytes(&Sha256::digest(signature));
            });
            writer.next().write_u8(7);
            let mut generalized = vec![0x18, time.len() as u8];
            generalized.extend(time.as_bytes());
            writer.next().write_der(&generalized);
        });
    })
}

fn attributes(statement_id: &ObjectIdentifier, statement: &[u8], certificate: &[u8]) -> Vec<Vec<u8>> {
    let attribute = |name: &[u64], value: &dyn Fn(DERWriter<'_>)| {
        construct_der(|writer| {
            writer.write_sequence(|writer| {
                writer.next().write_oid(&id(name));
                writer.next().write_set_of(|writer| value(writer.next()));
            });
        })
    };
    vec![
        attribute(&[1, 2, 840, 113549, 1, 9, 3], &|writer| {
            writer.write_oid(statement_id)
        }),
        attribute(&[1, 2, 840, 113549, 1, 9, 4], &|writer| {
            writer.write_bytes(&Sha256::digest(statement))
        }),
        // Which certificate it is: others than we want to know.
        attribute(&[1, 2, 840, 113549, 1, 9, 16, 2, 47], &|writer| {
            writer.write_sequence(|writer| {
                writer.next().write_sequence(|writer| {
                    writer.next().write_sequence(|writer| {
                        writer.next().write_bytes(&Sha256::digest(certificate));
                    });
                });
            });
        }),
    ]
}

fn signer(writer: DERWriter<'_>, certificate: &[u8], attributes: &[u8], signature: &[u8]) {
    let (_, parsed) = X509Certificate::from_der(certificate).unwrap();
    writer.write_sequence(|writer| {
        writer.next().write_u8(1);
        writer.next().write_sequence(|writer| {
            writer.next().write_der(parsed.tbs_certificate.issuer.as_raw());
            let mut serial = vec![2, parsed.tbs_certificate.raw_serial().len() as u8];
            serial.extend(parsed.tbs_certificate.raw_serial());
            writer.next().write_der(&serial);
        });
        algorithm(writer.next());
        writer.next().write_der(attributes);
        writer
            .next()
            .write_sequence(|writer| writer.next().write_oid(&id(&[1, 2, 840, 10045, 4, 3, 2])));
        writer.next().write_bytes(signature);
    });
}
