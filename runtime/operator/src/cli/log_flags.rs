//! The flags of zap, the logger of Go operators: accepted, and mapped to what our log can do.

use clap::{Args, ValueEnum};

use super::flag;
use crate::telemetry::{Format, Level, LogOptions, TimeFormat};

/// Flags for the log.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Log")]
pub struct LogFlags {
    /// Defaults for development: text and debug messages instead of JSON and info messages.
    #[arg(long, value_name = "BOOL", default_value = "true", value_parser = flag::boolean,
          num_args = 0..=1, require_equals = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    zap_devel: bool,
    /// How messages are written.
    #[arg(long, value_name = "ENCODER")]
    zap_encoder: Option<Encoder>,
    /// What is written at least: debug, info, warn, error, panic, or a number from 1, for ever more detail.
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    zap_log_level: Option<Level>,
    /// Accepted, without effect: messages carry no stack traces.
    #[arg(long, value_name = "LEVEL")]
    zap_stacktrace_level: Option<StacktraceLevel>,
    /// How the time of a message is written.
    #[arg(long, value_name = "ENCODING", default_value = "rfc3339")]
    zap_time_encoding: TimeEncoding,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Encoder {
    Json,
    Console,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum StacktraceLevel {
    Info,
    Warn,
    Error,
    Panic,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TimeEncoding {
    Epoch,
    Millis,
    Nano,
    Iso8601,
    Rfc3339,
    #[value(name = "rfc3339nano")]
    Rfc3339Nano,
}

fn level(text: &str) -> Result<Level, String> {
    match text {
        "panic" | "error" => Ok(Level::Error),
        "warn" => Ok(Level::Warn),
        "info" => Ok(Level::Info),
        "debug" => Ok(Level::Debug),
        _ => verbosity(text),
    }
}

/// zap counts upwards from debug.
fn verbosity(text: &str) -> Result<Level, String> {
    match text.parse::<u8>() {
        Ok(1) => Ok(Level::Debug),
        Ok(2..) => Ok(Level::Trace),
        _ => Err("expected debug, info, warn, error, panic or a number from 1".to_owned()),
    }
}

impl From<LogFlags> for LogOptions {
    fn from(flags: LogFlags) -> Self {
        let (format, level) = match flags.zap_devel {
            true => (Format::Console, Level::Debug),
            false => (Format::Json, Level::Info),
        };
        Self {
            format: flags.zap_encoder.map_or(format, Format::from),
            level: flags.zap_log_level.unwrap_or(level),
            time: flags.zap_time_encoding.into(),
        }
    }
}

impl From<Encoder> for Format {
    fn from(encoder: Encoder) -> Self {
        match encoder {
            Encoder::Json => Self::Json,
            Encoder::Console => Self::Console,
        }
    }
}

impl From<TimeEncoding> for TimeFormat {
    fn from(encoding: TimeEncoding) -> Self {
        match encoding {
            TimeEncoding::Epoch => Self::Seconds,
            TimeEncoding::Millis => Self::Milliseconds,
            TimeEncoding::Nano => Self::Nanoseconds,
            TimeEncoding::Iso8601 => Self::Iso8601,
            TimeEncoding::Rfc3339 => Self::Rfc3339,
            TimeEncoding::Rfc3339Nano => Self::Rfc3339Nano,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Only {
        #[command(flatten)]
        log: LogFlags,
    }

    fn options(line: &str) -> LogOptions {
        Only::parse_from(line.split(' ')).log.into()
    }

    /// E1: zap's flags are accepted, with their defaults.
    #[test]
    fn e1_the_flags_of_zap_are_mapped() {
        let default = options("x");
        assert_eq!((default.format, default.level), (Format::Console, Level::Debug));
        let production = options("x --zap-devel=false");
        assert_eq!((production.format, production.level), (Format::Json, Level::Info));
        let chosen = options(
            "x --zap-devel --zap-encoder=json --zap-log-level=2 --zap-stacktrace-level=error --zap-time-encoding=millis",
        );
        assert_eq!(
            (chosen.format, chosen.level, chosen.time),
            (Format::Json, Level::Trace, TimeFormat::Milliseconds)
        );
    }

    #[test]
    fn unknown_levels_are_refused() {
        assert!(level("0").is_err());
        assert!(level("loud").is_err());
        assert_eq!(level("panic"), Ok(Level::Error));
    }
}
