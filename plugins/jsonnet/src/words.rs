//! The words of errors: those of go-jsonnet, which people know and search for, unless the evaluator's say more.

use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::stdlib::format::FormatError;
use jrsonnet_evaluator::typed::ValType;

/// An error of the evaluation, without its places.
pub(crate) fn of(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::RuntimeError(text) => runtime(text),
        ErrorKind::AssertionFailed(text) if text.as_str() == "null" => "Assertion failed".to_owned(),
        ErrorKind::AssertionFailed(text) => text.to_string(),
        ErrorKind::StackOverflow => "max stack frames exceeded.".to_owned(),
        ErrorKind::NoSuchField(name, _) => format!("Field does not exist: {name}"),
        ErrorKind::ArrayBoundsError(index, length) => out_of_bounds(index, length),
        ErrorKind::StringBoundsError(index, length) => out_of_bounds(index, length),
        ErrorKind::ValueIndexMustBeTypeGot(value, _, key) => not_indexable(*value, *key),
        ErrorKind::UndefinedExternalVariable(name) => format!("Undefined external variable: {name}"),
        ErrorKind::DivisionByZero => "Division by zero.".to_owned(),
        ErrorKind::ConvertNumValue(error) if error.to_string() == "non-finite" => "Overflow".to_owned(),
        ErrorKind::DuplicateFieldName(name) => format!("Duplicate field name: \"{name}\""),
        ErrorKind::BinaryOperatorDoesNotOperateOnValues(op, left, right)
            if is_integer(left) != is_integer(right) && is_number(left) && is_number(right) =>
        {
            format!(
                "an integer beyond ±2^53 and another number cannot be combined with {op} without losing digits"
            )
        }
        other => call(other)
            .or_else(|| types(other))
            .unwrap_or_else(|| other.to_string()),
    }
}

/// A call with the wrong arguments.
fn call(kind: &ErrorKind) -> Option<String> {
    Some(match kind {
        ErrorKind::OnlyFunctionsCanBeCalledGot(value) => unexpected(&value.to_string(), "function"),
        ErrorKind::UnknownFunctionParameter(name) => format!("function has no parameter {name}"),
        ErrorKind::BindingParameterASecondTime(name) => format!("Argument {name} already provided"),
        ErrorKind::FunctionParameterNotBoundInCall(name, _) => {
            format!("Missing argument: {}", name.as_str()?)
        }
        _ => return None,
    })
}

/// A value of the wrong type.
fn types(kind: &ErrorKind) -> Option<String> {
    Some(match kind {
        ErrorKind::UnaryOperatorDoesNotOperateOnType(op, value) => {
            let expected = if op.to_string() == "!" {
                "boolean"
            } else {
                "number"
            };
            unexpected(&value.to_string(), expected)
        }
        ErrorKind::TypeMismatch(_, expected, value) => {
            let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
            unexpected(&value.to_string(), &expected.join(" or "))
        }
        ErrorKind::TypeError(error) => {
            let text = error.to_string();
            let several = text.strip_prefix("every failed from ");
            let (expected, found) = match several.and_then(|several| several.split_once(":\n")) {
                Some((expected, each)) => (expected, each.lines().next()?.split_once(", got ")?.1),
                None => text.strip_prefix("expected ")?.split_once(", got ")?,
            };
            // Bounds are told by the errors about bounds.
            let expected = if expected.starts_with("BoundedNumber<") {
                "number"
            } else {
                expected
            };
            unexpected(found, &expected.replace(" | ", " or "))
        }
        ErrorKind::Format(error) => format_error(error),
        _ => return None,
    })
}

fn unexpected(value: &str, expected: &str) -> String {
    format!("Unexpected type {value}, expected {expected}")
}

fn out_of_bounds(index: impl std::fmt::Display, length: impl std::fmt::Display) -> String {
    format!("Index {index} out of bounds, not within [0, {length})")
}

fn runtime(text: &str) -> String {
    if text == "tried to manifest function" {
        return "couldn't manifest function as JSON".to_owned();
    }
    too_many_values(text).unwrap_or_else(|| text.to_owned())
}

/// The evaluator counts the values that are left over once more.
fn too_many_values(text: &str) -> Option<String> {
    let counts = text.strip_prefix("too many values to format, expected ")?;
    let (given, more) = counts.split_once(", got ")?;
    let (given, more): (usize, usize) = (given.parse().ok()?, more.parse().ok()?);
    let expected = given.checked_sub(more.checked_sub(given)?)?;
    Some(format!("Too many values to format: {given}, expected {expected}"))
}

fn format_error(error: &FormatError) -> String {
    match error {
        FormatError::TruncatedFormatCode => "Truncated format code.".to_owned(),
        FormatError::UnrecognizedConversionType(code) => format!("Unrecognised conversion type: {code}"),
        FormatError::NotEnoughValues => "Not enough values to format".to_owned(),
        FormatError::NoSuchFormatField(name) => format!("No such field: {name}"),
        FormatError::SubfieldNotFound { current, full, .. } => format!("No such field: {full}{current}"),
        other => other.to_string(),
    }
}

/// The evaluator tells types only.
fn not_indexable(value: ValType, key: ValType) -> String {
    let (value, key) = (value.name(), key.name());
    match (value, key) {
        ("array" | "string", "string") => format!(
            "a field of {} was read: it has elements only, by number",
            with_article(value)
        ),
        ("object", _) => format!(
            "an object has fields, by string; it was asked for {}",
            with_article(key)
        ),
        (_, "string") => format!("a field of {} was read: it has none", with_article(value)),
        _ => format!("an element of {} was read: it has none", with_article(value)),
    }
}

fn with_article(kind: &str) -> String {
    match kind {
        "null" => kind.to_owned(),
        "array" | "object" => format!("an {kind}"),
        kind => format!("a {kind}"),
    }
}

fn is_integer(kind: &impl std::fmt::Display) -> bool {
    kind.to_string() == "bigint"
}

fn is_number(kind: &impl std::fmt::Display) -> bool {
    is_integer(kind) || kind.to_string() == "number"
}
