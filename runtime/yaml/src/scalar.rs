//! What a plain scalar stands for in YAML 1.1.
//!
//! The types are those of <https://yaml.org/type/>, with what Go's reader takes of them: booleans in all their spellings,
//! integers in bases 2, 8, 10 and 16, no sexagesimal numbers. A timestamp is a text.

use serde_json::Number;

use super::{node::Node, number, timestamp};

/// What an unquoted text stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Plain {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number that JSON can say.
    Number(Number),
    /// A number that JSON cannot say: infinite, or none.
    Unspeakable,
    /// A point in time, which JSON says as a text.
    Timestamp,
    /// Itself.
    Text,
}

impl Plain {
    /// The JSON value; none if there is none.
    pub fn node(self, text: &str) -> Option<Node> {
        match self {
            Self::Null => Some(Node::Null),
            Self::Bool(value) => Some(Node::Bool(value)),
            Self::Number(number) => Some(Node::Number(number_text(text, &number))),
            Self::Unspeakable => None,
            Self::Timestamp | Self::Text => Some(text.into()),
        }
    }
}

/// What an unquoted text stands for.
pub fn resolve(text: &str) -> Plain {
    word(text).or_else(|| numeric(text)).unwrap_or(Plain::Text)
}

/// A number as JSON writes it: integers in base 10; other numbers as they stand, where JSON can read them.
pub fn number_text(text: &str, number: &Number) -> String {
    match number.is_f64() && number::is_json(text) {
        true => text.to_owned(),
        false => number.to_string(),
    }
}

/// Whether a text, unquoted, would be read as something else, here or by a reader that knows sexagesimal numbers.
pub fn needs_quotes(text: &str) -> bool {
    resolve(text) != Plain::Text || sexagesimal(text)
}

fn word(text: &str) -> Option<Plain> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Some(Plain::Null),
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Some(Plain::Bool(true))
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Some(Plain::Bool(false))
        }
        _ => unspeakable(text).then_some(Plain::Unspeakable),
    }
}

fn unspeakable(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

fn numeric(text: &str) -> Option<Plain> {
    match text.bytes().next()? {
        b'.' => float(text),
        b'+' | b'-' | b'0'..=b'9' if timestamp::is_timestamp(text) => Some(Plain::Timestamp),
        b'+' | b'-' | b'0'..=b'9' => {
            let digits = text.replace('_', "");
            integer(&digits).or_else(|| float(&digits))
        }
        _ => None,
    }
}

/// Signed integers of 64 bits, and unsigned ones without a sign; larger ones are floats.
fn integer(text: &str) -> Option<Plain> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (base, digits) = base(unsigned);
    if !digits.bytes().next()?.is_ascii_alphanumeric() {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, base).ok()?;
    let number = match text.bytes().next()? {
        b'-' => 0i64.checked_sub_unsigned(magnitude).map(Number::from),
        b'+' => i64::try_from(magnitude).ok().map(Number::from),
        _ => Some(Number::from(magnitude)),
    };
    number.map(Plain::Number)
}

fn base(digits: &str) -> (u32, &str) {
    let prefixed = |prefixes: [&str; 2]| prefixes.iter().find_map(|prefix| digits.strip_prefix(prefix));
    if let Some(rest) = prefixed(["0x", "0X"]) {
        (16, rest)
    } else if let Some(rest) = prefixed(["0o", "0O"]) {
        (8, rest)
    } else if let Some(rest) = prefixed(["0b", "0B"]) {
        (2, rest)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (8, digits)
    } else {
        (10, digits)
    }
}

fn float(text: &str) -> Option<Plain> {
    let number = is_float(text).then(|| text.parse::<f64>().ok())??;
    Number::from_f64(number).map(Plain::Number)
}

/// Digits with a dot somewhere, or without one; then maybe an exponent.
fn is_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    has_digits && all_digits(whole) && all_digits(fraction) && exponent.is_none_or(is_exponent)
}

fn is_exponent(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && all_digits(digits)
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Numbers in base 60, such as `12:30:00`: dropped from YAML, still known to some readers.
fn sexagesimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let first = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let Some((last, middle)) = rest.split_last() else {
        return false;
    };
    let (last, fraction) = last.split_once('.').unwrap_or((last, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    first.starts_with(|c: char| c.is_ascii_digit())
        && digits(first)
        && digits(fraction)
        && middle.iter().chain([&last]).all(|part| below_sixty(part))
}

fn below_sixty(part: &str) -> bool {
    matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(text: &str) -> Option<Value> {
        resolve(text).node(text).map(|node| node.to_value())
    }

    /// R3: files are YAML 1.1.
    #[test]
    fn r3_booleans_have_all_their_spellings() {
        for text in ["y", "Y", "yes", "on", "On", "TRUE", "true"] {
            assert_eq!(read(text), Some(json!(true)), "{text}");
        }
        for text in ["n", "N", "no", "off", "OFF", "False", "false"] {
            assert_eq!(read(text), Some(json!(false)), "{text}");
        }
        for text in ["yEs", "oN", "t", "truely"] {
            assert_eq!(read(text), Some(json!(text)), "{text}");
        }
    }

    #[test]
    fn integers_are_exact_and_have_four_bases() {
        let cases = [
            ("0755", json!(493)),
            ("0o17", json!(15)),
            ("0x1F", json!(31)),
            ("-0b101", json!(-5)),
            ("1_000", json!(1000)),
            ("+7", json!(7)),
            ("9007199254740993", json!(9_007_199_254_740_993_u64)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("18446744073709551615", json!(u64::MAX)),
            ("08", json!(8.0)),
        ];
        for (text, value) in cases {
            assert_eq!(read(text), Some(value), "{text}");
        }
    }

    #[test]
    fn floats_and_what_only_looks_like_one() {
        for (text, value) in [("1e3", 1000.0), (".5", 0.5), ("1.", 1.0), ("-1.5E-2", -0.015)] {
            assert_eq!(read(text), Some(json!(value)), "{text}");
        }
        for text in [
            ".", "1e", "e3", "1.2.3", "+", "-", "0b2", "0x", "1e400", "--1", "0x-1",
        ] {
            assert_eq!(read(text), Some(json!(text)), "{text}");
        }
        assert_eq!(read(".inf"), None);
        assert_eq!(read("-.INF"), None);
        assert_eq!(read(".nan"), None);
    }

    #[test]
    fn what_others_read_as_numbers_needs_quotes() {
        for text in ["12:30:00", "1:1", "-190:20:30.15", "2001-01-01", "yes", ""] {
            assert!(needs_quotes(text), "{text}");
        }
        for text in ["12:60", "a:1", "1:", "12:3x", "=", "<<", "text"] {
            assert!(!needs_quotes(text), "{text}");
        }
    }
}
