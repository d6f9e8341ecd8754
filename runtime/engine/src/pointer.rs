//! JSON pointers (RFC 6901), looked up in JSON text.
//!
//! No tree is built: the scan ends at the value. The text is taken to be well-formed, since only parsed objects are kept;
//! in a text that is not, nothing is found.

use std::borrow::Cow;

/// A parsed pointer.
#[derive(Debug)]
pub(crate) struct Pointer {
    tokens: Vec<String>,
}

impl Pointer {
    /// Parses a pointer; the empty one names the whole document.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self { tokens: Vec::new() });
        }
        let rest = text
            .strip_prefix('/')
            .ok_or_else(|| format!("invalid JSON pointer {text:?}: it has to begin with a slash"))?;
        let tokens = rest.split('/').map(unescape).collect::<Option<_>>();
        match tokens {
            Some(tokens) => Ok(Self { tokens }),
            None => Err(format!(
                "invalid JSON pointer {text:?}: ~ has to be followed by 0 or 1"
            )),
        }
    }

    /// The text of the value, without blanks around it.
    pub fn find<'a>(&self, json: &'a str) -> Option<&'a str> {
        let mut scanner = Scanner { json, at: 0 };
        for token in &self.tokens {
            scanner.enter(token)?;
        }
        scanner.value()
    }
}

fn unescape(token: &str) -> Option<String> {
    let mut parts = token.split('~');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (escaped, rest) = match part.as_bytes().first()? {
            b'0' => ('~', part.get(1..)?),
            b'1' => ('/', part.get(1..)?),
            _ => return None,
        };
        plain.push(escaped);
        plain.push_str(rest);
    }
    Some(plain)
}

struct Scanner<'a> {
    json: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.json.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.json.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn blanks(&mut self) -> Option<u8> {
        while matches!(self.peek()?, b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
        self.peek()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.blanks()? == byte).then(|| self.at += 1)
    }

    /// Goes to the member or element that a token names.
    fn enter(&mut self, token: &str) -> Option<()> {
        match self.blanks()? {
            b'{' => self.enter_object(token),
            b'[' => self.enter_array(index(token)?),
            _ => None,
        }
    }

    fn enter_object(&mut self, token: &str) -> Option<()> {
        self.take(b'{')?;
        loop {
            self.blanks()?;
            let key = self.string()?;
            self.take(b':')?;
            if plain_key(key)? == token {
                return Some(());
            }
            self.value()?;
            self.take(b',')?;
        }
    }

    fn enter_array(&mut self, index: usize) -> Option<()> {
        self.take(b'[')?;
        for _ in 0..index {
            self.value()?;
            self.take(b',')?;
        }
        (self.blanks()? != b']').then_some(())
    }

    /// Skips a string; gives it with its quotes.
    fn string(&mut self) -> Option<&'a str> {
        let start = self.at;
        (self.peek()? == b'"').then_some(())?;
        self.at += 1;
        loop {
            self.at += memchr::memchr2(b'"', b'\\', self.rest())?;
            if self.peek()? == b'"' {
                self.at += 1;
                return self.json.get(start..self.at);
            }
            self.at += 2;
        }
    }

    /// Skips a value; gives its text.
    fn value(&mut self) -> Option<&'a str> {
        match self.blanks()? {
            b'"' => self.string(),
            b'{' | b'[' => self.nested(),
            _ => self.scalar(),
        }
    }

    fn nested(&mut self) -> Option<&'a str> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return self.json.get(start..self.at);
            }
        }
    }

    fn scalar(&mut self) -> Option<&'a str> {
        let start = self.at;
        let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t');
        let length = self.rest().iter().position(ends).unwrap_or(self.rest().len());
        self.at += length;
        (length > 0).then(|| self.json.get(start..self.at))?
    }
}

fn index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with('0');
    (canonical && token.bytes().all(|b| b.is_ascii_digit()))
        .then(|| token.parse().ok())
        .flatten()
}

/// A key without its quotes and escapes.
fn plain_key(quoted: &str) -> Option<Cow<'_, str>> {
    if quoted.contains('\\') {
        serde_json::from_str(quoted).ok().map(Cow::Owned)
    } else {
        quoted.get(1..quoted.len() - 1).map(Cow::Borrowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: &str = r#" { "kind" : "ConfigMap", "metadata":{"name":"a","labels":{"a.b/c":"web","m~n":"t"}},
        "data": {"x": [1, {"y": [true, 9007199254740993]}, "}]"], "esc\"aped": -1.50, "empty": {}, "none": []} }"#;

    fn find(pointer: &str) -> Option<&'static str> {
        Pointer::parse(pointer).unwrap().find(OBJECT)
    }

    #[test]
    fn values_come_as_they_are_written() {
        for (pointer, value) in [
            ("/kind", r#""ConfigMap""#),
            ("/metadata/labels/a.b~1c", r#""web""#),
            ("/metadata/labels/m~0n", r#""t""#),
            ("/data/x/0", "1"),
            ("/data/x/1/y/1", "9007199254740993"),
            ("/data/x/1/y", "[true, 9007199254740993]"),
            ("/data/x/2", r#""}]""#),
            ("/data/esc\"aped", "-1.50"),
            ("/data/empty", "{}"),
        ] {
            assert_eq!(find(pointer), Some(value), "{pointer}");
        }
    }

    #[test]
    fn the_empty_pointer_is_the_whole_document() {
        assert_eq!(find(""), Some(OBJECT.trim()));
    }

    #[test]
    fn nothing_is_found_where_there_is_nothing() {
        for pointer in [
            "/no",
            "/kind/x",
            "/data/x/3",
            "/data/x/01",
            "/data/x/-",
            "/data/empty/x",
            "/data/none/0",
            "/",
        ] {
            assert_eq!(find(pointer), None, "{pointer}");
        }
    }

    #[test]
    fn bad_pointers_say_what_is_wrong() {
        assert!(Pointer::parse("kind").unwrap_err().contains("begin with a slash"));
        assert!(Pointer::parse("/a~2").unwrap_err().contains('~'));
        assert!(Pointer::parse("/a~").is_err());
    }

    #[test]
    fn cut_off_texts_give_nothing_and_never_panic() {
        let pointer = Pointer::parse("/data/x/1/y/1").unwrap();
        for end in 0..OBJECT.len() - 40 {
            let _ = pointer.find(&OBJECT[..end]);
        }
        for text in ["]", "}", "{\"a\":]", "\\", "{\"\\", "[1"] {
            let _ = Pointer::parse("/a").unwrap().find(text);
            let _ = Pointer::parse("/1").unwrap().find(text);
            let _ = Pointer::parse("").unwrap().find(text);
        }
    }
}
