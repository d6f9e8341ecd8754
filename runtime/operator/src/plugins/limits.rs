//! The limits of a Plugin's manifest as the engine takes them.

use espejote_api::{
    duration::{self, ParseDurationError},
    plugin::PluginLimits,
    quantity::{self, ParseQuantityError},
};
use espejote_engine::{Limits, LimitsBuilder};

/// A limit that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitsError {
    /// Not an amount of bytes.
    #[error("spec.limits.{field}: {source}")]
    Quantity {
        /// The field.
        field: &'static str,
        /// What is wrong.
        source: ParseQuantityError,
    },
    /// Not a duration.
    #[error("spec.limits.{field}: {source}")]
    Duration {
        /// The field.
        field: &'static str,
        /// What is wrong.
        source: ParseDurationError,
    },
    /// Nothing runs in no time, and in no memory.
    #[error("spec.limits.{0} is zero: leave it out for the default")]
    Zero(&'static str),
}

/// What the manifest says, and the defaults for the rest.
pub fn of(given: Option<&PluginLimits>) -> Result<Limits, LimitsError> {
    match given {
        Some(given) => set(Limits::builder(), given),
        None => Ok(Limits::default()),
    }
}

/// The engine's ceilings with what an operator sets.
pub(super) fn ceilings(given: &PluginLimits) -> Result<Limits, LimitsError> {
    set(Limits::default_ceilings().into(), given)
}

fn set(mut limits: LimitsBuilder, given: &PluginLimits) -> Result<Limits, LimitsError> {
    limits = bytes(limits, "memory", given.memory.as_deref(), LimitsBuilder::memory)?;
    limits = bytes(
        limits,
        "emittedBytes",
        given.emitted_bytes.as_deref(),
        LimitsBuilder::emitted_bytes,
    )?;
    limits = time(limits, "timeout", given.timeout.as_deref(), LimitsBuilder::wall)?;
    limits = time(limits, "cpu", given.cpu.as_deref(), LimitsBuilder::cpu)?;
    if let Some(elements) = given.table_elements {
        limits = limits.table_elements(elements.into());
    }
    limits = count(limits, given.handles, LimitsBuilder::handles);
    limits = count(limits, given.items, LimitsBuilder::items);
    limits = count(limits, given.log_lines, LimitsBuilder::log_lines);
    Ok(limits.build())
}

fn count(
    limits: LimitsBuilder,
    given: Option<u32>,
    set: fn(LimitsBuilder, u32) -> LimitsBuilder,
) -> LimitsBuilder {
    match given {
        Some(count) => set(limits, count),
        None => limits,
    }
}

fn bytes(
    limits: LimitsBuilder,
    field: &'static str,
    given: Option<&str>,
    set: fn(LimitsBuilder, u64) -> LimitsBuilder,
) -> Result<LimitsBuilder, LimitsError> {
    let Some(text) = given else {
        return Ok(limits);
    };
    match quantity::parse(text) {
        Ok(0) => Err(LimitsError::Zero(field)),
        Ok(amount) => Ok(set(limits, amount)),
        Err(source) => Err(LimitsError::Quantity { field, source }),
    }
}

fn time(
    limits: LimitsBuilder,
    field: &'static str,
    given: Option<&str>,
    set: fn(LimitsBuilder, std::time::Duration) -> LimitsBuilder,
) -> Result<LimitsBuilder, LimitsError> {
    let Some(text) = given else {
        return Ok(limits);
    };
    match duration::parse(text) {
        Ok(time) if time.is_zero() => Err(LimitsError::Zero(field)),
        Ok(time) => Ok(set(limits, time)),
        Err(source) => Err(LimitsError::Duration { field, source }),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn limits(json: &str) -> Result<Limits, LimitsError> {
        of(Some(&serde_json::from_str(json).unwrap()))
    }

    #[test]
    fn what_is_not_said_is_the_default() {
        assert_eq!(of(None), Ok(Limits::default()));
        let given = limits(r#"{"memory":"128Mi","timeout":"2s"}"#).unwrap();
        assert_eq!(
            (given.memory(), given.wall()),
            (128 << 20, Duration::from_secs(2))
        );
        assert_eq!(given.cpu(), Limits::default().cpu());
    }

    #[test]
    fn a_limit_that_is_none_is_named() {
        let message = |json| limits(json).unwrap_err().to_string();
        assert!(
            message(r#"{"memory":"much"}"#).starts_with(r#"spec.limits.memory: invalid quantity "much""#)
        );
        assert!(message(r#"{"cpu":"long"}"#).starts_with(r#"spec.limits.cpu: invalid duration "long""#));
        assert!(message(r#"{"timeout":"0s"}"#).contains("spec.limits.timeout is zero"));
    }
}
