//! The text of numbers.

/// Numbers from here on have an exponent.
const EXPONENT_FROM: f64 = 1e21;
/// Numbers below have an exponent.
const EXPONENT_BELOW: f64 = 1e-6;

/// The shortest text that reads back as the same number: integers without a fraction, `1e+21` and `1e-7` with an exponent.
/// So an integer field of Kubernetes never gets `3.0`.
pub(crate) fn text(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if (EXPONENT_BELOW..EXPONENT_FROM).contains(&size) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// The shortest text that reads back as the same number, never with an exponent: `std.manifestJson`.
pub(crate) fn plain(number: f64) -> String {
    number.to_string()
}

/// Integers in full, others with seventeen digits, as C's `%.17g`: `std.toString`.
pub(crate) fn precise(number: f64) -> String {
    if number.fract() == 0.0 {
        return format!("{number:.0}");
    }
    let scientific = format!("{number:.16e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..17).contains(&exponent) {
        let decimals = usize::try_from(16 - exponent).unwrap_or(0);
        return without_zeros(&format!("{number:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_zeros(digits), exponent.abs())
}

fn without_zeros(decimal: &str) -> &str {
    decimal.trim_end_matches('0').trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_integers_stay_integers() {
        for (number, expected) in [
            (3.0, "3"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (0.97, "0.97"),
            (1e15, "1000000000000000"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (-12_345_678.5, "-12345678.5"),
        ] {
            assert_eq!(text(number), expected);
        }
    }

    /// As go-jsonnet writes them.
    #[test]
    fn precise_texts_have_seventeen_digits() {
        for (number, expected) in [
            (0.97, "0.96999999999999997"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-5, "1.0000000000000001e-05"),
            (0.0001, "0.0001"),
            (1.5e-10, "1.5e-10"),
            (1_234_567.891, "1234567.8910000001"),
            (2.5, "2.5"),
            (1e21, "1000000000000000000000"),
            (1e23, "99999999999999991611392"),
            (5e-324, "4.9406564584124654e-324"),
            (-0.5, "-0.5"),
        ] {
            assert_eq!(precise(number), expected);
        }
    }
}
