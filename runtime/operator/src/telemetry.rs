//! The log: to standard error, as JSON or as text.
//!
//! Owns the set-up only. Messages are written by those who know something; none holds a token or the content of a Secret.

use std::{
    fmt,
    io::{self, Write},
};

use k8s_openapi::jiff::Timestamp;
use tracing_subscriber::{
    EnvFilter,
    fmt::{format::Writer, time::FormatTime},
};

/// How messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line.
    Json,
    /// Text for people.
    Console,
}

/// What is written at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Failures.
    Error,
    /// And what may become one.
    Warn,
    /// And what changed.
    Info,
    /// And what was decided.
    Debug,
    /// And every step.
    Trace,
}

/// How the time of a message is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeFormat {
    /// Seconds since 1970, with a fraction.
    Seconds,
    /// Milliseconds since 1970, with a fraction.
    Milliseconds,
    /// Nanoseconds since 1970.
    Nanoseconds,
    /// `2006-01-02T15:04:05.000Z`.
    Iso8601,
    /// `2006-01-02T15:04:05Z`.
    Rfc3339,
    /// `2006-01-02T15:04:05.000000000Z`.
    Rfc3339Nano,
}

/// How the log is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogOptions {
    /// How messages are written.
    pub format: Format,
    /// What of our own messages is written; of other crates it is warnings.
    pub level: Level,
    /// How their time is written.
    pub time: TimeFormat,
}

/// The log was set up before.
#[derive(Debug, thiserror::Error)]
#[error("cannot set up the log")]
pub struct TelemetryError(#[source] Box<dyn std::error::Error + Send + Sync>);

/// Sets up the log of this process. `RUST_LOG`, if set, decides what is written instead of the level.
pub fn start(options: LogOptions, colored: bool) -> Result<(), TelemetryError> {
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter(options.level))
        .with_timer(Clock(options.time))
        .with_writer(|| OneLine(std::io::stderr()))
        .with_ansi(colored);
    match options.format {
        Format::Console => log.try_init(),
        Format::Json => log.json().flatten_event(true).with_ansi(false).try_init(),
    }
    .map_err(TelemetryError)
}

/// Writes each message on one line, whatever is in it: the text of an error or of a server could otherwise pass for messages of
/// ours. Each message comes as one piece that ends with a line break.
struct OneLine<W>(W);

impl<W: Write> Write for OneLine<W> {
    fn write(&mut self, message: &[u8]) -> io::Result<usize> {
        let inner = message.strip_suffix(b"\n").unwrap_or(message);
        if !inner.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
            return self.0.write_all(message).map(|()| message.len());
        }
        let mut line = Vec::with_capacity(message.len() + 16);
        for &byte in inner {
            match byte {
                b'\n' => line.extend_from_slice(b"\\n"),
                b'\r' => line.extend_from_slice(b"\\r"),
                byte => line.push(byte),
            }
        }
        line.extend_from_slice(message.get(inner.len()..).unwrap_or_default());
        self.0.write_all(&line).map(|()| message.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn filter(level: Level) -> EnvFilter {
    EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(directives(level)))
}

fn directives(level: Level) -> String {
    let (own, others) = match level {
        Level::Error => ("error", "error"),
        Level::Warn => ("warn", "warn"),
        Level::Info => ("info", "warn"),
        Level::Debug => ("debug", "warn"),
        Level::Trace => ("trace", "info"),
    };
    format!("{others},espejote={own}")
}

struct Clock(TimeFormat);

impl FormatTime for Clock {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        write(self.0, Timestamp::now(), writer)
    }
}

fn write(format: TimeFormat, time: Timestamp, out: &mut impl fmt::Write) -> fmt::Result {
    let nanos = time.as_nanosecond();
    match format {
        TimeFormat::Seconds => write!(out, "{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000),
        TimeFormat::Milliseconds => write!(out, "{}.{:06}", nanos / 1_000_000, nanos % 1_000_000),
        TimeFormat::Nanoseconds => write!(out, "{nanos}"),
        TimeFormat::Iso8601 => write!(out, "{time:.3}"),
        TimeFormat::Rfc3339 => write!(out, "{time:.0}"),
        TimeFormat::Rfc3339Nano => write!(out, "{time:.9}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_every_format() {
        let time = Timestamp::from_nanosecond(1_136_214_245_123_456_789).unwrap();
        let of = |format| {
            let mut text = String::new();
            write(format, time, &mut text).unwrap();
            text
        };
        assert_eq!(of(TimeFormat::Seconds), "1136214245.123456789");
        assert_eq!(of(TimeFormat::Milliseconds), "1136214245123.456789");
        assert_eq!(of(TimeFormat::Nanoseconds), "1136214245123456789");
        assert_eq!(of(TimeFormat::Iso8601), "2006-01-02T15:04:05.123Z");
        assert_eq!(of(TimeFormat::Rfc3339), "2006-01-02T15:04:05Z");
        assert_eq!(of(TimeFormat::Rfc3339Nano), "2006-01-02T15:04:05.123456789Z");
    }

    #[test]
    fn a_message_is_one_line_whatever_is_in_it() {
        let mut out = OneLine(Vec::new());
        out.write_all(b"INFO said: no\r\nINFO forged\n").unwrap();
        out.write_all("INFO é\n".as_bytes()).unwrap();
        assert_eq!(out.0, "INFO said: no\\r\\nINFO forged\nINFO é\n".as_bytes());
    }

    #[test]
    fn every_level_is_a_valid_filter() {
        for level in [Level::Error, Level::Warn, Level::Info, Level::Debug, Level::Trace] {
            assert!(directives(level).parse::<EnvFilter>().is_ok(), "{level:?}");
        }
    }
}
