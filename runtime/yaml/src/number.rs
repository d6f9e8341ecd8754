//! Numbers of a document as texts.

use super::{
    float,
    scalar::{self, Plain},
};

/// So many digits tell every float of 64 bits apart: a number with more of them says more than a float can hold.
const DIGITS_OF_A_FLOAT: usize = 17;

/// As Go writes a number that it has read: floats with the fewest digits. What no integer and no float of 64 bits can hold is
/// written as it is.
pub fn as_go(text: &str) -> String {
    if let Ok(integer) = text.parse::<i64>() {
        return integer.to_string();
    }
    if let Ok(integer) = text.parse::<u64>() {
        return integer.to_string();
    }
    match text.parse::<f64>() {
        Ok(value) if holds(value, text) => float::text(value),
        _ => text.to_owned(),
    }
}

/// As it stands, with a tag if it would otherwise be read as something else.
pub fn exact(text: &str) -> String {
    match scalar::resolve(text) {
        Plain::Number(number) if scalar::number_text(text, &number) == text => text.to_owned(),
        _ => format!("!!float {text}"),
    }
}

/// Whether a float stands for a number and not only for something near it.
fn holds(value: f64, text: &str) -> bool {
    let digits = significant_digits(text);
    value.is_finite() && digits <= DIGITS_OF_A_FLOAT && (value != 0.0 || digits == 0)
}

/// Without zeros at either end.
fn significant_digits(text: &str) -> usize {
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

/// Whether a text is a number in JSON's grammar.
pub fn is_json(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let signless = |text: &str| text.strip_prefix(['+', '-']).unwrap_or(text).to_owned();
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(&signless(exponent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_float_cannot_hold_is_written_as_it_is() {
        for (text, written) in [
            ("1e400", "1e400"),
            ("-1e400", "-1e400"),
            ("1e-400", "1e-400"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("1000000000000000000000", "1e+21"),
            ("0.10000000000000001", "0.1"),
            ("12345678.5", "1.23456785e+07"),
            ("18446744073709551615", "18446744073709551615"),
            ("0e5", "0"),
            ("-0", "0"),
        ] {
            assert_eq!(as_go(text), written, "{text}");
        }
    }

    #[test]
    fn a_number_that_would_be_read_as_something_else_has_a_tag() {
        for text in ["1", "-1.50", "1e+21", "9007199254740993", "18446744073709551615"] {
            assert_eq!(exact(text), text);
        }
        for text in ["1e400", "-0"] {
            assert_eq!(exact(text), format!("!!float {text}"));
        }
    }

    #[test]
    fn json_has_fewer_forms_of_numbers_than_yaml() {
        for text in ["0", "-0", "10", "1.0", "1e5", "1E+5", "-1.5e-07"] {
            assert!(is_json(text), "{text}");
        }
        for text in [
            "", "-", "01", "1.", ".5", "+1", "0x1", "1e", "1e+", "1_000", "1.e5",
        ] {
            assert!(!is_json(text), "{text}");
        }
    }
}
