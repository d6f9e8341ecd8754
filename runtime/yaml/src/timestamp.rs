//! Texts that YAML 1.1 readers take for a point in time.
//!
//! Date only; or date, `T` or `t`, time and zone; or date, one space and time. Months, days, hours, minutes and seconds
//! may lack their leading zero.

/// Whether a text, unquoted, is a timestamp.
pub fn is_timestamp(text: &str) -> bool {
    match_timestamp(text).is_some()
}

fn match_timestamp(text: &str) -> Option<()> {
    let rest = date(text)?;
    if rest.is_empty() {
        return Some(());
    }
    let zoned = rest.strip_prefix(['T', 't']);
    let end = match zoned {
        Some(rest) => zone(time(rest)?)?,
        None => time(rest.strip_prefix(' ')?)?,
    };
    end.is_empty().then_some(())
}

fn date(text: &str) -> Option<&str> {
    let (year, rest) = text.split_at_checked(4)?;
    let year: u32 = year
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| year.parse().ok())??;
    let (month, rest) = number(rest.strip_prefix('-')?)?;
    let (day, rest) = number(rest.strip_prefix('-')?)?;
    (1..=days(year, month)?).contains(&day).then_some(rest)
}

fn days(year: u32, month: u32) -> Option<u32> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 => Some(if leap { 29 } else { 28 }),
        _ => None,
    }
}

fn time(text: &str) -> Option<&str> {
    let (hour, rest) = number(text)?;
    let (minute, rest) = number(rest.strip_prefix(':')?)?;
    let (second, rest) = number(rest.strip_prefix(':')?)?;
    (hour < 24 && minute < 60 && second < 60).then(|| fraction(rest))
}

/// What follows the fraction of a second; there need not be one.
fn fraction(text: &str) -> &str {
    let Some(digits) = text.strip_prefix(['.', ',']) else {
        return text;
    };
    let end = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    if end.len() == digits.len() { text } else { end }
}

fn zone(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('Z') {
        return Some(rest);
    }
    let offset = text.strip_prefix(['+', '-'])?;
    let (offset, rest) = offset.split_at_checked(5)?;
    let (hours, minutes) = offset.split_once(':')?;
    let (hours, minutes) = (two_digits(hours)?, two_digits(minutes)?);
    (hours <= 24 && minutes < 60).then_some(rest)
}

fn two_digits(text: &str) -> Option<u32> {
    let (number, rest) = number(text)?;
    (text.len() == 2 && rest.is_empty()).then_some(number)
}

/// One or two digits, and what follows.
fn number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at_checked(digits)?;
    Some((number.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_forms_are_known() {
        for text in [
            "2001-01-01",
            "2001-1-1",
            "2001-12-14T21:59:43.10Z",
            "2001-12-14t1:2:3-05:00",
            "2001-12-14 21:59:43.123456789",
            "2024-02-29",
        ] {
            assert!(is_timestamp(text), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not() {
        for text in [
            "2001-13-01",
            "2001-02-29",
            "2001-1",
            "01-01-2001",
            "2001-01-01T00:00:00",
            "2001-01-01 24:00:00",
            "2001-01-01  1:0:0",
            "2001-12-14 21:59:43.10 -5",
            "2001-01-01Z",
            "2001-001-1",
        ] {
            assert!(!is_timestamp(text), "{text}");
        }
    }
}
