//! Reads through JSON text without building anything.
//!
//! Owns the grammar: what was read to its end without an error is one well-formed JSON document. Never decodes more
//! than the caller asks for, and never quotes the text in an error.

use std::borrow::Cow;

/// Deeper nesting is refused: it would exhaust the stack.
const MAX_DEPTH: u32 = 512;

/// The text is not well-formed JSON, or not of the type that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the JSON that was expected at byte {at}")]
pub struct ScanError {
    /// Where it went wrong.
    pub at: usize,
}

/// A string as it stands in the text.
#[derive(Debug, Clone, Copy)]
pub struct RawString<'a> {
    quoted: &'a str,
    /// The offset of its first character, behind the quote.
    pub start: usize,
    /// Whether it holds escapes, so that the characters in the text are not those that are meant.
    pub escaped: bool,
}

impl<'a> RawString<'a> {
    /// What stands between the quotes.
    pub fn raw(&self) -> &'a str {
        self.quoted.get(1..self.quoted.len() - 1).unwrap_or_default()
    }

    /// The offset behind its last character.
    pub fn end(&self) -> usize {
        self.start + self.raw().len()
    }

    /// What is meant. Fails for half a surrogate pair.
    pub fn decode(&self) -> Result<Cow<'a, str>, ScanError> {
        if !self.escaped {
            return Ok(Cow::Borrowed(self.raw()));
        }
        let decoded = serde_json::from_str(self.quoted).map_err(|_| ScanError { at: self.start })?;
        Ok(Cow::Owned(decoded))
    }
}

/// A position in a JSON text.
#[derive(Debug, Clone)]
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

