//! Texts that have to be short.

/// The longest beginning of at most `bytes` bytes that ends between characters.
pub fn cut(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}
