//! Functions on numbers that differ from go-jsonnet's in the library below.

use jrsonnet_evaluator::function::builtin;

/// The lower bound counts if the bounds are the wrong way round.
#[allow(non_snake_case, reason = "templates may name the arguments")]
#[builtin]
pub(super) fn std_clamp(x: f64, minVal: f64, maxVal: f64) -> f64 {
    if x < minVal {
        minVal
    } else if x > maxVal {
        maxVal
    } else {
        x
    }
}

#[builtin]
pub(super) fn std_is_even(x: f64) -> bool {
    x.trunc() % 2.0 == 0.0
}

#[builtin]
pub(super) fn std_is_odd(x: f64) -> bool {
    x.trunc() % 2.0 != 0.0
}

#[builtin]
pub(super) fn std_mantissa(x: f64) -> f64 {
    parts(x).0
}

#[builtin]
pub(super) fn std_exponent(x: f64) -> f64 {
    f64::from(parts(x).1)
}

/// A number as `mantissa * 2^exponent`, the mantissa from 0.5 to 1.
fn parts(x: f64) -> (f64, i32) {
    const FRACTION: u32 = 52;
    const BIAS: i32 = 1022;
    const SUBNORMAL: i32 = 54;
    if x == 0.0 {
        return (x, 0);
    }
    if x.is_subnormal() {
        let (mantissa, exponent) = parts(x * 2f64.powi(SUBNORMAL));
        return (mantissa, exponent - SUBNORMAL);
    }
    let bits = x.to_bits();
    let exponent = i32::try_from(bits >> FRACTION & 0x7ff).unwrap_or(0) - BIAS;
    let mantissa = bits & !(0x7ff << FRACTION) | 0x3fe << FRACTION;
    (f64::from_bits(mantissa), exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_number_again() {
        for (x, expected) in [
            (1.0, (0.5, 1)),
            (-3.0, (-0.75, 2)),
            (0.1, (0.8, -3)),
            (f64::MAX, (1.0 - f64::EPSILON / 2.0, 1024)),
            (5e-324, (0.5, -1073)),
        ] {
            assert_eq!(parts(x), expected, "{x}");
        }
    }
}
