//! Durations as Go writes them: `1h30m`, `1.5s`, `10ms`.

use std::time::Duration;

/// A text that is no duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid duration {text:?}: expected numbers with units, such as \"10s\", \"1h30m\" or \"500ms\"")]
pub struct ParseDurationError {
    text: String,
}

/// Nanoseconds of each unit; longer spellings first.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Parses what Go's `time.ParseDuration` takes, except negative ones: they have no meaning here.
pub fn parse(text: &str) -> Result<Duration, ParseDurationError> {
    let error = || ParseDurationError {
        text: text.to_owned(),
    };
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    if unsigned == "0" {
        return Ok(Duration::ZERO);
    }
    let mut rest = unsigned;
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (nanos, after) = component(rest).ok_or_else(error)?;
        total = total.checked_add(nanos).ok_or_else(error)?;
        rest = after;
    }
    if unsigned.is_empty() {
        Err(error())
    } else {
        Ok(Duration::from_nanos(total))
    }
}

/// One number with its unit, and what follows.
fn component(text: &str) -> Option<(u64, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, rest) = text.split_at(digits);
    let unit_end = rest
        .find(|c: char| c.is_ascii_digit() || c == '.')
        .unwrap_or(rest.len());
    let (unit, after) = rest.split_at(unit_end);
    let nanos = UNITS.iter().find(|(name, _)| *name == unit)?.1;
    Some((scaled(number, nanos)?, after))
}

fn scaled(number: &str, nanos: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let mut part = u128::from(whole).checked_mul(u128::from(nanos))?;
    let mut scale = u128::from(nanos);
    for digit in fraction.bytes().take(18) {
        part += u128::from(digit - b'0') * scale / 10;
        scale /= 10;
    }
    u64::try_from(part).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_go_accepts_is_accepted() {
        let cases = [
            ("0", 0),
            ("10ms", 10_000_000),
            ("1h30m", 5_400_000_000_000),
            ("1.5s", 1_500_000_000),
            (".5s", 500_000_000),
            ("2m0.25s", 120_250_000_000),
            ("100us", 100_000),
            ("3\u{b5}s", 3_000),
        ];
        for (text, nanos) in cases {
            assert_eq!(parse(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused_by_its_text() {
        for text in [
            "",
            "abc",
            "5",
            "-1s",
            "1d",
            "s",
            ".s",
            "1..5s",
            "1 s",
            "99999999999999h",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("abc").unwrap_err().to_string().contains("\"abc\""));
    }
}
