//! Signed statements of a timestamp service that something was there at a time (RFC 3161): CMS, as far as such a statement
//! needs it.

use sha2::{Digest as _, Sha256, Sha384, Sha512};
use time::{Date, Month, PrimitiveDateTime, Time};

use super::{
    certificate::{self, Certificate, Usage},
    der::{self, Element, SEQUENCE},
    root::Authority,
};

const INTEGER: u8 = 0x02;
const OCTETS: u8 = 0x04;
const OBJECT: u8 = 0x06;
const TIME: u8 = 0x18;
const SET: u8 = 0x31;
const CONTEXT_0: u8 = 0xa0;

/// Object identifiers as DER writes them.
const SIGNED_DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2];
const STATEMENT: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 16, 1, 4];
const CONTENT_TYPE: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 3];
const MESSAGE_DIGEST: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 4];
const SHA_256: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1];
const SHA_384: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 2];
const SHA_512: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 3];

/// When a timestamp service of the trust root saw a signature, in seconds since 1970.
pub(super) fn time(response: &[u8], signature: &[u8], authorities: &[Authority]) -> Result<i64, String> {
    let stamp = Stamp::parse(response).ok_or("its timestamp cannot be read")?;
    let statement = Statement::parse(stamp.statement).ok_or("its timestamp's statement cannot be read")?;
    if hash(statement.algorithm, signature).as_deref() != Some(statement.digest) {
        return Err("its timestamp is about another signature".to_owned());
    }
    if stamp.attribute(CONTENT_TYPE) != Some(STATEMENT)
        || stamp.attribute(MESSAGE_DIGEST) != hash(stamp.algorithm, stamp.statement).as_deref()
    {
        return Err("its timestamp is not signed as a whole".to_owned());
    }
    if stamp.is_signed(authorities, statement.time) {
        return Ok(statement.time);
    }
    Err("its timestamp is of no service of the trust root".to_owned())
}

/// What a service sent.
struct Stamp<'a> {
    statement: &'a [u8],
    certificates: Vec<&'a [u8]>,
    /// Digests the statement.
    algorithm: &'a [u8],
    /// The attributes, whose signature it is.
    attributes: &'a [u8],
    signature: &'a [u8],
}

impl<'a> Stamp<'a> {
    /// Of a response, whose first part is that it was granted.
    fn parse(response: &'a [u8]) -> Option<Self> {
        let [status, token] = fields(only(response, SEQUENCE)?)?;
        let granted = matches!(only_first(status.content, INTEGER)?, [0 | 1]);
        let [kind, content] = fields(token)?;
        if !granted || kind.content != SIGNED_DATA {
            return None;
        }
        Self::from_signed_data(only(content.content, SEQUENCE)?)
    }

    fn from_signed_data(data: Element<'a>) -> Option<Self> {
        let parts = der::elements(data.content)?;
        let [_version, _algorithms, content, optional @ .., signers] = parts.as_slice() else {
            return None;
        };
        let [kind, wrapped] = fields(*content)?;
        if kind.content != STATEMENT || signers.tag != SET {
            return None;
        }
        let certificates = optional
            .iter()
            .find(|part| part.tag == CONTEXT_0)
            .map(|part| part.content);
        let certificates = der::elements(certificates.unwrap_or_default())?;
        Some(Self {
            statement: only(wrapped.content, OCTETS)?.content,
            certificates: certificates.iter().map(|certificate| certificate.whole).collect(),
            ..Self::from_signer(only(signers.content, SEQUENCE)?)?
        })
    }

    fn from_signer(signer: Element<'a>) -> Option<Self> {
        let parts = der::elements(signer.content)?;
        let [
            _version,
            _who,
            algorithm,
            attributes,
            _signature_algorithm,
            signature,
            ..,
        ] = parts.as_slice()
        else {
            return None;
        };
        let right = attributes.tag == CONTEXT_0 && signature.tag == OCTETS;
        right.then_some(Self {
            statement: &[],
            certificates: Vec::new(),
            algorithm: only_first(algorithm.content, OBJECT)?,
            attributes: attributes.content,
            signature: signature.content,
        })
    }

