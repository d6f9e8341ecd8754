//! Floats as Go writes them with the fewest digits: `1.5`, `1.23456785e+07`, `1e-05`.

/// The text of a finite float. Zero has no sign.
pub fn text(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) {
        return value.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::text;

    /// R4: floats in the output.
    #[test]
    fn r4_floats_have_an_exponent_from_a_million_on() {
        let cases = [
            (12_345_678.5, "1.23456785e+07"),
            (1e21, "1e+21"),
            (100_000.5, "100000.5"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-2.5e-120, "-2.5e-120"),
            (-0.0, "0"),
            (3.0, "3"),
        ];
        for (value, expected) in cases {
            assert_eq!(text(value), expected);
        }
    }
}
