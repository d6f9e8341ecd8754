//! How deep a text of Jsonnet goes, found before it is parsed: parser and evaluator recurse, and a text of ten thousand
//! brackets would end the component where a message is due.
//!
//! Brackets are counted, and what goes deeper without them: statements one after the other, and operators and keywords of
//! one expression. What is no Jsonnet is left to the parser.

/// Brackets that may be open. A value of that depth is more than go-jsonnet's 500 frames let it write, too.
const BRACKETS: usize = 500;
/// Statements and operators within each other. The stack is used up at several thousand.
const CHAIN: usize = 2000;

/// Where a text goes too deep: the byte, and what to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooDeep {
    pub(crate) byte: usize,
    pub(crate) message: &'static str,
}

/// Finds the first place that is too deep.
pub(crate) fn check(code: &str) -> Result<(), TooDeep> {
    let mut levels = Levels::default();
    for (byte, token) in (Tokens { code, at: 0 }) {
        levels.enter(token).map_err(|message| TooDeep { byte, message })?;
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    /// Between neighbours.
    Comma,
    /// What follows is inside of what came before.
    Semicolon,
    /// An operator, or a keyword that has an expression after it.
    Link,
    /// A dot: what follows is taken from what came before.
    Dot,
    Blank,
    Other,
}

/// The brackets around the place reached.
#[derive(Default)]
struct Levels {
    outer: Vec<(usize, usize)>,
    /// The depth of all levels around.
    base: usize,
    statements: usize,
    links: usize,
    /// Whether the token before closed a bracket.
    closed: bool,
}

impl Levels {
    fn enter(&mut self, token: Token) -> Result<(), &'static str> {
        let follows = std::mem::replace(&mut self.closed, token == Token::Close);
        // `f(x)(y)`, `{…}{…}`, `f(x).g`: the second holds the first.
        if follows && matches!(token, Token::Open | Token::Dot) {
            self.links += 1;
        }
        match token {
            Token::Open => {
                self.outer.push((self.statements, self.links));
                self.base += self.statements + self.links;
                (self.statements, self.links) = (0, 0);
            }
            Token::Close => {
                (self.statements, self.links) = self.outer.pop().unwrap_or_default();
                self.base = self.base.saturating_sub(self.statements + self.links);
            }
            Token::Comma => self.links = 0,
            Token::Semicolon => {
                self.links = 0;
                self.statements += 1;
            }
            Token::Link => self.links += 1,
            Token::Blank => self.closed = follows,
            Token::Dot | Token::Other => {}
        }
        if self.outer.len() > BRACKETS {
            Err("nested too deeply: more than 500 brackets are open here")
        } else if self.depth() > CHAIN {
            Err("nested too deeply: more than 2000 statements and operators are within each other here")
        } else {
            Ok(())
        }
    }

    fn depth(&self) -> usize {
        self.base + self.statements + self.links
    }
}

/// The tokens of a text, as far as they count.
struct Tokens<'a> {
    code: &'a str,
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = (usize, Token);

    fn next(&mut self) -> Option<Self::Item> {
        let byte = self.at;
        let rest = self.code.get(byte..)?;
        let first = rest.chars().next()?;
        let (length, token) = match first {
            '{' | '[' | '(' => (1, Token::Open),
            '}' | ']' | ')' => (1, Token::Close),
            ',' => (1, Token::Comma),
            ';' => (1, Token::Semicolon),
            '.' => (1, Token::Dot),
            '#' => (line(rest), Token::Blank),
            '/' if rest.starts_with("//") => (line(rest), Token::Blank),
            '/' if rest.starts_with("/*") => (up_to(rest, 2, "*/"), Token::Blank),
            '|' if rest.starts_with("|||") => (block(rest), Token::Other),
            '\'' | '"' => (quoted(rest, first), Token::Other),
            '@' => (verbatim(rest), Token::Other),
            '!' | '~' | '-' | '+' | '*' | '/' | '%' | '&' | '|' | '^' | '=' | '<' | '>' => (1, Token::Link),
            first if first.is_ascii_alphabetic() || first == '_' => word(rest),
            first if first.is_whitespace() => (first.len_utf8(), Token::Blank),
            first => (first.len_utf8(), Token::Other),
        };
        self.at = byte + length;
        Some((byte, token))
    }
}

