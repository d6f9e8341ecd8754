//! Functions between texts and bytes.

use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::function::builtin::Builtin;
use jrsonnet_evaluator::function::{CallLocation, builtin};
use jrsonnet_evaluator::{Error, IBytes, IStr, Result, Thunk, Val};
use jrsonnet_stdlib::{builtin_sha1, builtin_sha3, builtin_sha256, builtin_sha512};

// The hashes are those of the library below, with go-jsonnet's name for the argument.

#[builtin]
pub(super) fn std_sha1(s: Thunk<Val>) -> Result<Val> {
    hash(&builtin_sha1 {}, s)
}

#[builtin]
pub(super) fn std_sha256(s: Thunk<Val>) -> Result<Val> {
    hash(&builtin_sha256 {}, s)
}

#[builtin]
pub(super) fn std_sha512(s: Thunk<Val>) -> Result<Val> {
    hash(&builtin_sha512 {}, s)
}

#[builtin]
pub(super) fn std_sha3(s: Thunk<Val>) -> Result<Val> {
    hash(&builtin_sha3 {}, s)
}

fn hash(function: &impl Builtin, text: Thunk<Val>) -> Result<Val> {
    function.call(CallLocation::native(), &[Some(text)])
}

#[builtin]
pub(super) fn std_decode_utf8(arr: IBytes) -> String {
    decoded(&arr)
}

#[builtin]
pub(super) fn std_base64_decode(str: IStr) -> Result<String> {
    base64(&str).map(|bytes| decoded(&bytes))
}

#[builtin]
pub(super) fn std_base64_decode_bytes(str: IStr) -> Result<IBytes> {
    base64(&str).map(|bytes| bytes.as_slice().into())
}

/// Each byte that is no UTF-8 becomes one U+FFFD.
fn decoded(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk
            .invalid()
            .iter()
            .for_each(|_| text.push(char::REPLACEMENT_CHARACTER));
    }
    text
}

/// The standard alphabet, padded; line breaks do not count. The last bits may be anything.
fn base64(text: &str) -> Result<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        let length = text.len();
        return Err(error(format!(
            "input string appears not to be a base64 encoded string. Wrong length found ({length})"
        )));
    }
    let symbols: Vec<u8> = text
        .bytes()
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .collect();
    let padding = symbols.iter().rev().take_while(|byte| **byte == b'=').count();
    let digits = symbols.get(..symbols.len() - padding).unwrap_or_default();
    let mut bytes = Vec::new();
    for group in digits.chunks(4) {
        let values: Option<Vec<u32>> = group.iter().copied().map(digit).collect();
        let value = values
            .ok_or_else(illegal)?
            .iter()
            .fold(0, |value, digit| value << 6 | digit)
            << (6 * (4 - group.len()));
        let decoded = value.to_be_bytes();
        // Four digits are three bytes, three are two, two are one.
        bytes.extend(decoded.iter().skip(1).take(group.len() - 1));
    }
    let complete = symbols.len().is_multiple_of(4) && padding <= 2;
    if complete { Ok(bytes) } else { Err(illegal()) }
}

fn digit(symbol: u8) -> Option<u32> {
    Some(match symbol {
        b'A'..=b'Z' => u32::from(symbol - b'A'),
        b'a'..=b'z' => u32::from(symbol - b'a') + 26,
        b'0'..=b'9' => u32::from(symbol - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// Without the text: it may be that of a Secret.
fn illegal() -> Error {
    error("failed to decode: illegal base64 data".to_owned())
}

fn error(message: String) -> Error {
    ErrorKind::RuntimeError(message.into()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_padded_and_of_the_standard_alphabet() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("YQ==", b"a"),
            ("YR==", b"a"),
            ("YWI=", b"ab"),
            ("YWJj", b"abc"),
            ("+/8=", b"\xfb\xff"),
            ("YWJj\n\n\n\n", b"abc"),
        ] {
            assert_eq!(base64(text).unwrap(), bytes, "{text}");
        }
        for text in ["Y", "YQ", "YQ=", "Y===", "====", "-_-_", "YQ=a", "YQ==YQ=="] {
            assert!(base64(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_byte_that_is_no_text_is_replaced() {
        assert_eq!(
            decoded(b"a\xf0\x9f\x98b\xff"),
            "a\u{fffd}\u{fffd}\u{fffd}b\u{fffd}"
        );
    }
}
