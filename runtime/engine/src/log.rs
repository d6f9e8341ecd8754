//! Lines that a guest writes: to the operator's log, within limits.
//!
//! Owns the escaping, the counting and the memory of the last lines of standard error. Guest text is a value, never a
//! format string.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use espejote_core::{Trigger, text::cut};

use crate::limits::Limits;

/// A line longer than this is cut.
const LINE_BYTES: usize = 8 * 1024;
/// What is remembered of standard error for the text of a trap.
const LAST_WORDS_BYTES: usize = 1024;
/// What Rust says after a panic: of no use to those who cannot set a variable in the sandbox.
const BACKTRACE_NOTE: &str = "note: run with `RUST_BACKTRACE";

/// The level of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Trace,
    Debug,
    Info,
    Warn,
    Error,
}

/// Whom a line is from.
#[derive(Debug)]
pub(crate) struct Source {
    pub plugin: Arc<str>,
    pub owner: String,
    pub trigger: String,
}

impl Source {
    pub fn new(plugin: Arc<str>, owner: String, trigger: &Trigger) -> Self {
        let object = trigger
            .event
            .as_ref()
            .map(|id| format!(" {id}"))
            .unwrap_or_default();
        let trigger = format!("{}{object}", trigger.name.as_deref().unwrap_or_default());
        Self {
            plugin,
            owner,
            trigger,
        }
    }
}

/// The log of one call. Clones write to the same.
#[derive(Clone, Debug)]
pub(crate) struct Log(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    source: Source,
    lines_left: u32,
    bytes_left: u64,
    dropped: u64,
    last_words: VecDeque<String>,
    last_words_bytes: usize,
}

impl Log {
    pub fn new(source: Source, limits: &Limits) -> Self {
        Self(Arc::new(Mutex::new(Inner::new(source, limits))))
    }

    /// Starts anew, for another call.
    pub fn restart(&self, source: Source, limits: &Limits) {
        *self.inner() = Inner::new(source, limits);
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a line of this level would be kept.
    pub fn enabled(&self, level: Level) -> bool {
        kept(level) && self.inner().lines_left > 0
    }

    /// Writes one line.
    pub fn line(&self, level: Level, message: &str, fields: &[(String, String)]) {
        let size = message.len() + fields.iter().map(|(k, v)| k.len() + v.len()).sum::<usize>();
        let mut inner = self.inner();
        if inner.admit(size as u64) {
            inner.write(level, message, fields);
        }
    }

    /// Writes one line of standard error.
    pub fn error_line(&self, message: &str) {
        self.line(Level::Warn, message, &[]);
        self.inner().remember(message);
    }

    /// How many lines were over the limit.
    pub fn dropped(&self) -> u64 {
        self.inner().dropped
    }

    /// The last lines of standard error, escaped and cut.
    pub fn last_words(&self) -> String {
        let lines: Vec<String> = self.inner().last_words.iter().cloned().collect();
        lines.join(" | ")
    }
}

impl Inner {
    fn new(source: Source, limits: &Limits) -> Self {
        Self {
            source,
            lines_left: limits.log_lines,
            bytes_left: limits.log_bytes,
            dropped: 0,
            last_words: VecDeque::new(),
            last_words_bytes: 0,
        }
    }

    fn admit(&mut self, bytes: u64) -> bool {
        let fits = self.lines_left > 0 && bytes <= self.bytes_left;
        if fits {
            self.lines_left -= 1;
            self.bytes_left -= bytes;
        } else {
            self.dropped += 1;
        }
        fits
    }

    fn write(&self, level: Level, message: &str, fields: &[(String, String)]) {
        let message = escaped(cut(message, LINE_BYTES));
        let fields: Vec<String> = fields
            .iter()
            .map(|(k, v)| format!("{}={}", escaped(k), escaped(cut(v, LINE_BYTES))))
            .collect();
        emit(level, &self.source, &message, &fields.join(" "));
    }

