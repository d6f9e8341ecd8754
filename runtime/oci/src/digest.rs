//! Content digests. Only SHA-256: it is what registries, Kubernetes and signatures use.

use std::{
    fmt,
    io::{self, Read, Write},
    str::FromStr,
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The SHA-256 digest of some bytes, written `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// Why a text is no digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DigestError {
    /// There is no `algorithm:` in front.
    #[error("`{0}` is no digest: expected sha256: and 64 hexadecimal digits")]
    NoAlgorithm(String),
    /// An algorithm that is not supported.
    #[error("digests of {0} are not supported: expected sha256: and 64 hexadecimal digits")]
    Algorithm(String),
    /// What follows `sha256:` is not right.
    #[error("`{0}` is no sha256 digest: expected 64 hexadecimal digits in lower case after sha256:")]
    Digits(String),
}

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of all that is read, and its length. Nothing of it is kept.
    pub fn of_all(mut reader: impl Read) -> io::Result<(Self, u64)> {
        let mut hasher = Hasher::default();
        let length = io::copy(&mut reader, &mut hasher)?;
        Ok((hasher.finish(), length))
    }

    /// The 64 digits, without the algorithm.
    pub fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let Some((algorithm, digits)) = text.split_once(':') else {
            return Err(DigestError::NoAlgorithm(text.to_owned()));
        };
        if algorithm != "sha256" {
            return Err(DigestError::Algorithm(algorithm.to_owned()));
        }
        from_hex(digits)
            .map(Self)
            .ok_or_else(|| DigestError::Digits(text.to_owned()))
    }
}

/// The bytes of 64 digits in lower case: other spellings would make two texts equal that OCI says are different.
fn from_hex(digits: &str) -> Option<[u8; 32]> {
    let digits = digits.as_bytes();
    let mut bytes = [0; 32];
    if digits.len() != 2 * bytes.len() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = nibble(*high)? << 4 | nibble(*low)?;
    }
    Some(bytes)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, DigestError> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

/// Digests bytes as they come.
#[derive(Default)]
pub(crate) struct Hasher(Sha256);

impl Hasher {
    /// Takes the next bytes.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all bytes taken.
    pub(crate) fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn a_digest_reads_as_it_is_written() {
        assert_eq!(Digest::of(b"").to_string(), EMPTY);
        assert_eq!(EMPTY.parse(), Ok(Digest::of(b"")));
    }

    #[test]
    fn other_algorithms_and_spellings_are_refused_by_name() {
        let sha512 = format!("sha512:{}", "a".repeat(128));
        assert_eq!(
            sha512.parse::<Digest>(),
            Err(DigestError::Algorithm("sha512".into()))
        );
        for wrong in [
            EMPTY.to_uppercase().replace("SHA", "sha"),
            EMPTY[..70].into(),
            format!("{EMPTY}0"),
        ] {
            assert_eq!(wrong.parse::<Digest>(), Err(DigestError::Digits(wrong.clone())));
        }
        assert!(matches!(
            "e3b0".parse::<Digest>(),
            Err(DigestError::NoAlgorithm(_))
        ));
    }
}
