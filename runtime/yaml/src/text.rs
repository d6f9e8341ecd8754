//! How a text is written: plain, in quotes, or as a block.
//!
//! Owns the choice of the style and the folding of long lines. What the style must keep apart from other types is told by
//! [`super::scalar`].

use super::scalar;

/// Lines are folded at the first space beyond this column.
const WIDTH: usize = 80;
/// Longer keys, in bytes, are written in the form with a question mark.
const LONGEST_KEY: usize = 128;

/// Text that knows its column.
#[derive(Debug, Default)]
pub struct Page {
    text: String,
    column: usize,
}

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A key that shares its line with its value: it may not be folded.
    Key,
    /// Anywhere else; lines after the first are indented so far.
    Value {
        /// Columns.
        indent: usize,
    },
}

impl Page {
    /// All of it.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Adds signs that hold no line break.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.column += text.chars().count();
    }

    /// Starts a line, unless at the start of one, and indents it.
    pub fn line(&mut self, indent: usize) {
        if self.column > 0 {
            self.break_line('\n');
        }
        self.indent(indent);
    }

    /// Adds a text in the style that fits it.
    pub fn scalar(&mut self, text: &str, place: Place) {
        match (style(text), place) {
            (Style::Plain, _) => self.plain(text, place),
            (Style::Single, _) => self.single_quoted(text, place),
            (Style::Literal, Place::Value { indent }) => self.literal(text, indent),
            (Style::Double, _) | (Style::Literal, Place::Key) => self.double_quoted(text, place),
        }
    }

    fn indent(&mut self, to: usize) {
        while self.column < to {
            self.push(" ");
        }
    }

    fn break_line(&mut self, with: char) {
        self.text.push(with);
        self.column = 0;
    }

    fn put(&mut self, c: char) {
        self.text.push(c);
        self.column += 1;
    }

    /// Where to go on after a fold here, if one is due.
    fn fold(&self, place: Place) -> Option<usize> {
        match place {
            Place::Value { indent } if self.column > WIDTH => Some(indent),
            _ => None,
        }
    }

    /// A run of signs in which single spaces may become line breaks.
    fn plain(&mut self, text: &str, place: Place) {
        for sign in Signs::of(text) {
            match self.fold(place).filter(|_| sign.is_lone_space()) {
                Some(indent) => self.line(indent),
                None => self.put(sign.c),
            }
        }
    }

    fn single_quoted(&mut self, text: &str, place: Place) {
        self.put('\'');
        for sign in Signs::of(text) {
            match self
                .fold(place)
                .filter(|_| sign.is_lone_space() && sign.is_inside())
            {
                Some(indent) => self.line(indent),
                None => self.single_quoted_sign(sign, place),
            }
        }
        self.put('\'');
    }

    fn single_quoted_sign(&mut self, sign: Sign, place: Place) {
        if let (Place::Value { indent }, true) =
            (place, sign.previous.is_some_and(is_break) && !is_break(sign.c))
        {
            self.indent(indent);
        }
        match sign.c {
            '\'' => self.push("''"),
            c if is_break(c) => self.break_line(c),
            c => self.put(c),
        }
    }

    fn double_quoted(&mut self, text: &str, place: Place) {
        self.put('"');
        for sign in Signs::of(text) {
            match escaped(sign.c) {
                Some(escaped) => self.push(&escaped),
                None => self.double_quoted_sign(sign, place),
            }
        }
        self.put('"');
    }

    /// A line break eats the spaces after it, so the first of them is escaped.
    fn double_quoted_sign(&mut self, sign: Sign, place: Place) {
        let foldable = sign.c == ' ' && sign.previous != Some(' ') && sign.is_inside();
        let Some(indent) = self.fold(place).filter(|_| foldable) else {
            return self.put(sign.c);
        };
        self.line(indent);
        if sign.next == Some(' ') {
            self.put('\\');
        }
    }

    fn literal(&mut self, text: &str, indent: usize) {
        self.push("|");
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            self.push("2");
        }
        self.push(chomping(text));
        self.break_line('\n');
        for c in text.chars() {
            if is_break(c) {
                self.break_line(c);
            } else {
                self.indent(if self.column == 0 { indent } else { 0 });
                self.put(c);
            }
        }
    }
}

