//! Texts as JSON string literals (RFC 8259, section 7).

/// Appends a literal. A quote and a backslash are escaped in any case, and so is what `escaped` says: all control characters
/// have to be among it.
pub fn json_string(text: &str, escaped: fn(char) -> bool, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| escaped(c) || matches!(c, '"' | '\\')) {
        let (plain, special) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = special.chars();
        chars.next().into_iter().for_each(|special| escape(special, out));
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

fn escape(special: char, out: &mut String) {
    match special {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        other => out.push_str(&format!("\\u{:04x}", u32::from(other))),
    }
}