    fn remember(&mut self, message: &str) {
        let line = escaped(cut(message.trim_end(), LAST_WORDS_BYTES));
        if line.is_empty() || line.starts_with(BACKTRACE_NOTE) {
            return;
        }
        self.last_words_bytes += line.len();
        self.last_words.push_back(line);
        while self.last_words_bytes > LAST_WORDS_BYTES && self.last_words.len() > 1 {
            let oldest = self.last_words.pop_front().unwrap_or_default();
            self.last_words_bytes -= oldest.len();
        }
    }
}

macro_rules! event {
    ($level:ident, $source:expr, $message:expr, $fields:expr) => {
        tracing::event!(
            target: "espejote::plugin",
            tracing::Level::$level,
            plugin = %$source.plugin,
            owner = %$source.owner,
            trigger = %$source.trigger,
            fields = %$fields,
            "{}",
            $message
        )
    };
}

fn emit(level: Level, source: &Source, message: &str, fields: &str) {
    match level {
        Level::Trace => event!(TRACE, source, message, fields),
        Level::Debug => event!(DEBUG, source, message, fields),
        Level::Info => event!(INFO, source, message, fields),
        Level::Warn => event!(WARN, source, message, fields),
        Level::Error => event!(ERROR, source, message, fields),
    }
}

fn kept(level: Level) -> bool {
    match level {
        Level::Trace => tracing::enabled!(target: "espejote::plugin", tracing::Level::TRACE),
        Level::Debug => tracing::enabled!(target: "espejote::plugin", tracing::Level::DEBUG),
        Level::Info => tracing::enabled!(target: "espejote::plugin", tracing::Level::INFO),
        Level::Warn => tracing::enabled!(target: "espejote::plugin", tracing::Level::WARN),
        Level::Error => tracing::enabled!(target: "espejote::plugin", tracing::Level::ERROR),
    }
}

/// Control characters, and those that turn the direction of text, written as escapes.
pub(crate) fn escaped(text: &str) -> String {
    let dangerous = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if dangerous(c) {
            plain.extend(c.escape_default());
        } else {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(limits: &Limits) -> Log {
        Log::new(Source::new("p".into(), "o".into(), &Trigger::default()), limits)
    }

    #[test]
    fn lines_over_the_limit_are_dropped_and_counted() {
        let log = log(&Limits::builder().log_lines(2).build());
        for _ in 0..5 {
            log.line(Level::Info, "x", &[]);
        }
        assert_eq!(log.dropped(), 3);
    }

    #[test]
    fn bytes_over_the_limit_are_dropped_and_counted() {
        let log = log(&Limits::builder().log_bytes(10).build());
        log.line(Level::Info, "12345678901", &[]);
        log.line(Level::Info, "123", &[("k".into(), "v".into())]);
        assert_eq!(log.dropped(), 1);
    }

    #[test]
    fn the_last_words_are_the_last_and_few() {
        let log = log(&Limits::default());
        for n in 0..1000 {
            log.error_line(&format!("line {n}"));
        }
        let words = log.last_words();
        assert!(
            words.ends_with("line 999") && words.len() < 4 * LAST_WORDS_BYTES,
            "{words}"
        );
    }

    #[test]
    fn advice_on_backtraces_is_not_remembered() {
        let log = log(&Limits::default());
        log.error_line("panicked at src/lib.rs:1:1:");
        log.error_line("note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace");
        assert_eq!(log.last_words(), "panicked at src/lib.rs:1:1:");
    }

    #[test]
    fn terminal_escapes_and_newlines_lose_their_power() {
        assert_eq!(escaped("a\x1b[2J\nb\u{202e}é"), "a\\u{1b}[2J\\nb\\u{202e}é");
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!((cut("aé", 2), cut("aé", 3), cut("aé", 9)), ("a", "aé", "aé"));
    }
}
