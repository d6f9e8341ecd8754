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
}
