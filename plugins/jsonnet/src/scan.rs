//! Finds the ends of JSON values without looking into them.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

/// A place in a text. Every method moves over what it names, white space before it included, or gives none where the text
/// is no JSON.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    /// An opening bracket. Whether there is a first item.
    pub(crate) fn open(&mut self, open: u8, close: u8) -> Option<bool> {
        self.eat(open)?;
        let empty = self.peek()? == close;
        if empty {
            self.at += 1;
        }
        Some(!empty)
    }

    /// What stands after an item. Whether there is another.
    pub(crate) fn more(&mut self, close: u8) -> Option<bool> {
        let next = self.peek()?;
        self.at += 1;
        match next {
            b',' => Some(true),
            next if next == close => Some(false),
            _ => None,
        }
    }

    pub(crate) fn colon(&mut self) -> Option<()> {
        self.eat(b':')
    }

    /// A string; its content, escapes resolved.
    pub(crate) fn string(&mut self) -> Option<Cow<'a, str>> {
        self.peek()?;
        let start = self.at;
        let escaped = self.skip_string()?;
        let content = self.text.get(start + 1..self.at - 1)?;
        if escaped {
            return serde_json::from_str(self.text.get(start..self.at)?)
                .ok()
                .map(Cow::Owned);
        }
        Some(Cow::Borrowed(content))
    }

    /// Any value; where it is.
    pub(crate) fn value(&mut self) -> Option<Range<usize>> {
        let first = self.peek()?;
        let start = self.at;
        match first {
            b'{' | b'[' => self.skip_nested()?,
            b'"' => self.skip_string().map(drop)?,
            _ => self.skip_word()?,
        }
        Some(start..self.at)
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        self.space();
        self.rest().first().copied()
    }

    fn space(&mut self) {
        let blank = self
            .rest()
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'))
            .count();
        self.at += blank;
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// From the opening to after the closing quote. Whether there are escapes.
    fn skip_string(&mut self) -> Option<bool> {
        if self.rest().first() != Some(&b'"') {
            return None;
        }
        self.at += 1;
        let mut escaped = false;
        loop {
            self.at += memchr2(b'"', b'\\', self.rest())?;
            if self.rest().first() == Some(&b'"') {
                self.at += 1;
                return Some(escaped);
            }
            escaped = true;
            self.at += 2;
        }
    }

    /// From an opening bracket to after the one that closes it. Brackets are counted, not matched: what is inside is parsed
    /// when it is touched.
    fn skip_nested(&mut self) -> Option<()> {
        let mut depth = 0_u32;
        loop {
            let byte = *self.rest().first()?;
            match byte {
                b'"' => {
                    self.skip_string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.checked_sub(1)?,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Number, `true`, `false`, `null`: up to what ends a value.
    fn skip_word(&mut self) -> Option<()> {
        let ends = |byte: &u8| {
            matches!(
                byte,
                b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' | b':' | b'"'
            )
        };
        let length = self.rest().iter().position(ends).unwrap_or(self.rest().len());
        self.at += length;
        (length > 0).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_they_end() {
        for (text, value) in [
            (r#" {"a":"}\"]"} ,"#, r#"{"a":"}\"]"}"#),
            ("[[1],[2]]]", "[[1],[2]]"),
            (r#""a\\" "b""#, r#""a\\""#),
            ("-1.5e+3}", "-1.5e+3"),
            ("null", "null"),
        ] {
            let range = Scanner::new(text, 0).value().unwrap();
            assert_eq!(&text[range], value);
        }
    }

    #[test]
    fn escapes_are_resolved_and_plain_text_is_not_copied() {
        assert!(matches!(
            Scanner::new("\"abc\"", 0).string(),
            Some(Cow::Borrowed("abc"))
        ));
        assert_eq!(Scanner::new(r#""\u00e9\n""#, 0).string().unwrap(), "é\n");
        assert!(Scanner::new(r#""\"#, 0).string().is_none());
    }
}