impl<'a> Scanner<'a> {
    /// Starts before the first value of `text`.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    /// The offset of the next character.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The first character of the next value, without reading it.
    pub fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.byte()
    }

    /// Reads an object. `visit` is called behind the colon of each key and has to read exactly one value.
    pub fn object<E: From<ScanError>>(
        &mut self,
        mut visit: impl FnMut(&mut Self, RawString<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.nested(b'{', b'}', |scanner| {
            let key = scanner.string()?;
            scanner.expect(b':')?;
            visit(scanner, key)
        })
    }

    /// Reads an array. `visit` has to read exactly one value.
    pub fn array<E: From<ScanError>>(
        &mut self,
        visit: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.nested(b'[', b']', visit)
    }

    /// Reads a string.
    pub fn string(&mut self) -> Result<RawString<'a>, ScanError> {
        self.expect(b'"')?;
        let start = self.at;
        let mut escaped = false;
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            let stop = memchr::memchr2(b'"', b'\\', rest).ok_or(self.error())?;
            if rest.iter().take(stop).any(|byte| *byte < b' ') {
                return Err(self.error());
            }
            self.at += stop + 1;
            if rest.get(stop) == Some(&b'"') {
                let quoted = self.text.get(start - 1..self.at).ok_or(self.error())?;
                return Ok(RawString {
                    quoted,
                    start,
                    escaped,
                });
            }
            escaped = true;
            self.escape()?;
        }
    }

    /// Reads any value and gives its text.
    pub fn value(&mut self) -> Result<&'a str, ScanError> {
        self.skip_space();
        let start = self.at;
        match self.byte() {
            Some(b'{') => self.object(|scanner, _| scanner.value().map(drop))?,
            Some(b'[') => self.array(|scanner| scanner.value().map(drop))?,
            Some(b'"') => self.string().map(drop)?,
            Some(b't') => self.word("true")?,
            Some(b'f') => self.word("false")?,
            Some(b'n') => self.word("null")?,
            _ => self.number()?,
        }
        self.text.get(start..self.at).ok_or(self.error())
    }

    /// Reads a string, or null as none.
    pub fn optional_string(&mut self) -> Result<Option<RawString<'a>>, ScanError> {
        if self.peek() == Some(b'n') {
            return self.word("null").map(|()| None);
        }
        self.string().map(Some)
    }

    /// Makes sure that nothing follows.
    pub fn end(&mut self) -> Result<(), ScanError> {
        self.skip_space();
        if self.at == self.text.len() {
            Ok(())
        } else {
            Err(self.error())
        }
    }

    fn nested<E: From<ScanError>>(
        &mut self,
        open: u8,
        close: u8,
        mut element: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.expect(open)?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error().into());
        }
        if self.peek() != Some(close) {
            element(self)?;
            while self.peek() == Some(b',') {
                self.at += 1;
                element(self)?;
            }
        }
        self.depth -= 1;
        Ok(self.expect(close)?)
    }

    fn escape(&mut self) -> Result<(), ScanError> {
        let hex_digits = match self.byte() {
            Some(b'u') => 4,
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 0,
            _ => return Err(self.error()),
        };
        self.at += 1;
        for _ in 0..hex_digits {
            self.one(u8::is_ascii_hexdigit)?;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), ScanError> {
        self.optional(|byte| *byte == b'-');
        if !self.optional(|byte| *byte == b'0') {
            self.digits()?;
        }
        if self.optional(|byte| *byte == b'.') {
            self.digits()?;
        }
        if self.optional(|byte| matches!(byte, b'e' | b'E')) {
            self.optional(|byte| matches!(byte, b'+' | b'-'));
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), ScanError> {
        self.one(u8::is_ascii_digit)?;
        while self.optional(u8::is_ascii_digit) {}
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<(), ScanError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word) {
            return Err(self.error());
        }
        self.at += word.len();
        Ok(())
    }

    fn expect(&mut self, byte: u8) -> Result<(), ScanError> {
        self.skip_space();
        self.one(|found| *found == byte)
    }

    fn one(&mut self, wanted: impl Fn(&u8) -> bool) -> Result<(), ScanError> {
        if self.optional(wanted) {
            Ok(())
        } else {
            Err(self.error())
        }
    }

    fn optional(&mut self, wanted: impl Fn(&u8) -> bool) -> bool {
        let found = self.byte().is_some_and(|byte| wanted(&byte));
        self.at += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self) -> ScanError {
        ScanError { at: self.at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn well_formed(text: &str) -> bool {
        let mut scanner = Scanner::new(text);
        scanner.value().and_then(|_| scanner.end()).is_ok()
    }

    #[test]
    fn it_accepts_and_refuses_what_serde_json_does() {
        let texts = [
            "0",
            "-0",
            "01",
            "1.",
            "1.5",
            ".5",
            "1e5",
            "1E+05",
            "1e",
            "-",
            "+1",
            "1e-",
            "9007199254740993",
            "true",
            "tru",
            "false",
            "null",
            "nul",
            "nulll",
            "\"\"",
            "\"a",
            "\"\\n\"",
            "\"\\x\"",
            "\"\\u00e4\"",
            "\"\\u00g0\"",
            "\"\u{1}\"",
            "\"tab\there\"",
            "{}",
            "{ }",
            "{\"a\":1}",
            "{\"a\":1,}",
            "{\"a\"}",
            "{a:1}",
            "{\"a\":1 \"b\":2}",
            "[]",
            "[1,2]",
            "[1,]",
            "[1 2]",
            "[",
            "]",
            "{\"a\":[{\"b\":[]},null]}",
            " 1 ",
            "1 2",
            "",
            " ",
            "\u{feff}1",
            "[\"\\\\\"]",
            "[\"\\\"\",\"\\\\\\\"\"]",
        ];
        for text in texts {
            let expected = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
            assert_eq!(well_formed(text), expected, "{text:?}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        assert!(well_formed(&format!("{}{}", "[".repeat(512), "]".repeat(512))));
        assert!(!well_formed(&format!("{}{}", "[".repeat(513), "]".repeat(513))));
        assert!(!well_formed(&"[".repeat(1_000_000)));
    }

    #[test]
    fn strings_are_decoded_on_demand() {
        let mut scanner = Scanner::new(r#" "system:\u003cx\u003e" "#);
        let string = scanner.string().unwrap();
        assert_eq!(string.raw(), r"system:\u003cx\u003e");
        assert_eq!(string.decode().unwrap(), "system:<x>");
        assert!(Scanner::new(r#""\ud800""#).string().unwrap().decode().is_err());
    }
}
