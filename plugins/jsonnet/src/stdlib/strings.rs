//! Functions on strings that differ from go-jsonnet's in the library below.

use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::function::builtin;
use jrsonnet_evaluator::typed::FromUntyped as _;
use jrsonnet_evaluator::val::{ArrValue, IndexableVal, equals};
use jrsonnet_evaluator::{Error, IStr, Result, Val};

use super::text;
use crate::write;

#[builtin]
pub(super) fn std_escape_string_json(str_: Val) -> Result<String> {
    json(&str_)
}

#[builtin]
pub(super) fn std_escape_string_python(str: Val) -> Result<String> {
    json(&str)
}

fn json(value: &Val) -> Result<String> {
    let mut out = String::new();
    write::string(&text(value)?, &mut out);
    Ok(out)
}

#[builtin]
pub(super) fn std_escape_string_bash(str_: Val) -> Result<String> {
    Ok(format!("'{}'", text(&str_)?.replace('\'', r#"'"'"'"#)))
}

#[builtin]
pub(super) fn std_escape_string_dollars(str_: Val) -> Result<String> {
    Ok(text(&str_)?.replace('$', "$$"))
}

#[builtin]
pub(super) fn std_escape_string_xml(str_: Val) -> Result<String> {
    let mut out = String::new();
    for c in text(&str_)?.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            other => out.push(other),
        }
    }
    Ok(out)
}

#[builtin]
pub(super) fn std_equals_ignore_case(str1: IStr, str2: IStr) -> bool {
    let folded = |text: &str| -> Vec<char> { text.chars().map(folded).collect() };
    folded(&str1) == folded(&str2)
}

/// One character for one: `ß` is not `SS`.
fn folded(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(single), None) => single,
        _ => c,
    }
}

#[builtin]
pub(super) fn std_trim(str: IStr) -> String {
    str.trim().to_owned()
}

/// A surrogate is no character: U+FFFD stands for it.
#[builtin]
pub(super) fn std_char(n: f64) -> Result<String> {
    const SURROGATES: std::ops::RangeInclusive<u32> = 0xd800..=0xdfff;
    if n < 0.0 {
        return Err(error(format!("Codepoints must be >= 0, got {n}")));
    }
    // A cast ends at the largest number, which is no character.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "as Jsonnet"
    )]
    let code = n as u32;
    match char::from_u32(code) {
        Some(c) => Ok(c.to_string()),
        None if SURROGATES.contains(&code) => Ok(char::REPLACEMENT_CHARACTER.to_string()),
        None => Err(error(format!("Invalid unicode codepoint, got {n}"))),
    }
}

/// What is too big for 64 bits is the nearest number.
#[builtin]
pub(super) fn std_parse_int(str: IStr) -> Result<f64> {
    let digits = str.strip_prefix(['-', '+']).unwrap_or(&str);
    let integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    str.parse::<f64>()
        .ok()
        .filter(|_| integer)
        .ok_or_else(|| error(format!("{str} is not a base 10 integer")))
}

/// Every string has the empty one in it.
#[builtin]
pub(super) fn std_member(arr: IndexableVal, x: Val) -> Result<bool> {
    match arr {
        IndexableVal::Str(text) => Ok(text.contains(&*IStr::from_untyped(x)?)),
        IndexableVal::Arr(items) => has(&items, &x),
    }
}

fn has(items: &ArrValue, value: &Val) -> Result<bool> {
    for item in items.iter() {
        if equals(&item?, value)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Less than nothing is nothing.
#[builtin]
pub(super) fn std_repeat(what: IndexableVal, count: f64) -> Result<Val> {
    let count = count.max(0.0);
    // A cast ends at the largest number, and that many items are refused.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked by what follows"
    )]
    let whole = count as u32;
    if f64::from(whole) != count {
        return Err(error(format!("std.repeat cannot repeat {count} times")));
    }
    match what {
        IndexableVal::Str(text) => Ok(Val::string(text.repeat(whole as usize))),
        IndexableVal::Arr(items) => ArrValue::repeated(items, whole)
            .map(Val::Arr)
            .ok_or_else(|| error("std.repeat makes too many items".to_owned())),
    }
}

#[builtin]
pub(super) fn std_assert_equal(a: Val, b: Val) -> Result<bool> {
    if equals(&a, &b)? {
        return Ok(true);
    }
    let (a, b) = (text(&a)?, text(&b)?);
    Err(error(format!("Assertion failed. {a} != {b}")))
}

fn error(message: String) -> Error {
    ErrorKind::RuntimeError(message.into()).into()
}