/// Whether a key can share its line with its value.
pub fn is_simple_key(text: &str) -> bool {
    text.len() <= LONGEST_KEY && !text.contains(is_break)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

fn style(text: &str) -> Style {
    let special = text.contains(is_special) || has_pair(text, |a, b| a == ' ' && is_break(b));
    if text.contains('\n') {
        return if special || text.ends_with(' ') {
            Style::Double
        } else {
            Style::Literal
        };
    }
    if special || scalar::needs_quotes(text) || has_pair(text, |a, b| is_break(a) && b == ' ') {
        Style::Double
    } else if text.contains(is_break) || is_mistakable(text) {
        Style::Single
    } else {
        Style::Plain
    }
}

/// Whether a text, unquoted, would be taken for structure, or lose spaces.
fn is_mistakable(text: &str) -> bool {
    text.starts_with(' ')
        || text.ends_with(' ')
        || text.starts_with("---")
        || text.starts_with("...")
        || starts_with_an_indicator(text)
        || Signs::of(text).any(is_indicator)
}

fn starts_with_an_indicator(text: &str) -> bool {
    let mut signs = text.chars();
    match (signs.next(), signs.next()) {
        (Some('?' | ':' | '-'), second) => second.is_none_or(|c| c == ' '),
        (Some(first), _) => "#,[]{}&*!|>'\"%@`".contains(first),
        (None, _) => false,
    }
}

fn is_indicator(sign: Sign) -> bool {
    match sign.c {
        ':' => sign.next.is_none_or(|c| c == ' '),
        '#' => sign.previous.is_some_and(|c| c == ' '),
        _ => false,
    }
}

fn chomping(text: &str) -> &'static str {
    let mut ends = text.chars().rev();
    match (ends.next(), ends.next()) {
        (Some(last), None) if is_break(last) => "+",
        (Some(last), Some(before)) if is_break(last) && is_break(before) => "+",
        (Some(last), _) if is_break(last) => "",
        _ => "-",
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Signs that only double quotes can hold: control signs, and all beyond the basic multilingual plane.
fn is_special(c: char) -> bool {
    !matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

fn has_pair(text: &str, is: impl Fn(char, char) -> bool) -> bool {
    text.chars().zip(text.chars().skip(1)).any(|(a, b)| is(a, b))
}

/// The escape of a sign in double quotes, if it needs one.
fn escaped(c: char) -> Option<String> {
    if !is_special(c) && !is_break(c) && c != '"' && c != '\\' {
        return None;
    }
    let short = match c {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '"' | '\\' => c,
        '\u{85}' => 'N',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => return Some(by_number(u32::from(c))),
    };
    Some(format!("\\{short}"))
}

fn by_number(code: u32) -> String {
    match code {
        0..=0xff => format!("\\x{code:02X}"),
        0x100..=0xffff => format!("\\u{code:04X}"),
        _ => format!("\\U{code:08X}"),
    }
}

/// A sign and its neighbours.
#[derive(Clone, Copy, Debug)]
struct Sign {
    previous: Option<char>,
    c: char,
    next: Option<char>,
}

impl Sign {
    fn is_lone_space(&self) -> bool {
        self.c == ' ' && self.previous != Some(' ') && self.next != Some(' ')
    }

    fn is_inside(&self) -> bool {
        self.previous.is_some() && self.next.is_some()
    }
}

struct Signs<'a> {
    previous: Option<char>,
    rest: std::iter::Peekable<std::str::Chars<'a>>,
}

impl<'a> Signs<'a> {
    fn of(text: &'a str) -> Self {
        Self {
            previous: None,
            rest: text.chars().peekable(),
        }
    }
}

impl Iterator for Signs<'_> {
    type Item = Sign;

    fn next(&mut self) -> Option<Sign> {
        let c = self.rest.next()?;
        let sign = Sign {
            previous: self.previous.replace(c),
            c,
            next: self.rest.peek().copied(),
        };
        Some(sign)
    }
}
