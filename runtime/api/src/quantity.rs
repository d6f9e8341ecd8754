//! Amounts of bytes as Kubernetes writes them: `64Mi`, `1G`, `500k`, `1048576`.

/// A text that is no amount of bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid quantity {0:?}: expected a whole number of bytes, such as 64Mi, 1Gi or 500k")]
pub struct ParseQuantityError(String);

/// Suffixes and what they stand for.
const SUFFIXES: [(&str, u64); 10] = [
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
    ("Ti", 1 << 40),
    ("k", 1_000),
    ("K", 1_000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
    ("T", 1_000_000_000_000),
    ("", 1),
];

/// Whole bytes. Fractions and exponents, which other quantities may have, mean nothing here.
pub fn parse(text: &str) -> Result<u64, ParseQuantityError> {
    let amount = SUFFIXES.iter().find_map(|(suffix, factor)| {
        let number = text.strip_suffix(suffix)?;
        let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        let number = digits.then(|| number.parse::<u64>().ok())??;
        number.checked_mul(*factor)
    });
    amount.ok_or_else(|| ParseQuantityError(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_and_decimal_suffixes_are_told_apart() {
        assert_eq!(parse("64Mi"), Ok(64 << 20));
        assert_eq!(parse("64M"), Ok(64_000_000));
        assert_eq!(parse("1048576"), Ok(1 << 20));
    }

    #[test]
    fn what_is_no_amount_of_bytes_is_an_error_that_shows_it() {
        for text in ["", "Mi", "-1", "1.5Gi", "1e6", "64 Mi", "99999999999Ti"] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(&format!("{text:?}")), "{error}");
        }
    }
}
