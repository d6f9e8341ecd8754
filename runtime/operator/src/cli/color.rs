//! Whether and how the terminal is coloured.
//!
//! Non-empty `FORCE_COLOR` forces colours, non-empty `NO_COLOR` takes them away, in this order; else terminals get them.

use std::io::IsTerminal as _;

use clap::{ColorChoice, builder::StyledStr};

/// What the environment asks of the command line's own texts.
pub fn choice() -> ColorChoice {
    choose(set("FORCE_COLOR"), set("NO_COLOR"))
}

/// Whether what goes to standard error is coloured.
pub fn on_stderr() -> bool {
    match choice() {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => std::io::stderr().is_terminal(),
    }
}

/// Something that went wrong.
pub fn red(text: &str) -> String {
    paint("1;31", text, on_stderr())
}

/// Something to look at.
pub fn yellow(text: &str) -> String {
    paint("1;33", text, on_stderr())
}

/// A help text about something that may still change.
pub fn alpha(about: &str) -> StyledStr {
    format!("{} {about}", paint("1;33", "ALPHA", true)).into()
}

fn choose(force: bool, no: bool) -> ColorChoice {
    match (force, no) {
        (true, _) => ColorChoice::Always,
        (false, true) => ColorChoice::Never,
        (false, false) => ColorChoice::Auto,
    }
}

fn set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

fn paint(code: &str, text: &str, colored: bool) -> String {
    if colored {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R13: `FORCE_COLOR` wins over everything, `NO_COLOR` over the terminal.
    #[test]
    fn r13_force_color_wins_over_no_color() {
        assert_eq!(choose(true, true), ColorChoice::Always);
        assert_eq!(choose(false, true), ColorChoice::Never);
        assert_eq!(choose(false, false), ColorChoice::Auto);
    }

    /// R13: what may change is marked in bold yellow.
    #[test]
    fn r13_alpha_is_bold_yellow() {
        assert_eq!(
            alpha("text").ansi().to_string(),
            "\u{1b}[1;33mALPHA\u{1b}[0m text"
        );
        assert_eq!(paint("1;33", "ALPHA", false), "ALPHA");
    }
}