    /// The value of an attribute that is there once, with one value.
    fn attribute(&self, id: &[u8]) -> Option<&'a [u8]> {
        let attributes = der::elements(self.attributes)?;
        let mut values = attributes
            .into_iter()
            .filter_map(fields::<2>)
            .filter(|[name, _]| name.content == id);
        let [_, values_of_first] = values.next()?;
        let (value, rest) = der::first(values_of_first.content)?;
        (values.next().is_none() && rest.is_empty()).then_some(value.content)
    }

    /// Whether a certificate for timestamps, which an authority issued for that time, has signed the attributes.
    fn is_signed(&self, authorities: &[Authority], time: i64) -> bool {
        // In the statement the attributes are tagged as a part of it; signed they are as a set.
        let signed = der::encode(SET, self.attributes);
        let own: Vec<Vec<u8>> = self
            .certificates
            .iter()
            .map(|certificate| certificate.to_vec())
            .collect();
        let known = authorities.iter().filter_map(|authority| authority.chain.first());
        own.iter().chain(known).any(|certificate| {
            Certificate::parse(certificate).is_ok_and(|parsed| parsed.key.has_signed(&signed, self.signature))
                && certificate::issued(certificate, &own, authorities, Usage::TimeStamping, time).is_ok()
        })
    }
}

/// What the service states.
struct Statement<'a> {
    algorithm: &'a [u8],
    digest: &'a [u8],
    time: i64,
}

impl<'a> Statement<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let parts = der::elements(only(bytes, SEQUENCE)?.content)?;
        let [_version, _policy, imprint, _number, time, ..] = parts.as_slice() else {
            return None;
        };
        let [algorithm, digest] = fields(*imprint)?;
        let text = std::str::from_utf8(time.content)
            .ok()
            .filter(|_| time.tag == TIME)?;
        let algorithm = only_first(algorithm.content, OBJECT)?;
        Some(Self {
            algorithm,
            digest: digest.content,
            time: seconds(text)?,
        })
    }
}

/// The seconds of `YYYYMMDDhhmmss`, with a fraction or without, in UTC.
fn seconds(text: &str) -> Option<i64> {
    let (whole, fraction) = text.strip_suffix('Z')?.split_at_checked(14)?;
    let digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    if !digits(whole) || !(fraction.is_empty() || fraction.strip_prefix('.').is_some_and(digits)) {
        return None;
    }
    let pair = |start: usize| whole.get(start..start + 2)?.parse::<u8>().ok();
    let month = Month::try_from(pair(4)?).ok()?;
    let date = Date::from_calendar_date(whole.get(..4)?.parse().ok()?, month, pair(6)?).ok()?;
    let time = Time::from_hms(pair(8)?, pair(10)?, pair(12)?).ok()?;
    Some(PrimitiveDateTime::new(date, time).assume_utc().unix_timestamp())
}

fn hash(algorithm: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    match algorithm {
        SHA_256 => Some(Sha256::digest(bytes).to_vec()),
        SHA_384 => Some(Sha384::digest(bytes).to_vec()),
        SHA_512 => Some(Sha512::digest(bytes).to_vec()),
        _ => None,
    }
}

/// The one element that some bytes are.
fn only(bytes: &[u8], tag: u8) -> Option<Element<'_>> {
    let (element, rest) = der::first(bytes)?;
    (element.tag == tag && rest.is_empty()).then_some(element)
}

/// The content of the first element.
fn only_first(bytes: &[u8], tag: u8) -> Option<&[u8]> {
    let (element, _) = der::first(bytes)?;
    (element.tag == tag).then_some(element.content)
}

/// All elements in a sequence, if there are so many.
fn fields<const N: usize>(sequence: Element<'_>) -> Option<[Element<'_>; N]> {
    der::elements(sequence.content)?
        .try_into()
        .ok()
        .filter(|_| sequence.tag == SEQUENCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_and_without_a_fraction() {
        assert_eq!(seconds("19700101000001Z"), Some(1));
        assert_eq!(seconds("20260102030405.678Z"), Some(1_767_323_045));
        for wrong in [
            "20260102030405",
            "2026010203040Z",
            "20261302030405Z",
            "20260102030405.xZ",
            "2026010203040äZ",
        ] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