fn word(rest: &str) -> (usize, Token) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let links = ["if", "else", "function", "error", "assert", "local", "in"];
    let token = match rest.get(..length) {
        Some(word) if links.contains(&word) => Token::Link,
        _ => Token::Other,
    };
    (length, token)
}

fn line(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

/// The length up to and with an end that is looked for from a byte on.
fn up_to(rest: &str, from: usize, end: &str) -> usize {
    let found = rest.get(from..).and_then(|inner| inner.find(end));
    found.map_or(rest.len(), |at| from + at + end.len())
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    let closing = rest.char_indices().skip(1).find(|&(_, c)| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    closing.map_or(rest.len(), |(at, _)| at + 1)
}

/// `@'…'`, where a doubled quote stands for itself: two strings side by side, for us.
fn verbatim(rest: &str) -> usize {
    match rest.chars().nth(1) {
        Some(quote @ ('\'' | '"')) => up_to(rest, 2, &quote.to_string()),
        _ => 1,
    }
}

/// A text block ends at the `|||` that has nothing but white space before it in its line.
fn block(rest: &str) -> usize {
    let mut at = line(rest);
    while let Some(next) = rest.get(at + 1..).filter(|next| !next.is_empty()) {
        let blank = next.len() - next.trim_start_matches([' ', '\t']).len();
        if next.get(blank..).is_some_and(|text| text.starts_with("|||")) {
            return at + 1 + blank + 3;
        }
        at += 1 + line(next);
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn byte(code: &str) -> Option<usize> {
        check(code).err().map(|deep| deep.byte)
    }

    #[test]
    fn open_brackets_are_counted_to_five_hundred() {
        let nested = |n: usize| format!("{}{}", "[({".repeat(n), "})]".repeat(n));
        assert_eq!(byte(&nested(166)), None);
        assert_eq!(byte(&nested(167)), Some(500));
        assert_eq!(byte(&"[],".repeat(10_000)), None);
    }

    #[test]
    fn what_goes_deeper_without_brackets_counts_too() {
        for (part, counted) in [
            ("-", 1),
            ("!", 1),
            ("if a then ", 1),
            ("if a then b else ", 2),
            ("local a = 1; ", 1),
            ("assert true; ", 1),
            ("function() ", 1),
            ("error ", 1),
            ("1 + ", 1),
        ] {
            let most = (CHAIN - 3) / counted;
            assert_eq!(byte(&format!("{}1", part.repeat(most))), None, "{part}");
            assert!(byte(&format!("{}1", part.repeat(CHAIN + 1))).is_some(), "{part}");
        }
    }

    #[test]
    fn what_follows_a_bracket_may_hold_it() {
        assert!(byte(&format!("f{}", "()".repeat(CHAIN + 2))).is_some());
        assert!(byte(&"{} ".repeat(CHAIN + 2)).is_some());
        assert_eq!(byte(&"{a: f(x).y}, ".repeat(CHAIN + 2)), None);
    }

    #[test]
    fn neighbours_are_not_within_each_other() {
        let list = format!("[{}]", "-f(1) + -2, ".repeat(10_000));
        let locals = format!("{}1", "local a = -1 + (2 * -3); ".repeat(1000));
        assert_eq!((byte(&list), byte(&locals)), (None, None));
    }

    #[test]
    fn brackets_in_texts_and_comments_do_not_count() {
        let many = "([{".repeat(1000);
        for text in [
            format!("'\\'{many}'"),
            format!("\"{many}\""),
            format!("@'a''{many}'"),
            format!("// {many}\n1"),
            format!("# {many}"),
            format!("/* {many} */ 1"),
            format!("|||\n  {many}\n  a ||| b\n|||"),
        ] {
            assert_eq!(byte(&text), None, "{}", text.get(..20).unwrap_or_default());
            assert!(byte(&format!("{text}\n{many}")).is_some());
        }
    }
}
